"""Cells with several continuous features: boxes of directions, a threshold of its own per cell.

A box of directions of the continuous features bounds every sample's score by an interval. In
each cell the positives are given their highest scores and the negatives their lowest, and the
best threshold of the cell is taken: more than any hyperplane with such a direction can do. If
even that exceeds the budgets in every box, the support is infeasible.

The threshold has the width of the margin floor: with max |w_k| <= 1, samples of one cell that are
both right lie at least the floor apart. Without it, samples that tie on a direction look separable
in every box around it, however small, and features with a heavy value (half of all incomes are
zero) are never ruled out. (The faces are those of the continuous features' unit cube; where a
discrete feature has the largest weight, their scale is smaller and the floor only larger.)
"""

from __future__ import annotations

import numpy as np

from frugalsvm.compiled import helper
from frugalsvm.search.cells import least_loss
from frugalsvm.search.directions import open_faces, push_halves
from frugalsvm.search.reduction import Floats, Ints
from frugalsvm.search.selection import sort_indices

MOST_DEPTH = 60
STEPS = 8
SAFETY = 1e-6  # relative; the floor is taken a little narrower


@helper
def _cell_means(points: Floats, cells: Ints, number: int) -> Floats:
    """Return the mean of each cell: scores are bounded best near an origin among the samples."""
    c = points.shape[1]
    means, sizes = np.zeros((number, c)), np.zeros(number)
    for i in range(len(cells)):
        sizes[cells[i]] += 1.0
        for k in range(c):
            means[cells[i], k] += points[i, k]
    for cell in range(number):
        for k in range(c):
            means[cell, k] /= sizes[cell]
    return means


@helper
def _optimistic(
    points: Floats,
    cells: Ints,
    means: Floats,
    n_pos: int,
    center: Floats,
    radius: Floats,
    scores: Floats,
) -> None:
    """Score positives as high and negatives as low as the box allows, relative to their cell."""
    for i in range(len(points)):
        total, spread = 0.0, 0.0
        for k in range(len(center)):
            offset = points[i, k] - means[cells[i], k]
            total += center[k] * offset
            spread += radius[k] * abs(offset)
        scores[i] = total + spread if i < n_pos else total - spread


@helper
def _box_exceeds(
    scores: Floats,
    order: Ints,
    cells: Ints,
    number: int,
    n_pos: int,
    weight: Ints,
    budgets: Ints,
    start: float,
    memory: Floats,
    counts: Ints,
) -> tuple[bool, float]:
    """Return True if no thresholds on the scores, one a cell, fit; and the last multiplier."""
    negatives = 0
    for i in range(n_pos, len(weight)):
        negatives += weight[i]
    low, high, multiplier = 0.0, np.inf, start
    for _ in range(STEPS):
        total, lost = least_loss(
            scores, order, 1, cells, number, n_pos, weight, multiplier,
            memory[0], memory[1], counts[0], counts[1], memory[2],
        )  # fmt: skip
        if negatives + total - multiplier * budgets[0] > budgets[1] + 1e-9:
            return True, multiplier
        # The bound is concave in the multiplier, with slope lost - budgets[0].
        if lost > budgets[0]:
            low = multiplier
        else:
            high = multiplier
        multiplier = 2.0 * multiplier if np.isinf(high) else 0.5 * (low + high)
    return False, multiplier


@helper
def cell_directions_exceed(
    points: Floats,
    cells: Ints,
    number: int,
    n_pos: int,
    weight: Ints,
    budgets: Ints,
    floor: float,
    max_nodes: int,
    halt: Ints,
) -> bool:
    """Return True if every direction exceeds the budgets; False if not, or if it takes too long.

    Parameters
    ----------
    points : ndarray of shape (n_samples, c)
        The samples on the continuous features of the support.
    cells : ndarray of int64 of shape (n_samples,)
        Their cells by the discrete features.
    """
    n, c = points.shape
    means = _cell_means(points, cells, number)
    capacity = 2 * c + MOST_DEPTH + 4
    centers, radii = np.zeros((capacity, c)), np.ones((capacity, c))
    multipliers, depths = np.full(capacity, 0.5), np.zeros(capacity, np.int64)
    size = open_faces(centers, radii)
    memory, counts = np.empty((3, number)), np.empty((2, number), np.int64)
    scores, order = np.empty(n), np.empty(n, np.int64)
    for _ in range(max_nodes):
        if halt[0] != 0:
            return False
        size -= 1
        center, radius = centers[size].copy(), radii[size].copy()
        depth = depths[size]
        _optimistic(points, cells, means, n_pos, center, radius, scores)
        for i in range(n_pos):
            scores[i] -= floor * (1.0 - SAFETY)
        sort_indices(scores, order, n)
        exceeded, multiplier = _box_exceeds(
            scores, order, cells, number, n_pos, weight, budgets, multipliers[size], memory, counts
        )
        if not exceeded:
            if depth == MOST_DEPTH:
                return False
            size = push_halves(centers, radii, size, center, radius)
            for box in (size - 2, size - 1):
                multipliers[box], depths[box] = multiplier, depth + 1
        if size == 0:
            return True
    return False
