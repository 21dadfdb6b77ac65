"""A certificate on held-out samples for the cheapest of several classifiers.

The classifiers and their order are fixed before the held-out samples are looked at. They are
tested one after the other, the most reliable first, each at the whole level; the first that fails
ends it. The chance that any classifier is passed whose rates do not both reach their targets is
then at most the level, however many there are (fixed-sequence testing; "Learn then Test",
Angelopoulos et al. 2021): a wrong one can only be passed if the first wrong one in the order is,
and that is one test. "Both rates hold" is confirmed if each of the two is at the whole level (an
intersection-union test): if one does not hold, that one's test errs with the level at the most.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

import numpy as np

from frugalsvm.data.binomial import exact_p_value
from frugalsvm.data.exceptions import DataError
from frugalsvm.data.rates import RateTargets
from frugalsvm.unseen.choice import Candidate
from frugalsvm.unseen.required import fewest_samples, required_samples
from frugalsvm.unseen.scoring import Floats, Mask

MOST_TESTS = 8  # classifiers in the sequence
ALMOST = 1e-9


@dataclass(frozen=True)
class HeldOut:
    """What a classifier gets right of the held-out samples, and the p-values of its rates.

    Attributes
    ----------
    cost : float
        Of its panel.
    support : tuple of int
        The panel.
    right_positives, n_positives, right_negatives, n_negatives : int
        Counts.
    p_tpr, p_tnr : float
        Exact binomial p-values of "the true rate is below its target".
    """

    cost: float
    support: tuple[int, ...]
    right_positives: int
    n_positives: int
    right_negatives: int
    n_negatives: int
    p_tpr: float
    p_tnr: float

    @property
    def p_value(self) -> float:
        """Of "not both rates reach their targets"."""
        return max(self.p_tpr, self.p_tnr)

    @property
    def tpr(self) -> float:
        """The observed rate of the positives."""
        return self.right_positives / self.n_positives

    @property
    def tnr(self) -> float:
        """The observed rate of the negatives."""
        return self.right_negatives / self.n_negatives


@dataclass(frozen=True)
class UnseenCertificate:
    """What held-out samples say about the returned classifier.

    Attributes
    ----------
    certified : bool
        True if the test confirms both rates of the returned classifier.
    confidence : float
        1 minus the greatest probability of returning a certified classifier whose true rates do
        not both reach the targets.
    targets : RateTargets
        The rates asked for.
    held_out : HeldOut
        The returned classifier on the held-out samples.
    tests : tuple of HeldOut
        All tests, in the order in which they were made.
    """

    certified: bool
    confidence: float
    targets: RateTargets
    held_out: HeldOut
    tests: tuple[HeldOut, ...]

    def __str__(self) -> str:
        seen = (
            f"On {self.held_out.n_positives} held-out positives and {self.held_out.n_negatives} "
            f"negatives: TPR {self.held_out.tpr:.4f}, TNR {self.held_out.tnr:.4f}."
        )
        wanted = f"TPR >= {self.targets.min_tpr:g} and TNR >= {self.targets.min_tnr:g}"
        if self.certified:
            return (
                f"Certified at {self.confidence:.4g} confidence: {wanted} on samples drawn like "
                f"the held-out ones. {seen} The probability that this procedure certifies a "
                f"classifier that does not reach both is at most {1 - self.confidence:.4g}, if "
                "the held-out samples are independent and the procedure is run once."
            )
        return (
            f"Not certified at {self.confidence:.4g} confidence: {wanted} may or may not hold on "
            f"new samples. {seen} {self.missing}"
        )

    @property
    def missing(self) -> str:
        """What would be needed, in a sentence; empty if it is certified."""
        if self.certified:
            return ""
        first = self.tests[0]
        said = [
            _missing("TPR", "positives", first.tpr, self.targets.min_tpr, self.confidence)
            if first.p_tpr > 1 - self.confidence
            else "",
            _missing("TNR", "negatives", first.tnr, self.targets.min_tnr, self.confidence)
            if first.p_tnr > 1 - self.confidence
            else "",
        ]
        return f"Of the most reliable panel (cost {first.cost:g}): " + " ".join(filter(None, said))


def check_size(n_positive: int, n_negative: int, targets: RateTargets, confidence: float) -> None:
    """Raise a DataError if the held-out samples could not confirm even a perfect classifier."""
    for rate, name, n, what in (
        (targets.min_tpr, "TPR", n_positive, "positives"),
        (targets.min_tnr, "TNR", n_negative, "negatives"),
    ):
        if rate >= 1:
            raise DataError(
                f"A {name} of 1 cannot be certified with any number of samples: ask for less, or "
                "fit without held-out samples."
            )
        needed = fewest_samples(rate, confidence)
        if n < needed:
            raise DataError(
                f"{n} held-out {what} are too few to certify {name} >= {rate:g} at "
                f"{confidence:.4g} confidence even if all of them were right: {needed} are needed "
                f"(a classifier with a true rate halfway to 1 needs "
                f"{required_samples(rate, (1 + rate) / 2, confidence)}). Hold out more, lower the "
                "target or the confidence, or fit without held-out samples."
            )


def order_of_tests(candidates: Iterable[Candidate]) -> list[Candidate]:
    """Return the candidates worth a test, the most reliable first.

    The first has the greatest margin in cross-validation; each of the others is cheaper than the
    one before and no cheaper one is more reliable. Of many, some at even steps of reliability.
    """
    by_margin = sorted(candidates, key=lambda c: (-c.margin, c.cost))
    efficient: list[Candidate] = []
    for candidate in by_margin:
        if not efficient or candidate.cost < efficient[-1].cost - ALMOST:
            efficient.append(candidate)
    if len(efficient) <= MOST_TESTS:
        return efficient
    picked = np.unique(np.linspace(0, len(efficient) - 1, MOST_TESTS).round().astype(int))
    return [efficient[int(k)] for k in picked]


def observe(candidate: Candidate, scores: Floats, positive: Mask, targets: RateTargets) -> HeldOut:
    """Return what decision values, above 0 for the positive class, get right."""
    said = scores > 0
    right_positives, n_positives = int((said & positive).sum()), int(positive.sum())
    right_negatives, n_negatives = int((~said & ~positive).sum()), int((~positive).sum())
    return HeldOut(
        cost=candidate.cost,
        support=candidate.support,
        right_positives=right_positives,
        n_positives=n_positives,
        right_negatives=right_negatives,
        n_negatives=n_negatives,
        p_tpr=exact_p_value(right_positives, n_positives, targets.min_tpr),
        p_tnr=exact_p_value(right_negatives, n_negatives, targets.min_tnr),
    )


def passed(tests: Sequence[HeldOut], confidence: float) -> int:
    """Return how many tests were passed before the first that failed.

    Examples
    --------
    >>> one = HeldOut(2.0, (0, 1), 98, 100, 99, 100, p_tpr=0.02, p_tnr=0.01)
    >>> two = HeldOut(1.0, (0,), 93, 100, 95, 100, p_tpr=0.12, p_tnr=0.04)
    >>> passed([one, two], 0.95)
    1
    """
    for number, test in enumerate(tests):
        if test.p_value > 1 - confidence:
            return number
    return len(tests)


def _missing(name: str, what: str, observed: float, target: float, confidence: float) -> str:
    if observed <= target:
        return (
            f"its {name} of {observed:.4f} is not above {target:g}, and more samples alone would "
            "not help."
        )
    if observed == 1:
        needed = fewest_samples(target, confidence)
    else:
        needed = required_samples(target, observed, confidence)
    return (
        f"if its true {name} is the {observed:.4f} observed, {needed} held-out {what} would "
        "confirm it four times in five."
    )
