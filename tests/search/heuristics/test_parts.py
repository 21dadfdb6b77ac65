"""The heuristics one by one: whatever they offer is an answer, and the work is counted."""

from __future__ import annotations

import numpy as np
import pytest

from frugalsvm.runtime.stopping import Stopper
from frugalsvm.search.heuristics.attainable import best_attainable, errors_left, witnesses
from frugalsvm.search.heuristics.elimination import Criterion, eliminate
from frugalsvm.search.heuristics.fit_cache import Fitter
from frugalsvm.search.heuristics.heuristic import Heuristic
from frugalsvm.search.heuristics.newton import newton_fit
from frugalsvm.search.heuristics.refill import added_price, cheapened, prune
from frugalsvm.search.problem.hyperplane import gap
from frugalsvm.search.problem.reduction import reduce_problem
from frugalsvm.search.state import SearchState
from reference_selection import large_budgets


def new_state(seed: int = 0) -> SearchState:
    return SearchState(reduce_problem(large_budgets(seed)), Stopper(60.0))


def test_a_fit_is_remembered_and_counted() -> None:
    state = new_state()
    fitter = Fitter(state, 1e9)
    first = fitter.fit((0, 1, 2))
    used = 1e9 - fitter.work
    assert used > state.core.n_samples
    assert fitter.fit((0, 1, 2)) is first
    assert 1e9 - fitter.work < 1.1 * used
    assert first.feasible == (gap(state.core, first.direction) >= state.core.floor)


def test_fits_alone_are_looked_at_closer_later(monkeypatch: pytest.MonkeyPatch) -> None:
    asked: list[int] = []

    def looks(fitter: Fitter, chosen: np.ndarray, direction: np.ndarray, gap: float) -> bool:
        asked.append(len(chosen))
        return False

    monkeypatch.setattr(Fitter, "polish", looks)
    fitter = Fitter(new_state(), 1e9, closer=False)
    few = [tuple(range(size)) for size in range(1, 6)]
    fits = [fitter.fit(support) for support in few]
    failing = [len(support) for support, fit in zip(few, fits, strict=True) if fit.open]
    assert failing
    assert not asked
    fitter.closer = True
    for _ in range(2):
        assert not any(fitter.fit(support).open for support in few)
    assert asked == failing


def test_newton_steps_lower_the_loss_and_say_what_features_do() -> None:
    core = new_state().core
    start = np.zeros(core.n_features + 1)
    few = newton_fit(core, core.columns, start, rounds=2, ridge=1e-3, settle=True)
    many = newton_fit(core, core.columns, start, rounds=15, ridge=1e-3, settle=True)
    assert many.loss <= few.loss + 1e-6
    assert many.gap >= few.gap
    assert np.all(many.model.rises() >= 0.0)


def test_an_elimination_offers_what_it_returns() -> None:
    state = new_state()
    fitter = Fitter(state, 1e9)
    start = tuple(state.core.priced.tolist())
    found = eliminate(fitter, start, Criterion(by_loss=True, ridge=1e-3, power=1.0))
    assert found is not None
    assert state.cost <= state.core.cost(found)


@pytest.mark.parametrize("seed", range(3))
def test_the_heuristic_offers_answers_and_no_bound(seed: int) -> None:
    state = new_state(seed)
    state.perform(Heuristic())
    state.perform(Heuristic(seed=seed))
    assert state.best is not None
    assert state.bound == 0


def test_attainable_errors_are_those_of_a_witness() -> None:
    core = new_state().core
    best = best_attainable(core, Stopper(60.0))
    left = [errors_left(core, w, of_positives=True) for w in witnesses(core, Stopper(60.0))]
    assert best.pos_errors == min(left)


def test_supports_are_pruned_and_cheapened() -> None:
    state = new_state()
    fitter = Fitter(state, 1e9)
    everything = tuple(state.core.priced.tolist())
    pruned = prune(fitter, everything)
    assert state.core.cost(pruned) < state.core.cost(everything)
    assert fitter.fit(pruned).feasible
    cheaper = cheapened(fitter, everything)
    assert state.core.cost(cheaper) <= state.cutoff
    assert sum(added_price(state.core, k, pruned) for k in pruned) == state.core.cost(pruned)
