"""Lemke's method in floating point: fast, and believed only as far as its answer can be checked."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float64]

MOST_PIVOTS = 300
SMALL = 1e-11


def solve(M: Floats, q: Floats) -> Floats | None:
    """Return a z with w = M z + q >= 0, z >= 0, w'z = 0; None if none was found."""
    m = len(q)
    if np.all(q >= 0):
        return np.zeros(m)
    rows = np.hstack((np.eye(m), -M, np.zeros((m, 1)), q[:, np.newaxis]))
    cover = 1.0 + 0.1 * np.sqrt(np.arange(2, m + 2) % 7.3)
    rows[:, 2 * m] = -cover
    basis = np.arange(m)
    row, entering = int(np.argmin(q / cover)), 2 * m
    for _ in range(MOST_PIVOTS):
        rows[row] /= rows[row, entering]
        factors = rows[:, entering].copy()
        factors[row] = 0.0
        rows -= np.outer(factors, rows[row])
        left, basis[row] = int(basis[row]), entering
        if left == 2 * m:
            z = np.zeros(2 * m + 1)
            z[basis] = rows[:, -1]
            return np.maximum(z[m : 2 * m], 0.0)
        entering = left + m if left < m else left - m
        column = rows[:, entering]
        limits = np.full(m, np.inf)
        risen = column > SMALL
        if not risen.any():
            return None
        limits[risen] = rows[risen, -1] / column[risen]
        row = int(np.argmin(limits))
        ending = np.flatnonzero(basis == 2 * m)
        if len(ending) and limits[ending[0]] <= limits[row] + SMALL:
            row = int(ending[0])
    return None
