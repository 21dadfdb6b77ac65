"""Classifiers whose rounding errors are large, moved to the margins they ought to have.

Multipliers of size A leave errors of A times 1e-16 in the margins, and both a large C and a narrow
gap make them large. The rows at their margins determine the classifier all the same: as equations
in the weights, which need not be large where the multipliers are.
"""

from __future__ import annotations

from enum import Enum, auto

import numpy as np
from numpy.typing import NDArray

from frugalsvm.margin.candidates import Candidate
from frugalsvm.margin.dual import ROUNDING
from frugalsvm.margin.reduction import Reduced

Vector = NDArray[np.float64]

NEAR = 0.5
"""Margins this close to their target may be meant to have it."""

MISSED = 1e-10
"""What a margin may lack without being moved."""

MOST_HELD = 4
"""Rows at their margins, for each weight, that still determine them."""

STEPS = 6
"""Moves, at the most; each may bring further rows below their margins."""

MOST_ROWS = 400
"""Rows of a kernel matrix up to which its classifiers are moved."""

SMALL = 1e-8
"""Share of the largest score that a weight may move which has none of its own."""

RANK = 1e-13
"""Eigenvalues of a kernel matrix that are rounding errors, relative to the largest."""


class Metric(Enum):
    """Which of the moves that do is the smallest."""

    EVEN = auto()  # the one that changes the rows' scores least
    RELATIVE = auto()  # the one that changes the weights least, each as a share of itself


def by_group(rows: Reduced, candidate: Candidate) -> Vector:
    """Return one multiplier for each group of samples."""
    m = rows.n_groups
    a = candidate.a[:m].copy()
    if len(candidate.a) > m:  # the rows that bound the slacks stand for the same samples
        a += candidate.a[m:]
    return np.asarray(a)


def rounding(rows: Reduced, candidate: Candidate) -> float:
    """Return how large the rounding errors of the margins may be."""
    used = np.flatnonzero(candidate.a)
    squares = (rows.Z[used] ** 2).sum(axis=1) if rows.linear else np.diag(rows.K)[used]
    length = np.sqrt(np.maximum(squares, 0.0))
    pull = float(np.abs(candidate.a[used]) @ length)
    return ROUNDING * pull * float(length.max(initial=0.0))


def repaired(
    rows: Reduced, candidate: Candidate, metric: Metric
) -> tuple[Vector, float, Vector | None]:
    """Return coefficients of the groups, the intercept, and the weights of a linear kernel.

    f = sum a_j K(x_j, .) + b here, without the half of the multipliers.
    """
    a = 0.5 * by_group(rows, candidate)
    if rows.linear:
        weights, b = _moved(rows, candidate, metric, rows.Z, rows.Z[: rows.n_groups].T @ a)
        return a, b, weights
    if rows.n_rows > MOST_ROWS:
        return a, candidate.b, None
    m = rows.n_groups
    values, vectors = np.linalg.eigh(rows.K[:m, :m])
    kept = values > RANK * values.max(initial=0.0)
    root = np.sqrt(values[kept])
    Z = np.tile(vectors[:, kept] * root, (rows.n_rows // m, 1))
    weights, b = _moved(rows, candidate, metric, Z, Z[:m].T @ a)
    return vectors[:, kept] @ (weights / root), b, None


def _moved(
    rows: Reduced, candidate: Candidate, metric: Metric, Z: Vector, weights: Vector
) -> tuple[Vector, float]:
    """Return weights and intercept with which all rows but the wrong ones have their margins."""
    b = candidate.b
    held = np.zeros(rows.n_rows, dtype=np.bool_)
    for step in range(STEPS):
        missing = rows.target - rows.y * (Z @ weights + b)
        if step == 0:
            held = ~candidate.wrong & (candidate.a != 0.0) & (np.abs(missing) <= NEAR)
        below = ~candidate.wrong & (missing > MISSED)
        if step > 0 and not below.any():
            break
        held |= below
        if held.sum() > MOST_HELD * (Z.shape[1] + 1):  # it misses more than rounding errors
            break
        system = np.hstack([Z[held], np.ones((int(held.sum()), 1))])
        unit = _units(metric, np.abs(system).max(axis=0, initial=0.0), np.append(weights, b))
        change, *_ = np.linalg.lstsq(system * unit, (rows.y * missing)[held], rcond=None)
        change *= unit
        weights, b = weights + change[:-1], b + float(change[-1])
    return weights, b


def _units(metric: Metric, size: Vector, weights: Vector) -> Vector:
    """Return what counts as a change by 1 of each weight and of the intercept."""
    even = 1.0 / np.where(size > 0.0, size, 1.0)
    if metric is Metric.EVEN:
        return even
    return np.abs(weights) + SMALL * even * float(np.max(np.abs(weights) * size, initial=0.0))
