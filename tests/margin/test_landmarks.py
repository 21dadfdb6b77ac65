"""Kernels of many samples by landmarks: rates hold, and the bound is one."""

from fractions import Fraction

import numpy as np
import pytest
from sklearn.svm import SVC

from frugalsvm import RateSVC
from frugalsvm.data.problem import CountLimit, MarginProblem
from frugalsvm.engine.landmarks import hidden_by_rounding, placed, train_by_landmarks
from frugalsvm.inputs.svm_kernels import Kernel
from frugalsvm.runtime.stopping import Stopper

pytestmark = pytest.mark.filterwarnings("ignore::sklearn.exceptions.ConvergenceWarning")

RBF = Kernel("rbf", 0.3, 3.0, 0.0)


def rings(n=500, seed=0):
    rng = np.random.default_rng(seed)
    X = rng.standard_normal((n, 2))
    return X, (X**2).sum(axis=1) + 0.4 * rng.standard_normal(n) > 1.4


def problem_of(positive, errors, C=1.0, max_slack=None):
    limits = (CountLimit("tpr", positive, errors), CountLimit("tnr", ~positive, errors))
    return MarginProblem(None, None, positive, limits, C=C, max_slack=max_slack)


@pytest.mark.parametrize("C", [0.1, 2.0])
@pytest.mark.parametrize("seed", range(3))
def test_the_bound_is_below_the_soft_svm_and_near_it(C, seed):
    X, positive = rings(seed=seed)
    result = train_by_landmarks(problem_of(positive, 200, C), RBF, X, Stopper(60.0), 0)
    svm = SVC(kernel="rbf", gamma=0.3, C=C / 2, tol=1e-8).fit(X, positive)
    dual = np.zeros(len(X))
    dual[svm.support_] = svm.dual_coef_[0]
    scores = RBF.matrix(X, X) @ dual
    slack = np.maximum(0.0, 1.0 - np.where(positive, 1, -1) * (scores + svm.intercept_[0]))
    least = dual @ scores + C * slack.sum()
    assert result is not None
    assert 0.9 * least <= result.bound <= least * (1 + 1e-6)
    assert result.bound <= result.objective


def test_the_answer_is_what_it_says():
    X, positive = rings()
    problem = problem_of(positive, 60)
    result = train_by_landmarks(problem, RBF, X, Stopper(60.0), 0)
    assert result is not None
    scores = RBF.matrix(X, X) @ result.dual_coef
    margins = np.where(positive, 1, -1) * (scores + result.intercept)
    objective = result.dual_coef @ scores + np.maximum(0.0, 1.0 - margins).sum()
    assert result.objective == pytest.approx(objective)
    assert (margins[positive] < 1 - 1e-6).sum() <= 60
    assert (margins[~positive] < 1 - 1e-6).sum() <= 60


def test_limits_that_cannot_be_kept_and_slacks_too_large_are_no_answer():
    X, positive = rings()
    assert train_by_landmarks(problem_of(positive, 0), RBF, X, Stopper(60.0), 0) is None
    tight = problem_of(positive, 60, max_slack=1e-3)
    assert (
        placed(tight, np.ones(len(X)), np.where(positive, 1.0, -1.0) * 1e-3, Stopper()) is not None
    )
    assert train_by_landmarks(tight, RBF, X, Stopper(60.0), 0) is None


def test_more_samples_than_a_matrix_is_worth_are_trained_without_one(monkeypatch):
    for name in ("engine.landmarks", "estimators.rate_svc"):
        monkeypatch.setattr(f"frugalsvm.{name}.MANY", 300)
    monkeypatch.setattr("frugalsvm.runtime.memory.free_memory", lambda: 1e6)
    X, positive = rings()
    clf = RateSVC(0.8, 0.8, kernel="rbf", time_limit=20.0).fit(X, positive)
    assert 0.0 < clf.bound_ <= clf.objective_
    assert clf.train_tpr_ >= 0.8
    assert clf.train_tnr_ >= 0.8
    again = RateSVC(0.8, 0.8, kernel="rbf", time_limit=20.0).fit(X, positive)
    assert again.objective_ == clf.objective_


@pytest.mark.slow
@pytest.mark.parametrize(("kernel", "n"), [("linear", 200_000), ("rbf", 20_000)])
def test_many_samples_are_trained_with_a_gap_that_is_proven(kernel, n):
    rng = np.random.default_rng(0)
    X = rng.standard_normal((n, 6))
    y = X.sum(axis=1) + rng.standard_normal(n) > 0
    clf = RateSVC(0.7, 0.7, kernel=kernel, time_limit=60.0).fit(X, y)
    assert clf.bound_ > 0.8 * clf.objective_


def test_what_rounding_takes_from_a_pull_that_cancels_is_allowed_for():
    """Both classes in almost the same places, with great multipliers: hardly a pull is left."""
    rng = np.random.default_rng(0)
    for _ in range(20):
        X = np.repeat(rng.standard_normal((20, 2)), 2, axis=0)
        pulls = 10 ** rng.uniform(3, 9) * np.tile([1.0, -1.0], 20) + rng.standard_normal(40)
        K = RBF.matrix(X, X)
        exact = [Fraction(p) for p in pulls.tolist()]
        square = sum(
            p * sum(Fraction(v) * q for v, q in zip(row, exact, strict=True))
            for p, row in zip(exact, K.tolist(), strict=True)
        )
        found = float(pulls @ (K @ pulls))
        assert square <= Fraction(found) + Fraction(hidden_by_rounding(np.abs(pulls), K.max()))
