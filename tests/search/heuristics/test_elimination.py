"""Eliminations: on the way down every feasible support is offered, the cheapest returned."""

from __future__ import annotations

import numpy as np
import pytest

from frugalsvm.data.costs import CostModel
from frugalsvm.runtime.single_thread import single_threaded_algebra
from frugalsvm.runtime.stopping import Stopper
from frugalsvm.search.heuristics.elimination import eliminate, screened
from frugalsvm.search.heuristics.fit_cache import Fitter
from frugalsvm.search.heuristics.tuning import Criterion
from frugalsvm.search.problem.reduction import reduce_problem
from frugalsvm.search.state import SearchState
from reference_selection import large_budgets

CRITERIA = [
    Criterion(by_loss=True, ridge=1e-3, power=1.0),
    Criterion(by_loss=False, ridge=1e-2, power=0.0),
]


def fitter_of(costs: np.ndarray | None = None, work: float = 1e10) -> Fitter:
    problem = large_budgets(0)
    if costs is not None:
        problem = type(problem)(**{**vars(problem), "costs": CostModel.per_feature(costs)})
    return Fitter(SearchState(reduce_problem(problem), Stopper(60.0)), work)


@pytest.mark.parametrize("criterion", CRITERIA)
def test_what_is_returned_was_offered(criterion: Criterion) -> None:
    fitter = fitter_of()
    state = fitter.state
    found = eliminate(fitter, tuple(state.core.priced.tolist()), criterion)
    assert found is not None
    assert 0 < len(found) < 8
    assert found == tuple(sorted(found))
    assert state.cost <= state.core.cost(found)
    assert state.bound == 0  # heuristics prove nothing


def test_what_cannot_be_feasible_leads_nowhere() -> None:
    fitter = fitter_of()
    assert eliminate(fitter, (6, 7), CRITERIA[0]) is None
    assert fitter.state.best is None
    assert eliminate(fitter, (), CRITERIA[0]) is None
    assert eliminate(fitter_of(work=0.0), tuple(range(8)), CRITERIA[0]) is None


def test_features_that_are_free_stay() -> None:
    fitter = fitter_of(np.r_[0.0, np.ones(7)])
    core = fitter.state.core
    assert core.free.tolist() == [0]
    found = eliminate(fitter, tuple(core.priced.tolist()), CRITERIA[0])
    assert found is not None
    assert 0 not in found
    assert fitter.state.best is not None
    assert 0 in fitter.state.best.support


def test_dear_features_go_first_where_prices_count() -> None:
    """Of features that do about the same the dear ones are the first to go."""
    prices = np.where(np.arange(8) % 2 == 0, 1_000.0, 1.0)
    whole = tuple(range(8))
    for power, fewer in ((1.0, True), (0.0, False)):
        criterion = Criterion(by_loss=True, ridge=1e-3, power=power)
        found = eliminate(fitter_of(prices), whole, criterion)
        assert found is not None
        dear = sum(k % 2 == 0 for k in found)
        assert (dear <= 2) == fewer or not fewer


@pytest.mark.parametrize("most", [3, 5, 8])
def test_screening_halves_until_few_enough_are_left(most: int) -> None:
    fitter = fitter_of()
    with single_threaded_algebra():
        kept = screened(fitter, tuple(range(8)), CRITERIA[0], most)
    assert len(kept) == most
    assert set(kept) <= set(range(8))
    weights = np.abs(np.linalg.lstsq(
        fitter.state.core.columns.T,
        np.where(np.arange(fitter.state.core.n_samples) < fitter.state.core.n_pos, 1.0, -1.0),
        rcond=None,
    )[0])  # fmt: skip
    if most == 5:  # about those that a linear regression weighs most
        assert len(set(kept) & set(np.argsort(-weights)[:5].tolist())) >= 3
