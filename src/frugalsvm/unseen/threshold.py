"""Where to cut decision values so that both rates are reached with the most to spare.

What is to spare is counted in standard errors of the rate asked for, sqrt(a (1 - a) / n), so that
a small class, whose rates are less certain, gets the larger reserve.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from frugalsvm.data.rates import RateTargets

Floats = NDArray[np.float64]
Mask = NDArray[np.bool_]

LEAST_VARIANCE = 0.25
"""a (1 - a) n is taken to be this at the least: a rate of 1 (or 0) is not known without error."""
ALMOST = 1e-9


@dataclass(frozen=True)
class Cut:
    """A threshold on decision values, and the rates it gives.

    Attributes
    ----------
    threshold : float
        Decision values above it mean the positive class.
    tpr, tnr : float
        The rates of the decision values that it was chosen on.
    margin : float
        By how many standard errors the worse of the two rates exceeds its target.
    """

    threshold: float
    tpr: float
    tnr: float
    margin: float


@dataclass(frozen=True)
class Reserve:
    """Targets with the sizes of the classes that the rates are measured on."""

    targets: RateTargets
    n_positive: int
    n_negative: int

    @classmethod
    def of(cls, targets: RateTargets, positive: Mask) -> Reserve:
        """Return the targets for a set of samples."""
        n_positive = int(positive.sum())
        return cls(targets, n_positive, len(positive) - n_positive)

    @property
    def errors(self) -> tuple[float, float]:
        """The standard errors of the two rates.

        Examples
        --------
        >>> [round(e, 4) for e in Reserve(RateTargets(0.9, 0.5), 100, 25).errors]
        [0.03, 0.1]
        """
        return (
            standard_error(self.targets.min_tpr, self.n_positive),
            standard_error(self.targets.min_tnr, self.n_negative),
        )

    def margin(self, tpr: Floats, tnr: Floats) -> Floats:
        """Return by how many standard errors the worse rate exceeds its target."""
        of_tpr, of_tnr = self.errors
        return np.minimum(
            (tpr - self.targets.min_tpr) / of_tpr, (tnr - self.targets.min_tnr) / of_tnr
        )

    def tightened(self, steps: float) -> RateTargets:
        """Return the targets raised by so many standard errors, 1 at the most."""
        of_tpr, of_tnr = self.errors
        return RateTargets(
            min(1.0, self.targets.min_tpr + steps * of_tpr),
            min(1.0, self.targets.min_tnr + steps * of_tnr),
        )


def standard_error(rate: float, n: int) -> float:
    """Return the standard error of a rate observed on `n` samples."""
    return math.sqrt(max(rate * (1 - rate) * n, LEAST_VARIANCE)) / n


def best_cut(scores: Floats, positive: Mask, reserve: Reserve) -> Cut:
    """Return the threshold with the greatest margin.

    Parameters
    ----------
    scores : ndarray of shape (n_values,)
        Decision values; a sample may have several, from several splits.
    positive : ndarray of bool of shape (n_values,)
        Which of them belong to positives.
    reserve : Reserve
        The targets and the sizes of the classes.

    Returns
    -------
    Cut
        Of several equally good thresholds the middle one, halfway between two decision values.

    Examples
    --------
    >>> scores = np.array([-2.0, -1.0, 1.0, 3.0])
    >>> cut = best_cut(scores, scores > 0, Reserve(RateTargets(0.9, 0.9), 2, 2))
    >>> cut.threshold, cut.tpr, cut.tnr
    (0.0, 1.0, 1.0)
    """
    order = np.argsort(scores, kind="stable")
    ranked, truth = scores[order], positive[order]
    # Cut k says "negative" to the k lowest values; equal values cannot be told apart.
    allowed = np.concatenate(([True], ranked[1:] > ranked[:-1], [True]))
    negatives_below = np.concatenate(([0], np.cumsum(~truth)))
    n_negative = max(1, int(negatives_below[-1]))
    n_positive = max(1, len(scores) - int(negatives_below[-1]))
    positives_below = np.arange(len(scores) + 1) - negatives_below
    tpr, tnr = 1.0 - positives_below / n_positive, negatives_below / n_negative
    margins = np.where(allowed, reserve.margin(tpr, tnr), -np.inf)
    best = np.flatnonzero(margins >= margins.max() - ALMOST)
    k = int(best[len(best) // 2])
    return Cut(_between(ranked, k), float(tpr[k]), float(tnr[k]), float(margins[k]))


def _between(ranked: Floats, k: int) -> float:
    """Return a threshold that the `k` lowest values do not exceed, and the others do."""
    if k == 0:
        return float(np.nextafter(ranked[0], -np.inf))
    if k == len(ranked):
        return float(ranked[-1])
    middle = 0.5 * (ranked[k - 1] + ranked[k])
    return float(middle if ranked[k - 1] <= middle < ranked[k] else ranked[k - 1])
