"""Radial kernels on few distinct points, as features.

On categorical features thousands of samples are a handful of distinct points. With K = U S U' the
kernel matrix of those, the rows of U sqrt(S) are features whose inner products are the kernel: the
linear problem on them is the radial problem, without a matrix of all pairs of samples.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from sklearn.metrics.pairwise import rbf_kernel

Matrix = NDArray[np.float64]

WORTHWHILE = 0.25  # share of distinct points up to which features are used
RANK_TOLERANCE = 1e-12


@dataclass(frozen=True)
class RadialFeatures:
    """Features whose inner products are the radial kernel on the training points.

    Attributes
    ----------
    points : ndarray of shape (n_points, n_features)
        The distinct points.
    gamma : float
        The kernel's parameter.
    projection : ndarray of shape (n_points, rank)
        From kernel values with the points to features.
    """

    points: Matrix
    gamma: float
    projection: Matrix

    @classmethod
    def of(cls, Z: Matrix, gamma: float) -> RadialFeatures | None:
        """Return the features of training samples `Z`; None if too few of them coincide."""
        points = np.unique(Z, axis=0)
        if len(points) > WORTHWHILE * len(Z):
            return None
        values, vectors = np.linalg.eigh(rbf_kernel(points, gamma=gamma))
        kept = values > RANK_TOLERANCE * values[-1]
        return cls(points, gamma, vectors[:, kept] / np.sqrt(values[kept]))

    def transform(self, Z: Matrix) -> Matrix:
        """Return the features of any samples."""
        kernel = rbf_kernel(Z, self.points, gamma=self.gamma)
        return np.ascontiguousarray(kernel @ self.projection)
