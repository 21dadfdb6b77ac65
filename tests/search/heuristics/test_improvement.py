"""Eliminations and exchanges: they offer what is feasible, cheaper and cheaper, by counted work."""

import math
from dataclasses import replace

import numpy as np
import pytest
from sklearn.datasets import make_classification

from frugalsvm.data.costs import CostModel
from frugalsvm.data.problem import SelectionProblem
from frugalsvm.data.rates import RateTargets
from frugalsvm.runtime.single_thread import single_threaded_algebra
from frugalsvm.runtime.stopping import Stopper
from frugalsvm.search import SearchOptions, search
from frugalsvm.search.heuristics.elimination import eliminate, screened
from frugalsvm.search.heuristics.exchange import exchange
from frugalsvm.search.heuristics.fit_cache import Fitter, proof_work
from frugalsvm.search.heuristics.forward import WAYS, ways_forward
from frugalsvm.search.heuristics.improvement import (
    CRITERIA,
    Purse,
    allowed_work,
    criteria_for,
    on_many_samples,
    worthwhile,
)
from frugalsvm.search.heuristics.newton import newton_fit
from frugalsvm.search.heuristics.sampled_core import sampled
from frugalsvm.search.heuristics.tuning import Criterion
from frugalsvm.search.problem.reduction import reduce_problem
from frugalsvm.search.state import SearchState

BY_LOSS = Criterion(by_loss=True, ridge=1e-3, power=1.0)


@pytest.fixture(autouse=True)
def one_thread():
    with single_threaded_algebra():
        yield


def problem_of(X, positive, rates=(0.9, 0.9), costs=None):
    X = (X - X.mean(axis=0)) / X.std(axis=0)
    n_features = X.shape[1]
    nothing = np.zeros(n_features, dtype=bool)
    return SelectionProblem(
        X=X,
        positive=positive,
        budget=RateTargets(*rates).budget(int(positive.sum()), int((~positive).sum())),
        costs=CostModel.per_feature(np.ones(n_features)) if costs is None else costs,
        include=nothing,
        exclude=nothing,
    )


def planted(n=300, d=40, many=4, seed=0, costs=None):
    rng = np.random.default_rng(seed)
    X = rng.standard_normal((n, d))
    score = X[:, :many].sum(axis=1) + 0.2 * rng.standard_normal(n)
    return problem_of(X, score > 0, costs=costs)


def state_of(problem, **options):
    return SearchState(reduce_problem(problem), Stopper(60.0), SearchOptions(**options))


def everything(state):
    return tuple(int(k) for k in state.core.priced)


def penalised_loss(core, columns, weights, ridge):
    scores = weights[:-1] @ columns + weights[-1]
    margins = np.where(np.arange(core.n_samples) < core.n_pos, scores, -scores)
    total = core.weight @ np.logaddexp(0.0, -margins)
    return total + 0.5 * ridge * core.weight.sum() * weights[:-1] @ weights[:-1]


def test_rises_and_falls_are_those_of_the_loss() -> None:
    rng = np.random.default_rng(1)
    X = rng.standard_normal((400, 6))
    positive = X @ [0.5, 0.3, -0.2, 0.1, 0.0, 0.15] + rng.standard_normal(400) > 0
    core = state_of(problem_of(X, positive, rates=(1.0, 1.0))).core  # no sample is left out
    columns, ridge = core.columns, 1e-3

    def fitted(rows):
        fit = newton_fit(core, rows, np.zeros(len(rows) + 1), rounds=30, ridge=ridge, settle=True)
        return fit, penalised_loss(core, rows, fit.weights, ridge)

    whole, loss = fitted(columns)
    rises = [fitted(np.delete(columns, k, axis=0))[1] - loss for k in range(6)]
    np.testing.assert_allclose(whole.model.rises(), rises, rtol=0.2, atol=0.01)
    part, loss = fitted(columns[:3])
    falls = [loss - fitted(columns[[0, 1, 2, k]])[1] for k in range(3, 6)]
    penalty = ridge * core.weight.sum()
    told = part.model.falls(columns, np.arange(3), np.arange(3, 6), penalty)
    np.testing.assert_allclose(told, falls, rtol=0.2, atol=0.01)


