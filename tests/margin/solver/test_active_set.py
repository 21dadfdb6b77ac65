"""Which row is brought to optimality next, and that all of them get there."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from frugalsvm.margin.arrays import Flags, Floats
from frugalsvm.margin.rows.reduction import reduce
from frugalsvm.margin.slots import INTERCEPT, VALUE
from frugalsvm.margin.solver.active_set import price
from frugalsvm.margin.solver.codes import BALANCE, OPTIMAL, UNBOUNDED
from frugalsvm.margin.solver.compiled import solver
from frugalsvm.margin.solver.dual import Work, make_work, set_boxes
from frugalsvm.runtime.compiled import kernel
from frugalsvm.runtime.stopping import Stopper
from margin_instances import tiny_problem
from reference_margin import UndecidedError, explicit_features, svm_objective


def test_the_largest_violation_with_room_is_next() -> None:
    y = np.array([1.0, -1.0, 1.0])
    work = make_work(np.eye(3), np.empty((0, 0)), y, np.ones(3))
    set_boxes.py_func(work, np.array([0.0, 2.0, 1.0]), np.zeros(3, dtype=np.bool_))
    work.e[:] = [5.0, -3.0, 1.0]
    work.numbers[INTERCEPT] = 0.5
    row, violation, gain = price.py_func(work)
    assert (row, violation) == (1, -3.5)  # the first violates more, but has no room
    assert gain == 3.5 * 2.0 + 0.5 * 1.0  # what a step of each to its end would gain at most


@kernel
def maximised(pointer, work: Work, box: Floats, hard: Flags) -> int:
    """Solve from nothing."""
    set_boxes(work, box, hard)
    return int(pointer(work, BALANCE, np.inf, 10_000, -np.inf))


@pytest.mark.parametrize("seed", range(60))
def test_the_optimum_is_that_of_another_solver(seed: int) -> None:
    """Clarabel solves the primal with some rows hard, the active set the dual."""
    problem = replace(tiny_problem(seed), max_slack=None)
    rows = reduce(problem, Stopper(), merge=False)
    rng = np.random.default_rng(seed)
    features = explicit_features(problem)
    for _ in range(3):
        wrong = rng.random(rows.n_rows) < rng.uniform(0.2, 1.0)
        work = make_work(rows.Z, rows.K, rows.y, rows.target)
        code = maximised(solver(), work, np.full(rows.n_rows, problem.C), ~wrong)
        try:
            expected = svm_objective(problem, features, wrong)
        except UndecidedError:
            continue
        if np.isinf(expected):
            assert code == UNBOUNDED
            continue
        if code == UNBOUNDED:  # rounding may hide a norm that is very large
            assert expected > 1e5
            continue
        assert code == OPTIMAL
        assert work.numbers[VALUE] == pytest.approx(expected, rel=1e-5, abs=1e-6)
        assert (work.lo <= work.a).all()
        assert (work.a <= work.hi).all()
        assert abs(work.a.sum()) <= 1e-9 * max(1.0, np.abs(work.a).max())
