"""Prices over two orders of magnitude and groups: the optimum, and what finds and proves it."""

from __future__ import annotations

import math
from dataclasses import replace

import numpy as np
import pytest

from frugalsvm.data.costs import CostModel
from frugalsvm.data.problem import SelectionProblem
from frugalsvm.data.rates import ErrorBudget
from frugalsvm.data.result import Status
from frugalsvm.runtime.stopping import Stopper
from frugalsvm.search import SearchOptions, search
from frugalsvm.search.heuristics.fit_cache import Fitter
from frugalsvm.search.heuristics.heuristic import Heuristic
from frugalsvm.search.heuristics.refill import added_price, cheapened, prune
from frugalsvm.search.oracles.batch_kernels import by_cells
from frugalsvm.search.problem.reduction import reduce_problem
from frugalsvm.search.state import SearchState
from frugalsvm.search.verdict import INFEASIBLE
from reference_selection import brute_force, is_feasible, large_budgets, random_problem


def priced(seed: int, *, grouped: bool) -> SelectionProblem:
    """Return a random instance with integer prices from 1 to 100, perhaps with groups."""
    rng = np.random.default_rng((seed, grouped))
    problem = random_problem(seed)
    m = problem.n_features
    prices = rng.integers(1, 101, m).astype(float)
    if not grouped:
        return replace(problem, costs=CostModel.per_feature(prices))
    own = np.where(rng.random(m) < 0.5, 0.0, prices)
    panels = tuple((int(g),) for g in rng.integers(0, 2, m))
    return replace(problem, costs=CostModel(own, panels, rng.integers(1, 101, 2).astype(float)))


@pytest.mark.parametrize("grouped", [False, True])
@pytest.mark.parametrize("first", [5000, 5030])
def test_optimum_with_prices_up_to_100(first: int, grouped: bool) -> None:
    for seed in range(first, first + 30):
        problem = priced(seed, grouped=grouped)
        cost, optimal = brute_force(problem)
        result = search(problem, stop=Stopper(60.0))
        if math.isinf(cost):
            assert result.status is Status.INFEASIBLE, seed
            continue
        assert result.status is Status.OPTIMAL, seed
        assert result.cost == pytest.approx(cost, abs=1e-9), seed
        assert result.support in optimal, seed


def substitutes(dear: float) -> SelectionProblem:
    """Return an instance on which feature 0 says what features 1, 2 and 3 say together."""
    rng = np.random.default_rng(3)
    X = rng.standard_normal((120, 20))
    X[:, 0] = X[:, 1:4].sum(axis=1)
    positive = X[:, 0] > 0
    X = X[np.abs(X[:, 0]) > 0.3]
    positive = X[:, 0] > 0
    X = (X - X.mean(axis=0)) / X.std(axis=0)
    prices = np.full(20, 60.0)
    prices[:4] = dear, 7.0, 8.0, 9.0
    nothing = np.zeros(20, dtype=bool)
    costs = CostModel.per_feature(prices)
    return SelectionProblem(X, positive, ErrorBudget(1, 1), costs, nothing, nothing)


@pytest.mark.parametrize(("dear", "best"), [(20.0, 20.0), (50.0, 24.0)])
def test_one_dear_feature_against_three_cheap_ones(dear: float, best: float) -> None:
    heuristic_only = SearchOptions(enumeration=False, cover=False)
    result = search(substitutes(dear), stop=Stopper(60.0), options=heuristic_only)
    assert result.cost == best
    assert search(substitutes(dear), stop=Stopper(60.0)).status is Status.OPTIMAL


def test_marginal_prices_charge_a_group_once() -> None:
    problem = replace(
        substitutes(50.0),
        costs=CostModel(
            np.arange(20.0), tuple((k % 3, 3) for k in range(20)), np.array([5.0, 6.0, 7.0, 8.0])
        ),
    )
    core = reduce_problem(problem)
    fitter = Fitter(SearchState(core, Stopper(60.0)), 1e9)
    for support in [(), (4,), (1, 5), (0, 1, 2)]:
        added = fitter.marginal_prices(support)
        for k in range(20):
            if k not in support:
                assert added[k] == core.costs.cost((*support, k)) - core.costs.cost(support)


def test_the_heuristic_is_short_where_the_proof_is() -> None:
    state = SearchState(reduce_problem(substitutes(20.0)), Stopper(60.0))
    Heuristic().run(state)
    fitter = Fitter(state, 1e9)
    fitter.spare_work()
    assert state.amounts()[0] == 20.0
    assert 0 < fitter.work < 1e6


def test_cells_with_the_margin_rule_out_only_what_is_infeasible() -> None:
    ruled_out = 0
    for seed in range(6000, 6150):
        problem = random_problem(seed)
        problem = replace(problem, include=np.zeros(problem.n_features, dtype=bool))
        core = reduce_problem(problem)
        if core.n_features < 2 or core.need_pos == 0 or core.need_neg == 0:
            continue
        state = SearchState(core, Stopper(60.0))
        arrays = state.oracles.arrays
        if arrays.codes.shape[1] == 0:
            continue
        continuous = np.arange(core.n_features) % 2 == 0
        arrays = arrays._replace(counts=np.where(continuous, 0, arrays.counts))
        rows = np.arange(core.n_features, dtype=np.int64).reshape(1, -1)
        verdicts = np.zeros(1, np.int64)
        by_cells(arrays, 500, rows, np.array([core.n_features]), verdicts)
        if verdicts[0] == INFEASIBLE:
            ruled_out += 1
            assert not is_feasible(problem, core.original_support(tuple(rows[0].tolist()))), seed
    assert ruled_out >= 5


def test_ties_at_one_value_are_not_told_apart() -> None:
    """Half of the samples of both classes share a value; boxes around it must come to an end."""
    rng = np.random.default_rng(0)
    n = 200
    X = np.abs(rng.standard_normal((n, 3))) * (rng.random((n, 3)) < 0.4)
    X[:, 2] = rng.random(n) < 0.5
    X = (X - X.mean(axis=0)) / X.std(axis=0)
    nothing = np.zeros(3, dtype=bool)
    costs = CostModel.per_feature(np.ones(3))
    problem = SelectionProblem(
        X, np.arange(n) % 2 == 0, ErrorBudget(20, 20), costs, nothing, nothing
    )
    arrays = SearchState(reduce_problem(problem), Stopper(60.0)).oracles.arrays
    verdicts = np.zeros(1, np.int64)
    rows = np.arange(3, dtype=np.int64).reshape(1, -1)
    by_cells(arrays, 2_000, rows, np.array([3]), verdicts)
    assert verdicts[0] == INFEASIBLE


def test_supports_are_pruned_and_cheapened() -> None:
    state = SearchState(reduce_problem(large_budgets(0)), Stopper(60.0))
    fitter = Fitter(state, 1e9)
    everything = tuple(state.core.priced.tolist())
    pruned = prune(fitter, everything)
    assert state.core.cost(pruned) < state.core.cost(everything)
    assert fitter.fit(pruned).feasible
    cheaper = cheapened(fitter, everything)
    assert state.core.cost(cheaper) <= state.cutoff
    assert sum(added_price(state.core, k, pruned) for k in pruned) == state.core.cost(pruned)
