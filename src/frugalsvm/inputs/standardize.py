"""Standardising features: the one scale on which ``max_weight`` has a meaning."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import issparse

from frugalsvm.inputs.tables import column_blocks, dense_part

LEAST_SPREAD = 1e-13
"""Standard deviation over largest absolute value up to which a column counts as constant: below it
the rounding of the mean and of weights in the user's units would reach the margins."""


@dataclass(frozen=True)
class Standardizer:
    """x -> (x - center) / scale, with all-zero output for columns that do not vary.

    Attributes
    ----------
    center, scale : ndarray of shape (n_features,)
        Mean and standard deviation (of the population) of each column; the scale of a constant
        column is 1.
    constant : ndarray of bool of shape (n_features,)
        Columns that do not vary, or so little that rounding would show (1e-13 of their size).
    """

    center: NDArray[np.float64]
    scale: NDArray[np.float64]
    constant: NDArray[np.bool_]

    @classmethod
    def fit(cls, X: Any) -> Standardizer:
        """Learn from the rows of `X`, an array or a sparse one.

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
        if issparse(X):
            return cls(*_sparse_moments(X))
        center, scale = np.empty(X.shape[1]), np.empty(X.shape[1])
        constant = np.empty(X.shape[1], dtype=np.bool_)
        room: NDArray[np.float64] = np.empty((0, 0))  # made once: new memory is slow
        for block in column_blocks(*X.shape):
            part = X[:, block]
            if part.shape[1] > len(room):
                room = np.empty(part.T.shape)
            columns = room[: part.shape[1]]
            columns[...] = part.T
            center[block], scale[block], constant[block] = _moments(columns)
        return cls(center, scale, constant)

    @classmethod
    def identity(cls, n_features: int) -> Standardizer:
        """Return the standardiser that changes nothing."""
        return cls(np.zeros(n_features), np.ones(n_features), np.zeros(n_features, dtype=np.bool_))

    def of(self, columns: NDArray[np.intp]) -> Standardizer:
        """Return the standardiser of some of the columns."""
        return Standardizer(self.center[columns], self.scale[columns], self.constant[columns])

    def transform(self, X: NDArray[np.float64]) -> NDArray[np.float64]:
        """Standardise rows; columns that were constant in training become zero."""
        Z = np.ascontiguousarray(X - self.center)
        Z /= self.scale
        if self.constant.any():
            Z[:, self.constant] = 0.0
        return Z

    def scores(self, X: Any, weights: NDArray[np.float64], intercept: float) -> NDArray[np.float64]:
        """Return the scores of rows by weights of standardised features; unused columns rest."""
        used = np.flatnonzero(np.where(self.constant, 0.0, weights))
        scaled = self.of(used).transform(dense_part(X, columns=used))
        scores: NDArray[np.float64] = scaled @ weights[used] + intercept
        return scores

    def to_user_units(
        self, weights: NDArray[np.float64], intercept: float
    ) -> tuple[NDArray[np.float64], float]:
        """Return the hyperplane of standardised features as one of the original features."""
        weights = np.where(self.constant, 0.0, weights)
        coef = weights / self.scale
        return coef, float(intercept - np.sum(coef * self.center))


def _moments(
    columns: NDArray[np.float64],
) -> tuple[NDArray[np.float64], NDArray[np.float64], NDArray[np.bool_]]:
    """Return center and scale of each row of a table, which is used up, and which are constant."""
    first, low, high = columns[:, 0].copy(), columns.min(axis=1), columns.max(axis=1)
    size = np.maximum(np.abs(low), np.abs(high))
    peak = np.ldexp(1.0, np.frexp(size)[1] - 1)
    columns /= peak[:, np.newaxis]
    mean = columns.mean(axis=1)
    columns -= mean[:, np.newaxis]
    np.multiply(columns, columns, out=columns)
    spread = np.sqrt(columns.mean(axis=1))
    constant = (low == high) | (spread <= LEAST_SPREAD * (size / peak))
    return np.where(constant, first, mean * peak), np.where(constant, 1.0, spread * peak), constant


def _sparse_moments(
    X: Any,
) -> tuple[NDArray[np.float64], NDArray[np.float64], NDArray[np.bool_]]:
    """Return the same of the columns of a sparse table, by its entries alone."""
    n, d = X.shape
    first = dense_part(X, rows=[0])[0]
    low, high = X.min(axis=0).toarray().ravel(), X.max(axis=0).toarray().ravel()
    size = np.maximum(np.abs(low), np.abs(high))
    peak = np.ldexp(1.0, np.frexp(size)[1] - 1)
    entries = X.tocoo()
    column, value = entries.col, entries.data / peak[entries.col]
    mean = np.bincount(column, value, d) / n
    gaps = n - np.bincount(column, minlength=d)
    squares = np.bincount(column, (value - mean[column]) ** 2, d) + gaps * mean**2
    spread = np.sqrt(squares / n)
    constant = (low == high) | (spread <= LEAST_SPREAD * (size / peak))
    return np.where(constant, first, mean * peak), np.where(constant, 1.0, spread * peak), constant
