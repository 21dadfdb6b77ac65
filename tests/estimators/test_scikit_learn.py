"""The estimators behave as scikit-learn's own do."""

from __future__ import annotations

import pickle
from typing import Any

import numpy as np
import pandas as pd
import polars as pl
import pytest
import sklearn
from scipy.sparse import csr_matrix
from sklearn.base import BaseEstimator, clone
from sklearn.calibration import CalibratedClassifierCV
from sklearn.datasets import load_breast_cancer
from sklearn.feature_selection import SelectorMixin
from sklearn.frozen import FrozenEstimator
from sklearn.model_selection import GridSearchCV, cross_val_score
from sklearn.pipeline import Pipeline, make_pipeline
from sklearn.preprocessing import PolynomialFeatures, StandardScaler
from sklearn.svm import SVC
from sklearn.utils.estimator_checks import check_estimator
from sklearn.utils.fixes import parse_version

from frugalsvm import FrugalSelector, FrugalSVC, FrugalSVCCV, InfeasibleRatesError, RateSVC

# Many checks draw labels at random: no classifier meets rates of 0.9 on those.
CHECKED = [
    FrugalSelector(0.5, 0.5),
    RateSVC(0.5, 0.5),
    FrugalSVC(0.5, 0.5),
    FrugalSVCCV(0.5, 0.5),
]
# How many checks scikit-learn has for a selector, a classifier, and both in one.
AT_LEAST = {"FrugalSelector": 45, "RateSVC": 52, "FrugalSVC": 58, "FrugalSVCCV": 58}


@pytest.mark.filterwarnings(
    "ignore:FrugalSVCCV has only",
    "ignore:No panel that FrugalSVCCV",
    "ignore:The rates that FrugalSVCCV expects",
    "ignore:The class with the largest score",
)
@pytest.mark.parametrize("estimator", CHECKED, ids=lambda e: type(e).__name__)
def test_check_estimator(estimator: BaseEstimator) -> None:
    outcome = check_estimator(estimator, on_skip=None, on_fail="raise")
    passed = [check for check in outcome if check["status"] == "passed"]
    skipped = {check["check_name"] for check in outcome if check["status"] == "skipped"}
    assert len(passed) >= AT_LEAST[type(estimator).__name__]
    assert skipped <= {
        "check_array_api_input",  # wants an environment variable of scipy's
        "check_classifiers_multilabel_output_format_predict_proba",  # there are no probabilities
    }


@pytest.mark.slow
@pytest.mark.parametrize("kind", [FrugalSelector, RateSVC, FrugalSVC])
def test_at_the_default_rates_only_random_labels_fail(kind: type[BaseEstimator]) -> None:
    outcome = check_estimator(kind(), on_skip=None, on_fail=None)
    failed = [check["exception"] for check in outcome if check["status"] == "failed"]
    assert len(failed) <= len(outcome) / 2
    # Some checks wrap what an estimator raises in an error of their own.
    reasons = [e if isinstance(e, InfeasibleRatesError) else e.__context__ for e in failed]
    assert all(isinstance(e, InfeasibleRatesError) and e.proven for e in reasons)


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
    old_sklearn = parse_version(sklearn.__version__) < parse_version("1.9")
    if old_sklearn and parse_version(pl.__version__) >= parse_version("2"):
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


@pytest.mark.parametrize("kernel", ["linear", "rbf"])
def test_prediction_from_the_panel_alone(kernel: str, cancer: Any) -> None:
    """`clf.predict(X[panel])` fails by scikit-learn's rules, and so do gaps in unused columns."""
    X, y = cancer
    clf = FrugalSVC(0.93, 0.9, kernel=kernel, time_limit=10.0).fit(X, y)
    measured = X[clf.get_feature_names_out()]
    np.testing.assert_array_equal(clf.panel_.predict(measured), clf.predict(X))
    np.testing.assert_array_equal(clf.panel_.decision_function(measured), clf.decision_function(X))
    with pytest.raises(ValueError, match=r"feature names should match(?s:.)*use panel_"):
        clf.predict(measured)
    gaps = X.astype(float).copy()
    gaps.loc[:, ~clf.get_support()] = np.nan
    with pytest.raises(ValueError, match=r"contains NaN(?s:.)*use panel_"):
        clf.predict(gaps)
    np.testing.assert_array_equal(
        clf.panel_.predict(gaps[clf.get_feature_names_out()]), clf.predict(X)
    )
    again = pickle.loads(pickle.dumps(clf.panel_))
    np.testing.assert_array_equal(again.predict(measured), clf.predict(X))


def test_prediction_from_the_panel_alone_without_names(cancer: Any) -> None:
    X, y = cancer[0].to_numpy(), cancer[1]
    clf = FrugalSVC(0.96, 0.91).fit(X, y)
    np.testing.assert_array_equal(clf.panel_.predict(X[:, clf.get_support()]), clf.predict(X))
    with pytest.raises(ValueError, match=r"X has 2 features, but FrugalSVC is exp.*use panel_"):
        clf.predict(X[:, clf.get_support()])
    with pytest.raises(ValueError, match=r"features as input\.$"):
        clf.predict(X[:, :7])


