"""The enumeration alone: it finds and proves the optimum, stage by stage."""

from __future__ import annotations

import math
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace

import numpy as np
import pytest

from frugalsvm.data.costs import CostModel
from frugalsvm.data.rates import ErrorBudget
from frugalsvm.runtime.stopping import Stopper
from frugalsvm.search.options import SearchOptions
from frugalsvm.search.problem.catalogue import catalogue
from frugalsvm.search.problem.reduction import CoreProblem, reduce_problem
from frugalsvm.search.state import SearchState
from frugalsvm.search.tactics import enumeration
from frugalsvm.search.tactics.enumeration import Enumeration, by_unions, first_look, prove_below
from frugalsvm.search.tuning import Effort
from reference_oracles import all_supports, core_of
from reference_selection import brute_force, is_feasible, large_budgets


@pytest.mark.parametrize("heuristic", [True, False])
@pytest.mark.parametrize("seed", range(60, 85))
def test_it_finds_and_proves_the_optimum(seed: int, heuristic: bool) -> None:
    core = core_of(seed)
    if not len(core.priced):
        return
    state = SearchState(core, Stopper(60.0), SearchOptions(heuristic=heuristic))
    state.perform(Enumeration())
    cost, optimal = brute_force(core.source)
    assert all(step.bound <= cost for step in state.history)
    if not math.isinf(cost):
        assert state.closed
        assert state.amounts() == (cost, cost)
        assert state.best is not None
        assert state.best.support in optimal


@pytest.mark.parametrize("seed", range(60, 80))
def test_a_stage_proves_its_goal_or_finds_something_below_it(seed: int) -> None:
    core = core_of(seed)
    if not len(core.priced):
        return
    features = catalogue(core)
    least, _ = brute_force(core.source)
    whole = core.cost(tuple(core.priced.tolist()))
    for goal in {1, whole // 2, whole}:
        state = SearchState(core, Stopper(60.0))
        with ThreadPoolExecutor(1) as pool:
            proven = prove_below(state, features, goal, pool)
        assert proven
        assert (state.cost < goal) == (least < core.money(goal))
        assert state.bound == (0 if state.cost < goal else goal)


def test_a_stopped_stage_proves_nothing() -> None:
    core = reduce_problem(large_budgets(0))
    stop = Stopper(60.0)
    stop.interrupt()
    state = SearchState(core, stop)
    with ThreadPoolExecutor(1) as pool:
        assert not prove_below(state, catalogue(core), 20, pool)
    assert (state.bound, state.best) == (0, None)


def test_too_many_supports_are_left_to_others() -> None:
    core = reduce_problem(large_budgets(0))
    state = SearchState(core, Stopper(60.0))
    Enumeration(most=1).run(state)
    assert (state.bound, state.best, state.door.tallies) == (0, None, {})


@pytest.mark.parametrize("unions", [True, False])
@pytest.mark.parametrize("seed", range(60, 75))
def test_what_the_first_look_leaves_open_holds_all_that_is_feasible(
    seed: int, unions: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(enumeration, "by_unions", lambda *_: unions)
    core = core_of(seed)
    if not len(core.priced):
        return
    features = catalogue(core)
    limit = features.limit(core.cost(tuple(core.priced.tolist())) // 2)
    state = SearchState(core, Stopper(60.0))
    monkeypatch.setattr(state, "offer", lambda direction: False)  # nothing is taken as an answer
    undecided: list[tuple[int, ...]] = []
    with ThreadPoolExecutor(1) as pool:
        found, over = first_look(state, features, limit, pool, undecided)
    assert not found
    assert over
    within = {tuple(sorted(s)) for s in undecided}
    for support in all_maximal(core, limit):
        whole = core.original_support((*support, *core.free.tolist()))
        if is_feasible(core.source, whole):
            assert any({*support, *core.free.tolist()} <= set(s) for s in within)


def all_maximal(core: CoreProblem, limit: float) -> list[tuple[int, ...]]:
    """Return the supports within a limit of cost that nothing can join, copies aside."""
    within = [set(s) for s in all_supports(core.priced.tolist()) if core.cost(s) <= limit]
    return [tuple(sorted(s)) for s in within if not any(s < other for other in within)]


def test_unions_are_for_many_supports_of_equal_prices_and_small_budgets(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(enumeration, "FEW_SUPPORTS", 10)
    problem = replace(
        large_budgets(0),
        budget=ErrorBudget(2, 2),
        costs=CostModel.per_feature(np.ones(8)),
    )

    def worth(limit: float = 3.0, options: SearchOptions | None = None, **changes: object) -> bool:
        core = reduce_problem(replace(problem, **changes))
        state = SearchState(core, Stopper(60.0), options or SearchOptions())
        return by_unions(state, catalogue(core), limit)

    assert worth()
    assert not worth(limit=1.0)  # eight supports
    assert not worth(options=SearchOptions(unions=False))
    assert not worth(options=SearchOptions(conflicts=False))
    assert not worth(budget=ErrorBudget(28, 24))
    assert not worth(costs=CostModel.per_feature(np.arange(1.0, 9.0)))
    assert not worth(X=np.sign(problem.X - 0.1))  # the sieve is faster


@pytest.mark.parametrize("seed", range(60, 75))
def test_what_the_kernels_leave_open_is_decided_one_by_one(
    seed: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Kernels that decide nothing hand everything on: no support gets lost between the looks."""
    idle = (Effort(0, 0, 0),) * 3
    monkeypatch.setattr(enumeration, "EFFORTS", idle)
    core = core_of(seed)
    if not len(core.priced):
        return
    state = SearchState(core, Stopper(60.0), SearchOptions(heuristic=False, sieve=False))
    state.perform(Enumeration())
    cost, _ = brute_force(core.source)
    assert state.amounts()[1] <= cost
    if not math.isinf(cost):
        assert state.closed
        assert state.amounts() == (cost, cost)
