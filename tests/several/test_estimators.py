"""FrugalSelector and FrugalSVC with several classes, and with several columns of labels."""

from __future__ import annotations

import pickle
import warnings
from typing import Any

import numpy as np
import pandas as pd
import pytest
from scipy.sparse import csr_matrix
from sklearn.base import clone
from sklearn.datasets import load_iris, load_wine
from sklearn.metrics import recall_score
from sklearn.model_selection import cross_val_score

from frugalsvm import (
    FrugalSelector,
    FrugalSVC,
    FusedClassesWarning,
    InfeasibleRatesError,
    ModelFileError,
    NoSolutionError,
    RecallWarning,
)
from frugalsvm.data.rates import RateTargets
from frugalsvm.several.decision import recalls
from frugalsvm.several.labels import read_several
from frugalsvm.several.scales import balancing_scales


@pytest.fixture(scope="module")
def wine() -> tuple[pd.DataFrame, pd.Series]:
    X, y = load_wine(return_X_y=True, as_frame=True)
    return X, y.map({0: "barolo", 1: "grignolino", 2: "barbera"})


@pytest.fixture(scope="module")
def iris() -> tuple[pd.DataFrame, np.ndarray]:
    return load_iris(return_X_y=True, as_frame=True)


@pytest.fixture(scope="module")
def sorter(wine: Any) -> FrugalSVC:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        return FrugalSVC(min_recall=0.95, min_tnr=0.95, time_limit=20.0).fit(*wine)


def test_every_class_meets_its_rates_against_the_rest(wine: Any, sorter: FrugalSVC) -> None:
    X, y = wine
    assert sorter.cost_ == sorter.bound_ == 3.0
    scores = X.to_numpy() @ sorter.coef_.T + sorter.intercept_
    assert scores == pytest.approx(sorter.decision_function(X), abs=1e-6)
    for t, name in enumerate(sorter.classes_):
        own = (y == name).to_numpy()
        assert sorter.train_tpr_[t] == (scores[own, t] > 0).mean() >= 0.95
        assert sorter.train_tnr_[t] == (scores[~own, t] <= 0).mean() >= 0.95


def test_predictions_are_the_largest_score(wine: Any, sorter: FrugalSVC) -> None:
    X, y = wine
    said = sorter.predict(X)
    assert np.array_equal(said, sorter.classes_[np.argmax(sorter.decision_function(X), axis=1)])
    reached = recall_score(y, said, average=None, labels=sorter.classes_)
    assert sorter.train_recall_ == pytest.approx(reached)
    assert sorter.score(X, y) == (said == y).mean()


def test_recalls_that_fall_short_are_said(wine: Any) -> None:
    X, y = wine
    selector = FrugalSelector(min_recall=0.95, min_tnr=0.95)
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        selector.fit(X, y)
    words = [str(w.message) for w in caught if w.category is RecallWarning]
    short = selector.classes_[selector.train_recall_ < 0.95]
    assert len(words) == (len(short) > 0)
    for name, recall in zip(selector.classes_, selector.train_recall_, strict=True):
        assert (f"{name!s}' {recall:.4f} instead of 0.9500" in "".join(words)) == (recall < 0.95)


def test_rates_by_class(wine: Any) -> None:
    X, y = wine
    rates = {"barolo": 0.95, "grignolino": 0.8, "barbera": 0.9}
    shares = {"barolo": 0.8, "grignolino": 0.9, "barbera": 0.95}
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", RecallWarning)
        selector = FrugalSelector(min_recall=rates, min_tnr=shares).fit(X, y)
    for t, name in enumerate(selector.classes_):
        assert selector.train_tpr_[t] >= rates[name]
        assert selector.train_tnr_[t] >= shares[name]
    with pytest.raises(ValueError, match=r"Got none for \['grignolino'\]"):
        FrugalSelector(min_recall={"barolo": 1.0, "barbera": 0.9}).fit(X, y)
    with pytest.raises(ValueError, match=r"'min_tnr' .* Got one for \['port'\]"):
        FrugalSelector(min_tnr=shares | {"port": 0.9}).fit(X, y)
    with pytest.raises(ValueError, match=r"Got 1\.5 for 'barolo'"):
        FrugalSelector(min_recall=rates | {"barolo": 1.5}).fit(X, y)


def test_prices_groups_include_and_exclude(wine: Any) -> None:
    X, y = wine[0].iloc[:, 2:], wine[1]
    terms: dict[str, Any] = {
        "min_recall": 0.8,
        "feature_costs": {name: round(1.0 + 0.1 * k, 1) for k, name in enumerate(X)},
        "feature_groups": dict.fromkeys(X.columns[:6], "lab"),
        "group_costs": {"lab": 2.5},
    }
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", RecallWarning)
        plain = FrugalSelector(**terms).fit(X, y)
        bound = FrugalSelector(include=["ash"], exclude=["proline"], **terms).fit(X, y)
    names = set(bound.get_feature_names_out())
    assert "ash" in names
    assert "proline" not in names
    assert plain.status_ == bound.status_ == "optimal"
    assert plain.cost_ < bound.cost_


