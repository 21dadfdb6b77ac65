"""Exchanges look closer where a fit just fails: with many errors allowed it often does."""

from __future__ import annotations

import numpy as np
import pytest

from frugalsvm.data.costs import CostModel
from frugalsvm.data.problem import SelectionProblem
from frugalsvm.data.rates import ErrorBudget
from frugalsvm.runtime.stopping import Stopper
from frugalsvm.search.heuristics.exchange import Walk
from frugalsvm.search.heuristics.fit_cache import Fitter
from frugalsvm.search.heuristics.heuristic import Heuristic
from frugalsvm.search.heuristics.improvement import Improvement
from frugalsvm.search.problem.reduction import reduce_problem
from frugalsvm.search.state import SearchState


def mixed(seed: int) -> SelectionProblem:
    """Return noisy samples of 6 continuous features and 28 levels of variables, with prices."""
    rng = np.random.default_rng(1000 + seed)
    Z = rng.standard_normal((600, 6)) + 0.4 * rng.standard_normal((600, 1))
    Z[:, 1::2] = np.exp(0.7 * Z[:, 1::2])
    blocks, score = [Z], Z @ rng.normal(0, 0.6, 6)
    while sum(block.shape[1] for block in blocks) < 34:
        levels = max(2, min(int(rng.integers(2, 6)), 34 - sum(b.shape[1] for b in blocks)))
        drawn = rng.choice(levels, 600, p=rng.dirichlet(np.ones(levels) * 2))
        blocks.append(np.eye(levels)[drawn])
        score = score + rng.normal(0, 0.7, levels)[drawn]
    X = np.hstack(blocks)[:, :34]
    score += 0.75 * score.std() * rng.standard_normal(600)
    y = score > np.quantile(score, 0.35)
    X = (X - X.mean(axis=0)) / X.std(axis=0)
    prices = np.random.default_rng(34).integers(1, 21, 34).astype(float)
    costs, nothing = CostModel.per_feature(prices), np.zeros(34, dtype=bool)
    return SelectionProblem(X, y, ErrorBudget(pos=91, neg=49), costs, nothing, nothing)


def state_of(problem: SelectionProblem) -> SearchState:
    return SearchState(reduce_problem(problem), Stopper(8.0))


def test_a_support_whose_fit_just_fails_is_offered() -> None:
    """Fits of a few rounds from weights at random: some fail by a few samples."""
    state = state_of(mixed(5))
    support = (0, 5, 6, 11, 27, 29)
    fitter = Fitter(state, 1e12)
    rng = np.random.default_rng(0)
    mended = 0
    for _ in range(30):
        state.best = None
        walk = Walk.of(fitter, support, rng)
        walk.weights[:] = rng.standard_normal(len(walk.weights))
        fit = walk.fit(6)
        mended += fit.gap < state.core.floor and state.best is not None
    assert mended >= 3


def test_many_errors_allowed_on_mixed_data() -> None:
    """The answer cost 50 after 12 s."""
    state = state_of(mixed(5))
    Heuristic().run(state)
    Improvement().run(state)
    assert state.cost <= 46


def test_what_costs_too_much_is_not_looked_at_closer(monkeypatch: pytest.MonkeyPatch) -> None:
    state = state_of(mixed(5))
    fitter = Fitter(state, 1e12)
    everything = tuple(state.core.priced.tolist())
    Walk.of(fitter, everything, np.random.default_rng(0)).fit()
    assert state.best is not None
    asked: list[int] = []
    monkeypatch.setattr(Fitter, "polish", lambda self, chosen, *_: asked.append(len(chosen)))
    for size in range(len(everything)):
        Walk.of(fitter, everything[size:], np.random.default_rng(0)).fit()
    assert asked
    priced = state.core.core_support(state.best.support)
    assert max(asked) < len(priced)
