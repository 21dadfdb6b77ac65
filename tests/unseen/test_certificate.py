"""Certificates on held-out samples say no more than what is true."""

from __future__ import annotations

import math

import numpy as np
import pytest
from scipy.stats import binom

from frugalsvm import DataError, required_samples
from frugalsvm.data.binomial import exact_p_value
from frugalsvm.data.rates import RateTargets
from frugalsvm.runtime.stopping import Stopper
from frugalsvm.unseen.choice import Candidate
from frugalsvm.unseen.fitting import Fitter
from frugalsvm.unseen.required import fewest_samples
from frugalsvm.unseen.scoring import Setting
from frugalsvm.unseen.sequence import (
    HeldOut,
    UnseenCertificate,
    check_size,
    observe,
    order_of_tests,
    passed,
)


def panel(cost: float, margin: float) -> Candidate:
    return Candidate((0,), cost, Setting(1.0), 0.0, 0.9, 0.9, margin)


class Untrained(Fitter):
    """Notes for how long each candidate may be trained."""

    def __init__(self) -> None:
        object.__setattr__(self, "seconds", [])

    def _train(self, candidate: Candidate, stop: Stopper) -> Candidate:
        self.seconds.append(stop.remaining)
        return candidate


def test_training_for_a_certificate_ends_with_the_time() -> None:
    candidates = [panel(4 - k, 3 - k) for k in range(3)]
    late = Untrained()
    assert late._trained(candidates, Stopper(0.0)) == candidates[:1]
    early = Untrained()
    assert early._trained(candidates, Stopper(30.0)) == candidates
    assert early.seconds == pytest.approx([10.0, 15.0, 30.0], rel=0.05)


def power(n: int, target: float, rate: float, confidence: float) -> float:
    """By adding up all outcomes."""
    right = np.arange(n + 1)
    confirmed = [exact_p_value(k, n, target) <= 1 - confidence for k in right]
    return float(binom.pmf(right, n, rate)[confirmed].sum())


@pytest.mark.parametrize(
    ("target", "rate", "confidence", "wanted"),
    [(0.9, 0.95, 0.95, 0.8), (0.8, 0.9, 0.9, 0.9), (0.95, 0.99, 0.95, 0.5), (0.5, 0.8, 0.99, 0.8)],
)
def test_required_samples_have_the_power_and_fewer_do_not_always(
    target: float, rate: float, confidence: float, wanted: float
) -> None:
    n = required_samples(target, rate, confidence, wanted)
    assert all(power(m, target, rate, confidence) >= wanted for m in range(n, n + 80))
    assert power(n - 1, target, rate, confidence) < wanted


def test_required_samples_of_a_perfect_classifier() -> None:
    for target in (0.5, 0.9, 0.95, 0.99):
        n = required_samples(target)
        assert n == math.ceil(math.log(0.05) / math.log(target))
        assert n == fewest_samples(target, 0.95)


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ((0.9, 0.9), "'true_rate'.*above the target"),
        ((1.0, 1.0), "'target'"),
        ((0.9, 0.95, 1.0), "'confidence'"),
        ((0.9, 0.95, 0.95, 0.0), "'power'"),
        ((0.9, 0.9 + 1e-9), "too close"),
    ],
)
def test_required_samples_refuses(arguments: tuple[float, ...], message: str) -> None:
    with pytest.raises(ValueError, match=message):
        required_samples(*arguments)


def test_too_few_samples_for_a_perfect_classifier_are_refused_with_a_number() -> None:
    check_size(29, 29, RateTargets(0.9, 0.9), 0.95)
    with pytest.raises(DataError, match=r"28 held-out negatives .* 29 are needed .* 203\)"):
        check_size(29, 28, RateTargets(0.9, 0.9), 0.95)
    with pytest.raises(DataError, match="TPR of 1 cannot be certified"):
        check_size(500, 500, RateTargets(1.0, 0.9), 0.95)


def test_the_order_of_tests_is_from_reliable_to_cheap() -> None:
    listed = [panel(1, 0.1), panel(5, 2.0), panel(3, 1.0), panel(4, 0.9), panel(9, 1.9)]
    assert [c.cost for c in order_of_tests(listed)] == [5, 3, 1]
    many = [panel(k, k / 10) for k in range(50)]
    order = order_of_tests(many)
    assert len(order) == 8
    assert (order[0].cost, order[-1].cost) == (49, 0)


def certified_wrongly(rates: list[tuple[float, float]], n: int, draws: int, seed: int) -> float:
    """Return how often the sequence passes a classifier whose rates are below (0.9, 0.9)."""
    rng = np.random.default_rng(seed)
    targets = RateTargets(0.9, 0.9)
    wrong = 0
    for _ in range(draws):
        tests = []
        for tpr, tnr in rates:
            positive = np.arange(2 * n) < n
            right = rng.random(2 * n) < np.where(positive, tpr, tnr)
            scores = np.where(right == positive, 1.0, -1.0)
            tests.append(observe(panel(1, 0), scores, positive, targets))
        n_passed = passed(tests, 0.9)
        wrong += n_passed > 0 and min(rates[n_passed - 1]) < 0.9
    return wrong / draws


@pytest.mark.parametrize(
    "rates",
    [
        [(0.8999, 0.999)],  # one rate just below: the test of that one has to hold its level
        [(0.97, 0.97), (0.95, 0.95), (0.8999, 0.99), (0.8999, 0.8999)],
        [(0.8999, 0.999)] * 6,  # many chances, of which only the first counts
        [(0.89, 0.89), (0.99, 0.99)],
    ],
)
@pytest.mark.parametrize("n", [60, 300])
def test_wrong_certificates_are_as_rare_as_stated(rates: list[tuple[float, float]], n: int) -> None:
    draws = 2000
    share = certified_wrongly(rates, n, draws, seed=n)
    assert share <= 0.1 + 3 * math.sqrt(0.1 * 0.9 / draws)


def test_the_level_is_used_and_not_wasted() -> None:
    assert certified_wrongly([(0.8999, 0.999)], 300, 2000, seed=1) > 0.05


def test_a_certificate_says_what_is_proven_or_what_is_missing() -> None:
    targets = RateTargets(0.9, 0.9)
    good = HeldOut(3.0, (0, 1), 98, 100, 97, 100, 0.002, 0.02)
    text = str(UnseenCertificate(True, 0.95, targets, good, (good,)))
    assert "Certified at 0.95 confidence: TPR >= 0.9 and TNR >= 0.9" in text
    assert "at most 0.05" in text
    poor = HeldOut(3.0, (0, 1), 95, 100, 88, 100, 0.058, 0.8)
    text = str(UnseenCertificate(False, 0.95, targets, poor, (poor,)))
    assert "Not certified" in text
    assert "203 held-out positives" in text
    assert "TNR of 0.8800 is not above 0.9, and more samples alone would not help" in text
