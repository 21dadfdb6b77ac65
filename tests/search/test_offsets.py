"""Cells whose thresholds have to add up, against the MILP of each support."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from frugalsvm.costs import CostModel
from frugalsvm.problem import SelectionProblem
from frugalsvm.rates import ErrorBudget
from frugalsvm.search import search
from frugalsvm.search.directions import FEASIBLE, INFEASIBLE, UNDECIDED
from frugalsvm.search.hyperplane import gap
from frugalsvm.search.kernels import by_cells
from frugalsvm.search.options import SearchOptions
from frugalsvm.search.reduction import CoreProblem, reduce_problem
from frugalsvm.search.state import SearchState
from frugalsvm.stopping import Stopper
from reference_selection import is_feasible, large_budgets


def mixed_problem(seed: int) -> SelectionProblem:
    """Return some continuous and some few-valued features, ties, and errors to give up."""
    rng = np.random.default_rng(seed)
    n, continuous, discrete = int(rng.integers(10, 31)), rng.integers(0, 4), rng.integers(1, 5)
    X = rng.standard_normal((n, int(continuous + discrete)))
    levels = rng.choice([2, 2, 3])
    X[:, continuous:] = np.floor(levels * rng.random((n, discrete)))
    if rng.random() < 0.3:
        X[:, :continuous] = np.round(3 * X[:, :continuous]) / 3
    signal = X @ rng.standard_normal(X.shape[1]) + rng.uniform(0, 2) * rng.standard_normal(n)
    positive = signal > np.quantile(signal, rng.uniform(0.3, 0.7))
    kept = np.ptp(X, axis=0) > 0
    X = X[:, kept]
    X = (X - X.mean(axis=0)) / X.std(axis=0)
    most = max(1, n // 6)
    budget = ErrorBudget(int(rng.integers(0, most + 1)), int(rng.integers(0, most + 1)))
    nothing = np.zeros(X.shape[1], dtype=bool)
    costs = CostModel.per_feature(np.ones(X.shape[1]))
    max_weight = float(rng.choice([100.0, 100.0, 10.0, 2.0]))
    return SelectionProblem(X, positive, budget, costs, nothing, nothing, max_weight)


def judged(core: CoreProblem, continuous: np.ndarray, nodes: int | None = 300) -> tuple[int, float]:
    """Judge all features of a problem; return the verdict and the gap of what was found."""
    arrays = SearchState(core, Stopper(60.0)).oracles.arrays
    arrays = arrays._replace(counts=np.where(continuous, 0, arrays.counts))
    rows = np.arange(core.n_features, dtype=np.int64).reshape(1, -1)
    verdicts, directions = np.zeros(1, np.int64), np.zeros(rows.shape)
    by_cells(arrays, 300, nodes, rows, np.array([core.n_features]), verdicts, directions)
    largest = np.abs(directions[0]).max()
    reached = gap(core, directions[0] / largest) if largest > 0 else -np.inf
    return int(verdicts[0]), reached


def compare(seeds: range) -> dict[int, int]:
    """Judge random problems by offsets and by a MILP; return how often each verdict came."""
    counts = {FEASIBLE: 0, INFEASIBLE: 0, UNDECIDED: 0}
    for seed in seeds:
        problem = mixed_problem(seed)
        core = reduce_problem(problem)
        levels = np.array([len(np.unique(column)) for column in core.columns])
        continuous = levels > 3
        few = core.n_features - int(continuous.sum())
        if core.n_features == 0 or few == 0 or core.need_pos == 0 or core.need_neg == 0:
            continue
        verdict, reached = judged(core, continuous)
        counts[verdict] += 1
        if verdict == INFEASIBLE:
            support = core.original_support(tuple(range(core.n_features)))
            assert not is_feasible(problem, support), seed
        if verdict == FEASIBLE:
            assert reached >= core.floor, seed
    return counts


def test_verdicts_are_those_of_the_milp() -> None:
    counts = compare(range(300))
    assert counts[INFEASIBLE] > 50
    assert counts[FEASIBLE] > 50
    assert counts[UNDECIDED] < 0.3 * sum(counts.values())


def test_a_cut_never_leaves_a_range_as_it_was() -> None:
    """A tree that goes round in circles finds nothing, however many nodes it has."""
    core = reduce_problem(mixed_problem(193))
    continuous = np.array([len(np.unique(column)) for column in core.columns]) > 3
    verdict, reached = judged(core, continuous)
    assert verdict == FEASIBLE
    assert reached >= core.floor


@pytest.mark.slow
def test_verdicts_are_those_of_the_milp_at_length() -> None:
    counts = compare(range(1_000, 4_000))
    assert counts[INFEASIBLE] > 500


def additive_problem(errors: int) -> SelectionProblem:
    """Return four cells whose best thresholds are 0, 0, 0 and 3: no two weights give that."""
    rng = np.random.default_rng(0)
    n = 400
    X = np.column_stack((3 * rng.standard_normal(n), rng.integers(0, 2, (n, 2))))
    positive = X[:, 0] > 3.0 * X[:, 1] * X[:, 2]
    costs = CostModel.per_feature(np.ones(3))
    nothing = np.zeros(3, dtype=bool)
    return SelectionProblem(X, positive, ErrorBudget(errors, errors), costs, nothing, nothing)


@pytest.mark.parametrize("errors", [2, 5])
def test_thresholds_that_do_not_add_up_are_ruled_out(errors: int) -> None:
    problem = additive_problem(errors)
    core = reduce_problem(problem)
    continuous = np.array([True, False, False])
    assert judged(core, continuous, nodes=None)[0] == UNDECIDED
    assert judged(core, continuous)[0] == INFEASIBLE
    assert not is_feasible(problem, (0, 1, 2))
    product = np.column_stack((problem.X, problem.X[:, 1] * problem.X[:, 2]))
    more = replace(
        problem,
        X=product,
        costs=CostModel.per_feature(np.ones(4)),
        include=np.zeros(4, dtype=bool),
        exclude=np.zeros(4, dtype=bool),
    )
    verdict, reached = judged(reduce_problem(more), np.array([True, False, False, False]))
    assert verdict == FEASIBLE
    assert reached >= core.floor


@pytest.mark.parametrize("seed", range(4))
def test_search_with_and_without_offsets_agrees(seed: int) -> None:
    problem = large_budgets(seed)
    with_offsets = search(problem, stop=Stopper(60.0), threads=2)
    options = SearchOptions(offsets=False)
    without = search(problem, stop=Stopper(60.0), threads=2, options=options)
    assert with_offsets.status.value == without.status.value == "optimal"
    assert with_offsets.cost == without.cost
