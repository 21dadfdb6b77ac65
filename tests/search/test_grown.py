"""Answers grown from supports that were hard to rule out."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor
from typing import Any

import pytest

from frugalsvm.search import search
from frugalsvm.search.problem.reduction import reduce_problem
from frugalsvm.search.state import SearchState
from frugalsvm.search.tactics import enumeration
from frugalsvm.search.tactics.extend_near_misses import grow
from frugalsvm.search.walks.maximal_supports import catalogue
from frugalsvm.stopping import Stopper
from reference_selection import large_budgets


@pytest.mark.parametrize("seed", range(4))
def test_a_part_of_the_cheapest_support_grows_into_a_better_answer(seed: int) -> None:
    problem = large_budgets(seed)
    best = search(problem, stop=Stopper(60.0))
    core = reduce_problem(problem)
    whole = best.weights[core.feature_ids].copy()
    whole[whole == 0.0] = 1e-9  # the same answer, but it pays for all features
    state = SearchState(core, Stopper(60.0))
    assert state.offer(whole)
    before, _ = state.amounts()
    support = core.core_support(best.support)
    dearest = max(support, key=lambda k: core.costs.feature[k])
    rest = tuple(k for k in support if k != dearest)
    state.raise_bound(core.cost(rest))
    with ThreadPoolExecutor(1) as pool:
        grow(state, catalogue(core), [rest], pool)
    assert best.cost <= state.amounts()[0] < before


def test_a_stage_that_was_proven_grows_answers(monkeypatch: pytest.MonkeyPatch) -> None:
    grown: list[Any] = []
    monkeypatch.setattr(enumeration, "grow", lambda *args: grown.append(args[2]))
    for seed in range(4):
        assert search(large_budgets(seed), stop=Stopper(60.0)).status.value == "optimal"
    assert any(supports for supports in grown)
