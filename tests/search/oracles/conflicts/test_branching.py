"""Conflicts are proofs: what is called one cannot be got right by any hyperplane in the box."""

from __future__ import annotations

import numpy as np
import pytest
from scipy.optimize import linprog

from frugalsvm.data.costs import CostModel
from frugalsvm.data.problem import SelectionProblem
from frugalsvm.data.rates import ErrorBudget
from frugalsvm.runtime.stopping import Stopper
from frugalsvm.search import search
from frugalsvm.search.oracles.batch_kernels import by_conflicts
from frugalsvm.search.oracles.conflicts.branching import Branches, _next_child
from frugalsvm.search.oracles.conflicts.given_up import GONE, OPEN, Samples
from frugalsvm.search.oracles.conflicts.min_norm_point import (
    CONFLICT,
    SEPARATED,
    USABLE,
    Hull,
    find_conflict,
)
from frugalsvm.search.problem.reduction import reduce_problem
from frugalsvm.search.state import SearchState
from frugalsvm.search.verdict import FEASIBLE, INFEASIBLE, UNDECIDED
from reference_selection import brute_force, is_feasible, random_problem


def look_for_conflict(
    X: np.ndarray, positive: np.ndarray, max_weight: float
) -> tuple[int, np.ndarray]:
    n, d = X.shape
    rows = np.ascontiguousarray((np.where(positive, 1.0, -1.0)[:, None] * np.c_[X, np.ones(n)]).T)
    room = d + 4
    hull = Hull(
        rows=rows,
        units=np.ones(d + 1),
        max_weight=max_weight,
        barred=np.full(n, USABLE),
        corral=np.zeros(room, np.int64),
        lam=np.zeros(room),
        v=np.zeros(d + 1),
        scores=np.empty(n),
        gram=np.empty((room, room)),
        factor=np.empty((room, room)),
        mu=np.empty(room),
        halfway=np.empty(room),
    )
    outcome, m = find_conflict(hull, n, 0)
    return outcome, hull.corral[:m]


def can_all_be_right(X: np.ndarray, positive: np.ndarray, max_weight: float) -> bool:
    y = np.where(positive, 1.0, -1.0)
    d = X.shape[1]
    bounds = [(-max_weight, max_weight)] * d + [(None, None)]
    rows = -y[:, None] * np.c_[X, np.ones(len(X))]
    return linprog(np.zeros(d + 1), A_ub=rows, b_ub=-np.ones(len(X)), bounds=bounds).status == 0


@pytest.mark.parametrize("place", [0.0, 0.001])
def test_samples_of_one_class_are_never_in_conflict(place: float) -> None:
    """Next to the origin no weight helps, but the intercept does."""
    outcome, _ = look_for_conflict(np.full((3, 1), place), np.zeros(3, dtype=bool), 10.0)
    assert outcome == SEPARATED


@pytest.mark.parametrize("seed", range(200))
def test_conflicts_cannot_all_be_right(seed: int) -> None:
    rng = np.random.default_rng(seed)
    n, d = int(rng.integers(2, 12)), int(rng.integers(1, 4))
    X = rng.standard_normal((n, d))
    X *= np.where(rng.random((n, 1)) < 0.4, 0.02, 1.0)  # many near the origin
    X[rng.random(n) < 0.2] = 0.0
    positive = rng.random(n) < 0.5
    max_weight = float(rng.choice([2.0, 10.0, 100.0]))
    outcome, members = look_for_conflict(X, positive, max_weight)
    if outcome == CONFLICT:
        assert not can_all_be_right(X[members], positive[members], max_weight)


def test_a_sample_at_the_mean_of_its_only_feature_proves_nothing() -> None:
    """One negative at the origin was once called a conflict, and cost 23 the optimum, not 9."""
    problem = random_problem(4874)
    cost, supports = brute_force(problem)
    result = search(problem, stop=Stopper(60.0))
    assert (result.cost, {result.support}) == (cost, supports)


def near_the_border(seed: int) -> SelectionProblem:
    """Two overlapping clouds whose budgets, of one class few, are about what is needed."""
    rng = np.random.default_rng(seed)
    n = 36
    positive = np.arange(n) % 2 == 0
    X = rng.standard_normal((n, 2)) + np.where(positive, 0.7, -0.7)[:, None]
    X = (X - X.mean(axis=0)) / X.std(axis=0)
    budget = ErrorBudget(int(rng.integers(1, 3)), int(rng.integers(2, 7)))
    nothing = np.zeros(2, dtype=bool)
    return SelectionProblem(
        X, positive, budget, CostModel.per_feature(np.ones(2)), nothing, nothing
    )


def test_conflicts_decide_supports_as_brute_force_does() -> None:
    """Conflicts that share samples are at work where one class has little left."""
    counted = {FEASIBLE: 0, INFEASIBLE: 0, UNDECIDED: 0}
    for seed in range(80):
        problem = near_the_border(seed)
        arrays = SearchState(reduce_problem(problem), Stopper(60.0)).oracles.arrays
        verdicts = np.full(1, UNDECIDED, np.int64)
        rows, sizes = np.arange(2, dtype=np.int64).reshape(1, -1), np.full(1, 2, np.int64)
        by_conflicts(arrays, None, 100_000, rows, sizes, verdicts, np.zeros((1, 2)))
        counted[int(verdicts[0])] += 1
        if verdicts[0] != UNDECIDED:
            assert (verdicts[0] == FEASIBLE) == is_feasible(problem, (0, 1)), seed
    assert min(counted[FEASIBLE], counted[INFEASIBLE]) >= 15


def test_every_member_of_a_conflict_is_given_up_once() -> None:
    """Two conflicts, one below the other: all pairs in turn, and the budgets are restored."""
    lists = np.array([[0, 1, 2], [3, 4, 0]])
    branches = Branches(lists, np.array([3, 2]), np.array([-1, -1]))
    samples = Samples(
        np.array([0, 1, 1, 0, 1]), np.ones(5, np.int64), np.zeros(5, np.int64), np.array([2, 2])
    )
    seen, depth = [], _next_child.py_func(branches, samples, 1)
    while depth:
        seen.append(tuple(np.flatnonzero(samples.status == GONE).tolist()))
        if depth == 1:
            branches.places[1], depth = -1, 2
        depth = _next_child.py_func(branches, samples, depth)
    pairs = [pair for pair in seen if len(pair) == 2]
    assert pairs == [(0, 3), (0, 4), (1, 3), (1, 4), (2, 3), (2, 4)]
    assert samples.left.tolist() == [2, 2]
    assert np.all(samples.status == OPEN)