def test_the_panel_alone(wine: Any, sorter: FrugalSVC) -> None:
    X, _ = wine
    measured = X[sorter.get_feature_names_out()]
    assert np.array_equal(sorter.panel_.predict(measured), sorter.predict(X))
    assert sorter.transform(X).shape == (len(X), 3)
    with pytest.raises(ValueError, match="use panel_"):
        sorter.predict(measured)
    with pytest.raises(ModelFileError, match="3 of them: use joblib"):
        _ = sorter.model_
    again = pickle.loads(pickle.dumps(sorter))
    assert np.array_equal(again.predict(X), sorter.predict(X))


def test_several_columns_of_labels(iris: Any) -> None:
    X, y = iris
    Y = np.column_stack((y == 0, y == 2, X.iloc[:, 0] > 5.8)).astype(int)
    clf = FrugalSVC(min_recall={0: 1.0, 1: 0.9, 2: 0.9}, time_limit=10.0)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        clf.fit(X, Y)
        sparse = clone(clf).fit(X, csr_matrix(Y))
    said = clf.predict(X)
    assert said.shape == clf.decision_function(X).shape == Y.shape
    assert set(np.unique(said)) == {0, 1}
    assert clf.train_recall_ == pytest.approx(recall_score(Y, said, average=None))
    assert (clf.train_recall_ >= [1.0, 0.9, 0.9]).all()
    assert clf.cost_ == clf.bound_ == sparse.cost_
    assert np.array_equal(clf.panel_.predict(X[clf.get_feature_names_out()]), said)
    with pytest.raises(ValueError, match="Column 1 has one class only"):
        clf.fit(X, Y * [1, 0, 1])
    with pytest.raises(ValueError, match="Unknown label type: multiclass-multioutput"):
        clf.fit(X, Y + np.array([[0, 0, 1]]) * Y)


def test_two_columns_are_two_questions(iris: Any) -> None:
    """One panel for two binary questions costs at least what each of them does."""
    X, y = iris
    Y = np.column_stack((y == 0, X.iloc[:, 1] > 3.2)).astype(int)
    both = FrugalSelector(0.9, 0.9).fit(X, Y)
    alone = [FrugalSelector(0.9, 0.9).fit(X, column).cost_ for column in Y.T]
    assert list(both.result_.single_costs) == alone
    assert max(alone) <= both.cost_ <= sum(alone)


def test_classes_that_cannot_be_told_apart_are_named() -> None:
    rng = np.random.default_rng(0)
    X = rng.normal(size=(90, 3))
    y = np.repeat(["a", "b", "c"], 30)
    X[y == "c", 0] += 12.0
    X[np.flatnonzero(y == "b")] = X[np.flatnonzero(y == "a")]  # the same samples, called otherwise
    with pytest.raises(
        InfeasibleRatesError, match=r"cannot be told apart .*: 'a' and 'b'\."
    ) as got:
        FrugalSelector(min_recall=0.9).fit(X, y)
    assert got.value.proven
    assert got.value.classes == ("a", "b")
    assert got.value.pairs == (("a", "b"),)
    assert "'a' with 'b' (fuse_classes=True)" in str(got.value)
    with pytest.warns(FusedClassesWarning, match="'a', 'b' as 'a'; 2 classes are left"):
        fused = FrugalSVC(min_recall=0.9, fuse_classes=True).fit(X, y)
    assert fused.fused_classes_ == {"a": ("a", "b")}
    assert fused.classes_.tolist() == ["a", "c"]
    assert fused.cost_ == fused.bound_ == 1.0
    assert set(fused.predict(X)) == {"a", "c"}
    assert (fused.train_recall_ >= 0.9).all()


def test_a_class_between_others_is_fused_with_the_nearest(iris: Any) -> None:
    """Versicolor lies between the others: any two can be told apart, but not it from the rest."""
    X, y = iris
    with pytest.raises(InfeasibleRatesError, match="Any two classes can be told apart") as caught:
        FrugalSelector(min_recall=0.95).fit(X, y)
    assert caught.value.classes == (1,)
    assert caught.value.pairs == caught.value.doubtful_pairs == ()
    with pytest.warns(FusedClassesWarning, match="1, 2 as 1"):
        fused = FrugalSelector(min_recall=0.95, fuse_classes=True).fit(X, y)
    assert fused.classes_.tolist() == [0, 1]


