"""kernel="auto": a linear rule where it will do, a radial one where only that will."""

from __future__ import annotations

import math
from dataclasses import replace

import numpy as np
import pytest

from frugalsvm import FrugalSVCCV, frontier
from frugalsvm.data.costs import CostModel
from frugalsvm.data.losses import HINGE, LOGISTIC
from frugalsvm.data.rates import RateTargets
from frugalsvm.runtime.stopping import Stopper
from frugalsvm.unseen.choice import Trial, plainest
from frugalsvm.unseen.folds import make_folds
from frugalsvm.unseen.linear_or_radial import MOST_SAMPLES, LinearOrRadial, machine_for
from frugalsvm.unseen.scoring import Machines
from frugalsvm.unseen.threshold import Reserve

FOREVER = Stopper(None)
BOTH = machine_for(Machines((0.5, 5.0), kernel="auto"), 100)


def ring(n: int = 240, seed: int = 0) -> tuple[np.ndarray, np.ndarray]:
    """Return a class within a ring of the other on two features, and three of noise."""
    rng = np.random.default_rng(seed)
    X = rng.standard_normal((n, 5))
    return X, (X[:, 0] - 0.5) ** 2 + (X[:, 1] - 0.5) ** 2 < 1.4


def line(n: int = 240, seed: int = 0) -> tuple[np.ndarray, np.ndarray]:
    """Return classes on two sides of a line."""
    rng = np.random.default_rng(seed)
    X = rng.standard_normal((n, 5))
    return X, X[:, 0] - X[:, 1] + 0.2 * rng.standard_normal(n) > 0


def trial(X: np.ndarray, positive: np.ndarray, margin: float, enough: float) -> Trial:
    targets = RateTargets(0.8, 0.8)
    folds = make_folds(4, 2, positive, None, 0, "test")
    costs = CostModel.per_feature(np.ones(X.shape[1]))
    reserve = Reserve.of(targets, positive)
    return Trial(X, positive, costs, BOTH, folds, reserve, margin, enough)


def test_auto_means_both_up_to_a_number_of_samples_and_linear_above() -> None:
    auto = Machines((1.0,), kernel="auto")
    assert isinstance(machine_for(auto, MOST_SAMPLES), LinearOrRadial)
    assert machine_for(auto, MOST_SAMPLES + 1) == replace(auto, kernel="linear")
    own = Machines((1.0,), kernel="poly")
    assert machine_for(own, 10) is own


def test_the_rows_of_its_scores_are_those_of_its_settings() -> None:
    X, positive = ring(80)
    folds = make_folds(3, 1, positive, None, 0, "test")
    both = BOTH.scores(X, positive, folds.splits, FOREVER)
    assert both is not None
    losses = [(s.kernel, s.loss) for s in BOTH.settings]
    assert losses == [("linear", HINGE)] * 2 + [("linear", LOGISTIC)] + [("rbf", HINGE)] * 2
    assert len(both) == len(losses)
    for row, setting in zip(both, BOTH.settings, strict=True):
        alone = BOTH.only(setting).scores(X, positive, folds.splits, FOREVER)
        assert alone is not None
        np.testing.assert_allclose(alone[0], row, atol=0.02)


def test_a_linear_rule_is_taken_where_it_will_do() -> None:
    X, positive = line()
    tried = trial(X, positive, 1.0, 1.0)
    found = tried.score((0, 1), FOREVER)
    assert found is not None
    assert found.kernel == "linear"
    assert found.margin >= 1.0


def test_a_radial_rule_is_taken_where_a_linear_one_falls_short() -> None:
    X, positive = ring()
    for found in (
        trial(X, positive, 1.0, 1.0).score((0, 1), FOREVER),
        trial(X, positive, 1.0, 1.0).look((0, 1), FOREVER),
    ):
        assert found is not None
        assert found.kernel == "rbf"
        assert found.margin > 1.0


def test_with_no_end_to_enough_the_best_of_both_is_taken() -> None:
    X, positive = line()
    tried = trial(X, positive, 1.0, math.inf)
    each = list(tried._with_each((0, 1), BOTH, tried.folds, FOREVER))
    assert [c.kernel for c in each] == ["linear", "rbf"]
    best = max(each, key=lambda c: c.margin)
    assert tried.score((0, 1), FOREVER) == best
    assert plainest(each, each[0].margin) is each[0]
    assert plainest([], 0.0) is None


def test_the_estimator_says_which_rule_it_took_and_predicts_by_it() -> None:
    X, positive = ring()
    clf = FrugalSVCCV(0.8, 0.8).fit(X, positive)
    assert clf.kernel_ == clf.svc_.kernel == "rbf"
    assert set(np.flatnonzero(clf.get_support())) == {0, 1}
    assert clf.targets_met_
    assert not hasattr(clf, "coef_")
    np.testing.assert_array_equal(clf.panel_.predict(X[:, :2]), clf.predict(X))
    assert "rbf" in clf.cv_results_["param_kernel"]
    new, truth = ring(400, seed=1)
    said = clf.predict(new)
    assert np.mean(said[truth]) > 0.75
    assert np.mean(~said[~truth]) > 0.75
    X, positive = line()
    clf = FrugalSVCCV(0.8, 0.8).fit(X, positive)
    assert clf.kernel_ == "linear"
    assert clf.coef_.shape == (1, 5)


def test_a_linear_kernel_stays_linear() -> None:
    X, positive = ring()
    with pytest.warns(UserWarning, match="No panel"):
        clf = FrugalSVCCV(0.8, 0.8, kernel="linear").fit(X, positive)
    assert clf.kernel_ == "linear"


def test_a_frontier_for_new_data_has_radial_rules_too() -> None:
    X, positive = ring()
    for kernel, met in (("auto", True), ("linear", False)):
        found = frontier(
            X, positive, min_tprs=[0.8], min_tnrs=[0.8], rates="cv", cv=3, kernel=kernel
        )
        assert found.points[0].has_answer == met


def test_a_frontier_for_rates_in_training_takes_auto_for_linear() -> None:
    X, positive = line(80)
    auto, linear = (
        frontier(X, positive, min_tprs=[0.8], min_tnrs=[0.8], cv=3, kernel=kernel)
        for kernel in ("auto", "linear")
    )
    assert auto.points[0].cross_validated == linear.points[0].cross_validated
