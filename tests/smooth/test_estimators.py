"""RateSVC and FrugalSVC with smooth losses: against scikit-learn and Clarabel, and their rates."""

import json
import math
import threading
import time
from pathlib import Path

import numpy as np
import pytest
from sklearn.datasets import load_breast_cancer, load_wine
from sklearn.linear_model import LogisticRegression
from sklearn.preprocessing import StandardScaler
from sklearn.utils.estimator_checks import check_estimator

from frugalsvm import (
    FrugalSVC,
    InfeasibleRatesError,
    ModelFileError,
    RateSVC,
    accuracy,
    load_model,
    recall,
)
from frugalsvm.data.problem import CountLimit, MarginProblem
from frugalsvm.data.result import StopReason
from frugalsvm.runtime.stopping import Stopper
from frugalsvm.smooth import train
from reference_losses import objective

LOSSES = ("logistic", "dwd")


def cancer() -> tuple[np.ndarray, np.ndarray]:
    X, y = load_breast_cancer(return_X_y=True)
    return StandardScaler().fit_transform(X), y


def margins_of(clf: RateSVC, X: np.ndarray, y: np.ndarray) -> np.ndarray:
    return np.where(y == clf.classes_[1], 1.0, -1.0) * clf.decision_function(X)


@pytest.mark.parametrize("C", [0.01, 1.0, 30.0])
def test_without_binding_rates_it_is_logistic_regression(C: float) -> None:
    X, y = cancer()
    ours = RateSVC(0.0, 0.0, C=C, loss="logistic").fit(X, y)
    theirs = LogisticRegression(C=C / 2, tol=1e-12, solver="newton-cholesky").fit(X, y)
    assert ours.status_ == "optimal"
    np.testing.assert_allclose(ours.coef_, theirs.coef_, atol=2e-5)
    np.testing.assert_allclose(ours.intercept_, theirs.intercept_, atol=2e-5)
    u = np.where(y == 1, 1.0, -1.0) * theirs.decision_function(X)
    expected = float((theirs.coef_**2).sum()) + C * float(np.logaddexp(0.0, -u).sum())
    assert ours.objective_ == pytest.approx(expected, rel=1e-7)
    assert ours.bound_ <= expected * (1 + 1e-9)


@pytest.mark.parametrize("loss", LOSSES)
def test_without_binding_rates_it_has_the_conic_optimum(loss: str) -> None:
    X, y = load_wine(return_X_y=True)
    X, y = StandardScaler().fit_transform(X), y == 1
    for C in (0.1, 5.0):
        ours = RateSVC(0.0, 0.0, C=C, loss=loss).fit(X, y)
        problem = MarginProblem(X, None, y, (), C, loss=loss)
        expected = objective(problem, X, np.ones(len(y), dtype=bool))
        assert ours.objective_ == pytest.approx(expected, rel=1e-6)
        assert ours.bound_ == pytest.approx(expected, rel=1e-6)


@pytest.mark.parametrize("loss", LOSSES)
def test_binding_rates_hold_and_are_proven(loss: str) -> None:
    X, y = cancer()
    free = RateSVC(0.0, 0.0, loss=loss).fit(X, y)
    clf = RateSVC(0.98, 0.98, loss=loss).fit(X, y)
    u = margins_of(clf, X, y)
    for label in (0, 1):
        of_class = u[y == label]
        assert (of_class >= 1 - 1e-6).mean() >= 0.98
        assert (margins_of(free, X, y)[y == label] >= 1 - 1e-6).mean() < 0.98
    assert clf.status_ == "optimal"
    assert clf.objective_ > free.objective_
    assert clf.result_.gap <= 1e-4
    assert min(clf.train_tpr_, clf.train_tnr_) >= 0.98


