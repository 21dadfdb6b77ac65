"""Thresholds per cell on continuous features: what they rule out is infeasible."""

from __future__ import annotations

import numpy as np
import pytest

from frugalsvm.data.costs import CostModel
from frugalsvm.data.problem import SelectionProblem
from frugalsvm.data.rates import ErrorBudget
from frugalsvm.runtime.stopping import Stopper
from frugalsvm.search.oracles.batch_kernels import by_cells
from frugalsvm.search.oracles.thresholds.boxes import NEARLY_ALL
from frugalsvm.search.oracles.thresholds.origins import LARGEST_UNIT, SMALLEST_UNIT
from frugalsvm.search.oracles.thresholds.tables import EXCESS
from frugalsvm.search.problem.reduction import reduce_problem
from frugalsvm.search.state import SearchState
from frugalsvm.search.verdict import INFEASIBLE, UNDECIDED
from reference_selection import is_feasible


def mixed(seed: int, budget: int) -> SelectionProblem:
    """Return 40 samples of two continuous features and a binary one that shifts them."""
    rng = np.random.default_rng(seed)
    X = np.column_stack((rng.standard_normal((40, 2)), rng.integers(0, 2, 40)))
    signal = X[:, 0] + X[:, 1] + 2.0 * X[:, 2] + 0.8 * rng.standard_normal(40)
    X = (X - X.mean(axis=0)) / X.std(axis=0)
    nothing = np.zeros(3, dtype=bool)
    costs = CostModel.per_feature(np.ones(3))
    positive = signal > np.median(signal)
    return SelectionProblem(X, positive, ErrorBudget(budget, budget), costs, nothing, nothing)


def verdict_on(problem: SelectionProblem, boxes: int = 2_000) -> int:
    state = SearchState(reduce_problem(problem), Stopper(60.0))
    verdicts = np.zeros(1, np.int64)
    by_cells(state.oracles.arrays, boxes, np.array([[0, 1, 2]]), np.array([3]), verdicts)
    return int(verdicts[0])


def test_what_is_ruled_out_is_infeasible_and_much_is() -> None:
    ruled_out = 0
    for seed in range(12):
        for budget in range(4):
            problem = mixed(seed, budget)
            if verdict_on(problem) == INFEASIBLE:
                ruled_out += 1
                assert not is_feasible(problem, (0, 1, 2)), (seed, budget)
    assert ruled_out >= 10


def test_more_room_is_never_ruled_out_before_less() -> None:
    for seed in range(12):
        verdicts = [verdict_on(mixed(seed, budget)) for budget in range(5)]
        assert verdicts == sorted(verdicts)


def test_one_box_is_not_enough_to_look_everywhere() -> None:
    problems = [mixed(seed, 0) for seed in range(6)]
    assert all(verdict_on(problem, boxes=1) == UNDECIDED for problem in problems)


@pytest.mark.parametrize("number", [NEARLY_ALL, LARGEST_UNIT])
def test_margins_of_safety(number: float) -> None:
    """A threshold wider than the floor, or units above 1, would rule out too much."""
    assert number <= 1.0
    assert 0.0 < SMALLEST_UNIT < LARGEST_UNIT
    assert EXCESS > 0.0
