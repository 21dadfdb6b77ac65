"""Rough answers at once: a feature at a time, by the model of one fit, for its price."""

from __future__ import annotations

import numpy as np
import pytest

from frugalsvm.data.costs import CostModel
from frugalsvm.data.problem import SelectionProblem
from frugalsvm.data.rates import RateTargets
from frugalsvm.runtime.stopping import Stopper
from frugalsvm.search import SearchOptions
from frugalsvm.search.heuristics.fit_cache import Fitter
from frugalsvm.search.heuristics.forward import forward
from frugalsvm.search.heuristics.heuristic import Heuristic, offer_everything
from frugalsvm.search.heuristics.improvement import worthwhile
from frugalsvm.search.problem.reduction import reduce_problem
from frugalsvm.search.state import SearchState


def state_of(X: np.ndarray, y: np.ndarray, rate: float, costs: CostModel) -> SearchState:
    nothing = np.zeros(X.shape[1], dtype=bool)
    problem = SelectionProblem(
        X=(X - X.mean(axis=0)) / X.std(axis=0),
        positive=y,
        budget=RateTargets(rate, rate).budget(int(y.sum()), int((~y).sum())),
        costs=costs,
        include=nothing,
        exclude=nothing,
    )
    return SearchState(reduce_problem(problem), Stopper(60.0), SearchOptions())


def twins() -> tuple[np.ndarray, np.ndarray]:
    """Return features of which the first three matter, each with a copy, nearly, three later."""
    rng = np.random.default_rng(0)
    X = rng.standard_normal((200, 6))
    X[:, 3:] = X[:, :3] + 0.01 * X[:, 3:]
    return X, X[:, :3].sum(axis=1) + 0.1 * rng.standard_normal(200) > 0


def one_hot() -> tuple[np.ndarray, np.ndarray]:
    """Return levels of many categorical variables as columns."""
    rng = np.random.default_rng(7)
    drawn = rng.integers(0, 5, (1200, 18))
    X = np.hstack([np.eye(5)[drawn[:, v]] for v in range(18)])
    score = X[:, :45] @ rng.normal(0.0, 1.2, 45) + 0.8 * rng.standard_normal(1200)
    return X, score > np.median(score)


@pytest.mark.parametrize("power", [0.0, 1.0])
def test_what_matters_is_found(power: float) -> None:
    state = state_of(*twins(), 0.95, CostModel.per_feature(np.ones(6)))
    support = forward(Fitter(state, 1e9), power)
    assert support is not None
    assert {k % 3 for k in support} == {0, 1, 2}
    assert state.best is not None


@pytest.mark.parametrize(("power", "cheap"), [(1.0, True), (0.0, False)])
def test_prices_count_if_asked(power: float, cheap: bool) -> None:
    prices = np.array([10.0, 10.0, 10.0, 1.0, 1.0, 1.0])
    X, y = twins()
    X[:, 3:] = X[:, :3] + 0.1 * np.random.default_rng(1).standard_normal((200, 3))
    state = state_of(X, y, 0.9, CostModel.per_feature(prices))
    assert forward(Fitter(state, 1e9), power) is not None
    assert (state.cost < 10.0) == cheap


def test_it_ends_with_the_work_and_at_the_best_cost() -> None:
    state = state_of(*twins(), 0.95, CostModel.per_feature(np.ones(6)))
    assert forward(Fitter(state, 0.0), 0.0) is None
    assert state.best is None
    assert forward(Fitter(state, 1e9), 0.0) is not None
    assert forward(Fitter(state, 1e9), 0.0) is None  # no cheaper


def test_the_first_answer_to_one_hot_data_does_not_wait_for_the_proof() -> None:
    X, y = one_hot()
    groups = tuple((k // 5,) for k in range(90))
    state = state_of(X, y, 0.85, CostModel(np.ones(90), groups, np.full(18, 5.0)))
    Heuristic().run(state)
    assert state.best is not None


def test_of_many_samples_all_features_are_the_first_answer() -> None:
    rng = np.random.default_rng(0)
    X = rng.standard_normal((25_000, 6))
    y = X.sum(axis=1) + 0.5 * rng.standard_normal(len(X)) > 0
    state = state_of(X, y, 0.85, CostModel.per_feature(np.ones(6)))
    offer_everything(state)
    assert state.best is not None
    assert state.cost == 6


def test_an_answer_of_all_features_is_not_taken_for_nearly_proven() -> None:
    rng = np.random.default_rng(0)
    X = rng.standard_normal((2_000, 20))
    y = X[:, :4].sum(axis=1) + rng.standard_normal(len(X)) > 0
    state = state_of(X, y, 0.75, CostModel.per_feature(np.ones(20)))
    assert worthwhile(state)
    offer_everything(state)
    assert state.cost == 20
    assert worthwhile(state)