@pytest.mark.parametrize("loss", LOSSES)
@pytest.mark.parametrize("kernel", ["rbf", "poly"])
def test_kernels(loss: str, kernel: str) -> None:
    X, y = cancer()
    X, y = X[:120, :6], y[:120]
    clf = RateSVC(0.9, 0.85, kernel=kernel, C=2.0, loss=loss, time_limit=1).fit(X, y)
    u = margins_of(clf, X, y)
    assert (u[y == 1] >= 1 - 1e-6).mean() >= 0.9
    assert (u[y == 0] >= 1 - 1e-6).mean() >= 0.85
    assert 0 < clf.bound_ <= clf.objective_


def test_a_linear_kernel_matrix_gives_the_linear_answer() -> None:
    X, y = cancer()
    X, y = X[::14, :4], y[::14]
    linear = RateSVC(0.9, 0.9, loss="logistic", standardize=False).fit(X, y)
    matrix = RateSVC(0.9, 0.9, loss="logistic", kernel="precomputed").fit(X @ X.T, y)
    assert linear.status_ == matrix.status_ == "optimal"
    assert matrix.objective_ == pytest.approx(linear.objective_, rel=1e-4)


def test_more_features_than_samples() -> None:
    rng = np.random.default_rng(0)
    X = rng.normal(size=(40, 300))
    y = np.arange(40) % 2
    X[:, 0] += 2 * y
    for C in (1e-3, 1.0):
        ours = RateSVC(0.0, 0.0, C=C, loss="logistic", standardize=False).fit(X, y)
        theirs = LogisticRegression(C=C / 2, tol=1e-10, max_iter=10_000).fit(X, y)
        np.testing.assert_allclose(ours.coef_, theirs.coef_, atol=1e-5)


@pytest.mark.parametrize("loss", LOSSES)
def test_further_constraints_and_bounded_slacks(loss: str) -> None:
    X, y = cancer()
    X, y = X[::3, :8], y[::3]
    group = np.arange(len(y)) % 4 == 0
    constraints = (accuracy(0.9), recall(0.95, 1, where=group))
    clf = RateSVC(0.8, 0.8, loss=loss, constraints=constraints, max_slack=3.0, time_limit=1)
    u = margins_of(clf.fit(X, y), X, y)
    assert (u >= 1 - 1e-6).mean() >= 0.9
    assert (u[group & (y == 1)] >= 1 - 1e-6).mean() >= 0.95
    assert u.min() >= -2 - 1e-5


@pytest.mark.parametrize("loss", LOSSES)
def test_weights_are_repetitions(loss: str) -> None:
    X, y = cancer()
    X, y = X[::6, :4], y[::6]
    weight = np.arange(len(y)) % 3
    by_weight = RateSVC(0.85, 0.85, loss=loss).fit(X, y, sample_weight=weight)
    repeated = RateSVC(0.85, 0.85, loss=loss).fit(
        np.repeat(X, weight, axis=0), np.repeat(y, weight)
    )
    assert by_weight.objective_ == pytest.approx(repeated.objective_, rel=1e-6)


@pytest.mark.parametrize("loss", LOSSES)
def test_impossible_rates_are_proven_impossible(loss: str) -> None:
    X = np.array([[0.0], [0.0], [1.0], [1.0], [2.0], [3.0]])
    y = np.array([0, 1, 0, 1, 1, 0])
    with pytest.raises(InfeasibleRatesError, match="proven that no classifier") as caught:
        RateSVC(1.0, 1.0, loss=loss).fit(X, y)
    assert caught.value.proven


def test_refusals_name_the_parameter_and_the_remedy() -> None:
    X, y = cancer()
    with pytest.raises(ValueError, match="'loss' parameter of RateSVC must be one of 'hinge'"):
        RateSVC(loss="square").fit(X, y)
    with pytest.raises(ValueError, match="'loss' parameter of RateSVC must be 'hinge' with solver"):
        RateSVC(loss="dwd", solver="scip").fit(X, y)
    with pytest.raises(ValueError, match="'loss' parameter of FrugalSVC must be 'hinge' with"):
        FrugalSVC(loss="dwd", solver="scip").fit(X, y)