def test_elimination_ends_at_the_planted_features() -> None:
    state = state_of(planted())
    found = eliminate(Fitter(state, 1e10), everything(state), BY_LOSS)
    assert found is not None
    assert set(found) <= set(range(4))
    assert state.best is not None
    assert state.best.support == found


def test_elimination_pays_less_where_two_features_say_the_same() -> None:
    rng = np.random.default_rng(2)
    X = rng.standard_normal((300, 8))
    X[:, 1] = X[:, 0] + 0.01 * rng.standard_normal(300)
    prices = np.array([9.0, 1.0, 5, 5, 5, 5, 5, 5])
    state = state_of(problem_of(X, X[:, 0] > 0, costs=CostModel.per_feature(prices)))
    assert eliminate(Fitter(state, 1e10), everything(state), BY_LOSS) == (1,)


def skewed(seed=0):
    """Features whose standard deviation a few large values make: weights have to be large."""
    rng = np.random.default_rng(seed)
    Z = rng.standard_normal((600, 30)) + 0.5 * rng.standard_normal((600, 1))
    score = Z[:, :8] @ rng.standard_normal(8) + 0.4 * rng.standard_normal(600)
    return problem_of(np.exp(2.0 * Z), score > np.median(score), rates=(0.8, 0.8))


def test_an_elimination_of_skewed_features_begins_with_what_all_samples_say() -> None:
    """45 of 46 features were the answer where recursive elimination kept 27; 5 suffice."""
    state = state_of(skewed())
    criterion = Criterion(by_loss=True, ridge=1e-5, power=1.0)
    assert eliminate(Fitter(state, 1e10), everything(state), criterion) is not None


def test_a_fit_that_settles_on_all_samples_goes_on_without_the_worst() -> None:
    core = state_of(skewed()).core
    start = np.zeros(core.n_features + 1)
    fits = [
        newton_fit(core, core.columns, start, rounds=60, ridge=0.1, settle=True, trim_after=after)
        for after in (30, math.inf)
    ]
    assert fits[0].steps < 60
    assert fits[0].loss < fits[1].loss


def test_screening_by_a_kernel_keeps_what_a_fit_of_all_features_weighs_most() -> None:
    state = state_of(planted(n=60, d=200, many=3))
    core, criterion = state.core, Criterion(by_loss=False, ridge=1e-2, power=0.0)
    direct = newton_fit(core, core.columns, np.zeros(201), rounds=4, ridge=1e-2, settle=True)
    largest = np.argsort(-np.abs(direct.weights[:-1]))[:100]
    kept = screened(Fitter(state, 1e12), everything(state), criterion, 100)
    assert set(kept) == set(largest.tolist())


def test_exchanges_lead_from_a_poor_answer_to_a_good_one() -> None:
    state = state_of(planted())
    fitter = Fitter(state, 1e10)
    poor = tuple(range(1, 40))
    assert fitter.fit(poor).feasible
    before = state.cost
    for seed in range(6):
        assert state.best is not None
        support = state.core.core_support(state.best.support)
        exchange(fitter, support, np.random.default_rng(seed), 200)
    assert state.cost <= 4 < before


def test_the_purse_is_emptier_as_bound_and_cost_are_closer() -> None:
    state = state_of(planted(), enumeration=False)
    fitter = Fitter(state, 0.0)
    assert Purse(fitter, 1e9).refill()
    assert fitter.work == 1e9
    state.offer(np.r_[np.ones(4), np.zeros(36)])
    state.raise_bound(3)
    purse = Purse(fitter, 1e9)
    fitter.work = 0.0
    assert purse.refill()
    assert fitter.work == pytest.approx(0.25e9)
    fitter.work -= 0.2e9
    assert purse.refill()
    assert fitter.work == pytest.approx(0.05e9)
    fitter.work = -1.0
    assert not purse.refill()


