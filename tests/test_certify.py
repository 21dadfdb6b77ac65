"""Certificates on held-out data: the bounds are valid, agree with scipy, and say what is needed."""

from __future__ import annotations

import math

import numpy as np
import pytest
from scipy.stats import binom, binomtest

from frugalsvm import FrugalSVC, load_model
from frugalsvm.data.binomial import rate_interval
from frugalsvm.data.exceptions import DataError, OutOfRangeWarning
from frugalsvm.data.rates import RateTargets
from frugalsvm.unseen.certify import certify, rate_certificates


class Fixed:
    """A classifier with given predictions."""

    classes = ("ill", "well")
    positive_label = "ill"
    targets = RateTargets(0.9, 0.8)

    def predict(self, X):
        return np.asarray(X)


@pytest.mark.parametrize(("right", "n"), [(0, 5), (5, 5), (3, 7), (97, 100), (481, 500)])
@pytest.mark.parametrize("confidence", [0.8, 0.95, 0.999])
def test_interval_is_scipys_exact_one(right, n, confidence):
    expected = binomtest(right, n).proportion_ci(confidence, method="exact")
    assert rate_interval(right, n, confidence) == pytest.approx((expected.low, expected.high))


def test_p_values_are_scipys():
    found = rate_certificates(46, 50, 0.85, 30, 40, 0.7)
    assert found.tpr.exact.p_value == pytest.approx(binomtest(46, 50, 0.85, "greater").pvalue)
    assert found.tnr.exact.p_value == pytest.approx(binomtest(30, 40, 0.7, "greater").pvalue)


def test_holm_confirms_where_bonferroni_does_not():
    counts = (99, 100, 0.9, 95, 100, 0.9)
    p = binomtest(95, 100, 0.9, "greater").pvalue
    assert 0.05 < p < 0.1
    holm = rate_certificates(*counts, confidence=0.92, adjustment="holm")
    bonferroni = rate_certificates(*counts, confidence=0.92, adjustment="bonferroni")
    assert holm.holds
    assert holm.tnr.exact.lower_bound == 0.9
    assert bonferroni.tpr.holds
    assert not bonferroni.tnr.holds


def test_hochberg_confirms_where_holm_does_not():
    counts = (95, 100, 0.9, 95, 100, 0.9)
    assert 0.05 < binomtest(95, 100, 0.9, "greater").pvalue < 0.08
    assert rate_certificates(*counts, confidence=0.92, adjustment="hochberg").holds
    holm = rate_certificates(*counts, confidence=0.92, adjustment="holm")
    assert not holm.tpr.holds
    assert not holm.tnr.holds


def test_power_is_the_chance_that_a_repetition_confirms():
    found = rate_certificates(95, 100, 0.9, 100, 100, 0.9)
    right = [k for k in range(101) if binomtest(k, 100, 0.9, "greater").pvalue <= 0.05]
    assert found.tpr.power == pytest.approx(binom.pmf(right, 100, 0.95).sum())
    assert found.tnr.power == 1


@pytest.mark.parametrize("adjustment", ["hochberg", "holm", "bonferroni"])
def test_verdict_and_bound_agree(adjustment):
    rng = np.random.default_rng(1)
    for _ in range(300):
        n, m = rng.integers(1, 200, 2)
        a, b = rng.integers(0, n + 1), rng.integers(0, m + 1)
        s, t = rng.uniform(0, 1, 2)
        found = rate_certificates(int(a), int(n), s, int(b), int(m), t, 0.9, adjustment)
        for rate in (found.tpr, found.tnr):
            for evidence in (rate.exact, rate.hoeffding):
                assert evidence.holds == (evidence.lower_bound >= rate.target)
                assert (evidence.more_samples == 0) == evidence.holds
            assert rate.exact.p_value <= rate.hoeffding.p_value + 1e-12
            assert rate.exact.holds or not rate.hoeffding.holds


