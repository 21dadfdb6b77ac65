"""Which rows are given up: sets that fit the limits."""

from __future__ import annotations

from collections.abc import Iterable

import numpy as np
from numpy.typing import NDArray

from frugalsvm.margin.rows.reduction import Reduced

Flags = NDArray[np.bool_]
Vector = NDArray[np.float64]

SHORT = 1e-7
"""A margin that is less than this below 1 is 1 but for rounding."""


class Choice:
    """What may be chosen.

    Attributes
    ----------
    choosable : ndarray of bool of shape (n_rows,)
        Rows that limits count and that may be wrong.
    free : ndarray of bool of shape (n_rows,)
        Rows that no limit counts.
    """

    def __init__(self, rows: Reduced) -> None:
        self.use, self.caps, self.weight = rows.use, rows.caps, rows.weight
        self.free = np.asarray(~(rows.use > 0.0).any(axis=0))
        self.choosable = np.asarray(~rows.fixed & ~self.free)

    @property
    def most_wrong(self) -> float:
        """Samples that can be wrong at the most."""
        counted = float(self.caps.sum())
        if (self.use[:2] > 0.0).any(axis=0).sum() == (~self.free).sum():
            counted = float(self.caps[:2].sum())  # the two classes' limits count all samples
        return min(float(self.weight.sum()), counted + float(self.weight[self.free].sum()))

    def fits(self, wrong: Flags) -> bool:
        """Return True if the limits allow these rows to be wrong."""
        return bool((self.use @ wrong <= self.caps).all())

    def left(self, given: Flags) -> Vector:
        """Return what is left of the limits when these rows are given up."""
        return np.asarray(self.caps - self.use @ given)

    def filled(self, order: Iterable[int]) -> Flags:
        """Return the rows that can be given up, taken in this order while they fit."""
        wrong = self.free.copy()
        left = self.caps.copy()
        for i in order:
            if (self.use[:, i] <= left).all():
                wrong[i] = True
                left = left - self.use[:, i]
        return wrong

    def worst(self, margins: Vector, first: Iterable[int] = ()) -> Flags:
        """Return the rows with the smallest margins that can be given up, after the first ones."""
        chosen = list(first)
        below = np.flatnonzero(self.choosable & (margins < 1.0 - SHORT))
        below = below[np.argsort(margins[below], kind="stable")]
        seen = set(chosen)
        return self.filled([*chosen, *(int(i) for i in below if int(i) not in seen)])


def short(margins: Vector) -> Flags:
    """Return which rows are below margin 1 by more than rounding."""
    return np.asarray(margins < 1.0 - SHORT)