def test_the_empty_panel_predicts_alone(cancer: Any) -> None:
    X, y = cancer
    clf = FrugalSVC(1.0, 0.0).fit(X, y)
    assert clf.panel_.predict([[5.0], [6.0]]).tolist() == clf.predict(X)[:2].tolist()


@pytest.mark.parametrize("kind", [FrugalSelector, RateSVC, FrugalSVC])
def test_whole_weights_are_repeated_rows(kind: type, cancer: Any) -> None:
    X, y = cancer[0].iloc[:200, :6], cancer[1].iloc[:200]
    weights = np.random.default_rng(0).integers(0, 4, len(y))
    rows = np.repeat(np.arange(len(y)), weights)
    weighted = kind(0.9, 0.8, time_limit=10.0).fit(X, y, sample_weight=weights)
    repeated = kind(0.9, 0.8, time_limit=10.0).fit(X.iloc[rows], y.iloc[rows])
    assert weighted.result_.status == repeated.result_.status
    assert (weighted.train_tpr_, weighted.train_tnr_) == (
        repeated.train_tpr_,
        repeated.train_tnr_,
    )
    if hasattr(weighted, "cost_"):
        assert weighted.cost_ == repeated.cost_
    for wrong, words in (
        ([1.0, 1 / 3] + [1.0] * 198, "Got 0.3333333333333333 for row 1.*Round the weights"),
        ([-1] * 200, "numbers >= 0. Got -1 for row 0"),
    ):
        with pytest.raises(ValueError, match=words):
            kind(0.9, 0.8).fit(X, y, sample_weight=wrong)
    with pytest.raises(ValueError, match=r"must hold whole numbers.*correction"):
        kind(0.6, 0.6, correction="hoeffding").fit(X, y, sample_weight=[0.5] * 200)
    with pytest.raises(ValueError, match="at most 10,000,000 samples"):
        kind(0.9, 0.8).fit(X, y, sample_weight=[10**6] * 200)


@pytest.mark.parametrize("kind", [FrugalSelector, RateSVC, FrugalSVC])
def test_weights_that_are_not_whole_are_shares_of_the_rates(kind: type, cancer: Any) -> None:
    X, y = cancer[0].iloc[:150, :5], cancer[1].iloc[:150]
    weights = np.random.default_rng(1).choice([0.0, 0.5, 1.25, 2.0], len(y))
    rows = np.repeat(np.arange(len(y)), (4 * weights).astype(int))
    clf = kind(0.9, 0.8, time_limit=10.0).fit(X, y, sample_weight=weights)
    slack_cost = {} if kind is FrugalSelector else {"C": 1 / 4}
    repeated = kind(0.9, 0.8, time_limit=10.0, **slack_cost).fit(X.iloc[rows], y.iloc[rows])
    assert clf.result_.status == repeated.result_.status
    np.testing.assert_allclose(clf.coef_, repeated.coef_)
    upper = X.to_numpy() @ np.ravel(clf.coef_) + clf.intercept_ > 0
    malignant = (y == "malignant").to_numpy()
    for label, rate in ((malignant, clf.train_tpr_), (~malignant, clf.train_tnr_)):
        share = weights[label & (upper == malignant)].sum() / weights[label].sum()
        assert share == pytest.approx(rate, abs=1e-12)
    assert clf.train_tpr_ >= 0.9
    assert clf.train_tnr_ >= 0.8


def test_weighted_rows_of_frugalsvccv_stay_together(cancer: Any) -> None:
    """A row of weight 2 is a group of two rows: never learned from and asked about at once."""
    X, y = cancer[0].iloc[:200, :5], cancer[1].iloc[:200]
    weights = np.random.default_rng(0).integers(0, 3, len(y))
    rows = np.repeat(np.arange(len(y)), weights)
    ask = {"time_limit": 30.0, "n_repeats": 2}
    weighted = FrugalSVCCV(0.8, 0.8, **ask).fit(X, y, sample_weight=weights)
    grouped = FrugalSVCCV(0.8, 0.8, **ask).fit(X.iloc[rows], y.iloc[rows], groups=rows)
    assert (weighted.cv_tpr_, weighted.cv_tnr_) == (grouped.cv_tpr_, grouped.cv_tnr_)
    assert weighted.cost_ == grouped.cost_
    with pytest.raises(ValueError, match=r"must hold whole numbers.*new data"):
        FrugalSVCCV(0.8, 0.8).fit(X, y, sample_weight=[0.5] * 200)
    with pytest.raises(ValueError, match="cannot be combined with a certificate"):
        FrugalSVCCV(0.8, 0.8, test_size=0.3).fit(X, y, sample_weight=weights)


