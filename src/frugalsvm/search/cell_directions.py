"""Cells with several continuous features: boxes of directions, a threshold of its own per cell.

A box of directions of the continuous features bounds every sample's score by an interval. In
each cell the positives are given their highest scores and the negatives their lowest, and the
best threshold of the cell is taken: more than any hyperplane with such a direction can do. If
even that exceeds the budgets in every box, the support is infeasible.
"""

from __future__ import annotations

import numpy as np

from frugalsvm.compiled import helper
from frugalsvm.search.cells import least_loss
from frugalsvm.search.directions import open_faces, push_halves
from frugalsvm.search.reduction import Floats, Ints
from frugalsvm.search.selection import sort_indices

MOST_DEPTH = 40
STEPS = 8


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
def cell_directions_exceed(
    points: Floats,
    cells: Ints,
    number: int,
    n_pos: int,
    weight: Ints,
    budget_pos: int,
    budget_neg: int,
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
    running, best, last = np.empty(number), np.empty(number), np.empty(number)
    best_pos, pos_below = np.empty(number, np.int64), np.empty(number, np.int64)
    scores, order = np.empty(n), np.empty(n, np.int64)
    negatives = 0
    for i in range(n_pos, n):
        negatives += weight[i]
    for _ in range(max_nodes):
        if halt[0] != 0:
            return False
        size -= 1
        center, radius = centers[size].copy(), radii[size].copy()
        multiplier, depth = multipliers[size], depths[size]
        _optimistic(points, cells, means, n_pos, center, radius, scores)
        sort_indices(scores, order, n)
        low, high, exceeded = 0.0, np.inf, False
        for _step in range(STEPS):
            total, lost = least_loss(
                scores,
                order,
                1,
                cells,
                number,
                n_pos,
                weight,
                multiplier,
                running,
                best,
                best_pos,
                pos_below,
                last,
            )
            if negatives + total - multiplier * budget_pos > budget_neg + 1e-9:
                exceeded = True
                break
            if lost > budget_pos:
                low = multiplier
            else:
                high = multiplier
            multiplier = 2.0 * multiplier if np.isinf(high) else 0.5 * (low + high)
        if not exceeded:
            if depth == MOST_DEPTH:
                return False
            size = push_halves(centers, radii, size, center, radius)
            for box in (size - 2, size - 1):
                multipliers[box], depths[box] = multiplier, depth + 1
        if size == 0:
            return True
    return False
