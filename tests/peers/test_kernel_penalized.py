"""KP-SVM: its gradient, its objective, and scikit-learn's SVC at its widths."""

from __future__ import annotations

import numpy as np
import pytest
from numpy.typing import NDArray
from scipy.spatial.distance import cdist
from sklearn.svm import SVC

from frugalsvm.peers import KernelPenalizedSVC, widths
from frugalsvm.peers.widths import Penalized, evaluate, gradient
from frugalsvm.runtime.stopping import Stopper

Array = NDArray[np.float64]


def curved(seed: int, n: int = 120, d: int = 8) -> tuple[Array, Array]:
    """Two features matter, one of them in a square; the others are noise."""
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(n, d))
    y = np.where(X[:, 0] ** 2 + X[:, 1] > 0.7 + 0.2 * rng.normal(size=n), 1.0, -1.0)
    return X, y


@pytest.mark.parametrize("seed", range(4))
def test_gradient_equals_finite_differences(seed: int, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(widths, "TRAINING_TOLERANCE", 1e-10)
    X, y = curved(seed, n=50, d=5)
    problem = Penalized(X, y, 1.5, 0.7, 5.0, 0.01, 10)
    at = np.random.default_rng(seed).uniform(0.1, 1.0, size=5)
    at[4] = 0.0
    point = evaluate(problem, at, Stopper())
    assert point is not None
    found = gradient(problem, point)
    for k in range(4):
        ends = []
        for shift in (1e-4, -1e-4):
            moved = at.copy()
            moved[k] += shift
            end = evaluate(problem, moved, Stopper())
            assert end is not None
            ends.append(end.objective)
        assert found[k] == pytest.approx((ends[0] - ends[1]) / 2e-4, rel=1e-3, abs=1e-4)
    assert found[4] == 0.0  # out of use for good


@pytest.mark.parametrize("penalty", [0.0, 0.1, 1.0, 10.0])
def test_objective_never_rises_and_is_the_primal_one(penalty: float) -> None:
    X, y = curved(1)
    clf = KernelPenalizedSVC(penalty, standardize=False).fit(X, y)
    steps = np.array(clf.objectives_)
    assert len(steps) > 3
    assert (np.diff(steps) < 0).all()
    v = clf.widths_
    K = np.exp(-0.5 * cdist(X * v, X * v, "sqeuclidean"))
    svc = SVC(kernel="precomputed", tol=1e-8).fit(K, y)
    dual = np.zeros(len(y))
    dual[svc.support_] = svc.dual_coef_[0]
    hinge = np.maximum(0.0, 1.0 - y * svc.decision_function(K)).sum()
    primal = 0.5 * dual @ K @ dual + hinge + penalty * np.sum(1.0 - np.exp(-5.0 * v))
    assert clf.objective_ == pytest.approx(primal, rel=1e-4)


def test_scores_are_those_of_an_svc_on_scaled_features() -> None:
    X, y = curved(2)
    clf = KernelPenalizedSVC(standardize=False).fit(X, y)
    svc = SVC(kernel="rbf", gamma=0.5, tol=1e-8).fit(X * clf.widths_, y)
    new = curved(3)[0]
    np.testing.assert_allclose(
        clf.decision_function(new), svc.decision_function(new * clf.widths_), atol=1e-3
    )
    assert (clf.predict(X) == svc.predict(X * clf.widths_)).all()


@pytest.mark.parametrize("seed", range(5))
def test_features_that_matter_are_found(seed: int) -> None:
    X, y = curved(seed)
    clf = KernelPenalizedSVC().fit(X, y)
    assert np.flatnonzero(clf.get_support()).tolist() == [0, 1]
    assert clf.penalty_ == 1.0


def test_at_most_so_many_features_by_a_greater_penalty() -> None:
    X, y = curved(0)
    X[:, 2] = X[:, 0]  # a copy: the two vanish together
    for most in (1, 2, 3):
        clf = KernelPenalizedSVC(0.0, max_features=most).fit(X, y)
        assert 1 <= clf.get_support().sum() <= most
    assert KernelPenalizedSVC(1e6).fit(X, y).get_support().sum() >= 1


def test_descending_on_the_norm_instead_ends_without_a_feature() -> None:
    """The reading of the paper that the class's notes reject, computed apart from its code."""
    X, y = curved(0)
    v = np.full(X.shape[1], X.shape[1] ** -0.5)
    for _ in range(100):
        K = np.exp(-0.5 * cdist(X * v, X * v, "sqeuclidean"))
        svc = SVC(kernel="precomputed").fit(K, y)
        a = np.zeros(len(y))
        a[svc.support_] = svc.dual_coef_[0]
        M = np.outer(a, a) * K
        slope = [-v[k] * np.sum(M * (X[:, k, None] - X[:, k]) ** 2) for k in range(len(v))]
        v = np.maximum(0.0, v - 0.002 * (np.array(slope) + 5.0 * np.exp(-5.0 * v)))
        if not v.any():
            break
    assert not v.any()
