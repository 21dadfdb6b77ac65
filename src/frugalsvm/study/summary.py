"""Means and standard deviations over folds, as the paper takes them."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from frugalsvm.study.counts import Counts
from frugalsvm.study.tasks import Payload


@dataclass(frozen=True)
class Spread:
    """A mean and a standard deviation."""

    mean: float
    std: float


@dataclass(frozen=True)
class Rates:
    """Accuracy, TPR and TNR over the outer folds."""

    accuracy: Spread
    tpr: Spread
    tnr: Spread

    def by_name(self) -> dict[str, Spread]:
        """Return the three by the paper's names."""
        return {"Acc": self.accuracy, "TPR": self.tpr, "TNR": self.tnr}


def summarize(payloads: Sequence[Payload]) -> Rates:
    """Return the rates over folds.

    Means and sample deviations of the folds' rates. Where folds hold single samples, every sample
    counts as a trial of its class, and the deviation is that of the trials: so does the paper.
    """
    folds = [Counts(*payload["counts"]) for payload in payloads]
    if folds and max(sum(c.as_list()) for c in folds) == 1:
        total = sum(folds, start=Counts(0, 0, 0, 0))
        return Rates(*(_trials(rate) for rate in (total.accuracy, total.tpr, total.tnr)))
    return Rates(
        spread([c.accuracy for c in folds]),
        spread([c.tpr for c in folds]),
        spread([c.tnr for c in folds]),
    )


def spread(values: Sequence[float]) -> Spread:
    """Return mean and sample standard deviation (NaN for a single value)."""
    if not values:
        return Spread(math.nan, math.nan)
    std = float(np.std(values, ddof=1)) if len(values) > 1 else math.nan
    return Spread(float(np.mean(values)), std)


def _trials(rate: float) -> Spread:
    return Spread(rate, math.sqrt(rate * (1 - rate)))
