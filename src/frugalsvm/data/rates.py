"""From the rates a user asks for to integer error budgets, in one place.

Nothing else in the library compares a rate with a float: every algorithm works with the
number of samples of a class that may be wrong, an integer.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Literal

Correction = Literal["hoeffding"]

ROUNDING = 1e-9
"""How far above a whole number ``rate * n`` may be and still count as that number."""


def required_count(rate: float, n: int) -> int:
    """Return how many of `n` samples must be right for a rate of at least `rate`.

    Examples
    --------
    >>> required_count(0.7, 10)  # 0.7 * 10 is 7.000000000000001 in floating point for some rates
    7
    >>> required_count(0.701, 10)
    8
    """
    return max(0, math.ceil(rate * n - ROUNDING))


def correction_shift(n: int, correction: Correction | None, alpha: float) -> float:
    """Return by how much the correction raises the rate of a class of `n` samples.

    Hoeffding's sqrt(-log(alpha) / (2 n)), the paper's conservative choice, with the natural
    logarithm.
    """
    return 0.0 if correction is None else math.sqrt(-math.log(alpha) / (2 * n))


def corrected_rate(rate: float, n: int, correction: Correction | None, alpha: float) -> float:
    """Return the rate to ask for in training: `rate` raised by the correction, capped at 1.

    Examples
    --------
    >>> corrected_rate(0.9, 200, None, 0.05)
    0.9
    >>> round(corrected_rate(0.9, 200, "hoeffding", 0.05), 4)
    0.9865
    >>> corrected_rate(0.9, 50, "hoeffding", 0.05)
    1.0
    """
    return min(1.0, rate + correction_shift(n, correction, alpha))


@dataclass(frozen=True)
class ErrorBudget:
    """How many samples of each class may be wrong.

    Attributes
    ----------
    pos, neg : int
        Allowed errors among the positives and among the negatives.
    """

    pos: int
    neg: int


@dataclass(frozen=True)
class RateTargets:
    """The two rates asked for, as the user gave them.

    Attributes
    ----------
    min_tpr, min_tnr : float
        The paper's lambda_1 and lambda_-1, in [0, 1].
    correction : {"hoeffding"} or None
        How the training rates are raised above them.
    alpha : float
        Significance level of the correction.
    """

    min_tpr: float
    min_tnr: float
    correction: Correction | None = None
    alpha: float = 0.05

    def training_rates(self, n_positive: int, n_negative: int) -> tuple[float, float]:
        """Return the TPR and TNR required in training, correction included."""
        return (
            corrected_rate(self.min_tpr, n_positive, self.correction, self.alpha),
            corrected_rate(self.min_tnr, n_negative, self.correction, self.alpha),
        )

    def target_for(self, n_right: int, n: int) -> float:
        """Return the greatest target that `n_right` right samples of `n` still meet.

        Negative if the correction asks for more than that even for a target of 0.
        """
        return n_right / n - correction_shift(n, self.correction, self.alpha)

    def budget(self, n_positive: int, n_negative: int) -> ErrorBudget:
        """Return the integer error budgets for classes of these sizes.

        Examples
        --------
        >>> RateTargets(0.967, 0.918).budget(321, 191)
        ErrorBudget(pos=10, neg=15)
        """
        tpr, tnr = self.training_rates(n_positive, n_negative)
        return ErrorBudget(
            pos=n_positive - required_count(tpr, n_positive),
            neg=n_negative - required_count(tnr, n_negative),
        )


@dataclass(frozen=True)
class RateCounts:
    """How many samples of each class a classifier got right.

    Attributes
    ----------
    true_positives, n_positive : int
        Positives recognised, of how many.
    true_negatives, n_negative : int
        Negatives recognised, of how many.

    Examples
    --------
    >>> counts = RateCounts(9, 10, 15, 20)
    >>> counts.tpr, counts.tnr
    (0.9, 0.75)
    """

    true_positives: int
    n_positive: int
    true_negatives: int
    n_negative: int

    @property
    def tpr(self) -> float:
        """True positive rate; NaN without positives."""
        return self.true_positives / self.n_positive if self.n_positive else math.nan

    @property
    def tnr(self) -> float:
        """True negative rate; NaN without negatives."""
        return self.true_negatives / self.n_negative if self.n_negative else math.nan
