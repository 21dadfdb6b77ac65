"""Rates to expect on new data: the whole procedure, repeated without the samples asked about.

Panel, C and threshold are chosen on the samples of a split that are learned from, and the ones
left out are then predicted once. Choosing is thereby part of what is tested. A cross-validation
of the chosen panel alone would be too optimistic: the panel was chosen for doing well on it.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np
from joblib import Parallel, delayed
from numpy.typing import NDArray

from frugalsvm.data.binomial import rate_interval
from frugalsvm.runtime.stopping import Stopper
from frugalsvm.unseen.folds import Split
from frugalsvm.unseen.scoring import Mask
from frugalsvm.unseen.subsets import Support

Predict = Callable[[NDArray[np.intp], NDArray[np.intp], Stopper], "Prediction | None"]


@dataclass(frozen=True)
class Prediction:
    """What a classifier chosen and trained without some samples says about them.

    Attributes
    ----------
    support : tuple of int
        The panel it chose.
    said : ndarray of bool
        Which of the samples it takes for positive.
    """

    support: Support
    said: Mask


@dataclass(frozen=True)
class Expected:
    """Rates of the whole procedure on samples that had no part in it.

    Attributes
    ----------
    right_positives, n_positives, right_negatives, n_negatives : int
        Counts over all splits that were finished.
    supports : tuple of tuples of int
        The panels chosen in them.
    complete : bool
        True if there was the time for all splits.
    """

    right_positives: int
    n_positives: int
    right_negatives: int
    n_negatives: int
    supports: tuple[Support, ...]
    complete: bool

    @property
    def tpr(self) -> float:
        """Share of the positives recognised; NaN if none was asked about."""
        return self.right_positives / self.n_positives if self.n_positives else np.nan

    @property
    def tnr(self) -> float:
        """Share of the negatives recognised; NaN if none was asked about."""
        return self.right_negatives / self.n_negatives if self.n_negatives else np.nan

    def intervals(self, confidence: float) -> tuple[tuple[float, float], tuple[float, float]]:
        """Return exact binomial intervals of the two rates."""
        return (
            _interval(self.right_positives, self.n_positives, confidence),
            _interval(self.right_negatives, self.n_negatives, confidence),
        )

    def frequency(self, n_features: int) -> NDArray[np.float64]:
        """Return in which share of the splits each feature was chosen; NaN if none was finished."""
        if not self.supports:
            return np.full(n_features, np.nan)
        counts = np.zeros(n_features)
        for support in self.supports:
            counts[list(support)] += 1
        return counts / len(self.supports)


def expected_rates(
    splits: Sequence[Split], positive: Mask, predict: Predict, stop: Stopper, n_jobs: int
) -> Expected:
    """Choose, train and predict anew for every split, as far as there is time."""
    found = Parallel(n_jobs=n_jobs, prefer="threads")(
        delayed(predict)(learn, ask, stop) for learn, ask in splits
    )
    done = [(p, ask) for p, (_, ask) in zip(found, splits, strict=True) if p is not None]
    said = np.concatenate([p.said for p, _ in done]) if done else np.zeros(0, dtype=np.bool_)
    asked = np.concatenate([ask for _, ask in done]) if done else np.zeros(0, dtype=np.intp)
    truth = positive[asked]
    return Expected(
        right_positives=int((said & truth).sum()),
        n_positives=int(truth.sum()),
        right_negatives=int((~said & ~truth).sum()),
        n_negatives=int((~truth).sum()),
        supports=tuple(p.support for p, _ in done),
        complete=len(done) == len(splits),
    )


def _interval(right: int, n: int, confidence: float) -> tuple[float, float]:
    return rate_interval(right, n, confidence) if n else (0.0, 1.0)