def test_fusion_takes_the_strictest_rates_of_its_members() -> None:
    X = np.repeat(np.arange(4.0), 10)[:, None]
    y = np.repeat([0, 1, 0, 2], 10)  # nothing is between 1 and the zeros on both sides
    rates = {0: 0.9, 1: 1.0, 2: 0.8}
    with pytest.warns(FusedClassesWarning):
        fused = FrugalSelector(min_recall=rates, min_tnr=0.9, fuse_classes=True).fit(X, y)
    assert fused.fused_classes_ == {0: (0, 1)}
    assert fused.train_recall_[0] == 1.0


def test_parameters_that_need_two_classes(wine: Any) -> None:
    X, y = wine
    with pytest.raises(ValueError, match="'min_recall' parameter of FrugalSVC is for labels of mo"):
        FrugalSVC(min_recall=0.9).fit(X, y == "barolo")
    with pytest.raises(ValueError, match=r"'min_tnr' parameter .* where y has two classes"):
        FrugalSelector(min_tnr={True: 0.9, False: 0.9}).fit(X, y == "barolo")
    for name, value in {"solver": "highs", "pos_label": "barolo", "n_alternatives": 2}.items():
        with pytest.raises(ValueError, match=f"'{name}' parameter of FrugalSelector must be"):
            FrugalSelector(**{name: value}).fit(X, y)
    with pytest.raises(
        ValueError, match="'min_recall' parameter of FrugalSelector must be None, a"
    ):
        FrugalSelector(min_recall="high").fit(X, y)
    with pytest.raises(ValueError, match="'fuse_classes' parameter of FrugalSelector must be a bo"):
        FrugalSelector(fuse_classes=2).fit(X, y)


def test_whole_weights_are_repeated_rows(iris: Any) -> None:
    X, y = iris
    weights = np.random.default_rng(0).integers(0, 3, len(y))
    rows = np.repeat(np.arange(len(y)), weights)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", RecallWarning)
        weighted = FrugalSelector(0.4, 0.4).fit(X, y, sample_weight=weights)
        repeated = FrugalSelector(0.4, 0.4).fit(X.iloc[rows], y.iloc[rows])
    assert weighted.cost_ == repeated.cost_
    assert np.array_equal(weighted.train_tpr_, repeated.train_tpr_)


def test_cross_validation(wine: Any) -> None:
    X, y = wine
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        scores = cross_val_score(FrugalSVC(min_recall=0.9, time_limit=2.0), X, y, cv=2)
    assert scores.mean() > 0.8


def test_another_kernel_on_the_panel(wine: Any) -> None:
    X, y = wine
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        clf = FrugalSVC(min_recall=0.9, kernel="rbf", time_limit=6.0).fit(X, y)
    assert (clf.train_tpr_ >= 0.9).all()
    assert (clf.train_tnr_ >= 0.9).all()
    assert not hasattr(clf, "coef_")


def test_time_limit_and_progress(wine: Any) -> None:
    X, y = wine
    lines: list[Any] = []
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", RecallWarning)
        FrugalSelector(min_recall=1.0, min_tnr=1.0, callback=lines.append).fit(X, y)
    costs, bounds = [line.cost for line in lines], [line.bound for line in lines]
    assert costs == sorted(costs, reverse=True)
    assert bounds == sorted(bounds)
    assert costs[-1] == bounds[-1]
    with pytest.raises(NoSolutionError, match=r"found no panel .* \(time limit after"):
        FrugalSelector(min_recall=1.0, min_tnr=1.0, time_limit=1e-6).fit(X, y)


def test_scales_keep_what_every_class_decides(wine: Any, sorter: FrugalSVC) -> None:
    X, _ = wine
    panel = X[sorter.get_feature_names_out()].to_numpy()
    own = np.column_stack([one.decision_function(panel) for one in sorter.svc_.estimators_])
    assert np.array_equal(own > 0, sorter.decision_function(X) > 0)
    assert (sorter.svc_.scales_ > 0).all()


def test_scales_save_a_class_whose_scores_are_small() -> None:
    labels = read_several(np.repeat([0, 1, 2], 20), "FrugalSVC")
    rng = np.random.default_rng(0)
    scores = np.where(labels.members.T, 1.0, -1.0) + 0.1 * rng.random((60, 3))
    scores[20:40, 0] = 3.0  # the first class claims all of the second, with larger scores
    scores[:20, 0] = 9.0
    asked = [RateTargets(0.9, 0.3)] * 3
    assert recalls(scores, labels)[1] == 0.0
    scales = balancing_scales(scores, labels, asked)
    assert (recalls(scores * scales, labels) == 1.0).all()
