"""Supports decided by conflicts: as brute force does, every sample being given up in its turn."""

from __future__ import annotations

import numpy as np

from frugalsvm.data.costs import CostModel
from frugalsvm.data.problem import SelectionProblem
from frugalsvm.data.rates import ErrorBudget
from frugalsvm.runtime.stopping import Stopper
from frugalsvm.search import search
from frugalsvm.search.oracles.batch_kernels import by_conflicts
from frugalsvm.search.oracles.conflicts.branching import Branches, _next_child
from frugalsvm.search.oracles.conflicts.given_up import GONE, OPEN, Samples
from frugalsvm.search.problem.reduction import reduce_problem
from frugalsvm.search.state import SearchState
from frugalsvm.search.verdict import FEASIBLE, INFEASIBLE, UNDECIDED
from reference_selection import brute_force, is_feasible, random_problem


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
