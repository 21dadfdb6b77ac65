"""The state: answers are verified, bounds never pass them, and runs are counted."""

from __future__ import annotations

import math

import numpy as np

from frugalsvm.data.result import Status
from frugalsvm.runtime.stopping import Stopper
from frugalsvm.search.driver import result_of
from frugalsvm.search.problem.reduction import reduce_problem
from frugalsvm.search.state import SearchState
from reference_selection import large_budgets


def new_state() -> SearchState:
    return SearchState(reduce_problem(large_budgets(0)), Stopper(60.0))


def test_a_direction_that_misses_the_budgets_is_ignored() -> None:
    state = new_state()
    assert not state.offer(np.eye(8)[5])
    assert not state.offer(np.full(8, np.nan))
    assert state.best is None
    assert math.isinf(state.cost)


def test_a_bound_stops_at_the_best_answer() -> None:
    state = new_state()
    assert state.offer(np.ones(8))
    state.raise_bound(1e9)
    assert state.closed
    assert state.bound == state.cost
    assert result_of(state, large_budgets(0), ()).status is Status.OPTIMAL


def test_runs_within_runs_are_counted_and_reported_by_name() -> None:
    class Inner:
        name = "inner"

        def run(self, state: SearchState) -> None:
            assert state.phase == "inner"
            state.offer(np.ones(8))

    class Outer:
        name = "outer"

        def run(self, state: SearchState) -> None:
            state.perform(Inner())
            assert state.phase == "outer"
            state.raise_bound(1)

    state = new_state()
    state.perform(Outer())
    tallies = state.door.summary()["tactics"]
    assert (tallies["inner"]["asked"], tallies["inner"]["found"]) == (1, 1)
    assert (tallies["outer"]["ruled_out"], tallies["outer"]["found"]) == (1, 1)
    assert tallies["inner"]["ruled_out"] == 0
    assert [progress.phase for progress in state.history] == ["inner", "outer"]