@pytest.mark.parametrize("adjustment", ["hochberg", "holm", "bonferroni"])
@pytest.mark.parametrize("rates", [(0.9, 0.9), (0.89, 0.95), (0.9, 0.8)])
def test_bounds_hold_together_at_the_confidence(adjustment, rates):
    """Sum the probability of every outcome for which a claimed bound is false: at most alpha."""
    n, m, targets, confidence = 60, 45, (0.9, 0.8), 0.9
    wrong = {"exact": 0.0, "hoeffding": 0.0}
    for a in range(n + 1):
        for b in range(m + 1):
            chance = binom.pmf(a, n, rates[0]) * binom.pmf(b, m, rates[1])
            if chance < 1e-9:
                continue
            found = rate_certificates(a, n, targets[0], b, m, targets[1], confidence, adjustment)
            for method in wrong:
                bounds = [getattr(rate, method).lower_bound for rate in (found.tpr, found.tnr)]
                if bounds[0] > rates[0] + 1e-12 or bounds[1] > rates[1] + 1e-12:
                    wrong[method] += chance
    assert wrong["exact"] <= 1 - confidence + 1e-6
    assert wrong["hoeffding"] <= wrong["exact"] + 1e-9


@pytest.mark.parametrize("method", ["exact", "hoeffding"])
def test_the_announced_number_of_samples_is_enough(method):
    n, right, target = 40, 38, 0.9
    before = rate_certificates(right, n, target, 10, 100, 0.9)
    more = getattr(before.tpr, method).more_samples
    assert more > 0
    total = n + more
    after = rate_certificates(math.floor(right / n * total + 1e-9), total, target, 10, 100, 0.9)
    assert getattr(after.tpr, method).holds
    fewer = total // 2
    halfway = rate_certificates(math.floor(right / n * fewer), fewer, target, 10, 100, 0.9)
    assert not getattr(halfway.tpr, method).holds


def test_observed_rate_below_target_needs_more_than_samples():
    found = rate_certificates(80, 100, 0.9, 100, 100, 0.9)
    assert found.tpr.exact.more_samples is None
    assert "more data alone would not help" in str(found)


def test_extreme_targets():
    found = rate_certificates(50, 50, 1.0, 0, 50, 0.0)
    assert not found.tpr.holds
    assert found.tpr.exact.more_samples is None
    assert found.tnr.holds


def test_certify_counts_by_class():
    truth = np.array(["ill"] * 50 + ["well"] * 30)
    said = truth.copy()
    said[0] = "well"
    said[50:60] = "ill"
    found = certify(Fixed(), said, truth)
    assert (found.tpr.right, found.tpr.n) == (49, 50)
    assert (found.tnr.right, found.tnr.n) == (20, 30)
    assert "49 of 50 held-out positives right" in str(found)


@pytest.mark.parametrize("pos_label", [None, 0, 1])
@pytest.mark.filterwarnings("ignore::frugalsvm.OutOfRangeWarning")
def test_estimators_and_saved_models_certify_alike(tmp_path, pos_label):
    rng = np.random.default_rng(0)
    X = rng.normal(size=(400, 2))
    y = (X[:, 0] + 0.2 * rng.normal(size=400) > 0).astype(int)
    estimator = FrugalSVC(0.8, 0.7, pos_label=pos_label, time_limit=20).fit(X[:100], y[:100])
    estimator.save(tmp_path / "m.json")
    found = certify(estimator, X[100:], y[100:])
    panel = estimator.get_support()
    with pytest.warns(OutOfRangeWarning, match="'x0'"):  # 100 rows do not show the whole range
        saved = certify(load_model(tmp_path / "m.json"), X[100:][:, panel], y[100:])
    assert saved == found
    positive = 1 if pos_label is None else pos_label
    assert found.tpr.n == (y[100:] == positive).sum()
    assert found.tpr.right == ((estimator.predict(X) == y) & (y == positive))[100:].sum()
    assert (found.tpr.target, found.tnr.target) == (0.8, 0.7)


@pytest.mark.parametrize(
    ("said", "truth", "options", "message"),
    [
        (["ill"], ["ill", "well"], {}, "one label per held-out row"),
        (["ill", "ill"], ["ill", "sick"], {}, "must be 'ill' or 'well'. Got \\['sick'\\]"),
        (["ill", "ill"], ["ill", "ill"], {}, "samples of both classes"),
        (["ill", "ill"], ["ill", "well"], {"confidence": 95}, "'confidence'"),
        (["ill", "ill"], ["ill", "well"], {"adjustment": "none"}, "'adjustment'"),
    ],
)
def test_bad_input(said, truth, options, message):
    with pytest.raises(ValueError, match=message):
        certify(Fixed(), said, truth, **options)


def test_data_errors_are_value_errors():
    assert issubclass(DataError, ValueError)
