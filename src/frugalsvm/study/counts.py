"""Counting what a classifier gets right, and choosing parameters by it."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

BALANCED_FROM = 1 / 3
"""Share of the smaller class from which a data set is balanced (the paper names no limit)."""


@dataclass(frozen=True)
class Counts:
    """Right and wrong answers of each class on validation samples."""

    true_pos: int
    false_neg: int
    true_neg: int
    false_pos: int

    @classmethod
    def of(cls, scores: NDArray[np.float64], y: NDArray[np.bool_]) -> Counts:
        """Count the predictions that these scores make (positive score: positive)."""
        said = scores > 0
        return cls(
            int((said & y).sum()),
            int((~said & y).sum()),
            int((~said & ~y).sum()),
            int((said & ~y).sum()),
        )

    def __add__(self, other: Counts) -> Counts:
        return Counts(
            self.true_pos + other.true_pos,
            self.false_neg + other.false_neg,
            self.true_neg + other.true_neg,
            self.false_pos + other.false_pos,
        )

    @property
    def accuracy(self) -> float:
        """Share of right answers."""
        return _share(self.true_pos + self.true_neg, self.false_neg + self.false_pos)

    @property
    def tpr(self) -> float:
        """True positive rate; NaN without positives."""
        return _share(self.true_pos, self.false_neg)

    @property
    def tnr(self) -> float:
        """True negative rate; NaN without negatives."""
        return _share(self.true_neg, self.false_pos)

    def as_list(self) -> list[int]:
        """Return the four counts."""
        return [self.true_pos, self.false_neg, self.true_neg, self.false_pos]


def _share(right: int, wrong: int) -> float:
    total = right + wrong
    return right / total if total else math.nan


def is_balanced(y: NDArray[np.bool_]) -> bool:
    """Return True unless one class holds less than a third of the samples."""
    share = float(y.mean())
    return min(share, 1 - share) >= BALANCED_FROM - 1e-9


def tuning_score(folds: Sequence[Counts], *, balanced: bool) -> float:
    """Return what the inner cross-validation maximises.

    The mean accuracy over the folds; for unbalanced data the geometric mean of the TPR and the
    TNR over all validation samples.
    """
    if balanced:
        return float(np.mean([c.accuracy for c in folds]))
    total = sum(folds, start=Counts(0, 0, 0, 0))
    return math.sqrt(total.tpr * total.tnr)


def best_index(scores: Sequence[float]) -> int:
    """Return the last maximum: the paper's Algorithm 1 replaces the best by an equal one."""
    best = max(scores)
    return max(i for i, score in enumerate(scores) if score >= best - 1e-12)
