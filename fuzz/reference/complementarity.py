"""Lemke's method in whole numbers: w - M z = q, w >= 0, z >= 0, w'z = 0, without rounding.

For a positive semi-definite M, as convex quadratic programs have, it ends with a solution or with
a ray that proves that there is none. Pivoting is free of fractions (Edmonds, Bareiss): all numbers
are integers over one common denominator, the last pivot.
"""

from __future__ import annotations

from fractions import Fraction

import numpy as np
from numpy.typing import NDArray

Integers = NDArray[np.object_]

MOST_PIVOTS = 2_000


class UndecidedError(RuntimeError):
    """The method did not come to an end."""


def solve(M: Integers, q: Integers) -> list[Fraction] | None:
    """Return z, or None if there is no solution.

    Parameters
    ----------
    M : ndarray of int objects of shape (m, m)
        Positive semi-definite (not necessarily symmetric).
    q : ndarray of int objects of shape (m,)
        Right-hand sides.
    """
    m = len(q)
    if all(v >= 0 for v in q):
        return [Fraction(0)] * m
    tableau = _Tableau(M, q)
    entering = tableau.start()
    for _ in range(MOST_PIVOTS):
        row = tableau.leaving_row(entering)
        if row is None:
            return None
        left = tableau.pivot(row, entering)
        if left == tableau.artificial:
            return tableau.solution()
        entering = left + m if left < m else left - m
    raise UndecidedError(f"no end after {MOST_PIVOTS} pivots")


class _Tableau:
    """Columns: w (0 to m - 1), z (m to 2m - 1), the artificial variable, the right-hand side."""

    def __init__(self, M: Integers, q: Integers) -> None:
        m = self.m = len(q)
        self.artificial = 2 * m
        self.rows: Integers = np.zeros((m, 2 * m + 2), dtype=object)
        self.rows[:, :m] = np.array(
            [[int(i == j) for j in range(m)] for i in range(m)], dtype=object
        )
        self.rows[:, m : 2 * m] = -M
        # Different entries, so that no two rows tie; any positive ones are right.
        self.rows[:, 2 * m] = [-(1009 + 17 * i * i) for i in range(m)]
        self.rows[:, -1] = q
        self.basis = list(range(m))
        self.denominator = 1

    def start(self) -> int:
        """Bring the artificial variable in; return the complement of what leaves."""
        worst = min(
            range(self.m), key=lambda i: Fraction(self.rows[i, -1], -self.rows[i, self.artificial])
        )
        return self.pivot(worst, self.artificial) + self.m

    def leaving_row(self, column: int) -> int | None:
        """Return the row that limits the column's variable first, ties broken lexicographically."""
        best: int | None = None
        for i in range(self.m):
            if self.rows[i, column] <= 0:
                continue
            if best is None or self._sooner(i, best, column):
                best = i
        return best

    def _sooner(self, i: int, j: int, column: int) -> bool:
        a, b = self.rows[i, column], self.rows[j, column]
        for k in (-1, *range(self.m)):
            x, y = self.rows[i, k] * b, self.rows[j, k] * a
            if x != y:
                return bool(x < y)
            if k == -1:  # where it can end, it ends
                if self.basis[i] == self.artificial:
                    return True
                if self.basis[j] == self.artificial:
                    return False
        return False

    def pivot(self, row: int, column: int) -> int:
        """Exchange the row's basic variable for the column's; return the one that left."""
        pivot = self.rows[row, column]
        kept = self.rows[row].copy()
        self.rows = self.rows * pivot - np.outer(self.rows[:, column], kept)
        self.rows //= self.denominator
        self.rows[row] = kept
        self.denominator = pivot
        if pivot < 0:
            self.rows, self.denominator = -self.rows, -pivot
        left = self.basis[row]
        self.basis[row] = column
        return left

    def solution(self) -> list[Fraction]:
        """Return z."""
        z = [Fraction(0)] * self.m
        for i, variable in enumerate(self.basis):
            if self.m <= variable < 2 * self.m:
                z[variable - self.m] = Fraction(self.rows[i, -1], self.denominator)
        return z
