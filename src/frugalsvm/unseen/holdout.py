"""Samples set aside before anything is learned, for a certificate."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.model_selection import StratifiedShuffleSplit

from frugalsvm.data.exceptions import DataError
from frugalsvm.unseen.scoring import Floats, Mask

Index = NDArray[np.intp]


@dataclass(frozen=True)
class Calibration:
    """Samples that take no part in choosing or training.

    Attributes
    ----------
    X : ndarray of shape (n_samples, n_features)
        Raw data.
    positive : ndarray of bool
        The positives.
    """

    X: Floats
    positive: Mask


def set_aside(
    test_size: float, positive: Mask, groups: NDArray[Any] | None, seed: int, owner: str
) -> tuple[Index, Index]:
    """Return which samples to learn from and which to hold out, classes in proportion."""
    if groups is not None and len(np.unique(groups)) < len(groups):
        raise DataError(
            f"{owner} cannot certify rates on rows that come in groups: the binomial test takes "
            "held-out rows to be independent, and rows of one group are not. Keep one row of "
            "each group, or fit with test_size=None."
        )
    splitter = StratifiedShuffleSplit(1, test_size=test_size, random_state=seed)
    learn, held_out = next(splitter.split(np.zeros(len(positive)), positive))
    return np.sort(learn), np.sort(held_out)
