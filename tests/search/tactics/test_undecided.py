"""Supports that the kernels leave open: none is forgotten, and none proves more than it does."""

from __future__ import annotations

import math
import time
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from dataclasses import fields, replace
from itertools import combinations

import numpy as np
import pytest

from frugalsvm.data.costs import CostModel
from frugalsvm.data.problem import SelectionProblem
from frugalsvm.data.rates import ErrorBudget
from frugalsvm.runtime.stopping import Stopper
from frugalsvm.search import SearchOptions, search
from frugalsvm.search.problem.reduction import reduce_problem
from frugalsvm.search.state import SearchState
from frugalsvm.search.tactics.futures import abandon
from frugalsvm.search.tactics.undecided import Outcome, settle
from reference_selection import brute_force, is_feasible, random_problem

OFF = {f.name: False for f in fields(SearchOptions) if f.type == "bool"}
LAST_RESORT_ONLY = replace(SearchOptions(**OFF), enumeration=True, cuts=True)


@pytest.fixture
def pool() -> Iterator[ThreadPoolExecutor]:
    with ThreadPoolExecutor(2) as threads:
        yield threads


def overlapping() -> SelectionProblem:
    """Two of six features tell the classes apart, but for two samples of each near the border."""
    rng = np.random.default_rng(5)
    X = rng.standard_normal((40, 6))
    X = (X - X.mean(axis=0)) / X.std(axis=0)
    score = X[:, 2] + X[:, 4]
    positive = score > 0
    border = np.argsort(score)[np.count_nonzero(~positive) - 2 :][:4]
    positive[border] ^= True
    nothing = np.zeros(6, dtype=bool)
    costs = CostModel.per_feature(np.ones(6))
    return SelectionProblem(X, positive, ErrorBudget(2, 2), costs, nothing, nothing)


@pytest.mark.parametrize("seed", range(400, 440))
def test_the_last_resort_alone_finds_the_optimum(seed: int) -> None:
    """An answer found among the leftovers does not prove that the others hold nothing cheaper."""
    problem = random_problem(seed)
    cost, optimal = brute_force(problem)
    result = search(problem, stop=Stopper(60.0), options=LAST_RESORT_ONLY, threads=2)
    assert result.bound <= cost
    if not math.isinf(cost):
        assert result.cost == pytest.approx(cost)
        assert result.support in optimal


def test_what_became_of_leftovers(pool: ThreadPoolExecutor) -> None:
    problem = overlapping()
    pairs = list(combinations(range(6), 2))
    feasible = [pair for pair in pairs if is_feasible(problem, pair)]
    assert feasible == [(2, 4)]
    others = [pair for pair in pairs if pair not in feasible]
    state = SearchState(reduce_problem(problem), Stopper(60.0), threads=2)
    assert settle(state, others, pool) is Outcome.PROVEN
    assert state.best is None
    assert settle(state, pairs, pool) is Outcome.FOUND
    assert state.best is not None
    assert state.best.support == (2, 4)
    assert state.bound == 0.0


def test_what_is_not_needed_any_more_does_not_hold_up_the_rest() -> None:
    state = SearchState(reduce_problem(overlapping()), Stopper(60.0))
    halt = state.oracles.arrays.halt

    def until_halted() -> bool:
        give_up = time.monotonic() + 30.0
        while halt[0] == 0 and time.monotonic() < give_up:
            time.sleep(0.001)
        return bool(halt[0])

    with ThreadPoolExecutor(1) as one:
        futures = [one.submit(until_halted) for _ in range(3)]
        while not futures[0].running():
            time.sleep(0.001)
        abandon(state, futures)
        assert futures[0].result()
        assert futures[1].cancelled()
        assert futures[2].cancelled()
    assert halt[0] == 0


def test_what_nobody_can_judge_stays_open(pool: ThreadPoolExecutor) -> None:
    state = SearchState(reduce_problem(overlapping()), Stopper(60.0), SearchOptions(**OFF))
    assert settle(state, [(0, 1)], pool) is Outcome.OPEN


def test_a_stage_with_nothing_left_is_proven_even_when_time_is_over(
    pool: ThreadPoolExecutor,
) -> None:
    stop = Stopper(60.0)
    state = SearchState(reduce_problem(random_problem(11)), stop)
    stop.interrupt()
    assert settle(state, [], pool) is Outcome.PROVEN
    assert settle(state, [(0,)], pool) is Outcome.OPEN
