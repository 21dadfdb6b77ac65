"""What held-out data say about unseen data: which targets hold, at a confidence, both at once."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, Literal, get_args

import numpy as np

from frugalsvm.data.binomial import confirmation_power, exact_lower_bound, exact_p_value
from frugalsvm.data.exceptions import DataError

Adjustment = Literal["hochberg", "holm", "bonferroni"]
PValue = Callable[[float, float, float], float]
LowerBound = Callable[[int, int, float], float]


@dataclass(frozen=True)
class Evidence:
    """What one kind of bound says about one target.

    Attributes
    ----------
    method : {"exact binomial", "Hoeffding"}
        The bound.
    p_value : float
        Of the hypothesis that the true rate is below the target, for this target alone.
    lower_bound : float
        The true rate is at least this. The bounds of the two rates hold at once, at the
        certificate's confidence.
    holds : bool
        True if the target is confirmed.
    more_samples : int or None
        How many further samples of the class would confirm the target if the observed rate
        stays; 0 if it holds, None if the observed rate is not above the target.
    """

    method: str
    p_value: float
    lower_bound: float
    holds: bool
    more_samples: int | None


@dataclass(frozen=True)
class RateCertificate:
    """One of the two rates on held-out data.

    Attributes
    ----------
    name, class_name : str
        "TPR" and "positives", or "TNR" and "negatives".
    target : float
        The rate that was asked for.
    right, n : int
        Samples of the class predicted right, and all of them.
    exact, hoeffding : Evidence
        By the exact binomial (Clopper-Pearson) bound, and by Hoeffding's.
    power : float
        Probability that as many new samples would confirm the target, if the true rate is the
        observed one: by the exact test of this rate alone, at the certificate's confidence.
    """

    name: str
    class_name: str
    target: float
    right: int
    n: int
    exact: Evidence
    hoeffding: Evidence
    power: float

    @property
    def observed(self) -> float:
        """The rate on the held-out data."""
        return self.right / self.n

    @property
    def holds(self) -> bool:
        """True if the exact bound confirms the target."""
        return self.exact.holds

    def __str__(self) -> str:
        head = (
            f"{self.name} >= {self.target:g}: {'holds' if self.holds else 'not confirmed'}; "
            f"{self.right} of {self.n} held-out {self.class_name} right ({self.observed:.4f})"
        )
        chance = f"  power:           {self.power:.2f} with {self.n} {self.class_name} of this rate"
        return "\n".join([head, *(self._line(e) for e in (self.exact, self.hoeffding)), chance])

    def _line(self, evidence: Evidence) -> str:
        if evidence.holds:
            verdict = "holds"
        elif evidence.more_samples is None:
            verdict = "not confirmed, and more data alone would not help"
        else:
            verdict = f"not confirmed; {evidence.more_samples} more {self.class_name} would do"
        return f"  {evidence.method + ':':<16} at least {evidence.lower_bound:.4f}, {verdict}"


@dataclass(frozen=True)
class Certificate:
    """Which of the two targets hold on unseen data.

    Attributes
    ----------
    tpr, tnr : RateCertificate
        The two rates.
    confidence : float
        At which all statements of one method hold together.
    adjustment : {"hochberg", "holm", "bonferroni"}
        How two statements at once were paid for.
    """

    tpr: RateCertificate
    tnr: RateCertificate
    confidence: float
    adjustment: Adjustment

    @property
    def holds(self) -> bool:
        """True if the exact bound confirms both targets."""
        return self.tpr.holds and self.tnr.holds

    def __str__(self) -> str:
        verdict = {
            (True, True): "both targets hold on unseen data",
            (True, False): "the TPR's target holds on unseen data, the TNR's is not confirmed",
            (False, True): "the TNR's target holds on unseen data, the TPR's is not confirmed",
            (False, False): "neither target is confirmed on unseen data",
        }[self.tpr.holds, self.tnr.holds]
        return (
            f"At {self.confidence:.4g} confidence for both at once ({self.adjustment.title()}): "
            f"{verdict}.\n{self.tpr}\n{self.tnr}\n"
            "This supposes held-out samples drawn like those to come, and never used in training."
        )


def certify(
    model: Any,
    X_held_out: Any,
    y_held_out: Any,
    confidence: float = 0.95,
    *,
    adjustment: Adjustment = "hochberg",
) -> Certificate:
    """State which of a classifier's two targets hold on unseen data.

    Rates met in training say little about new samples, because the classifier was chosen on
    them. Samples that had no part in training do.

    Parameters
    ----------
    model : FrugalSVC, RateSVC or FrugalModel
        A fitted classifier with targets.
    X_held_out, y_held_out : array-like
        Samples that were not used in training, and their labels.
    confidence : float, default=0.95
        Probability with which all that is stated holds.
    adjustment : {"hochberg", "holm", "bonferroni"}, default="hochberg"
        How the two statements share the allowed error. Hochberg confirms at least what Holm
        does, and Holm what Bonferroni does. Hochberg needs independent tests, which those of
        two classes are.

    Returns
    -------
    Certificate
        Verdicts and lower bounds; ``print`` it.

    Examples
    --------
    >>> print(rate_certificates(97, 100, 0.9, 88, 100, 0.9))
    At 0.95 confidence for both at once (Hochberg): the TPR's target holds on unseen data, \
the TNR's is not confirmed.
    TPR >= 0.9: holds; 97 of 100 held-out positives right (0.9700)
      exact binomial:  at least 0.9000, holds
      Hoeffding:       at least 0.8342, not confirmed; 288 more positives would do
      power:           0.82 with 100 positives of this rate
    TNR >= 0.9: not confirmed; 88 of 100 held-out negatives right (0.8800)
      exact binomial:  at least 0.8128, not confirmed, and more data alone would not help
      Hoeffding:       at least 0.7442, not confirmed, and more data alone would not help
      power:           0.01 with 100 negatives of this rate
    This supposes held-out samples drawn like those to come, and never used in training.
    """
    targets = model.targets if hasattr(model, "targets") else model._targets()
    positive = _positive_label(model)
    truth = np.asarray(y_held_out)
    said = np.asarray(model.predict(X_held_out))
    if truth.shape != said.shape:
        raise DataError(
            f"certify needs one label per held-out row: {len(said)} rows, labels of shape "
            f"{truth.shape}."
        )
    known = [*np.asarray(_classes(model)).tolist()]
    strange = sorted({str(label) for label in truth.tolist() if label not in known})
    if strange:
        raise DataError(f"The held-out labels must be {known[0]!r} or {known[1]!r}. Got {strange}.")
    right = said == truth
    of_class = truth == positive
    return rate_certificates(
        int(right[of_class].sum()),
        int(of_class.sum()),
        targets.min_tpr,
        int(right[~of_class].sum()),
        int((~of_class).sum()),
        targets.min_tnr,
        confidence,
        adjustment,
    )


def rate_certificates(
    right_positives: int,
    n_positives: int,
    min_tpr: float,
    right_negatives: int,
    n_negatives: int,
    min_tnr: float,
    confidence: float = 0.95,
    adjustment: Adjustment = "hochberg",
) -> Certificate:
    """Return the certificate for these counts; see :func:`certify`."""
    if not 0 < confidence < 1:
        raise ValueError(
            f"The 'confidence' parameter of certify must be in the range (0, 1). Got {confidence}."
        )
    if adjustment not in get_args(Adjustment):
        raise ValueError(
            "The 'adjustment' parameter of certify must be 'hochberg', 'holm' or 'bonferroni'. "
            f"Got {adjustment!r}."
        )
    if n_positives == 0 or n_negatives == 0:
        raise DataError(
            f"certify needs held-out samples of both classes. Got {n_positives} positives and "
            f"{n_negatives} negatives."
        )
    counts = ((right_positives, n_positives, min_tpr), (right_negatives, n_negatives, min_tnr))
    level = 1 - confidence
    exact = _evidence(counts, level, adjustment, "exact binomial", exact_p_value, exact_lower_bound)
    rough = _evidence(counts, level, adjustment, "Hoeffding", _hoeffding_p, _hoeffding_lower)
    names = (("TPR", "positives"), ("TNR", "negatives"))
    tpr, tnr = (
        RateCertificate(*name, count[2], count[0], count[1], e, h, _power(*count, level))
        for name, count, e, h in zip(names, counts, exact, rough, strict=True)
    )
    return Certificate(tpr, tnr, confidence, adjustment)


def _evidence(
    counts: tuple[tuple[int, int, float], ...],
    level: float,
    adjustment: Adjustment,
    method: str,
    p_value: PValue,
    lower: LowerBound,
) -> list[Evidence]:
    """Test both targets with one kind of bound.

    The lower bounds are compatible ones: while one target is not confirmed, all that is claimed
    of a confirmed one is the target itself, and the other gets the whole level.
    """
    p = [p_value(*count) for count in counts]
    holds = [value <= level / 2 for value in p]
    if (adjustment == "holm" and any(holds)) or (adjustment == "hochberg" and max(p) <= level):
        holds = [value <= level for value in p]
    whole = adjustment != "bonferroni"  # one that is confirmed leaves the whole level to the other
    evidence = []
    for k, (right, n, target) in enumerate(counts):
        share = level if whole and holds[1 - k] else level / 2
        if not whole or holds[0] == holds[1]:
            bound = lower(right, n, level / 2)
            if holds[k]:
                bound = max(bound, target)
        else:
            bound = target if holds[k] else lower(right, n, level)
        more = 0 if holds[k] else _more_samples(right, n, target, share, p_value)
        evidence.append(Evidence(method, p[k], bound, holds[k], more))
    return evidence


def _power(right: int, n: int, target: float, level: float) -> float:
    return confirmation_power(n, target, right / n, level)


def _hoeffding_p(right: float, n: float, target: float) -> float:
    if target <= 0:
        return 0.0
    return math.exp(-2 * n * max(0.0, right / n - target) ** 2)


def _hoeffding_lower(right: int, n: int, level: float) -> float:
    return max(0.0, right / n - math.sqrt(-math.log(level) / (2 * n)))


def _more_samples(right: int, n: int, target: float, level: float, p_value: PValue) -> int | None:
    """Return how many further samples at the observed rate bring the p-value down to `level`."""
    rate = right / n
    if rate <= target + 1e-9:
        return None

    def confirms(right_of_total: float, total: int) -> bool:
        return p_value(right_of_total, total, target) <= level

    low, high = n, 2 * n
    while not confirms(rate * high, high):
        low, high = high, 2 * high
    while high - low > 1:
        middle = (low + high) // 2
        if confirms(rate * middle, middle):
            high = middle
        else:
            low = middle
    while not confirms(math.floor(rate * high + 1e-9), high):  # samples are whole: a few more
        high += 1
    return high - n


def _classes(model: Any) -> Any:
    return model.classes if hasattr(model, "classes") else model.classes_


def _positive_label(model: Any) -> Any:
    if hasattr(model, "positive_label"):
        return model.positive_label
    return model.classes_[1] if model.pos_label is None else model.pos_label
