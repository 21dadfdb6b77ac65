"""The solver behind its pointer: what each way to start does."""

from __future__ import annotations

import numpy as np
import pytest

from frugalsvm.margin.arrays import Flags, Floats
from frugalsvm.margin.slots import VALUE
from frugalsvm.margin.solver.active_set import solve
from frugalsvm.margin.solver.codes import (
    BALANCE,
    BELOW,
    CUTOFF,
    EVALUATE,
    OPTIMAL,
    PAUSED,
    SETTLE,
    UNBOUNDED,
)
from frugalsvm.margin.solver.compiled import solver
from frugalsvm.margin.solver.dual import Work, make_work, set_boxes
from frugalsvm.margin.solver.feasible_start import settle
from frugalsvm.margin.solver.free_rows import refresh
from frugalsvm.margin.solver.rays import reaches
from frugalsvm.runtime.compiled import kernel


@kernel
def run(pointer, work: Work, boxes: tuple[Floats, Flags], first: int, goals: Floats) -> int:
    """Set the boxes and solve; `goals` are the cutoff and the least value that matters."""
    set_boxes(work, boxes[0], boxes[1])
    return int(pointer(work, first, goals[0], 10_000, goals[1]))


def two_clouds(seed: int = 0, m: int = 30) -> Work:
    rng = np.random.default_rng(seed)
    y = np.where(np.arange(m) % 2 == 0, 1.0, -1.0)
    return make_work(rng.normal(size=(m, 2)) + 0.7 * y[:, None], np.empty((0, 0)), y, np.ones(m))


def solved(work: Work, box: float, first: int = BALANCE, *, cutoff=np.inf, least=-np.inf, hard=()):
    flags = np.zeros(len(work.y), dtype=np.bool_)
    flags[list(hard)] = True
    boxes = (np.full(len(work.y), box), flags)
    return run(solver(), work, boxes, first, np.array([cutoff, least]))


def test_the_named_parts_are_what_the_pointer_is_made_of() -> None:
    for part in (solve, settle, refresh, reaches):
        assert callable(part.py_func)


def test_a_larger_box_is_reached_from_a_smaller_ones_optimum() -> None:
    warm, cold = two_clouds(), two_clouds()
    assert solved(warm, 0.5) == OPTIMAL
    small = warm.numbers[VALUE]
    assert solved(warm, 2.0, SETTLE) == OPTIMAL
    assert solved(cold, 2.0) == OPTIMAL
    assert small < warm.numbers[VALUE] == pytest.approx(cold.numbers[VALUE], rel=1e-9)
    assert solved(warm, 0.5, SETTLE) == OPTIMAL  # and back
    assert warm.numbers[VALUE] == pytest.approx(small, rel=1e-9)


def test_it_ends_at_the_cutoff_below_the_least_and_when_told() -> None:
    work = two_clouds()
    assert solved(work, 1.0) == OPTIMAL
    optimum = float(work.numbers[VALUE])
    assert solved(two_clouds(), 1.0, cutoff=0.5 * optimum) == CUTOFF
    assert solved(two_clouds(), 1.0, least=2.0 * optimum) == BELOW
    halted = two_clouds()
    halted.halt[0] = 1
    assert solved(halted, 1.0) == PAUSED


def test_any_multipliers_have_a_value_that_is_a_bound() -> None:
    work = two_clouds()
    assert solved(work, 1.0) == OPTIMAL
    optimum = float(work.numbers[VALUE])
    work.a[:] *= 0.5
    assert solved(work, 1.0, EVALUATE) == OPTIMAL
    assert 0.0 < work.numbers[VALUE] < optimum


def test_rows_that_cannot_all_hold_leave_a_ray() -> None:
    y = np.array([1.0, -1.0, 1.0])
    work = make_work(np.array([[0.0], [1.0], [2.0]]), np.empty((0, 0)), y, np.ones(3))
    assert solved(work, 1.0, hard=(0, 1, 2)) == UNBOUNDED
    ray = work.ray / np.abs(work.ray).max()
    np.testing.assert_allclose(ray, [0.5, -1.0, 0.5])
