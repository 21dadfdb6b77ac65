"""Standardising features: the one scale on which ``max_weight`` has a meaning."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray


@dataclass(frozen=True)
class Standardizer:
    """x -> (x - center) / scale, with all-zero output for columns that do not vary.

    Attributes
    ----------
    center, scale : ndarray of shape (n_features,)
        Mean and standard deviation (of the population) of each column; the scale of a constant
        column is 1.
    constant : ndarray of bool of shape (n_features,)
        Columns that do not vary beyond rounding.
    """

    center: NDArray[np.float64]
    scale: NDArray[np.float64]
    constant: NDArray[np.bool_]

    @classmethod
    def fit(cls, X: NDArray[np.float64]) -> Standardizer:
        """Learn from the rows of `X`.

        Columns are divided by a power of two near their largest absolute value first, so that
        neither 1e300 overflows nor 1e-300 vanishes when squared, and nothing is rounded.

        Examples
        --------
        >>> import numpy as np
        >>> s = Standardizer.fit(np.array([[1e300, 5.0], [3e300, 5.0]]))
        >>> s.transform(np.array([[1e300, 5.0], [3e300, 5.0]])).tolist()
        [[-1.0, 0.0], [1.0, 0.0]]
        >>> s.constant.tolist()
        [False, True]
        """
        _, exponent = np.frexp(np.max(np.abs(X), axis=0))
        peak = np.ldexp(1.0, exponent - 1)
        shrunk = X / peak
        mean = shrunk.mean(axis=0)
        spread = shrunk.std(axis=0)
        # Below this a spread is what rounding of the mean alone produces (values are below 2 here).
        noise = 10 * np.finfo(np.float64).eps * np.sqrt(len(X))
        constant = (np.ptp(shrunk, axis=0) == 0) | (spread <= noise)
        return cls(
            center=np.where(constant, X[0], mean * peak),
            scale=np.where(constant, 1.0, spread * peak),
            constant=constant,
        )

    @classmethod
    def identity(cls, n_features: int) -> Standardizer:
        """Return the standardiser that changes nothing."""
        return cls(np.zeros(n_features), np.ones(n_features), np.zeros(n_features, dtype=np.bool_))

    def transform(self, X: NDArray[np.float64]) -> NDArray[np.float64]:
        """Standardise rows; columns that were constant in training become zero."""
        Z = (X - self.center) / self.scale
        Z[:, self.constant] = 0.0
        return np.ascontiguousarray(Z)

    def to_user_units(
        self, weights: NDArray[np.float64], intercept: float
    ) -> tuple[NDArray[np.float64], float]:
        """Return the hyperplane of standardised features as one of the original features."""
        weights = np.where(self.constant, 0.0, weights)
        coef = weights / self.scale
        return coef, float(intercept - np.sum(coef * self.center))
