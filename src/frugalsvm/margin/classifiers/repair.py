"""Classifiers whose rounding errors are large, moved to the margins they ought to have.

Multipliers of size A leave errors of A times 1e-16 in the margins, and both a large C and a narrow
gap make them large. The rows at their margins determine the classifier all the same: as equations
in the weights, which need not be large where the multipliers are.
"""

from __future__ import annotations

from enum import Enum, auto

import numpy as np

from frugalsvm.margin.arrays import Floats
from frugalsvm.margin.classifiers.candidates import Candidate
from frugalsvm.margin.rows.reduction import Reduced
from frugalsvm.margin.tuning import (
    MISSED,
    MOST_HELD,
    MOST_REPAIRED,
    MOVES,
    NEAR,
    RANK,
    ROUNDING,
    SMALL_SHARE,
)


class Metric(Enum):
    """Which of the moves that do is the smallest."""

    EVEN = auto()  # the one that changes the rows' scores least
    RELATIVE = auto()  # the one that changes the weights least, each as a share of itself


def by_group(rows: Reduced, candidate: Candidate) -> Floats:
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
) -> tuple[Floats, float, Floats | None]:
    """Return coefficients of the groups, the intercept, and the weights of a linear kernel.

    f = sum a_j K(x_j, .) + b here, without the half of the multipliers.
    """
    a = 0.5 * by_group(rows, candidate)
    if rows.linear:
        weights, b = _moved(rows, candidate, metric, rows.Z, rows.Z[: rows.n_groups].T @ a)
        return a, b, weights
    if rows.n_rows > MOST_REPAIRED:
        return a, candidate.b, None
    m = rows.n_groups
    values, vectors = np.linalg.eigh(rows.K[:m, :m])
    kept = values > RANK * values.max(initial=0.0)
    root = np.sqrt(values[kept])
    Z = np.tile(vectors[:, kept] * root, (rows.n_rows // m, 1))
    weights, b = _moved(rows, candidate, metric, Z, Z[:m].T @ a)
    return vectors[:, kept] @ (weights / root), b, None


def _moved(
    rows: Reduced, candidate: Candidate, metric: Metric, Z: Floats, weights: Floats
) -> tuple[Floats, float]:
    """Return weights and intercept with which all rows but the wrong ones have their margins."""
    b = candidate.b
    held = np.zeros(rows.n_rows, dtype=np.bool_)
    for step in range(MOVES):
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


def _units(metric: Metric, size: Floats, weights: Floats) -> Floats:
    """Return what counts as a change by 1 of each weight and of the intercept."""
    even = 1.0 / np.where(size > 0.0, size, 1.0)
    if metric is Metric.EVEN:
        return even
    return np.abs(weights) + SMALL_SHARE * even * float(np.max(np.abs(weights) * size, initial=0.0))
