"""The peers behave as the library's other estimators do."""

from __future__ import annotations

import os
import pickle
import signal
import threading
import time
from contextlib import suppress
from typing import Any

import numpy as np
import pandas as pd
import pytest
from scipy.sparse import csr_matrix
from sklearn.base import BaseEstimator, clone
from sklearn.datasets import load_breast_cancer
from sklearn.utils.estimator_checks import check_estimator

import frugalsvm
from frugalsvm import NoSolutionError
from frugalsvm.peers import BudgetSVC, HoldOutSVC, KernelPenalizedSVC, SparseSVC
from frugalsvm.peers.elimination import split

PEERS = [BudgetSVC(2, time_limit=20), HoldOutSVC(4), KernelPenalizedSVC(max_features=4)]


def name_of(estimator: BaseEstimator) -> str:
    return type(estimator).__name__


@pytest.fixture(scope="module")
def cancer() -> tuple[pd.DataFrame, pd.Series]:
    X, y = load_breast_cancer(return_X_y=True, as_frame=True)
    return X.iloc[::4, :8], y.iloc[::4].map({0: "malignant", 1: "benign"})


@pytest.mark.parametrize("estimator", PEERS, ids=name_of)
def test_check_estimator(estimator: BaseEstimator) -> None:
    apart = "repeated rows may be held out apart, those that a weight stands for are not"
    data = ("dense", "sparse") if isinstance(estimator, HoldOutSVC) else ()
    allowed = {f"check_sample_weight_equivalence_on_{kind}_data": apart for kind in data}
    outcome = check_estimator(
        estimator, on_skip=None, on_fail="raise", expected_failed_checks=allowed
    )
    passed = [check for check in outcome if check["status"] == "passed"]
    skipped = {check["check_name"] for check in outcome if check["status"] == "skipped"}
    assert len(passed) >= 58
    assert skipped <= {"check_array_api_input"}


def test_they_are_exported_beside_the_relaxations() -> None:
    for kind in (BudgetSVC, HoldOutSVC, KernelPenalizedSVC, SparseSVC):
        assert getattr(frugalsvm, kind.__name__) is kind
        assert f"`{kind.__name__}`" in str(frugalsvm.peers.__doc__)


@pytest.mark.parametrize("estimator", PEERS, ids=name_of)
def test_prices_positive_class_pickle_and_repetition(estimator: Any, cancer: Any) -> None:
    X, y = cancer
    costs = {name: 0.1 * (k + 1) for k, name in enumerate(X)}
    groups = {X.columns[0]: "size", X.columns[2]: "size", X.columns[3]: "size"}
    clf = clone(estimator).set_params(
        feature_costs=costs,
        feature_groups=groups,
        group_costs={"size": 0.7},
        pos_label="malignant",
    )
    clf.fit(X, y)
    kept = list(clf.get_feature_names_out())
    expected = sum(costs[name] for name in kept) + 0.7 * any(name in groups for name in kept)
    assert clf.cost_ == pytest.approx(expected)
    said = clf.predict(X)
    assert clf.train_tpr_ == pytest.approx((said == y)[y == "malignant"].mean())
    assert clf.train_tnr_ == pytest.approx((said == y)[y == "benign"].mean())
    assert clf.score(X, y) > 0.85
    assert (said == clf.classes_[(clf.decision_function(X) > 0).astype(int)]).all()
    again = clone(clf).fit(X, y)
    copy = pickle.loads(pickle.dumps(clf))
    for other in (again, copy):
        assert np.array_equal(other.decision_function(X), clf.decision_function(X))


@pytest.mark.parametrize("estimator", [*PEERS, SparseSVC(3)], ids=name_of)
def test_whole_weights_stand_for_samples(estimator: Any, cancer: Any) -> None:
    X, y = cancer
    weights = np.random.default_rng(0).integers(0, 3, len(y))
    clf = clone(estimator).fit(X, y, sample_weight=weights)
    rows = np.repeat(np.arange(len(y)), weights)
    said = clf.predict(X)[rows]
    if hasattr(clf, "train_tpr_"):
        given = y.to_numpy()[rows]
        assert clf.train_tpr_ == pytest.approx((said == given)[given == clf.classes_[1]].mean())
    if not isinstance(clf, HoldOutSVC):  # it holds the samples of one row out together
        again = clone(estimator).fit(X.iloc[rows], y.iloc[rows])
        assert clf.decision_function(X) == pytest.approx(again.decision_function(X), abs=1e-6)
    same = clone(estimator).fit(X, y, sample_weight=np.ones(len(y)))
    plain = clone(estimator).fit(X, y)
    assert np.array_equal(same.decision_function(X), plain.decision_function(X))


@pytest.mark.parametrize("estimator", PEERS, ids=name_of)
def test_weights_that_are_not_whole_are_refused(estimator: Any, cancer: Any) -> None:
    X, y = cancer
    with pytest.raises(ValueError, match=f"of {name_of(estimator)}.fit must hold whole numbers"):
        clone(estimator).fit(X, y, sample_weight=np.full(len(y), 0.5))


def test_samples_of_one_row_are_held_out_together() -> None:
    row = np.repeat(np.arange(20), 3)
    signs = np.where(row < 8, 1.0, -1.0)
    train, held = split(signs, row, 0.3, np.random.default_rng(0))
    assert not set(row[train]) & set(row[held])
    assert sorted([*train, *held]) == list(range(60))


