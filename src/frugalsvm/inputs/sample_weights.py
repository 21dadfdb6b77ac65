"""Sample weights: how many samples a row stands for, and shares of samples."""

from __future__ import annotations

import math
from fractions import Fraction
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray
from sklearn.utils import _safe_indexing, check_consistent_length
from sklearn.utils.validation import _check_sample_weight, _num_samples

MOST_ROWS = 10_000_000
"""Rows that weights may stand for: more would not fit into memory."""
MOST_UNITS = 1_000_000
"""Units that weights which are not whole may be counted in."""


class WeightedRows(NamedTuple):
    """Rows, each as often as its weight says.

    Attributes
    ----------
    X, y : array-like
        The rows.
    row : ndarray of int of shape (n_rows,)
        Which row each of them was.
    unit : int
        How many of them make a weight of 1; 1 if all weights are whole.
    """

    X: Any
    y: Any
    row: NDArray[np.intp]
    unit: int


def repeated_rows(X: Any, y: Any, sample_weight: Any, owner: str) -> WeightedRows:
    """Return the rows that weights stand for: a row of weight 3 is three rows, of 0 none.

    Weights that are not whole are counted in the largest unit that makes them so: 0.5 and 1.25 are
    two and five quarters. Rates are shares of weight then, and stay exact. Searches merge equal
    rows again, so that weights cost no time.

    Examples
    --------
    >>> rows = repeated_rows([[1.0], [2.0]], ["a", "b"], [2, 1], "FrugalSVC")
    >>> rows.X, rows.y, rows.unit
    ([[1.0], [1.0], [2.0]], ['a', 'a', 'b'], 1)
    >>> rows = repeated_rows([[1.0], [2.0]], ["a", "b"], [1.5, 0.5], "FrugalSVC")
    >>> rows.y, rows.unit
    (['a', 'a', 'a', 'b'], 2)
    """
    if sample_weight is None or y is None:
        return WeightedRows(X, y, np.arange(_num_samples(X)), 1)
    check_consistent_length(X, y)
    probe = np.empty((_num_samples(X), 0))
    weights = _check_sample_weight(sample_weight, probe, dtype=np.float64)
    counts, unit = _counts(weights, owner)
    rows = np.repeat(np.arange(len(counts)), counts)
    if (counts == 1).all():
        return WeightedRows(X, y, rows, unit)
    return WeightedRows(_safe_indexing(X, rows), _safe_indexing(y, rows), rows, unit)


def refuse_shares(rows: WeightedRows, owner: str, why: str) -> None:
    """Raise an error if weights are not whole."""
    if rows.unit != 1:
        raise ValueError(
            f"The 'sample_weight' of {owner}.fit must hold whole numbers, how many samples each "
            f"row stands for: {why}."
        )


def _counts(weights: NDArray[np.float64], owner: str) -> tuple[NDArray[np.intp], int]:
    """Return the weights in whole units, and how many units a weight of 1 is."""
    below = np.flatnonzero(weights < 0)
    if len(below):
        raise ValueError(
            f"The 'sample_weight' of {owner}.fit must hold numbers >= 0. Got {weights[below[0]]:g} "
            f"for row {below[0]}."
        )
    total = float(weights.sum())
    if total > MOST_ROWS:
        raise ValueError(
            f"The 'sample_weight' of {owner}.fit must stand for at most {MOST_ROWS:,} samples. "
            f"Got {total:.0f}."
        )
    if (weights == np.floor(weights)).all():
        return weights.astype(np.intp), 1
    shares = {value: Fraction(repr(value)) for value in np.unique(weights).tolist()}
    unit = math.lcm(*(share.denominator for share in shares.values()))
    if total * unit > MOST_UNITS:
        longest = max(shares, key=lambda value: shares[value].denominator)
        raise ValueError(
            f"The 'sample_weight' of {owner}.fit must be multiples of one unit of which all "
            f"weights together are at most {MOST_UNITS:,}. Got {longest!r} for row "
            f"{np.flatnonzero(weights == longest)[0]}, and {total * unit:.3g} units of 1/{unit}. "
            "Round the weights, for example to two digits: sample_weight.round(2)."
        )
    whole = [int(shares[value] * unit) for value in weights.tolist()]
    return np.array(whole, dtype=np.intp), unit
