"""Which feature comes in: the one with which a refit loses least, for its price."""

from __future__ import annotations

import numpy as np
import pytest

from frugalsvm.runtime.stopping import Stopper
from frugalsvm.search.heuristics import entering as module
from frugalsvm.search.heuristics.entering import entering
from frugalsvm.search.heuristics.fit_cache import Fitter
from frugalsvm.search.heuristics.newton import TrimmedFit, newton_fit
from frugalsvm.search.problem.reduction import CoreProblem, reduce_problem
from frugalsvm.search.state import SearchState
from reference_selection import large_budgets

RIDGE = 1e-3


def fitted(core: CoreProblem, inside: np.ndarray) -> TrimmedFit:
    start = np.zeros(len(inside) + 1)
    columns = core.columns[inside]
    return newton_fit(core, columns, start, rounds=30, ridge=RIDGE, settle=True, trim_after=np.inf)


@pytest.mark.parametrize("seed", range(8))
def test_it_is_the_feature_that_a_refit_likes_best(seed: int) -> None:
    core = reduce_problem(large_budgets(seed))
    fitter = Fitter(SearchState(core, Stopper(60.0)), 1e9)
    inside, places = np.array([3, 4]), np.array([0, 1, 2, 5, 6, 7])
    fit = fitted(core, inside)
    losses = [fitted(core, np.append(inside, k)).loss for k in places]
    chosen = entering(fitter, fit, inside, places, np.ones(6), RIDGE)
    assert losses[places.tolist().index(chosen)] <= min(losses) + 0.02
    assert fitter.work < 1e9
    dear = np.where(places == chosen, 1e6, 1.0)
    assert entering(fitter, fit, inside, places, dear, RIDGE) != chosen


def test_of_many_the_steepest_for_their_price_are_looked_at(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    core = reduce_problem(large_budgets(1))
    fitter = Fitter(SearchState(core, Stopper(60.0)), 1e9)
    fit = fitted(core, np.array([3]))
    places = np.array([0, 1, 2, 4, 5, 6, 7])
    slopes = np.abs(core.columns[places] @ fit.model.pull)
    monkeypatch.setattr(module, "LOOKED_AT", 1)
    for price in (np.ones(7), np.arange(1.0, 8.0), np.r_[1e9, np.ones(6)]):
        expected = places[np.argmax(slopes / price)]
        assert entering(fitter, fit, np.array([3]), places, price, RIDGE) == expected
