"""The two cross-validations: which samples train and which validate."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from sklearn.model_selection import StratifiedKFold

from frugalsvm.study.settings import StudySettings

Indices = NDArray[np.intp]


@dataclass(frozen=True)
class Split:
    """Samples to train on and samples to validate on."""

    train: Indices
    test: Indices


def outer_splits(y: NDArray[np.bool_], settings: StudySettings) -> list[Split]:
    """Return the outer folds."""
    return _splits(y, settings.outer_folds, settings.seed, settings)


def inner_splits(
    y: NDArray[np.bool_], outer: Split, fold: int, settings: StudySettings
) -> list[Split]:
    """Return the inner folds of an outer training set, as numbers of samples of the whole."""
    seed = settings.seed + 1000 * (fold + 1)
    inside = _splits(y[outer.train], settings.inner_folds, seed, settings, whole=len(y))
    return [Split(outer.train[s.train], outer.train[s.test]) for s in inside]


def leaves_one_out(n: int, settings: StudySettings) -> bool:
    """Return True if a data set of `n` samples is small enough for leave-one-out."""
    return n < settings.leave_one_out_below


def _splits(
    y: NDArray[np.bool_], folds: int, seed: int, settings: StudySettings, whole: int | None = None
) -> list[Split]:
    n = len(y)
    if leaves_one_out(whole or n, settings):
        everyone = np.arange(n)
        return [Split(np.delete(everyone, i), everyone[i : i + 1]) for i in range(n)]
    fewest = int(min(y.sum(), n - y.sum()))
    splitter = StratifiedKFold(min(folds, fewest), shuffle=True, random_state=seed)
    return [Split(train, test) for train, test in splitter.split(np.zeros((n, 1)), y)]