def test_splits_of_the_rows_are_splits_of_what_weights_stand_for(cancer: Any) -> None:
    X, y = cancer[0].iloc[:120, :4], cancer[1].iloc[:120]
    weights = np.random.default_rng(0).integers(0, 3, len(y))
    rows = np.repeat(np.arange(len(y)), weights)
    fold = np.arange(len(y)) % 3
    splits = [(np.flatnonzero(fold != k), np.flatnonzero(fold == k)) for k in range(3)]
    repeated = [
        (np.flatnonzero(fold[rows] != k), np.flatnonzero(fold[rows] == k)) for k in (0, 1, 2)
    ]
    weighted = FrugalSVCCV(0.7, 0.7, cv=iter(splits), time_limit=30.0)
    weighted.fit(X, y, sample_weight=weights)
    same = FrugalSVCCV(0.7, 0.7, cv=repeated, time_limit=30.0)
    same.fit(X.iloc[rows], y.iloc[rows], groups=rows)
    assert (weighted.cv_tpr_, weighted.cv_tnr_) == (same.cv_tpr_, same.cv_tnr_)
    for cv, words in (
        ([([0, 1], [120])], "row 120 to 120 in split 0"),
        ([([0, 1], [])], "no row in split 0"),
        (iter(()), "one split at the least"),
    ):
        with pytest.raises(ValueError, match=words):
            FrugalSVCCV(0.7, 0.7, cv=cv).fit(X, y)
    with pytest.raises(ValueError, match="a number or a splitter"):
        FrugalSVCCV(0.7, 0.7, cv=splits, test_size=0.3).fit(X, y)


def test_weights_are_routed(cancer: Any) -> None:
    X, y = cancer[0].iloc[:200, :6], cancer[1].iloc[:200]
    weights = np.random.default_rng(0).integers(1, 3, len(y))
    with sklearn.config_context(enable_metadata_routing=True):
        clf = FrugalSVC(0.8, 0.8).set_fit_request(sample_weight=True)
        pipe = make_pipeline(StandardScaler().set_fit_request(sample_weight=False), clf)
        pipe.fit(X, y, sample_weight=weights)
        clf.set_score_request(sample_weight=True)
        search = GridSearchCV(clf, {"C": [0.1, 1.0]}, cv=2).fit(X, y, sample_weight=weights)
    plain = FrugalSVC(0.8, 0.8).fit(StandardScaler().fit_transform(X), y, sample_weight=weights)
    assert pipe[-1].train_tpr_ == plain.train_tpr_
    assert search.best_estimator_.cost_ >= 1
    ordinary = make_pipeline(StandardScaler(), FrugalSVC(0.8, 0.8))
    ordinary.fit(X, y, frugalsvc__sample_weight=weights)
    assert ordinary[-1].train_tnr_ == plain.train_tnr_


@pytest.mark.parametrize("kind", [FrugalSelector, RateSVC, FrugalSVC])
def test_sparse_data_give_the_same_answer(kind: type, cancer: Any) -> None:
    X, y = cancer[0].to_numpy()[:, :6], cancer[1]
    dense, sparse = kind(0.9, 0.8).fit(X, y), kind(0.9, 0.8).fit(csr_matrix(X), y)
    # Equal to the last bit with numpy 2.4; with numpy 2.0 they differ by up to 1e-12.
    np.testing.assert_allclose(dense.coef_, sparse.coef_, rtol=1e-9)
    if hasattr(dense, "predict"):
        np.testing.assert_array_equal(dense.predict(X), sparse.predict(csr_matrix(X)))
    if hasattr(dense, "transform"):
        assert sparse.transform(csr_matrix(X)).shape == dense.transform(X).shape


def test_text_columns_are_answered_with_what_to_do() -> None:
    frame = pd.DataFrame({"age": [30.0, 40.0, 50.0, 60.0], "sex": ["m", "f", "m", "f"]})
    frame["ward"] = pd.Categorical(["a", "b", "a", "b"])
    y = [0, 0, 1, 1]
    old = frame.astype({"sex": object})
    for data in (frame, old, pl.from_pandas(frame)):
        with pytest.raises(ValueError, match="2 columns hold text or levels: 'sex', 'ward'"):
            FrugalSVC().fit(data, y)


@pytest.mark.parametrize(
    "groups", [{"blood": ["mean radius", "mean texture"]}, ["blood"] * 3, 7, "blood"]
)
def test_groups_of_the_wrong_shape_are_shown_the_right_one(groups: Any, cancer: Any) -> None:
    X, y = cancer
    with pytest.raises(ValueError, match="'feature_groups' parameter of FrugalSVC must") as caught:
        FrugalSVC(feature_groups=groups, group_costs={"blood": 2.0}).fit(X, y)
    if groups != "blood":
        assert "feature_groups={'mean radius': 'blood'" in str(caught.value)


def test_probabilities_by_scikit_learns_calibration(cancer: Any) -> None:
    X, y = cancer
    clf = FrugalSVC(0.9, 0.9).fit(X, y)
    calibrated = CalibratedClassifierCV(FrozenEstimator(clf), method="sigmoid").fit(X, y)
    chances = calibrated.predict_proba(X)[:, 1]
    order = np.argsort(clf.decision_function(X))
    assert (np.diff(chances[order]) >= -1e-12).all()
