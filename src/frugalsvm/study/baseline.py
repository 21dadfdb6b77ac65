"""The standard linear SVM, for a whole grid of C at once."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from frugalsvm.sparse.program import PenalizedSVM, solve
from frugalsvm.standardize import Standardizer

TOLERANCE = 1e-7
RANK_TOLERANCE = 1e-12


@dataclass(frozen=True)
class Hyperplane:
    """A linear classifier in raw units."""

    coef: NDArray[np.float64]
    intercept: float

    def scores(self, X: NDArray[np.float64]) -> NDArray[np.float64]:
        """Return the decision values of raw samples."""
        return np.asarray(X @ self.coef + self.intercept)


def linear_svm_path(
    X: NDArray[np.float64], y: NDArray[np.bool_], costs: Sequence[float]
) -> list[Hyperplane]:
    """Train on standardised features with objective ||w||^2 + C sum xi for each C.

    With more features than samples the features are rotated into the samples' span first, which
    changes neither norms nor inner products.
    """
    scaler = Standardizer.fit(X)
    Z = scaler.transform(X)
    basis: NDArray[np.float64] | None = None
    if Z.shape[1] > Z.shape[0]:
        values, vectors = np.linalg.eigh(Z @ Z.T)
        kept = values > RANK_TOLERANCE * values[-1]
        lengths = np.sqrt(values[kept])
        basis = Z.T @ (vectors[:, kept] / lengths)
        Z = np.ascontiguousarray(vectors[:, kept] * lengths)
    signs = np.where(y, 1.0, -1.0)
    planes: dict[float, Hyperplane] = {}
    hard: Hyperplane | None = None
    for C in sorted(costs):
        if hard is None:
            found = solve(PenalizedSVM(Z, signs, np.full(len(y), C / 2)), tolerance=TOLERANCE)
            weights = found.weights if basis is None else basis @ found.weights
            planes[C] = Hyperplane(*scaler.to_user_units(weights, found.intercept))
            # No multiplier at its bound: the classes are separated, a greater C changes nothing.
            hard = planes[C] if found.alpha.max() < 0.99 * C / 2 else None
        else:
            planes[C] = hard
    return [planes[C] for C in costs]
