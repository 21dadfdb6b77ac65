"""BudgetSVC against brute force over all supports with scipy's linear programs."""

from __future__ import annotations

from itertools import chain, combinations
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray
from scipy.optimize import linprog

from frugalsvm import VerificationError
from frugalsvm.data.costs import CostModel
from frugalsvm.peers import BudgetSVC, budget
from frugalsvm.peers.bounds import bound_at, most_within, relaxed_multipliers
from frugalsvm.peers.program import BudgetProblem, Hyperplane, best_intercept, hinge_loss
from frugalsvm.runtime.stopping import Stopper

Array = NDArray[np.float64]

GROUPS: list[str | None] = ["blood", "blood", None, "scan", "scan", None]


def instance(seed: int, n: int = 30, d: int = 6) -> tuple[Array, NDArray[np.int64], list[float]]:
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(n, d)).round(2)
    X[:, d - 1] = rng.integers(0, 2, size=n)
    y = (X[:, :3] @ [1.0, -0.7, 0.4] + rng.normal(scale=0.8, size=n) > 0).astype(np.int64)
    return X, y, [float(c) for c in rng.choice([0.0, 0.1, 0.2, 0.3, 1.5], size=d)]


def least_loss(Z: Array, signs: Array, support: tuple[int, ...], limit: float) -> float:
    """Return the least hinge loss on a support: scipy's linear program."""
    n, k = len(Z), len(support)
    margins = -signs[:, None] * np.column_stack([Z[:, list(support)], np.ones(n)])
    found = linprog(
        np.r_[np.zeros(k + 1), np.ones(n)],
        A_ub=np.column_stack([margins, -np.eye(n)]),
        b_ub=-np.ones(n),
        bounds=[(-limit, limit)] * k + [(None, None)] + [(0, None)] * n,
    )
    assert found.status == 0
    return float(found.fun)


def price(support: tuple[int, ...], costs: list[float], groups: dict[str, float]) -> float:
    touched = {GROUPS[k] for k in support} - {None} if groups else set()
    return round(sum(costs[k] for k in support) + sum(groups[str(g)] for g in touched), 6)


@pytest.mark.parametrize("limit", [100.0, 1.5])
@pytest.mark.parametrize("grouped", [False, True])
def test_brute_force_over_supports(grouped: bool, limit: float) -> None:
    for seed in range(10):
        X, y, costs = instance(seed)
        groups = {"blood": 0.5, "scan": 0.7} if grouped else {}
        amount = 0.3 if seed % 2 else 1.1
        supports = list(chain.from_iterable(combinations(range(6), k) for k in range(1, 7)))
        affordable = [s for s in supports if price(s, costs, groups) <= amount]
        clf = BudgetSVC(
            amount,
            feature_costs=costs,
            feature_groups=GROUPS if grouped else None,
            group_costs=groups or None,
            max_weight=limit,
        )
        if not affordable:
            with pytest.raises(ValueError, match="must pay for at least one feature"):
                clf.fit(X, y)
            continue
        clf.fit(X, y)
        Z, signs = (X - X.mean(axis=0)) / X.std(axis=0), 2.0 * y - 1.0
        best = min(least_loss(Z, signs, support, limit) for support in affordable)
        assert clf.loss_ == pytest.approx(best, abs=1e-6)
        assert clf.status_ == "optimal"
        assert clf.bound_ <= clf.loss_
        assert clf.bound_ == pytest.approx(best, abs=1e-5)
        assert clf.recomputed_bound_ <= best + 1e-7
        kept = tuple(int(k) for k in np.flatnonzero(clf.get_support()))
        assert clf.cost_ == price(kept, costs, groups) <= amount
        hinge = np.maximum(0, 1 - signs * (X @ clf.coef_[0] + clf.intercept_[0])).sum()
        assert hinge == pytest.approx(best, abs=1e-6)


def small_problem(seed: int) -> BudgetProblem:
    X, y, costs = instance(seed)
    Z = (X - X.mean(axis=0)) / X.std(axis=0)
    model = CostModel.per_feature(np.array(costs))
    return BudgetProblem(Z, 2.0 * y - 1.0, model, 0.5, np.arange(6), 2.0)


@pytest.mark.parametrize("seed", range(5))
def test_any_multipliers_prove_a_bound(seed: int) -> None:
    problem = small_problem(seed)
    supports = chain.from_iterable(combinations(range(6), k) for k in range(7))
    affordable = [s for s in supports if problem.affordable(s)]
    best = min(least_loss(problem.Z, problem.signs, s, 2.0) for s in affordable)
    rng = np.random.default_rng(seed)
    good = relaxed_multipliers(problem, Stopper())
    noise = [scale * rng.normal(size=len(good)) for scale in (0.0, 0.001, 0.01, 0.1, 1.0) * 10]
    bounds = [bound_at(problem, good + shift) for shift in noise]
    assert 0.0 < max(bounds) <= best
    assert len(set(bounds)) > 10
    worth = rng.uniform(size=6)
    most = max(sum(worth[k] for k in s) for s in affordable)
    assert most_within(problem, worth) >= most - 1e-12


def test_best_intercept_has_the_least_loss() -> None:
    rng = np.random.default_rng(0)
    for _ in range(50):
        signs = np.where(rng.uniform(size=9) < 0.4, 1.0, -1.0)
        signs[:2] = 1.0, -1.0
        scores = rng.normal(size=9)
        grid = [hinge_loss(scores[:, None], signs, np.ones(1), b) for b in signs - scores]
        found = hinge_loss(scores[:, None], signs, np.ones(1), best_intercept(signs, scores))
        assert found == pytest.approx(min(grid))


def test_a_wrong_answer_is_not_returned(monkeypatch: pytest.MonkeyPatch) -> None:
    X, y, _ = instance(0)

    def lying(*arguments: Any) -> Hyperplane:
        return Hyperplane(np.array([1.0, 1.0, 0, 0, 0, 0]), 0.0, 0.0)

    monkeypatch.setattr(budget, "first_answer", lying)
    with pytest.raises(VerificationError, match=r"loss 0\.0 reported.*cost more than"):
        BudgetSVC(1).fit(X, y)


def test_a_time_limit_leaves_a_gap_that_is_said() -> None:
    rng = np.random.default_rng(1)
    X = rng.normal(size=(150, 40))
    y = X[:, :12].sum(axis=1) + 2 * rng.normal(size=150) > 0
    clf = BudgetSVC(6, time_limit=1.5).fit(X, y)
    assert clf.status_ == "feasible"
    assert clf.stop_reason_ == "time limit"
    assert 0 <= clf.bound_ < clf.loss_
    assert clf.gap_ == pytest.approx((clf.loss_ - clf.bound_) / clf.loss_)
    assert clf.get_support().sum() <= 6
