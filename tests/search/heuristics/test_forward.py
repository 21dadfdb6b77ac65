"""Forward selection on all samples, by the quadratic model of one fit."""

import math

import numpy as np
import pytest
from sklearn.linear_model import LogisticRegression

from frugalsvm.data.costs import CostModel
from frugalsvm.data.problem import SelectionProblem
from frugalsvm.data.rates import RateTargets
from frugalsvm.runtime.stopping import Stopper
from frugalsvm.search.heuristics import entering as entering_module
from frugalsvm.search.heuristics import newton
from frugalsvm.search.heuristics.entering import entering
from frugalsvm.search.heuristics.fit_cache import Fitter
from frugalsvm.search.heuristics.forward import forward
from frugalsvm.search.heuristics.newton import newton_fit
from frugalsvm.search.problem.reduction import reduce_problem
from frugalsvm.search.state import SearchState


def state_of(X, positive, costs, rate=0.9):
    X = (X - X.mean(axis=0)) / X.std(axis=0)
    nothing = np.zeros(X.shape[1], dtype=bool)
    budget = RateTargets(rate, rate).budget(int(positive.sum()), int((~positive).sum()))
    costs = CostModel.per_feature(np.asarray(costs, dtype=float))
    problem = SelectionProblem(X, positive, budget, costs, nothing, nothing)
    return SearchState(reduce_problem(problem), Stopper(60.0))


def planted(n=2_000, d=20, many=3, seed=0):
    rng = np.random.default_rng(seed)
    X = rng.standard_normal((n, d))
    return X, X[:, :many].sum(axis=1) + 0.2 * rng.standard_normal(n) > 0


def test_it_finds_the_planted_features() -> None:
    state = state_of(*planted(), np.ones(20))
    assert forward(Fitter(state, 1e10), 1.0) == (0, 1, 2)
    assert state.best is not None
    assert state.best.support == (0, 1, 2)


def test_for_their_price_two_cheap_features_come_before_a_dear_one() -> None:
    rng = np.random.default_rng(1)
    X = rng.standard_normal((2_000, 6))
    score = X[:, 1] + X[:, 2]
    X[:, 0] = score + 0.1 * rng.standard_normal(2_000)
    prices = [9, 1, 1, 1, 1, 1]
    cheap = state_of(X, score > 0, prices)
    assert forward(Fitter(cheap, 1e10), 1.0) == (1, 2)
    regardless = state_of(X, score > 0, prices)
    assert forward(Fitter(regardless, 1e10), 0.0) == (0,)


def test_it_stays_below_the_best_cost() -> None:
    state = state_of(*planted(), np.ones(20))
    direction = np.zeros(20)
    direction[:3] = 1.0
    assert state.offer(direction)
    assert forward(Fitter(state, 1e10), 1.0) is None


def test_it_ends_where_all_features_do_not_do() -> None:
    rng = np.random.default_rng(2)
    X = rng.standard_normal((500, 3))
    state = state_of(X, rng.random(500) > 0.5, np.ones(3), rate=0.95)
    assert forward(Fitter(state, 1e10), 1.0) is None
    assert state.best is None


def test_features_without_a_price_are_part_of_every_fit() -> None:
    X, positive = planted()
    state = state_of(X, positive, [0.0] + [1.0] * 19)
    assert forward(Fitter(state, 1e10), 1.0) == (1, 2)
    assert state.best is not None
    assert state.best.support == (0, 1, 2)


@pytest.mark.parametrize("most", [1, 3, 100])
def test_the_best_of_the_steepest_comes_in(monkeypatch: pytest.MonkeyPatch, most: int) -> None:
    monkeypatch.setattr(entering_module, "LOOKED_AT", most)
    state = state_of(*planted(), np.ones(20))
    core, fitter = state.core, Fitter(state, 1e10)
    fit = newton_fit(core, core.columns[[0, 1]], np.zeros(3), rounds=5, ridge=1e-4)
    places = np.arange(2, 20)
    assert entering(fitter, fit, np.array([0, 1]), places, np.ones(18), 1e-4) == 2


def test_blocks_of_samples_change_nothing(monkeypatch: pytest.MonkeyPatch) -> None:
    state = state_of(*planted(), np.ones(20))
    core = state.core
    inside, outside = np.array([0, 1]), np.arange(2, 20)
    told = []
    for block in (newton.BLOCK, 1_000):
        monkeypatch.setattr(newton, "BLOCK", block)
        fit = newton_fit(core, core.columns[inside], np.zeros(3), rounds=5, ridge=1e-4)
        told.append(fit.model.falls(core.columns, inside, outside, 1.0))
    np.testing.assert_allclose(told[0], told[1])


def words(n=600, d=800, many=12, seed=0):
    """Words, each in a few of the texts: some twenty of them tell most, one by one a little."""
    rng = np.random.default_rng(seed)
    often = np.minimum(0.3, 4.0 / np.arange(10, 10 + d))
    X = (rng.random((n, d)) < often).astype(float)
    score = X[:, :many] @ rng.choice((-1.0, 1.0), many) + 0.3 * rng.standard_normal(n)
    return X[:, X.any(axis=0)], score > np.median(score)


def test_samples_that_no_chosen_word_touches_are_not_given_up() -> None:
    """65 words were the answer to 2,000 texts after 20 s; a plain forward selection had 18."""
    X, positive = words()
    sizes = {}
    for trimmed in (True, False):
        state = state_of(X, positive, np.ones(X.shape[1]), rate=0.8)
        forward(Fitter(state, 1e11), 0.0, trimmed=trimmed)
        sizes[trimmed] = state.cost
    assert sizes[False] < 0.8 * sizes[True]


def test_an_untrimmed_fit_is_logistic_regression() -> None:
    state = state_of(*planted(n=300, d=4), np.ones(4))
    core, ridge = state.core, 1e-2
    fit = newton_fit(
        core, core.columns, np.zeros(5), rounds=30, ridge=ridge, settle=True, trim_after=math.inf
    )
    model = LogisticRegression(C=1.0 / (ridge * core.n_samples), tol=1e-10, max_iter=1000)
    model.fit(core.columns.T, np.arange(core.n_samples) < core.n_pos)
    np.testing.assert_allclose(fit.weights[:-1], model.coef_[0], rtol=1e-3)
