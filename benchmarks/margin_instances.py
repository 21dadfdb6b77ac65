"""The instances of the margin benchmark: where they come from and what is known of them."""

from __future__ import annotations

import os
from collections.abc import Iterator
from dataclasses import dataclass, replace
from functools import lru_cache
from pathlib import Path

import numpy as np
import pandas as pd
from numpy.typing import NDArray
from sklearn.datasets import load_breast_cancer
from sklearn.metrics.pairwise import rbf_kernel
from sklearn.model_selection import StratifiedKFold

from frugalsvm.data.problem import CountLimit, MarginProblem

POSITIVE = {"careval": "unacc", "votes": "democrat", "australian": "1"}
NUMERIC = {"australian": ["A1", "A2", "A3", "A7", "A8", "A9", "A10", "A11", "A13", "A14"]}


@dataclass(frozen=True)
class Instance:
    """A problem by name.

    Attributes
    ----------
    data : str
        Data set; its fold 0 of ten, standardised, is trained on.
    columns : tuple of int
        The chosen features. Those of careval were recovered from published optima; the eight of
        wisconsin (backward elimination) and the five of votes are this benchmark's own choice.
    budgets : tuple of int
        Allowed errors among positives and negatives.
    C : float
        The paper's C.
    gamma : float or None
        Of the radial kernel; None: linear.
    known : float or None
        A known optimum, or the objective to reach.
    tolerance : float
        Relative gap to close.
    """

    data: str
    columns: tuple[int, ...]
    budgets: tuple[int, int]
    C: float
    gamma: float | None = None
    known: float | None = None
    tolerance: float = 1e-4

    @property
    def name(self) -> str:
        """A readable key."""
        kernel = "linear" if self.gamma is None else f"gamma={self.gamma:g}"
        pos, neg = self.budgets
        return f"{self.data}-{len(self.columns)} {pos}/{neg} {kernel} C={self.C:g}"

    def problem(self) -> MarginProblem:
        """Return the problem."""
        X, positive = training_fold(self.data)
        X = np.ascontiguousarray(X[:, list(self.columns)])
        gram = None if self.gamma is None else rbf_kernel(X, gamma=self.gamma)
        pos, neg = self.budgets
        limits = (CountLimit("tpr", positive, pos), CountLimit("tnr", ~positive, neg))
        return MarginProblem(X if gram is None else None, gram, positive, limits, self.C)


@lru_cache(maxsize=32)
def training_fold(data: str, fold: int = 0) -> tuple[NDArray[np.float64], NDArray[np.bool_]]:
    """Return the standardised features and labels of a fold of a data set."""
    if data == "wisconsin":
        X, y = load_breast_cancer(return_X_y=True)
        positive = y == 1
    elif data == "large":
        return _large()
    else:
        folder = Path(os.environ["FRUGALSVM_DATA"])
        table = pd.read_csv(folder / f"{data}.csv", dtype=str, keep_default_na=False)
        positive = (table.pop("class") == POSITIVE[data]).to_numpy()
        table = table.astype(dict.fromkeys(NUMERIC.get(data, []), float))
        X = pd.get_dummies(table, drop_first=True).to_numpy(dtype=np.float64)
    folds = StratifiedKFold(10, shuffle=True, random_state=0).split(X, positive)
    train, _ = list(folds)[fold]
    X, positive = X[train], positive[train]
    deviation = X.std(axis=0)
    return (X - X.mean(axis=0)) / np.where(deviation > 0, deviation, 1.0), positive


def _large() -> tuple[NDArray[np.float64], NDArray[np.bool_]]:
    """Return 20,000 samples of two overlapping clouds in five dimensions."""
    rng = np.random.default_rng(0)
    positive = rng.random(20_000) < 0.5
    X = rng.normal(size=(20_000, 5)) + np.where(positive, 0.6, -0.6)[:, None]
    return X, positive


WISCONSIN = Instance("wisconsin", (23, 24), (10, 15), 1.0)
CAREVAL_9 = Instance("careval", (0, 1, 4, 5, 9, 10, 12, 13, 14), (70, 35), 1.0)
CAREVAL_11 = Instance("careval", (0, 1, 2, 4, 5, 7, 9, 10, 12, 13, 14), (70, 35), 1.0)


def linear_instances() -> Iterator[Instance]:
    """Yield the linear instances."""
    for C, known in ((1 / 32, 231.5634), (1.0, 298.3107), (32.0, 2412.240)):
        yield replace(WISCONSIN, C=C, known=known)
    yield Instance("wisconsin", (1, 7, 12, 19, 23, 24, 26, 28), (0, 4), 1 / 32)
    for C, known in ((1 / 32, 89.434), (1.0, 350.996)):
        yield replace(CAREVAL_9, C=C, known=known)
    for C, known in ((1 / 32, 35.753), (1.0, 250.815), (32.0, 7132.8)):
        yield replace(CAREVAL_11, C=C, known=known)
    yield Instance("votes", (5, 6, 15, 19, 20), (16, 11), 1 / 32)


def radial_instances() -> Iterator[Instance]:
    """Yield the radial instances with the objectives to reach."""
    goals = {
        1 / 8: (757.04, 813.66, 2608.84),
        1.0: (113.31, 160.645, 1504.97),
        8.0: (62.1, 100.6, 982.2),
    }
    for gamma, known in goals.items():
        for C, goal in zip((1 / 32, 1.0, 32.0), known, strict=True):
            yield replace(WISCONSIN, C=C, gamma=gamma, known=goal, tolerance=1e-3)


def large_instances() -> Iterator[Instance]:
    """Yield the instance with 20,000 rows: 12 % of each class may be wrong."""
    yield Instance("large", (0, 1, 2, 3, 4), (1200, 1200), 1.0)
