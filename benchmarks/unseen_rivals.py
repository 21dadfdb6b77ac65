"""Panels that others would propose, from few features to many; the same rule then chooses."""

from __future__ import annotations

import warnings
from collections.abc import Callable

import numpy as np
from numpy.typing import NDArray
from sklearn.exceptions import ConvergenceWarning
from sklearn.feature_selection import f_classif
from sklearn.svm import LinearSVC

from frugalsvm.unseen.subsets import LeastSquares

Floats = NDArray[np.float64]
Support = tuple[int, ...]
Path = list[Support]

MANY = 100
"""Of more features than this, rivals start from the best by ANOVA, as ours does by its loss."""
DEEPEST = 40  # features that the stepwise ones add
L1_STEPS = 25


def greedy(Z: Floats, positive: NDArray[np.bool_], prices: Floats) -> Path:
    """Add the feature that lowers the squared loss most per price."""
    return _stepwise(Z, positive, prices)


def forward(Z: Floats, positive: NDArray[np.bool_], prices: Floats) -> Path:
    """Add the feature that lowers the squared loss most."""
    return _stepwise(Z, positive, np.ones_like(prices))


def _stepwise(Z: Floats, positive: NDArray[np.bool_], prices: Floats) -> Path:
    squares = LeastSquares.of(Z, positive)
    chosen: list[int] = []
    path: Path = []
    while len(chosen) < min(DEEPEST, Z.shape[1]):
        others = np.array([k for k in range(Z.shape[1]) if k not in chosen])
        gain = squares.loss(chosen) - squares.after_adding(chosen, others)
        chosen.append(int(others[np.argmax(gain / prices[others])]))
        path.append(tuple(sorted(chosen)))
    return path


def rfe(Z: Floats, positive: NDArray[np.bool_], prices: Floats) -> Path:
    """Drop the feature of least weight in a linear SVM, again and again."""
    left = list(range(Z.shape[1]))
    path = [tuple(left)]
    while len(left) > 1:
        weights = LinearSVC(dual=False).fit(Z[:, left], positive).coef_[0]
        left.pop(int(np.argmin(np.abs(weights))))
        path.append(tuple(left))
    return path[::-1]


def l1(Z: Floats, positive: NDArray[np.bool_], prices: Floats) -> Path:
    """Keep the features that an l1-penalised linear SVM gives a weight, for many C."""
    path = []
    for C in np.geomspace(1e-3, 3, L1_STEPS):
        weights = LinearSVC(penalty="l1", dual=False, C=C).fit(Z, positive).coef_[0]
        path.append(tuple(np.flatnonzero(weights).tolist()))
    return [support for support in dict.fromkeys(path) if support]


def kbest(Z: Floats, positive: NDArray[np.bool_], prices: Floats) -> Path:
    """Keep the features of greatest ANOVA F value."""
    order = np.argsort(-f_classif(Z, positive)[0], kind="stable")
    return [tuple(sorted(order[:k].tolist())) for k in range(1, len(order) + 1)]


RIVALS: dict[str, Callable[[Floats, NDArray[np.bool_], Floats], Path]] = {
    "cost-aware greedy": greedy,
    "forward": forward,
    "RFE": rfe,
    "L1": l1,
    "SelectKBest": kbest,
}


def rival_paths(Z: Floats, positive: NDArray[np.bool_], prices: Floats) -> dict[str, Path]:
    """Return every rival's panels, at most some 16 of each: all small ones, fewer large ones."""
    columns = np.arange(Z.shape[1])
    if len(columns) > MANY:
        columns = np.sort(np.argsort(-f_classif(Z, positive)[0], kind="stable")[:MANY])
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ConvergenceWarning)
        return {
            name: [
                tuple(int(columns[k]) for k in support)
                for support in _thinned(propose(Z[:, columns], positive, prices[columns]))
            ]
            for name, propose in RIVALS.items()
        }


def _thinned(path: Path) -> Path:
    if len(path) <= 16:
        return path
    picked = {*range(8), *np.geomspace(8, len(path), 9).astype(int) - 1}
    return [path[int(k)] for k in sorted(picked)]
