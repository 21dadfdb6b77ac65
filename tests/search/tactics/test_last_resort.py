"""When nothing was found: something is, or it is proven that nothing can be."""

from __future__ import annotations

import math

import numpy as np
import pytest

from frugalsvm.runtime.stopping import Stopper
from frugalsvm.search.problem.reduction import reduce_problem
from frugalsvm.search.state import SearchState
from frugalsvm.search.tactics import last_resort
from frugalsvm.search.tactics.last_resort import LastResort
from frugalsvm.search.tuning import THOROUGH
from reference_oracles import core_of
from reference_selection import is_feasible, large_budgets


@pytest.mark.parametrize("seed", range(700, 725))
def test_it_finds_something_or_proves_that_there_is_nothing(seed: int) -> None:
    core = core_of(seed)
    whole = core.original_support(tuple(range(core.n_features)))
    feasible = is_feasible(core.source, whole)
    for ladders in ((last_resort.QUICK,), THOROUGH):
        state = SearchState(core, Stopper(60.0))
        LastResort(ladders).run(state)
        if state.best is not None:
            assert feasible
        elif state.closed:
            assert not feasible
            assert math.isinf(state.bound)
    assert (state.best is not None) == feasible  # the thorough ladders leave nothing open
    assert state.closed == (not feasible)


def test_where_there_is_an_answer_nothing_is_done() -> None:
    state = SearchState(reduce_problem(large_budgets(0)), Stopper(60.0))
    assert state.offer(np.ones(8))
    before = len(state.history)
    LastResort().run(state)
    assert len(state.history) == before
    assert state.door.tallies == {}


def test_very_many_features_are_not_judged_at_once(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(last_resort, "witnesses", lambda core, stop: iter(()))
    monkeypatch.setattr(last_resort, "LARGEST_WHOLE", 7)
    state = SearchState(reduce_problem(large_budgets(0)), Stopper(60.0))
    LastResort(THOROUGH).run(state)
    assert state.door.tallies == {}
    assert (state.best, state.bound) == (None, 0)
