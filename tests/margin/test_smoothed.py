"""The soft SVM of many samples: its dual is a bound, its direction nearly the best."""

import numpy as np
import pytest
from sklearn.svm import SVC

from frugalsvm.data.problem import CountLimit, MarginProblem
from frugalsvm.data.result import Status
from frugalsvm.margin import Effort, train
from frugalsvm.margin.smoothed import balanced, dual_value, soft_svms
from frugalsvm.runtime.stopping import Stopper


def noisy(n=600, d=4, seed=0):
    rng = np.random.default_rng(seed)
    X = rng.standard_normal((n, d))
    return X, X @ rng.standard_normal(d) + rng.standard_normal(n) > 0.3


def soft_objective(X, positive, C):
    """Return the least of ||w||^2 + C sum xi, by libsvm, whose C is half of ours."""
    svm = SVC(kernel="linear", C=C / 2, tol=1e-8).fit(X, positive)
    slack = np.maximum(0.0, 1.0 - np.where(positive, 1.0, -1.0) * svm.decision_function(X))
    return float((svm.coef_**2).sum() + C * slack.sum())


@pytest.mark.parametrize("C", [0.01, 1.0, 30.0])
@pytest.mark.parametrize("seed", range(3))
def test_bounds_are_below_the_least_objective_and_close_to_it(C, seed):
    X, positive = noisy(seed=seed)
    least = soft_objective(X, positive, C)
    bounds = [soft.bound for soft in soft_svms(X, positive, C, Stopper(60.0))]
    assert max(bounds) <= least * (1 + 1e-6)
    assert max(bounds) >= least * (1 - 2e-3)


def test_the_direction_is_that_of_the_soft_svm():
    X, positive = noisy()
    last = list(soft_svms(X, positive, 1.0, Stopper(60.0)))[-1]
    svm = SVC(kernel="linear", C=0.5, tol=1e-8).fit(X, positive)
    assert last.weights == pytest.approx(svm.coef_[0], abs=1e-2)
    assert last.intercept == pytest.approx(svm.intercept_[0], abs=1e-2)


def test_multipliers_of_both_classes_have_one_sum():
    positive = np.array([True, True, False])
    alpha = balanced(np.array([0.5, 0.5, 0.25]), positive)
    assert alpha.tolist() == [0.125, 0.125, 0.25]
    assert not balanced(np.array([0.5, 0.5, 0.0]), positive).any()


def test_a_value_that_is_no_number_bounds_nothing():
    assert dual_value(np.inf, 1.0) == 0.0
    assert dual_value(1.0, 100.0) == 0.0


def test_nothing_is_done_when_there_is_no_time():
    X, positive = noisy()
    assert list(soft_svms(X, positive, 1.0, Stopper(0.0))) == []


def test_many_samples_are_trained_with_a_small_gap():
    X, positive = noisy(n=5_000)
    limits = (CountLimit("tpr", positive, 1500), CountLimit("tnr", ~positive, 1500))
    problem = MarginProblem(X, None, positive, limits, C=1.0)
    result = train(problem, stop=Stopper(60.0), effort=Effort.QUICK)
    assert result.status in (Status.FEASIBLE, Status.OPTIMAL)
    assert 0.0 < result.bound <= result.objective
    assert result.gap < 0.05
    assert result.bound >= soft_objective(X, positive, 1.0) * (1 - 2e-3)


def test_outliers_and_scales_do_not_make_a_bound_too_high():
    X, positive = noisy()
    X = X * [1e-6, 1.0, 1e3, 1e5]
    X[0] *= 1e3
    bounds = [soft.bound for soft in soft_svms(X, positive, 1.0, Stopper(60.0))]
    reached = [
        soft.weights @ soft.weights
        + np.maximum(0, 1 - np.where(positive, 1, -1) * (X @ soft.weights + soft.intercept)).sum()
        for soft in soft_svms(X, positive, 1.0, Stopper(60.0))
    ]
    assert max(bounds) <= min(reached)