def test_work_follows_the_time_limit() -> None:
    problem = planted()
    short, long = (SearchState(reduce_problem(problem), Stopper(limit)) for limit in (2.0, 32.0))
    assert allowed_work(long) == 16 * allowed_work(short)
    endless = SearchState(reduce_problem(problem), Stopper())
    assert math.isfinite(allowed_work(endless))


def test_no_improvement_where_the_proof_is_short() -> None:
    """Four of forty features: 9,880 cheaper supports. Four of four hundred: ten million."""
    few, many = (state_of(planted(d=d), cover=False) for d in (40, 400))
    for state in (few, many):
        assert worthwhile(state)  # nothing is known yet
        state.offer(np.r_[np.ones(4), np.zeros(state.core.n_features - 4)])
    assert [worthwhile(state) for state in (few, many)] == [False, True]


def test_a_part_of_the_samples_has_its_share_of_the_budgets() -> None:
    state = state_of(planted(n=1000))
    part = sampled(state, 200).core
    assert part.n_samples == 200
    assert part.need_pos == math.ceil(0.9 * part.n_pos)
    raised = sampled(state, 200, errors=2.0).core
    assert part.need_pos < raised.need_pos <= raised.n_pos


def test_what_a_part_suggests_is_feasible_for_all_samples() -> None:
    state = state_of(planted(n=9000, d=12))
    on_many_samples(state)
    assert state.best is not None
    assert state.cost <= 4


def test_an_answer_is_not_many_times_dearer_than_by_elimination_alone() -> None:
    """130 features were the answer here after 15 s, and 44 that of scikit-learn's RFE in one."""
    X, y = make_classification(
        500, 150, n_informative=20, n_redundant=30, flip_y=0.05, random_state=0
    )
    problem = problem_of(X, y == 1, rates=(0.85, 0.85))
    stop = Stopper(60.0)

    def enough(progress):
        if progress.cost <= 20:
            stop.interrupt()

    result = search(problem, stop=stop, on_progress=enough)
    assert result.cost <= 20


def test_improvement_repeats_itself_and_changes_no_optimum() -> None:
    problem = replace(planted(n=120, d=14, many=3))
    results = [
        search(problem, stop=Stopper(30.0), options=SearchOptions(improvement=on))
        for on in (True, True, False)
    ]
    assert results[0].support == results[1].support
    assert {result.cost for result in results} == {results[0].bound}


def test_an_answer_of_one_dear_feature_was_taken_for_nearly_proven() -> None:
    rng = np.random.default_rng(0)
    X = rng.standard_normal((400, 40))
    X[:, 0] = X[:, 1:4].sum(axis=1) + 0.1 * rng.standard_normal(400)
    prices = np.append(60.0, rng.integers(1, 9, 39))
    problem = problem_of(X, X[:, 0] > 0, costs=CostModel.per_feature(prices))
    state = state_of(problem)
    assert state.offer(np.eye(40)[0])
    assert state.best is not None
    assert state.best.support == (0,)
    assert worthwhile(state)  # a dozen cheap features cost less together


def test_a_support_takes_longer_to_decide_with_more_samples() -> None:
    few, many = (state_of(planted(n=n, d=5)).core for n in (500, 8_000))
    assert proof_work(many) == 4 * proof_work(few)


def test_where_prices_are_equal_nothing_is_done_twice():
    fitter = Fitter(state_of(planted()), math.inf)
    assert fitter.equal_prices
    assert len(ways_forward(fitter)) == len({trimmed for _, trimmed in WAYS})
    chosen = criteria_for(fitter)
    assert len({(c.by_loss, c.ridge) for c in chosen}) == len(chosen) < len(CRITERIA)
    prices = np.r_[np.ones(39), 2.0]
    groups = CostModel(np.ones(40), tuple((k // 4,) for k in range(40)), np.ones(10))
    for costs in (CostModel.per_feature(prices), groups):
        fitter = Fitter(state_of(planted(costs=costs)), math.inf)
        assert not fitter.equal_prices
        assert (ways_forward(fitter), criteria_for(fitter)) == (WAYS, list(CRITERIA))
