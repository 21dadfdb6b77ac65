"""The sieve rules out what coinciding samples exclude, and the search is the same without it."""

from __future__ import annotations

import itertools
import math

import numpy as np
import pytest

from frugalsvm.data.problem import SelectionProblem
from frugalsvm.data.rates import ErrorBudget
from frugalsvm.data.result import Status
from frugalsvm.runtime.stopping import Stopper
from frugalsvm.search import search
from frugalsvm.search.options import SearchOptions
from frugalsvm.search.oracles.sieve import Sieve
from frugalsvm.search.problem.catalogue import catalogue
from frugalsvm.search.problem.reduction import reduce_problem
from frugalsvm.search.state import SearchState
from frugalsvm.search.tactics.enumeration import Enumeration
from frugalsvm.search.walks.maximal_supports import MaximalSupports
from reference_oracles import fits_by_cells
from reference_selection import brute_force, random_costs


def discrete_problem(seed: int, n: int = 40, n_features: int = 6) -> SelectionProblem:
    """Return features of two to four levels, some costs zero, and now and then a continuous one."""
    rng = np.random.default_rng(seed)
    levels = rng.integers(2, 5, n_features)
    X = rng.integers(0, levels, (n, n_features)).astype(float)
    if seed % 4 == 3:
        X[:, 1] = rng.standard_normal(n)
    signal = X @ rng.standard_normal(n_features) + rng.uniform(0, 1) * rng.standard_normal(n)
    return SelectionProblem(
        X=(X - X.mean(axis=0)) / X.std(axis=0),
        positive=signal > np.median(signal),
        budget=ErrorBudget(int(rng.integers(0, 6)), int(rng.integers(0, 6))),
        costs=random_costs(rng, n_features),
        include=np.zeros(n_features, np.bool_),
        exclude=np.zeros(n_features, np.bool_),
    )


@pytest.mark.parametrize("seed", range(24))
def test_passing_are_those_that_fit_by_cells(seed: int) -> None:
    core = reduce_problem(discrete_problem(seed))
    sieve, features = Sieve.of(core, np.zeros(1, np.int64)), catalogue(core)
    if len(core.priced) == 0:
        assert sieve is None
        return
    if sieve is None:
        assert np.any([len(np.unique(core.columns[k])) > 12 for k in core.free])
        return
    m = len(features.features)
    rows = [c for size in range(2, m + 1) for c in itertools.combinations(range(m), size)]
    rows.sort()  # the order of a walk, in which a support may even precede a larger one
    padded, sizes = np.zeros((len(rows), m), np.int64), np.array([len(row) for row in rows])
    for r, row in enumerate(rows):
        padded[r, : len(row)] = row
    passing = sieve.passing(padded, sizes)
    shuffled = np.random.default_rng(seed).permutation(len(rows))
    assert np.array_equal(sieve.passing(padded[shuffled], sizes[shuffled]), passing[shuffled])
    for row, passes in zip(rows, passing, strict=True):
        unseen = any(sieve.levels[i] == 0 for i in row)
        support = [*features.features[list(row)], *core.free]
        assert passes == (unseen or fits_by_cells(core, support)), (seed, row)


def test_single_features_pass() -> None:
    core = reduce_problem(discrete_problem(1))
    sieve = Sieve.of(core, np.zeros(1, np.int64))
    assert sieve is not None
    rows, sizes = MaximalSupports(catalogue(core), 0.0).next_batch(10)
    assert sieve.passing(rows, sizes).all()
    assert sieve.passing(np.zeros((1, 1), np.int64), np.array([1])).all()


@pytest.mark.parametrize("seed", range(8))
@pytest.mark.parametrize("cover", [True, False])
def test_the_optimum_does_not_depend_on_it(seed: int, cover: bool) -> None:
    problem = discrete_problem(seed, n=18, n_features=4)
    cost, optimal = brute_force(problem)
    for sieve in (True, False):
        options = SearchOptions(sieve=sieve, cover=cover)
        result = search(problem, options=options, stop=Stopper(60.0))
        if math.isinf(cost):
            assert result.status is Status.INFEASIBLE
            continue
        assert result.status is Status.OPTIMAL
        assert result.cost == pytest.approx(cost, abs=1e-9)
        assert result.support in optimal


@pytest.mark.parametrize("seed", range(8, 18))
def test_enumeration_with_the_sieve_alone(seed: int) -> None:
    problem = discrete_problem(seed, n=18, n_features=4)
    core = reduce_problem(problem)
    cost, _ = brute_force(problem)
    state = SearchState(core, Stopper(60.0), SearchOptions(heuristic=False))
    if core.need_pos == 0 or core.need_neg == 0:
        return
    Enumeration().run(state)
    assert state.closed
    assert all(step.bound <= cost for step in state.history)
    if math.isinf(cost):
        assert state.best is None
    else:
        assert state.amounts() == (cost, cost)


def test_too_many_supports_are_left_to_others() -> None:
    state = SearchState(reduce_problem(discrete_problem(0)), Stopper(60.0))
    Enumeration(most=1).run(state)
    assert not state.closed
    assert state.figures == {}
