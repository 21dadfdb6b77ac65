"""Fits that are remembered, counted and offered; and what prices and slopes they tell."""

from __future__ import annotations

import numpy as np
import pytest

from frugalsvm.data.costs import CostModel
from frugalsvm.runtime.stopping import Stopper
from frugalsvm.search.heuristics.fit_cache import Fitter, proof_work, supports_to_decide
from frugalsvm.search.options import SearchOptions
from frugalsvm.search.problem.catalogue import catalogue
from frugalsvm.search.problem.hyperplane import gap
from frugalsvm.search.problem.reduction import reduce_problem
from frugalsvm.search.state import SearchState
from frugalsvm.search.tuning import MOST_CONFLICTS, USUAL_SAMPLES
from reference_oracles import all_supports, core_of
from reference_selection import large_budgets


def new_state(seed: int = 0, **options: bool) -> SearchState:
    core = reduce_problem(large_budgets(seed))
    return SearchState(core, Stopper(60.0), SearchOptions(**options))


def test_a_fit_is_remembered_and_counted() -> None:
    state = new_state()
    fitter = Fitter(state, 1e9)
    first = fitter.fit((0, 1, 2))
    used = 1e9 - fitter.work
    assert used > state.core.n_samples
    assert fitter.fit((0, 1, 2)) is first
    assert 1e9 - fitter.work < 1.1 * used
    assert first.feasible == (gap(state.core, first.direction) >= state.core.floor)


@pytest.mark.parametrize("seed", range(6))
def test_what_is_called_feasible_is_offered_and_is(seed: int) -> None:
    state = new_state(seed)
    fitter = Fitter(state, 1e12)
    for support in all_supports(range(8))[1:120]:
        fit = fitter.fit(support)
        assert fit.feasible == (gap(state.core, fit.direction) >= state.core.floor)
        if fit.feasible:
            assert state.cost <= state.core.cost(support)
        near = fitter.fit(tuple(sorted({*support, 7})), support)
        assert near.loss <= fit.loss + 0.05  # one feature more


@pytest.mark.parametrize("seed", range(100, 130))
def test_prices_of_features_to_come_are_what_the_cost_rises_by(seed: int) -> None:
    core = core_of(seed)
    fitter = Fitter(SearchState(core, Stopper(60.0)), 1e9)
    for support in all_supports(range(core.n_features)):
        prices = fitter.marginal_prices(support)
        for k in set(range(core.n_features)) - set(support):
            assert prices[k] == core.cost((*support, k)) - core.cost(support)
        if support:
            shared = fitter.shared_prices(np.array(support))
            assert shared.sum() == pytest.approx(core.cost(support))
            assert (shared >= [core.costs.feature[k] for k in support]).all()


def test_equal_prices_are_seen() -> None:
    core = new_state().core
    for costs, equal in (
        (CostModel.per_feature(np.ones(8)), True),
        (CostModel.per_feature(np.r_[np.ones(7), 0.0]), True),  # what is free does not count
        (CostModel.per_feature(np.r_[np.ones(7), 2.0]), False),
        (CostModel(np.ones(8), ((0,),) * 8, np.ones(1)), False),
    ):
        problem = core.source
        changed = reduce_problem(type(problem)(**{**vars(problem), "costs": costs}))
        assert Fitter(SearchState(changed, Stopper(60.0)), 1.0).equal_prices == equal


@pytest.mark.parametrize("seed", range(5))
def test_slopes_are_the_derivatives_of_the_loss(seed: int) -> None:
    state = new_state(seed)
    core, fitter = state.core, Fitter(state, 1e9)
    support = (0, 3, 5)
    fit = fitter.fit(support)
    scores = fit.coefficients[:-1] @ core.columns + fit.coefficients[-1]
    side = np.where(np.arange(core.n_samples) < core.n_pos, 1.0, -1.0)
    kept = np.zeros(core.n_samples, np.bool_)
    for s, need in ((1.0, core.need_pos), (-1.0, core.need_neg)):
        own = np.flatnonzero(side == s)
        order = own[np.argsort(-s * scores[own], kind="stable")]
        last = order[np.searchsorted(np.cumsum(core.weight[order]), need)]
        kept[own] = s * scores[own] >= s * scores[last]

    def loss(step: np.ndarray) -> float:
        margins = side * (scores + step @ core.columns)
        return float(core.weight[kept] @ np.logaddexp(0.0, -margins[kept]))

    slopes = fitter.slopes(support)
    for k in range(8):
        step = 1e-5 * np.eye(8)[k]
        assert slopes[k] == pytest.approx(abs(loss(step) - loss(-step)) / 2e-5, abs=1e-4)
    outside = [k for k in range(8) if k not in support]
    assert fitter.promising(support) == sorted(outside, key=lambda k: -slopes[k])


def test_no_more_work_is_kept_than_a_proof_would_take() -> None:
    state = new_state()
    fitter = Fitter(state, 1e15)
    fitter.spare_work()
    assert fitter.work == 1e15  # nothing is known yet
    assert state.offer(np.ones(8))
    features = catalogue(state.core)
    count = supports_to_decide(state, features, 10**6)
    fitter.spare_work()
    assert fitter.work == count * proof_work(state.core)
    less = fitter.work / 10
    fitter.work = less
    fitter.spare_work()
    assert fitter.work == less
    unprovable = new_state(enumeration=False)
    assert unprovable.offer(np.ones(8))
    patient = Fitter(unprovable, 1e15)
    patient.spare_work()
    assert patient.work == 1e15


def test_a_proof_takes_longer_with_large_budgets_and_many_samples() -> None:
    core = new_state().core
    assert sum(core.budgets) > MOST_CONFLICTS
    small = core_of(0)
    assert proof_work(core) > proof_work(small)
    assert core.n_samples < USUAL_SAMPLES


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
