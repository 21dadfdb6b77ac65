"""From a fitted classifier to the report's section."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest
from sklearn.model_selection import PredefinedSplit

from frugalsvm import FrugalSVC
from frugalsvm.report import FitSection, ReportData, fit_section, write_report


def data(n: int = 80) -> tuple[pd.DataFrame, np.ndarray]:
    rng = np.random.default_rng(3)
    X = pd.DataFrame(rng.standard_normal((n, 4)), columns=["age", "iron", "zinc", "noise"])
    score = 2 * X["age"] - X["iron"] * 1.5 + rng.normal(0, 0.4, n)
    return X, np.where(score > 0.2, "ill", "well")


TERMS: dict[str, Any] = {
    "feature_costs": {"age": 0.0, "iron": 7.27, "zinc": 7.27, "noise": 1.0},
    "feature_groups": {"iron": "blood", "zinc": "blood"},
    "group_costs": {"blood": 2.10},
}


@pytest.fixture(scope="module")
def classifier() -> FrugalSVC:
    return FrugalSVC(0.9, 0.9, pos_label="ill", **TERMS).fit(*data())


@pytest.fixture(scope="module")
def section(classifier: FrugalSVC) -> FitSection:
    return fit_section(classifier, *data(), cv=4)


def test_costs_add_up(classifier: FrugalSVC, section: FitSection) -> None:
    paid = sum(line.cost for line in section.panel)
    paid += sum(shared.cost for shared in section.shared_costs if shared.paid)
    assert section.cost == pytest.approx(paid) == pytest.approx(classifier.cost_)
    assert section.full_cost == pytest.approx(7.27 * 2 + 1.0 + 2.10)
    assert {line.name for line in section.panel} == set(classifier.get_feature_names_out())
    assert len(section.panel) + len(section.left_out) == 4
    assert next(line for line in section.panel if line.name == "iron").groups == ("blood",)


def test_weights_speak_for_the_positive_class(section: FitSection) -> None:
    weights = {line.name: line.weight for line in section.panel}
    assert weights["age"] > 0 > weights["iron"]


def test_training_counts_are_the_classifiers(classifier: FrugalSVC, section: FitSection) -> None:
    X, y = data()
    said = classifier.predict(X)
    assert section.training.true_positives == int(((said == "ill") & (y == "ill")).sum())
    assert section.training.true_negatives == int(((said == "well") & (y == "well")).sum())
    assert section.training.tpr == classifier.train_tpr_


def test_every_sample_is_held_out_once(section: FitSection) -> None:
    validation = section.cross_validation
    assert validation is not None
    assert (validation.n_folds, validation.failed_folds) == (4, 0)
    assert validation.counts.n_positive + validation.counts.n_negative == 80
    assert validation.counts.tpr > 0.7
    assert validation.roc is not None
    assert validation.roc.area > 0.8


def test_cross_validation_repeats_the_selection(classifier: FrugalSVC) -> None:
    """A fold whose training part is noise alone cannot choose what all the data choose."""
    X, y = data()
    X.loc[40:, ["age", "iron"]] = 0.0
    fitted = FrugalSVC(0.5, 0.5, pos_label="ill", **TERMS).fit(X, y)
    folds = np.where(np.arange(80) < 40, 0, -1)  # trained on the second half only
    validation = fit_section(fitted, X, y, cv=PredefinedSplit(folds)).cross_validation
    assert validation is not None
    assert validation.same_panel + validation.failed_folds == 0 or validation.same_panel == 0


def test_folds_that_cannot_meet_the_targets_are_counted() -> None:
    X = np.array([[0.0], [0.0], [1.0], [1.0], [2.0], [3.0]] * 4)
    y = np.array([0, 0, 1, 1, 0, 1] * 4)
    X[12:, 0], y[12:] = np.arange(12), np.tile([0, 1], 6)  # the second half cannot be separated
    fitted = FrugalSVC(0.7, 0.3).fit(X, y)
    fitted.min_tpr = fitted.min_tnr = 1.0
    folds = np.repeat([0, -1], 12)
    validation = fit_section(fitted, X, y, cv=PredefinedSplit(folds)).cross_validation
    assert validation is not None
    assert validation.failed_folds == 1
    assert validation.counts.n_positive == 0


def test_kernels_without_weights_make_a_report_too(tmp_path: Path) -> None:
    X, y = data(40)
    fitted = FrugalSVC(0.8, 0.8, kernel="rbf", n_alternatives=2).fit(X, y)
    section = fit_section(fitted, X, y, cv=None)
    assert section.kernel == "rbf, gamma = scale"
    assert all(line.weight is None for line in section.panel)
    assert section.cross_validation is None
    write_report(tmp_path / "report.html", ReportData("curved", fit=section))
    assert (tmp_path / "report.html").stat().st_size > 10_000
