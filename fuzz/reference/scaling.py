"""Standardising a column, and counting what a rate asks for, each in exact sums."""

from __future__ import annotations

import math
from collections.abc import Sequence
from fractions import Fraction

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float64]

NOISE = 1e-13
"""Spread of a column over its largest value below which it is called constant."""


def standardised(X: Floats) -> tuple[Floats, NDArray[np.bool_]]:
    """Return the columns with mean 0 and standard deviation 1, and which ones are constant."""
    Z = np.zeros(X.shape)
    constant = np.zeros(X.shape[1], dtype=bool)
    for k in range(X.shape[1]):
        column = X[:, k].tolist()
        Z[:, k], constant[k] = _standardised_column(column)
    return Z, constant


def centring_error(X: Floats, weights: Floats) -> float:
    """Return what rounding the centres of columns, as any float is, may move a decision by.

    The intercept makes up for it, so that the decision itself is not affected, but its two halves
    are only known to this.
    """
    peak = np.max(np.abs(X), axis=0)
    spread = np.std(X / np.where(peak > 0, peak, 1.0), axis=0)
    used = (weights != 0) & (spread > 0)
    return float(8 * np.finfo(float).eps * np.sum(np.abs(weights[used]) / spread[used]))


def _standardised_column(column: Sequence[float]) -> tuple[Floats, bool]:
    peak = max(abs(v) for v in column)
    if min(column) == max(column) or peak == 0:
        return np.zeros(len(column)), True
    mean = Fraction(sum(Fraction(v) for v in column), len(column))
    off = [Fraction(v) - mean for v in column]
    variance = sum((v * v for v in off), Fraction(0)) / len(column)
    spread = _root(variance)
    if spread <= NOISE * peak:
        return np.zeros(len(column)), True
    return np.array([float(v / Fraction(spread)) for v in off]), False


def _root(value: Fraction) -> float:
    """Return the square root, also of what a float cannot hold."""
    shift = (value.numerator.bit_length() - value.denominator.bit_length()) // 2
    scaled = value / Fraction(2) ** (2 * shift)
    return math.ldexp(math.sqrt(float(scaled)), shift)


def allowed_errors(rate: float, n: int) -> int:
    """Return how many of `n` samples may be wrong at a rate of at least `rate`."""
    asked = Fraction(rate) * n - Fraction(1, 10**9)
    return n - max(0, math.ceil(asked))
