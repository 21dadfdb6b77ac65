"""FrugalSVCCV as users meet it."""

from __future__ import annotations

import os
import signal
import threading
import time
import warnings
from dataclasses import replace
from typing import Any

import numpy as np
import pandas as pd
import pytest
from sklearn.base import BaseEstimator, ClassifierMixin
from sklearn.datasets import load_breast_cancer, make_classification
from sklearn.discriminant_analysis import LinearDiscriminantAnalysis
from sklearn.exceptions import ConvergenceWarning
from sklearn.linear_model import LogisticRegression
from sklearn.model_selection import GroupKFold, ShuffleSplit, train_test_split
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from sklearn.tree import DecisionTreeClassifier

from frugalsvm import (
    DataError,
    FrugalSVC,
    FrugalSVCCV,
    NoSolutionError,
    RateSVC,
    certify,
    score_card,
)
from frugalsvm.data.result import Status, StopReason
from frugalsvm.unseen.procedure import Procedure


@pytest.fixture(scope="module")
def cancer() -> tuple[pd.DataFrame, pd.Series]:
    X, y = load_breast_cancer(return_X_y=True, as_frame=True)
    return X, y.map({0: "malignant", 1: "benign"})


@pytest.fixture(scope="module")
def fitted(cancer: Any) -> FrugalSVCCV:
    return FrugalSVCCV(0.9, 0.9, pos_label="malignant").fit(*cancer)


def test_attributes_agree_with_each_other(fitted: FrugalSVCCV, cancer: Any) -> None:
    X, y = cancer
    assert fitted.targets_met_
    assert fitted.cost_ == fitted.get_support().sum()
    said = fitted.predict(X)
    positive = (y == "malignant").to_numpy()
    assert fitted.train_tpr_ == np.mean(said[positive] == "malignant")
    assert fitted.train_tnr_ == np.mean(said[~positive] == "benign")
    linear = X.to_numpy() @ fitted.coef_[0] + fitted.intercept_
    assert linear == pytest.approx(fitted.decision_function(X), abs=1e-8)
    for rate, (low, high) in (
        (fitted.cv_tpr_, fitted.cv_tpr_interval_),
        (fitted.cv_tnr_, fitted.cv_tnr_interval_),
    ):
        assert low < rate < high
    chosen = fitted.cv_results_["chosen"]
    assert chosen.sum() == 1
    assert fitted.cv_results_["cost"][chosen][0] == fitted.cost_
    assert fitted.cv_results_["margin"][chosen][0] >= fitted.margin
    assert fitted.training_targets_[0] > fitted.min_tpr
    assert fitted.selection_frequency_.shape == (30,)
    assert fitted.certificate_ is None
    assert len(fitted.held_out_) == 0


def test_the_panel_and_the_plain_data_decide_alike(fitted: FrugalSVCCV, cancer: Any) -> None:
    X, _ = cancer
    measured = X[fitted.get_feature_names_out()]
    assert (fitted.panel_.predict(measured) == fitted.predict(X)).all()
    assert (fitted.model_.predict(measured) == fitted.predict(X)).all()
    with pytest.raises(ValueError, match="panel_"):
        fitted.predict(measured)


def test_score_cards_give_nothing_away_in_training(fitted: FrugalSVCCV, cancer: Any) -> None:
    X, y = cancer
    card = score_card(fitted.model_, X[fitted.get_feature_names_out()], y)
    assert (card.exact.tpr, card.exact.tnr) == (fitted.train_tpr_, fitted.train_tnr_)
    assert card.counts.tpr >= card.exact.tpr
    assert card.counts.tnr >= card.exact.tnr
    assert card.meets_targets == (card.counts.tpr >= 0.9 and card.counts.tnr >= 0.9)


def test_verbose_lines_speak_of_cross_validation(capsys: pytest.CaptureFixture[str]) -> None:
    X, y = make_classification(200, 4, random_state=0)
    FrugalSVCCV(0.7, 0.7, n_repeats=1, verbose=1).fit(X, y)
    assert "[FrugalSVCCV]" in (said := capsys.readouterr().out)
    assert "estimating the rates on new data" in said


