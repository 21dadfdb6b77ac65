"""The standard linear SVM, for a whole grid of C and for many training sets at once."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from frugalsvm.inputs.standardize import Standardizer
from frugalsvm.sparse.batch import solve_many
from frugalsvm.sparse.program import PenalizedSVM, solve

TOLERANCE = 1e-7
RANK_TOLERANCE = 1e-12
FEW_SAMPLES, FEW_FEATURES = 200, 12  # of training sets that are solved side by side

TrainingSet = tuple[NDArray[np.float64], NDArray[np.bool_]]


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


def linear_svm_paths(
    training_sets: Sequence[TrainingSet], costs: Sequence[float]
) -> list[list[Hyperplane]]:
    """Train on several sets as :func:`linear_svm_path` does, small ones of one size all at once."""
    shapes = {X.shape for X, _ in training_sets}
    n, d = max(shapes)
    if len(shapes) > 1 or n > FEW_SAMPLES or d > FEW_FEATURES:
        return [linear_svm_path(X, y, costs) for X, y in training_sets]
    scalers = [Standardizer.fit(X) for X, _ in training_sets]
    parts = zip(scalers, training_sets, strict=True)
    Z = np.array([scaler.transform(X) for scaler, (X, _) in parts])
    signs = np.array([np.where(y, 1.0, -1.0) for _, y in training_sets])
    halves = np.tile(np.asarray(costs, dtype=np.float64) / 2, len(Z))
    each = np.repeat(np.arange(len(Z)), len(costs))
    found = solve_many(Z[each], signs[each], halves, tolerance=TOLERANCE)
    planes = [
        Hyperplane(*scalers[i].to_user_units(weights, float(intercept)))
        for i, weights, intercept in zip(each, found.weights, found.intercepts, strict=True)
    ]
    for k in np.flatnonzero(found.gaps > TOLERANCE):
        X, y = training_sets[each[k]]
        (planes[k],) = linear_svm_path(X, y, [2 * halves[k]])
    return [planes[k : k + len(costs)] for k in range(0, len(planes), len(costs))]
