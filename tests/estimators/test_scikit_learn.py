"""The estimators behave as scikit-learn's own do."""

from __future__ import annotations

import pickle
from typing import Any

import numpy as np
import pandas as pd
import polars as pl
import pytest
import sklearn
from sklearn.base import BaseEstimator, clone
from sklearn.datasets import load_breast_cancer
from sklearn.feature_selection import SelectorMixin
from sklearn.model_selection import GridSearchCV, cross_val_score
from sklearn.pipeline import Pipeline, make_pipeline
from sklearn.preprocessing import PolynomialFeatures, StandardScaler
from sklearn.svm import SVC
from sklearn.utils.estimator_checks import check_estimator
from sklearn.utils.fixes import parse_version

from frugalsvm import FrugalSelector, FrugalSVC, InfeasibleRatesError, RateSVC

# Many checks draw labels at random: no classifier meets rates of 0.9 on those.
CHECKED = [FrugalSelector(0.5, 0.5), RateSVC(0.5, 0.5), FrugalSVC(0.5, 0.5)]
# How many checks scikit-learn has for a selector, a classifier, and both in one.
AT_LEAST = {"FrugalSelector": 45, "RateSVC": 52, "FrugalSVC": 58}


@pytest.mark.parametrize("estimator", CHECKED, ids=lambda e: type(e).__name__)
def test_check_estimator(estimator: BaseEstimator) -> None:
    outcome = check_estimator(estimator, on_skip=None, on_fail="raise")
    passed = [check for check in outcome if check["status"] == "passed"]
    skipped = {check["check_name"] for check in outcome if check["status"] == "skipped"}
    assert len(passed) >= AT_LEAST[type(estimator).__name__]
    assert skipped <= {"check_array_api_input"}  # wants an environment variable of scipy's


@pytest.mark.slow
@pytest.mark.parametrize("kind", [FrugalSelector, RateSVC, FrugalSVC])
def test_at_the_default_rates_only_random_labels_fail(kind: type[BaseEstimator]) -> None:
    outcome = check_estimator(kind(), on_skip=None, on_fail=None)
    failed = [check["exception"] for check in outcome if check["status"] == "failed"]
    assert len(failed) <= 12
    assert all(isinstance(e, InfeasibleRatesError) and e.proven for e in failed)


@pytest.fixture(scope="module")
def cancer() -> tuple[pd.DataFrame, pd.Series]:
    X, y = load_breast_cancer(return_X_y=True, as_frame=True)
    return X, y.map({0: "malignant", 1: "benign"})


ESTIMATORS = [
    FrugalSelector(0.95, 0.9, pos_label="malignant"),
    RateSVC(0.95, 0.95, pos_label="malignant"),
    FrugalSVC(0.95, 0.9, pos_label="malignant"),
    FrugalSVC(0.95, 0.9, pos_label="malignant", kernel="rbf"),
]


@pytest.mark.parametrize("estimator", ESTIMATORS, ids=str)
def test_pickle_and_clone(estimator: Any, cancer: Any) -> None:
    X, y = cancer
    fitted = clone(estimator).fit(X, y)
    copy = pickle.loads(pickle.dumps(fitted))
    method = "transform" if isinstance(fitted, FrugalSelector) else "decision_function"
    assert np.array_equal(getattr(copy, method)(X), getattr(fitted, method)(X))
    assert copy.result_.status == fitted.result_.status
    again = clone(fitted).fit(X, y)
    assert np.array_equal(getattr(again, method)(X), getattr(fitted, method)(X))


@pytest.mark.parametrize("estimator", ESTIMATORS, ids=str)
def test_html_repr(estimator: Any) -> None:
    assert type(estimator).__name__ in estimator._repr_html_()


def test_pandas_and_polars_give_the_same_answer_and_their_own_kind(cancer: Any) -> None:
    X, y = cancer
    Xp = pl.DataFrame({name: X[name].to_numpy() for name in X})
    selector = FrugalSelector(0.95, 0.9)
    from_numpy = clone(selector).fit(X.to_numpy(), y)
    from_pandas = clone(selector).set_output(transform="pandas").fit(X, y)
    from_polars = clone(selector).set_output(transform="polars").fit(Xp, y.to_numpy())
    names = X.columns[from_numpy.get_support()].tolist()
    assert from_pandas.get_feature_names_out().tolist() == names
    assert from_pandas.transform(X).columns.tolist() == names
    assert isinstance(from_polars.transform(Xp), pl.DataFrame)
    if parse_version(sklearn.__version__) < parse_version("1.9"):
        # scikit-learn 1.8 does not see the column names of polars >= 2.
        names = [f"x{k}" for k in np.flatnonzero(from_numpy.get_support())]
    assert from_polars.transform(Xp).columns == names


def test_grid_search_and_pipeline(cancer: Any) -> None:
    X, y = cancer
    search = GridSearchCV(
        make_pipeline(StandardScaler(), FrugalSVC(0.94, 0.9)), {"frugalsvc__C": [0.1, 10]}, cv=3
    ).fit(X, y)
    assert search.best_score_ > 0.88
    assert cross_val_score(RateSVC(0.95, 0.9), X, y, cv=3).mean() > 0.9


def test_selector_in_front_of_another_classifier(cancer: Any) -> None:
    X, y = cancer
    pipe = make_pipeline(FrugalSelector(0.95, 0.9), StandardScaler(), SVC()).fit(X, y)
    assert pipe.score(X, y) > 0.9


def test_columns_reordered_or_missing_at_predict_are_refused(cancer: Any) -> None:
    X, y = cancer
    fitted = FrugalSVC(0.95, 0.9).fit(X, y)
    with pytest.raises(ValueError, match="feature names should match"):
        fitted.predict(X[X.columns[::-1]])
    with pytest.raises(ValueError, match="feature names"):
        fitted.predict(X.iloc[:, 1:])
    with pytest.raises(ValueError, match="29 features, but FrugalSVC is expecting 30"):
        FrugalSVC(0.95, 0.9).fit(X.to_numpy(), y).predict(X.to_numpy()[:, 1:])


def test_classifier_is_a_selector_too(cancer: Any) -> None:
    X, y = cancer
    fitted = FrugalSVC(0.95, 0.9).fit(X, y)
    assert isinstance(fitted, SelectorMixin)
    assert fitted.transform(X).shape == (len(X), fitted.cost_)
    assert np.flatnonzero(fitted.coef_[0]).tolist() == np.flatnonzero(fitted.get_support()).tolist()
    linear = X.to_numpy() @ fitted.coef_[0] + fitted.intercept_
    assert linear == pytest.approx(fitted.decision_function(X), abs=1e-8)


def test_polynomial_features_pay_their_raw_feature_once() -> None:
    rng = np.random.default_rng(0)
    X = pd.DataFrame(rng.uniform(-1, 1, size=(120, 3)), columns=["a", "b", "c"])
    y = (X["a"] ** 2 + X["b"] ** 2 < 0.6).to_numpy()
    pipe = Pipeline(
        [
            ("phi", PolynomialFeatures(2, include_bias=False).set_output(transform="pandas")),
            (
                "frugal",
                FrugalSVC(
                    1.0,
                    1.0,
                    feature_costs={"a": 2.0, "b": 3.0, "c": 1.0},
                    feature_groups="derived",
                ),
            ),
        ]
    ).fit(X, y)
    frugal = pipe[-1]
    assert frugal.cost_ == frugal.bound_ == 5.0
    assert {"a^2", "b^2"} <= set(frugal.get_feature_names_out())
    assert pipe.score(X, y) == 1.0
