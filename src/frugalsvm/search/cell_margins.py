"""Cells with several continuous features and the margin: what ties cannot tell apart stays so.

As in :mod:`~frugalsvm.search.cell_directions`, a box of directions of the continuous features
bounds every sample's score, and each cell takes its own best threshold. Here the threshold has
the width of the margin floor: with max |w_k| <= 1, samples of one cell that are both right lie
at least the floor apart. Without it, samples that tie on a direction look separable in every
box around it, however small, and features with a heavy value (half of all incomes are zero)
are never ruled out.
"""

from __future__ import annotations

import numpy as np

from frugalsvm.compiled import helper, kernel
from frugalsvm.search.cell_directions import _cell_means, _optimistic
from frugalsvm.search.cells import assign_cells, least_loss
from frugalsvm.search.copying import copy_into
from frugalsvm.search.directions import INFEASIBLE, open_faces, push_halves
from frugalsvm.search.kernels import Arrays
from frugalsvm.search.reduction import Floats, Ints
from frugalsvm.search.selection import sort_indices

MOST_DEPTH = 60
STEPS = 8
SAFETY = 1e-6  # relative; the floor is taken a little narrower


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
def cell_margins_exceed(
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


@kernel
def by_cell_margins(arrays: Arrays, boxes: int, rows: Ints, sizes: Ints, verdicts: Ints) -> None:
    """Mark the supports that cells and the margin prove infeasible."""
    n = arrays.columns.shape[1]
    cells, firsts = np.empty(n, np.int64), np.empty(n, np.int64)
    for r in range(len(rows)):
        chosen = rows[r, : sizes[r]]
        continuous = chosen[arrays.counts[chosen] == 0]
        if len(continuous) == 0 or len(continuous) == len(chosen):
            continue
        number = assign_cells(arrays.codes, arrays.counts, chosen, cells, firsts)
        if number < 0:
            continue
        points = np.empty((n, len(continuous)))
        for k in range(len(continuous)):
            copy_into(arrays.columns[continuous[k]], points[:, k])
        if cell_margins_exceed(
            points, cells, number, arrays.n_pos, arrays.weight, arrays.budgets, arrays.floor,
            boxes, arrays.halt,
        ):  # fmt: skip
            verdicts[r] = INFEASIBLE
