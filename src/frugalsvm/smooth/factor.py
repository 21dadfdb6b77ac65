"""A kernel matrix as inner products of explicit features, by Cholesky's method with pivots."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from scipy.linalg import solve_triangular

from frugalsvm.runtime.stopping import Stopper

Vector = NDArray[np.float64]

NEGLIGIBLE = 1e-12
"""Share of the largest diagonal entry below which what is left of a kernel is rounding."""

PRODUCTS = 2.0e9
"""Products that one Newton step may take; it limits the number of features."""


@dataclass(frozen=True)
class Factor:
    """Features F with F F' next to the kernel matrix, equal in the columns of the pivots.

    Attributes
    ----------
    features : ndarray of shape (n_rows, rank)
        F.
    pivots : ndarray of int of shape (rank,)
        The rows whose kernels span the features.
    """

    features: Vector
    pivots: NDArray[np.int64]

    def coefficients(self, weights: Vector) -> Vector:
        """Return a, zero outside the pivots, such that K a = F weights."""
        a = np.zeros(len(self.features))
        if len(self.pivots):
            corner = self.features[self.pivots]
            a[self.pivots] = solve_triangular(corner.T, weights, lower=False)
        return a


def factorised(K: Vector, stop: Stopper) -> Factor:
    """Return the features of a kernel matrix.

    Where the rank is limited, by size or by `stop`, the features span fewer classifiers: those
    made of the pivots' kernels. Their objectives are the true ones.
    """
    n = len(K)
    most = max(1, min(n, int(np.sqrt(PRODUCTS / max(1, n)))))
    F = np.zeros((n, most))
    left = np.diag(K).astype(np.float64)
    least = NEGLIGIBLE * max(float(left.max(initial=0.0)), np.finfo(float).tiny)
    pivots: list[int] = []
    for k in range(most):
        i = int(np.argmax(left))
        if left[i] <= least or (k > 0 and stop()):
            break
        F[:, k] = (K[:, i] - F[:, :k] @ F[i, :k]) / np.sqrt(left[i])
        F[pivots, k] = 0.0
        left -= F[:, k] ** 2
        pivots.append(i)
        left[pivots] = 0.0
    return Factor(np.ascontiguousarray(F[:, : len(pivots)]), np.array(pivots, dtype=np.int64))