@pytest.mark.parametrize("method", ["chan", "ghaddar"])
def test_shares_weigh_the_slack_of_the_relaxations(method: str, cancer: Any) -> None:
    X, y = cancer
    clf = SparseSVC(3, method=method).fit(X, y, sample_weight=np.full(len(y), 2.5))
    heavy = SparseSVC(3, method=method, C=2.5).fit(X, y)
    assert clf.decision_function(X) == pytest.approx(heavy.decision_function(X), abs=1e-3)


def test_the_relaxations_take_sparse_data_and_explain_text(cancer: Any) -> None:
    X, y = cancer
    clf, sparse = SparseSVC(3).fit(X.to_numpy(), y), csr_matrix(X.to_numpy())
    assert np.array_equal(SparseSVC(3).fit(sparse, y).predict(sparse), clf.predict(X.to_numpy()))
    with pytest.raises(ValueError, match=r"SparseSVC\.fit needs numbers\. 1 column holds text"):
        SparseSVC(3).fit(X.assign(colour="red"), y)


@pytest.mark.parametrize("estimator", PEERS, ids=name_of)
def test_features_that_are_not_kept_do_not_count(estimator: Any, cancer: Any) -> None:
    X, y = cancer
    clf = clone(estimator).fit(X, y)
    other = X.copy()
    other.loc[:, ~clf.get_support()] = 1.0
    np.testing.assert_allclose(clf.decision_function(other), clf.decision_function(X))


LARGE = np.random.default_rng(0).normal(size=(1500, 40))
NOISE = np.random.default_rng(1).uniform(size=1500) < 0.5


@pytest.mark.parametrize("estimator", PEERS, ids=name_of)
def test_time_limits_are_kept(estimator: Any) -> None:
    started = time.perf_counter()
    with suppress(NoSolutionError):
        clone(estimator).set_params(time_limit=1.0).fit(LARGE, NOISE)
    assert time.perf_counter() - started <= 2.6


@pytest.mark.parametrize("estimator", PEERS, ids=name_of)
def test_interrupts_end_the_work(estimator: Any) -> None:
    if signal.getsignal(signal.SIGINT) is not signal.default_int_handler:
        pytest.skip("the program has a handler of its own")
    timer = threading.Timer(1.0, lambda: os.kill(os.getpid(), signal.SIGINT))
    timer.start()
    started = time.perf_counter()
    with suppress(NoSolutionError):
        fitted = clone(estimator).set_params(time_limit=30.0).fit(LARGE, NOISE)
        assert fitted.stop_reason_ in ("interrupted", "completed")
    timer.cancel()
    assert time.perf_counter() - started <= 6.0


WRONG = [
    (HoldOutSVC(0), "'max_features' parameter of HoldOutSVC must be None or an int"),
    (HoldOutSVC(kernel="precomputed"), "'kernel' parameter of HoldOutSVC must be callable"),
    (HoldOutSVC(holdout=1.0), "'holdout' parameter of HoldOutSVC must be a float"),
    (HoldOutSVC(step=0), "'step' parameter of HoldOutSVC must be an int"),
    (KernelPenalizedSVC(-1.0), "'penalty' parameter of KernelPenalizedSVC must be a float"),
    (KernelPenalizedSVC(max_iter=0), "'max_iter' parameter of KernelPenalizedSVC must be an int"),
    (BudgetSVC(-1), "'budget' parameter of BudgetSVC must be a finite number"),
    (BudgetSVC(0.5), "'budget' parameter of BudgetSVC must pay for at least one feature.*costs 1"),
    (BudgetSVC(time_limit=0), "'time_limit' parameter of BudgetSVC must be a number of seconds"),
    (BudgetSVC(feature_costs=[1.0]), "'feature_costs' parameter of BudgetSVC must have one cost"),
]


@pytest.mark.parametrize(("estimator", "message"), WRONG, ids=str)
def test_errors_name_parameter_rule_and_value(estimator: Any, message: str, cancer: Any) -> None:
    with pytest.raises(ValueError, match=message):
        estimator.fit(*cancer)


def test_constant_columns_are_never_kept() -> None:
    X = np.random.default_rng(0).normal(size=(60, 3))
    y = X[:, 1] > 0
    X[:, 0] = 5.0
    for estimator in PEERS:
        assert not clone(estimator).fit(X, y).get_support()[0]


@pytest.mark.parametrize("estimator", PEERS, ids=name_of)
def test_without_any_time_the_error_says_what_was_missing(estimator: Any, cancer: Any) -> None:
    with pytest.raises(NoSolutionError, match=r"time limit was over before .* had .*Raise"):
        clone(estimator).set_params(time_limit=1e-9).fit(*cancer)


@pytest.mark.parametrize("estimator", PEERS, ids=name_of)
def test_columns_far_from_zero_or_of_any_size(estimator: Any, cancer: Any) -> None:
    X, y = cancer
    far = X.to_numpy() * 2.0**30 + 2.0**60
    far[:, 3] = X.to_numpy()[:, 3] * 1e200
    fitted = clone(estimator).fit(far, y)
    assert fitted.score(far, y) > 0.85


def test_labels_that_no_feature_tells_apart() -> None:
    X = np.tile([[0.0, 1.0], [1.0, 0.0]], (20, 1))
    y = np.repeat([0, 1], 20)
    for estimator in PEERS:
        assert clone(estimator).fit(X, y).predict(X).shape == (40,)