@pytest.mark.parametrize("loss", LOSSES)
def test_time_limits_hold_and_leave_a_bound(loss: str) -> None:
    X, y = cancer()
    RateSVC(0.99, 0.99, loss=loss, time_limit=5).fit(X[:100], y[:100])  # imports, compilation
    for limit in (0.2, 1.5):
        begun = time.perf_counter()
        clf = RateSVC(0.99, 0.99, loss=loss, time_limit=limit).fit(X, y)
        assert time.perf_counter() - begun <= limit + 1.5
        assert clf.status_ == "feasible"
        assert 0 <= clf.bound_ <= clf.objective_


def test_an_interrupt_keeps_the_best_so_far() -> None:
    X, y = cancer()
    limits = CountLimit("tpr", y == 1, 3), CountLimit("tnr", y == 0, 2)
    stop = Stopper(60.0)
    timer = threading.Timer(1.0, stop.interrupt)
    timer.start()
    result = train(MarginProblem(X, None, y == 1, limits, 1.0, loss="dwd"), stop=stop)
    assert stop.elapsed < 2.5
    assert result.stop_reason is StopReason.INTERRUPTED
    assert result.has_answer
    assert 0 < result.bound < result.objective


def test_equal_calls_give_equal_answers() -> None:
    X, y = cancer()
    first, second = (RateSVC(0.96, 0.96, loss="dwd").fit(X, y) for _ in range(2))
    np.testing.assert_array_equal(first.coef_, second.coef_)


def test_progress_is_told_and_is_monotone() -> None:
    X, y = cancer()
    told = []
    RateSVC(0.97, 0.97, loss="logistic", callback=told.append).fit(X, y)
    told = [p for p in told if p.phase != "compiling"]
    costs, bounds = [p.cost for p in told], [p.bound for p in told]
    assert costs == sorted(costs, reverse=True)
    assert bounds == sorted(bounds)
    assert math.isfinite(costs[-1])
    assert {p.phase for p in told} >= {"no limits", "branch and bound"}


@pytest.mark.parametrize("loss", LOSSES)
def test_a_panel_can_be_saved_and_exported(loss: str, tmp_path: Path) -> None:
    X, y = load_breast_cancer(return_X_y=True, as_frame=True)
    clf = FrugalSVC(0.95, 0.9, loss=loss, time_limit=2).fit(X, y)
    assert clf.svc_.loss == loss
    assert clf.train_tpr_ >= 0.95
    assert clf.train_tnr_ >= 0.9
    clf.save(tmp_path / "panel.json")
    model = load_model(tmp_path / "panel.json")
    assert model.loss == loss
    np.testing.assert_array_equal(model.decision_function(X), clf.decision_function(X))
    exported = model.to_sklearn()
    np.testing.assert_array_equal(exported.predict(X), clf.predict(X))
    if loss == "logistic":
        f = clf.decision_function(X)
        expected = 1 / (1 + np.exp(-f))
        np.testing.assert_allclose(exported.predict_proba(X)[:, 1], expected, atol=1e-9)


def test_files_name_the_loss_only_if_it_is_another(tmp_path: Path) -> None:
    X, y = cancer()
    path = tmp_path / "panel.json"
    FrugalSVC(0.95, 0.9).fit(X, y).save(path)
    document = json.loads(path.read_text())
    assert "loss" not in document["parameters"]
    assert load_model(path).loss == "hinge"
    document["parameters"]["loss"] = "square"
    path.write_text(json.dumps(document))
    with pytest.raises(ModelFileError, match=r"parameters\.loss"):
        load_model(path)


@pytest.mark.slow
@pytest.mark.parametrize("loss", LOSSES)
def test_check_estimator(loss: str) -> None:
    clf = RateSVC(0.1, 0.1, loss=loss)  # random labels: more would take its time to prove
    outcome = check_estimator(clf, on_skip=None, on_fail="raise")
    assert sum(check["status"] == "passed" for check in outcome) >= 52
