"""What earlier searches know is tried and taken over, where it holds."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from frugalsvm.data.rates import ErrorBudget
from frugalsvm.data.result import Status
from frugalsvm.runtime.stopping import Stopper
from frugalsvm.search import Knowledge, SearchOptions, search
from frugalsvm.search.problem.reduction import reduce_problem
from frugalsvm.search.state import SearchState
from frugalsvm.search.tactics.seeds import Seeds
from reference_selection import brute_force, is_feasible, random_problem


def known(seed: int, options: SearchOptions | None = None) -> Knowledge:
    knowledge = Knowledge()
    search(random_problem(seed), stop=Stopper(60.0), knowledge=knowledge, options=options)
    return knowledge


def test_a_solved_problem_is_solved_at_once() -> None:
    problem = random_problem(24)
    knowledge = Knowledge()
    first = search(problem, stop=Stopper(60.0), knowledge=knowledge)
    assert first.status is Status.OPTIMAL
    state = SearchState(reduce_problem(problem), Stopper(60.0))
    state.perform(Seeds(knowledge))
    assert state.closed
    assert state.amounts() == (first.cost, first.bound)


@pytest.mark.parametrize("seed", range(15))
def test_false_seeds_do_no_harm(seed: int) -> None:
    problem = random_problem(seed)
    core = reduce_problem(problem)
    if core.need_pos == 0 or core.need_neg == 0 or core.n_features == 0:
        return
    knowledge = Knowledge(seeds=[(0,), (99,), tuple(range(problem.n_features)), ()])
    state = SearchState(core, Stopper(60.0))
    state.perform(Seeds(knowledge))
    assert state.bound == 0
    if state.best is not None:
        assert is_feasible(problem, state.best.support)
        assert not np.any(problem.exclude[list(state.best.support)])


@pytest.mark.parametrize("seed", range(30))
def test_sets_that_are_taken_over_are_infeasible_here(seed: int) -> None:
    knowledge = known(seed, SearchOptions(heuristic=False, enumeration=False))
    problem = random_problem(seed)
    tighter = ErrorBudget(max(0, problem.budget.pos - 1), problem.budget.neg)
    looser = ErrorBudget(problem.budget.pos + 1, problem.budget.neg)
    core = reduce_problem(replace(problem, budget=tighter))
    if core.need_pos == 0 or core.need_neg == 0 or core.n_features == 0:
        return
    state = SearchState(core, Stopper(60.0))
    state.perform(Seeds(knowledge))
    assert state.amounts()[1] <= brute_force(core.source)[0]
    for support in state.infeasible_sets:
        whole = core.original_support((*support, *core.free.tolist()))
        assert not is_feasible(core.source, whole)
    assert state.door.tallies.get("knowledge") is None or state.infeasible_sets
    other = SearchState(reduce_problem(replace(problem, budget=looser)), Stopper(60.0))
    if other.core.need_pos > 0:
        other.perform(Seeds(knowledge))
        assert other.infeasible_sets == []


def test_a_set_without_the_free_features_says_nothing_about_supports() -> None:
    """What is free is in every support: a set without it may be infeasible for that reason."""
    problem = next(
        problem
        for problem in map(random_problem, range(100))
        if 0 < len(reduce_problem(problem).free) < reduce_problem(problem).n_features
    )
    core = reduce_problem(problem)
    others = tuple(k for k in range(core.n_features) if k != int(core.free[0]))

    class Told(Knowledge):
        def infeasible_for(self, problem: object) -> list[tuple[int, ...]]:
            return [tuple(core.feature_ids[list(others)].tolist())]

    state = SearchState(core, Stopper(60.0))
    state.perform(Seeds(Told()))
    assert state.infeasible_sets == []
