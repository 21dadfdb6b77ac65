"""The heuristic as a whole: answers and no bounds, the same for the same seed, work that ends."""

from __future__ import annotations

import numpy as np
import pytest

from frugalsvm.runtime.stopping import Stopper
from frugalsvm.search.heuristics import heuristic
from frugalsvm.search.heuristics.fit_cache import Fitter
from frugalsvm.search.heuristics.heuristic import Heuristic, grow, offer_everything, outlined
from frugalsvm.search.options import SearchOptions
from frugalsvm.search.problem.reduction import reduce_problem
from frugalsvm.search.state import SearchState
from reference_selection import is_feasible, large_budgets, random_problem


def new_state(seed: int = 0, **options: bool) -> SearchState:
    core = reduce_problem(large_budgets(seed))
    return SearchState(core, Stopper(60.0), SearchOptions(**options))


@pytest.mark.parametrize("seed", range(3))
def test_it_offers_answers_and_no_bound(seed: int) -> None:
    state = new_state(seed)
    state.perform(Heuristic())
    first = state.cost
    state.perform(Heuristic(seed=seed + 1))
    assert state.best is not None
    assert state.cost <= first < state.core.cost(tuple(range(8)))
    assert state.bound == 0
    again = new_state(seed)
    again.perform(Heuristic())
    assert again.cost == first


@pytest.mark.parametrize("seed", range(20))
def test_on_small_problems_what_it_finds_is_feasible(seed: int) -> None:
    core = reduce_problem(random_problem(seed))
    if core.n_features == 0 or core.need_pos == 0 or core.need_neg == 0:
        return
    state = SearchState(core, Stopper(60.0))
    state.perform(Heuristic())
    if state.best is not None:
        assert is_feasible(core.source, state.best.support)


def test_switched_off_or_out_of_time_it_does_nothing() -> None:
    off = new_state(heuristic=False)
    Heuristic().run(off)
    assert off.best is None
    late = SearchState(reduce_problem(large_budgets(0)), Stopper(0.0))
    Heuristic().run(late)
    assert late.best is None


@pytest.mark.parametrize("power", [0.0, 1.0])
def test_a_support_grows_until_it_is_feasible_and_below_the_best_cost(power: float) -> None:
    state = new_state()
    fitter = Fitter(state, 1e10)
    grown = grow(fitter, power)
    assert grown is not None
    assert fitter.fit(grown).feasible
    assert state.core.cost(grown) >= state.cost
    state.raise_bound(1)
    stuck = Fitter(state, 1e10)
    state.best = type(state.best)(**{**vars(state.best), "cost": 2})
    assert grow(stuck, power) is None  # nothing that costs less will do


def test_many_samples_are_outlined_by_a_part(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(heuristic, "MANY_SAMPLES", 200)
    state = new_state(1)
    supports = outlined(state, 1e9)
    assert supports
    assert state.best is None  # what holds for a part is not an answer
    Heuristic().run(state)
    assert state.best is not None
    assert state.cost <= state.core.cost(tuple(range(8)))


def test_everything_is_offered_where_that_does_not_take_long(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    state = new_state()
    monkeypatch.setattr(heuristic, "MOST_AT_ONCE", 0.0)
    offer_everything(state)
    assert state.best is None
    monkeypatch.undo()
    offer_everything(state)
    assert state.best is not None
    assert np.all(state.best.weights != 0.0)
