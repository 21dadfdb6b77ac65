"""Discrete features that join the continuous ones: which, and what that proves."""

from __future__ import annotations

import itertools

import numpy as np
import pytest

from frugalsvm.data.costs import CostModel
from frugalsvm.data.problem import SelectionProblem
from frugalsvm.data.rates import ErrorBudget
from frugalsvm.runtime.stopping import Stopper
from frugalsvm.search.oracles.batch_kernels import by_cells
from frugalsvm.search.oracles.thresholds.freed import Freed, begin, free_others, set_counts
from frugalsvm.search.problem.reduction import reduce_problem
from frugalsvm.search.state import SearchState
from frugalsvm.search.tuning import (
    FREE_ONE,
    FREE_SEVERAL,
    MOST_CHOICES,
    MOST_FREED,
    WIDEST_BOXES,
)
from frugalsvm.search.verdict import INFEASIBLE, UNDECIDED
from reference_selection import is_feasible


def choices(counts: list[int], chosen: list[int], boxes: int) -> list[tuple[set[int], int]]:
    """Return the sets of features that are freed, in turn, and how many there are of a size."""
    known = np.array(counts)
    freed = Freed(np.zeros(len(known), int), np.zeros(len(known), int), np.zeros(4, int))
    begin.py_func(freed, known, np.array(chosen))
    found, without = [], known.copy()
    while True:
        set_counts.py_func(freed, known, without)
        gone = set(np.flatnonzero((known > 0) & (without == 0)).tolist())
        assert np.array_equal(known[without > 0], without[without > 0])
        found.append((gone, int(freed.many[0])))
        if not free_others.py_func(freed, boxes):
            return found


def test_every_choice_comes_once_few_features_first() -> None:
    found = [s for s, _ in choices([2, 0, 3, 2, 2, 9], [0, 1, 2, 3, 4], FREE_SEVERAL)]
    some = [set(c) for r in range(MOST_FREED + 1) for c in itertools.combinations([0, 2, 3, 4], r)]
    assert found == some  # of four discrete ones, beside a continuous one; 5 is not in the support


@pytest.mark.parametrize(("boxes", "most"), [(FREE_ONE - 1, 0), (FREE_ONE, 1), (FREE_SEVERAL, 3)])
def test_more_boxes_free_more_features(boxes: int, most: int) -> None:
    found = choices([2] * 6, list(range(6)), boxes)
    assert max(len(s) for s, _ in found) == most
    for gone, many in found:
        assert many == sum(len(other) == len(gone) for other, _ in found)


def test_one_feature_stays_discrete_and_boxes_do_not_get_too_wide() -> None:
    assert max(len(s) for s, _ in choices([2, 2], [0, 1], FREE_SEVERAL)) == 1
    continuous = [0] * (WIDEST_BOXES - 1)
    found = choices([*continuous, 2, 2, 2], list(range(len(continuous) + 3)), FREE_SEVERAL)
    assert max(len(s) for s, _ in found) == 1


def test_sizes_with_too_many_choices_are_left_out() -> None:
    found = choices([2] * 40, list(range(40)), FREE_SEVERAL)
    assert 40 <= MOST_CHOICES < 40 * 39 // 2
    assert len(found) == 41


def additive(seed: int, budget: int, n: int = 60) -> SelectionProblem:
    """Return samples of a continuous feature whose threshold three binary ones add up to."""
    rng = np.random.default_rng(seed)
    X = np.column_stack((rng.standard_normal(n), rng.integers(0, 2, (n, 3))))
    score = X @ np.array([1.0, 1.0, -0.8, 0.6]) + 0.9 * rng.standard_normal(n)
    X = (X - X.mean(axis=0)) / X.std(axis=0)
    nothing = np.zeros(4, dtype=bool)
    costs = CostModel.per_feature(np.ones(4))
    positive = score > np.median(score)
    return SelectionProblem(X, positive, ErrorBudget(budget, budget), costs, nothing, nothing)


def verdict_on(problem: SelectionProblem, boxes: int) -> int:
    state = SearchState(reduce_problem(problem), Stopper(60.0))
    verdicts = np.zeros(1, np.int64)
    by_cells(state.oracles.arrays, boxes, np.array([[0, 1, 2, 3]]), np.array([4]), verdicts)
    return int(verdicts[0])


def test_what_is_ruled_out_is_infeasible_and_more_is_than_by_cells_alone() -> None:
    alone, together = 0, 0
    for seed in range(10):
        for budget in range(2, 5):
            problem = additive(seed, budget)
            verdicts = [verdict_on(problem, boxes) for boxes in (FREE_ONE - 1, FREE_SEVERAL)]
            alone += verdicts[0] == INFEASIBLE
            together += verdicts[1] == INFEASIBLE
            if verdicts[1] == INFEASIBLE:
                assert not is_feasible(problem, (0, 1, 2, 3)), (seed, budget)
            else:
                assert verdicts == [UNDECIDED, UNDECIDED]
    assert together >= alone + 5
