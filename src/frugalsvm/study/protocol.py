"""Algorithm 1: tune inside the training set, train on it, validate outside."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from frugalsvm.study.baseline import linear_svm_path, linear_svm_paths
from frugalsvm.study.counts import Counts, best_index, is_balanced, tuning_score
from frugalsvm.study.datasets import Dataset
from frugalsvm.study.folds import Split, inner_splits, outer_splits
from frugalsvm.study.settings import StudySettings

Scores = list[NDArray[np.float64]]
"""Decision values on the validation samples, one array for each point of the grid."""


@dataclass(frozen=True)
class Fold:
    """One outer fold of a data set and its inner folds."""

    data: Dataset
    settings: StudySettings
    number: int
    outer: Split
    inner: tuple[Split, ...]

    @classmethod
    def of(cls, data: Dataset, settings: StudySettings, number: int) -> Fold:
        """Return outer fold `number`."""
        outer = outer_splits(data.y, settings)[number]
        inner = inner_splits(data.y, outer, number, settings)
        return cls(data, settings, number, outer, tuple(inner))

    def training(self, split: Split) -> tuple[NDArray[np.float64], NDArray[np.bool_]]:
        """Return the samples that a split trains on."""
        return self.data.X[split.train], self.data.y[split.train]

    def validation(self, split: Split) -> tuple[NDArray[np.float64], NDArray[np.bool_]]:
        """Return the samples that a split validates on."""
        return self.data.X[split.test], self.data.y[split.test]


@dataclass(frozen=True)
class Tuned:
    """Outcome of the inner cross-validation: the best point of the grid and its score."""

    index: int
    score: float


def tune(fold: Fold, evaluate: Callable[[int, Split], Scores]) -> Tuned:
    """Choose the point of the grid whose classifiers do best on the inner validation sets.

    `evaluate` trains on the training samples of an inner split (given with its number) for every
    point of the grid and returns the decision values on its validation samples.
    """
    table: list[list[Counts]] = []
    for number, split in enumerate(fold.inner):
        truth = fold.data.y[split.test]
        table.append([Counts.of(scores, truth) for scores in evaluate(number, split)])
    balanced = is_balanced(fold.data.y)
    by_point = [tuning_score(column, balanced=balanced) for column in zip(*table, strict=True)]
    index = best_index(by_point)
    return Tuned(index, by_point[index])


def tune_columns(fold: Fold, columns: Sequence[int] | None) -> Tuned:
    """Choose C of the standard linear SVM on the given columns (None: all)."""
    chosen = slice(None) if columns is None else np.asarray(columns, dtype=np.intp)

    X = fold.data.X[:, chosen]
    sets = [(X[split.train], fold.data.y[split.train]) for split in fold.inner]
    paths = linear_svm_paths(sets, fold.settings.costs)

    def evaluate(number: int, split: Split) -> Scores:
        return [plane.scores(X[split.test]) for plane in paths[number]]

    return tune(fold, evaluate)


def standard_svm(fold: Fold, columns: Sequence[int] | None = None) -> tuple[float, Counts]:
    """Return the tuned C of the standard linear SVM and its counts on the outer fold."""
    chosen = slice(None) if columns is None else np.asarray(columns, dtype=np.intp)
    C = fold.settings.costs[tune_columns(fold, columns).index]
    X, y = fold.training(fold.outer)
    (plane,) = linear_svm_path(X[:, chosen], y, [C])
    X_new, y_new = fold.validation(fold.outer)
    return C, Counts.of(plane.scores(X_new[:, chosen]), y_new)