def test_training_that_did_not_finish_is_said_without_claims_about_rates(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    X, y = make_classification(200, 4, random_state=0)
    whole = RateSVC._keep

    def unfinished(self: RateSVC, problem: Any, result: Any, *rest: Any) -> None:
        whole(self, problem, replace(result, status=Status.FEASIBLE), *rest)

    monkeypatch.setattr(RateSVC, "_keep", unfinished)
    with pytest.warns(ConvergenceWarning, match="FrugalSVCCV did not finish") as told:
        FrugalSVCCV(0.7, 0.7, n_repeats=1).fit(X, y)
    messages = [str(w.message) for w in told if w.category is ConvergenceWarning]
    assert len(messages) == 1
    assert "meets the rates" not in messages[0]


def test_the_threshold_is_folded_into_the_intercept(fitted: FrugalSVCCV, cancer: Any) -> None:
    X, _ = cancer
    panel = X.to_numpy()[:, fitted.get_support()]
    moved = fitted.svc_.decision_function(panel)
    assert moved == pytest.approx(fitted.decision_function(X))
    assert fitted.threshold_ != 0


def test_expected_rates_come_near_those_of_new_samples() -> None:
    X, y = make_classification(
        3000, 12, n_informative=5, n_redundant=3, class_sep=1.2, flip_y=0.02, random_state=3
    )
    gaps = []
    for seed in range(3):
        X_learn, X_new, y_learn, y_new = train_test_split(
            X, y, train_size=400, stratify=y, random_state=seed
        )
        clf = FrugalSVCCV(0.72, 0.72).fit(X_learn, y_learn)
        said = clf.predict(X_new)
        gaps += [
            clf.cv_tpr_ - np.mean(said[y_new == 1] == 1),
            clf.cv_tnr_ - np.mean(said[y_new == 0] == 0),
        ]
    assert abs(np.mean(gaps)) < 0.03


def test_more_margin_never_takes_a_panel_of_less_margin(cancer: Any) -> None:
    X, y = cancer
    margins = [FrugalSVCCV(0.93, 0.9, margin=m, n_repeats=1).fit(X, y) for m in (0.0, 1.5)]
    low, high = (m.cv_results_["margin"][m.cv_results_["chosen"]][0] for m in margins)
    assert low >= 0
    assert high >= 1.5
    assert margins[0].cost_ <= margins[1].cost_


def test_a_budget_is_kept_and_buys_the_best_rates(cancer: Any) -> None:
    X, y = cancer
    clf = FrugalSVCCV(0.9, 0.9, max_cost=2.0, n_repeats=1).fit(X, y)
    assert clf.cost_ <= 2.0
    assert clf.cv_tpr_ > 0.9
    with pytest.raises(ValueError, match=r"'max_cost'.*included features"):
        FrugalSVCCV(0.9, 0.9, max_cost=1.0, include=[0, 1]).fit(X, y)


def test_prices_groups_of_features_include_and_exclude(cancer: Any) -> None:
    X, y = cancer
    groups = {name: name.split()[0] for name in X.columns}
    clf = FrugalSVCCV(
        0.9,
        0.85,
        feature_costs=0.0,
        feature_groups=groups,
        group_costs=1.0,
        include=["mean texture"],
        exclude=["worst area"],
        n_repeats=1,
    ).fit(X, y)
    names = set(clf.get_feature_names_out())
    assert "mean texture" in names
    assert "worst area" not in names
    assert clf.cost_ == len({groups[name] for name in names})


def test_rows_of_one_group_are_kept_together(cancer: Any) -> None:
    X, y = cancer
    twice = np.repeat(np.arange(len(X)), 2)
    alone = FrugalSVCCV(0.9, 0.9, n_repeats=1).fit(X.iloc[twice], y.iloc[twice], groups=twice)
    assert alone.targets_met_
    with pytest.raises(DataError, match="rows that come in groups"):
        FrugalSVCCV(0.9, 0.9, test_size=0.3).fit(X.iloc[twice], y.iloc[twice], groups=twice)
    by_group = FrugalSVCCV(0.9, 0.9, cv=GroupKFold(3)).fit(X, y, groups=np.arange(len(X)) % 7)
    assert by_group.targets_met_


def test_a_splitter_may_ask_about_some_samples_only(cancer: Any) -> None:
    X, y = cancer
    clf = FrugalSVCCV(0.9, 0.85, cv=ShuffleSplit(4, test_size=0.3, random_state=0)).fit(X, y)
    assert clf.targets_met_


def test_certificate_by_samples_set_aside(cancer: Any) -> None:
    X, y = cancer
    clf = FrugalSVCCV(0.8, 0.8, test_size=0.4).fit(X, y)
    assert clf.certificate_.certified
    assert len(clf.held_out_) == 228
    held_out = X.iloc[clf.held_out_], y.iloc[clf.held_out_]
    seen = clf.certificate_.held_out
    right = clf.predict(held_out[0]) == held_out[1]
    assert right[held_out[1] == "malignant"].sum() == seen.right_positives
    assert right[held_out[1] == "benign"].sum() == seen.right_negatives
    assert seen.p_value <= 0.05
    assert certify(clf, *held_out).holds


def test_calibration_samples_of_the_users_own(cancer: Any) -> None:
    X, y = cancer
    clf = FrugalSVCCV(0.85, 0.85, n_repeats=1).fit(X[:350], y[:350], calibration=(X[350:], y[350:]))
    assert clf.certificate_.held_out.n_positives == (y[350:] == "malignant").sum()
    assert len(clf.held_out_) == 0
    with pytest.raises(ValueError, match="either 'test_size' or calibration"):
        FrugalSVCCV(test_size=0.3).fit(X, y, calibration=(X, y))
    with pytest.raises(DataError, match="calibration labels"):
        FrugalSVCCV().fit(X, y, calibration=(X, y.replace("benign", "other")))


def test_a_hold_out_too_small_is_refused_before_any_search(cancer: Any) -> None:
    X, y = cancer
    start = time.process_time()
    with pytest.raises(DataError, match="too few to certify"):
        FrugalSVCCV(0.99, 0.9, test_size=0.2).fit(X, y)
    assert time.process_time() - start < 0.5


def test_targets_out_of_reach_give_the_best_there_is_and_a_warning() -> None:
    X, y = make_classification(300, 8, flip_y=0.3, random_state=0)
    with pytest.warns(UserWarning, match="do not expect both rates on new data"):
        clf = FrugalSVCCV(0.99, 0.99, n_repeats=1).fit(X, y)
    assert not clf.targets_met_


def test_expected_rates_that_fall_short_are_warned_of() -> None:
    """With more features than samples some panel looks good by chance, cross-validated or not."""
    rng = np.random.default_rng(0)
    X, y = rng.normal(size=(120, 600)), np.arange(120) % 2
    with pytest.warns(UserWarning, match="fall short of TPR|do not expect both rates"):
        clf = FrugalSVCCV(0.75, 0.75).fit(X, y)
    assert not clf.targets_met_
    assert min(clf.cv_tpr_, clf.cv_tnr_) < 0.65


def test_not_certified_is_said(cancer: Any) -> None:
    X, y = make_classification(600, 8, flip_y=0.2, random_state=0)
    with pytest.warns(UserWarning, match="Not certified at 0.95 confidence"):
        clf = FrugalSVCCV(0.93, 0.93, n_repeats=1, test_size=0.3).fit(X, y)
    assert not clf.certificate_.certified


def test_small_classes_are_warned_of_with_a_number() -> None:
    X, y = make_classification(200, 6, weights=[0.85], class_sep=3, random_state=0, flip_y=0)
    n = int(y.sum())
    with pytest.warns(UserWarning, match=f"only {n} samples of a class"):
        FrugalSVCCV(0.8, 0.8, n_repeats=1).fit(X, y)


@pytest.mark.parametrize(
    "estimator",
    [
        make_pipeline(StandardScaler(), LogisticRegression()),
        DecisionTreeClassifier(max_depth=4, random_state=0),
        LinearDiscriminantAnalysis(),  # takes no constant column, as the empty panel is one
    ],
    ids=["logistic", "tree", "discriminant"],
)
def test_any_classifier_on_the_panel(estimator: Any, cancer: Any) -> None:
    X, y = cancer
    clf = FrugalSVCCV(0.9, 0.85, estimator=estimator, n_repeats=1, cv=3, pos_label="malignant").fit(
        X, y
    )
    assert clf.targets_met_
    assert not hasattr(clf, "coef_")
    said = clf.predict(X)
    assert np.mean(said == y) > 0.9
    assert clf.train_tpr_ == np.mean(said[y == "malignant"] == "malignant")


def test_kernels(cancer: Any) -> None:
    X, y = cancer
    clf = FrugalSVCCV(0.9, 0.85, kernel="rbf", n_repeats=1, cv=3).fit(X[:300], y[:300])
    assert np.mean(clf.predict(X[300:]) == y[300:]) > 0.85
    with pytest.raises(ValueError, match="precomputed"):
        FrugalSVCCV(kernel="precomputed").fit(X, y)


@pytest.mark.parametrize(
    "parameters",
    [
        {"min_tpr": 1.5},
        {"margin": "much"},
        {"max_cost": -1},
        {"Cs": []},
        {"Cs": 1.0},
        {"cv": 1},
        {"n_repeats": 0},
        {"test_size": 1.0},
        {"confidence": 1.0},
        {"estimator": LogisticRegression},
        {"estimator": StandardScaler()},
    ],
    ids=str,
)
def test_parameters_are_checked(parameters: dict[str, Any], cancer: Any) -> None:
    (name,) = parameters
    with pytest.raises(ValueError, match=f"The '{name}' parameter of FrugalSVCCV must be"):
        FrugalSVCCV(**parameters).fit(*cancer)


def test_the_same_seed_gives_the_same_answer_with_any_number_of_threads(cancer: Any) -> None:
    X, y = cancer
    one = FrugalSVCCV(0.94, 0.9, random_state=3, n_repeats=1).fit(X, y)
    two = FrugalSVCCV(0.94, 0.9, random_state=3, n_repeats=1, n_jobs=2).fit(X, y)
    assert np.array_equal(one.get_support(), two.get_support())
    assert (one.threshold_, one.cv_tpr_, one.cv_tnr_) == (two.threshold_, two.cv_tpr_, two.cv_tnr_)


@pytest.mark.filterwarnings("ignore:No panel that FrugalSVCCV tried")
def test_time_limit_is_kept() -> None:
    X, y = make_classification(1500, 40, n_informative=12, flip_y=0.1, random_state=0)
    FrugalSVC(0.5, 0.5).fit(X[:50], y[:50])  # compiled by now
    start = time.perf_counter()
    with pytest.warns(UserWarning, match="was stopped \\(time limit\\)"):
        clf = FrugalSVCCV(0.8, 0.8, time_limit=2.0).fit(X, y)
    assert time.perf_counter() - start < 2.0 * 1.1 + 1.0
    assert clf.cost_ > 0


class Deaf(ClassifierMixin, BaseEstimator):
    """A classifier whose training takes as long as somebody lets it."""

    release = threading.Event()

    def fit(self, X: Any, y: Any) -> Deaf:
        self.classes_ = np.unique(y)
        self.release.wait(60.0)
        return self

    def decision_function(self, X: Any) -> Any:
        return X[:, 0]


def test_a_classifier_that_hears_nobody_does_not_break_the_time_limit(cancer: Any) -> None:
    start = time.perf_counter()
    with pytest.raises(NoSolutionError, match="before a panel was cross-validated"):
        FrugalSVCCV(0.9, 0.85, estimator=Deaf(), time_limit=1.0).fit(*cancer)
    assert time.perf_counter() - start < 1.0 * 1.1 + 1.0
    Deaf.release.set()


def test_of_many_samples_a_part_chooses_the_panel(monkeypatch: Any) -> None:
    monkeypatch.setattr("frugalsvm.unseen.scoring.ENOUGH_SAMPLES", 300)
    monkeypatch.setattr("frugalsvm.unseen.folds.LEAST_OF_CLASS", 100)
    looked_at: list[int] = []
    trial = Procedure.trial

    def counted(self: Procedure, samples: Any, folds: Any) -> Any:
        looked_at.append(len(samples.X))
        return trial(self, samples, folds)

    monkeypatch.setattr(Procedure, "trial", counted)
    X, y = make_classification(1500, 8, n_informative=4, flip_y=0.02, random_state=0)
    clf = FrugalSVCCV(0.6, 0.6, kernel="linear", n_repeats=1).fit(X, y)
    assert set(looked_at) <= {300, 301}
    assert clf.targets_met_
    assert clf.svc_.result_.counted.size == 1500


def test_no_time_at_all_is_an_error_that_says_so(cancer: Any, monkeypatch: Any) -> None:
    monkeypatch.setattr("frugalsvm.unseen.procedure.HURRY", 0.0)
    with pytest.raises(NoSolutionError, match="Give it more time"):
        FrugalSVCCV(time_limit=1e-6).fit(*cancer)


def test_progress_is_told(cancer: Any) -> None:
    told: list[Any] = []
    clf = FrugalSVCCV(0.9, 0.85, n_repeats=1, callback=told.append).fit(*cancer)
    assert told[-1].cost == clf.cost_


def test_no_warning_where_all_is_well(cancer: Any) -> None:
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        FrugalSVCCV(0.9, 0.85, n_repeats=1).fit(*cancer)


@pytest.mark.filterwarnings("ignore:No panel that", "ignore:FrugalSVCCV was stopped")
@pytest.mark.parametrize(("early", "within"), [(True, 2.5), (False, 1.0)])
def test_ctrl_c_keeps_the_best_so_far(early: bool, within: float) -> None:
    """Within a second; a little later if no panel was ready, and one has to be trained first."""
    X, y = make_classification(1500, 40, n_informative=12, flip_y=0.1, random_state=0)
    FrugalSVC(0.5, 0.5).fit(X[:50], y[:50])  # compiled by now
    pressed: list[float] = []

    def press(progress: Any = None) -> None:
        if not pressed:
            pressed.append(time.process_time())  # not wall time: machines may be busy
            os.kill(os.getpid(), signal.SIGINT)

    if early:
        threading.Timer(0.3, press).start()
    tell = None if early else press
    clf = FrugalSVCCV(0.8, 0.8, n_repeats=20, time_limit=None, callback=tell).fit(X, y)
    assert time.process_time() - pressed[0] < within
    assert clf.result_.stop_reason is StopReason.INTERRUPTED
    assert clf.cost_ > 0
