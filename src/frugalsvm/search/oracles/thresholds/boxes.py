"""Cells with several continuous features: boxes of directions, a threshold of its own per cell.

A box of directions of the continuous features bounds every sample's score by an interval. In
each cell the positives are given their highest scores and the negatives their lowest, and the
best threshold of the cell is taken: more than any hyperplane with such a direction can do. If
even that exceeds the budgets, no direction in the box will do. Where it does not, the box is cut in
halves.

The threshold has the width of the margin floor: with max |w_k| <= 1, samples of one cell that are
both right lie at least the floor apart. Without it, samples that tie on a direction look separable
in every box around it, however small, and features with a heavy value (half of all incomes are
zero) are never ruled out. (The faces are those of the unit cube of the continuous features in
their units, and a box is scaled so that the largest of their weights is 1 or more; where a discrete
feature has the largest weight, the floor is only larger.)
"""

from __future__ import annotations

import numpy as np

from frugalsvm.runtime.compiled import helper, inlined
from frugalsvm.search.oracles.arrays import Arrays
from frugalsvm.search.oracles.direction_boxes import open_faces, push_halves, widest
from frugalsvm.search.oracles.thresholds.origins import (
    empty_origins,
    set_medians,
    set_near_thresholds,
    set_units,
)
from frugalsvm.search.oracles.thresholds.tables import (
    EXCESS,
    best_multiplier,
    empty_tables,
    tabulate,
)
from frugalsvm.search.problem.copying import copy_into
from frugalsvm.search.problem.reduction import Floats, Ints
from frugalsvm.search.verdict import INFEASIBLE, UNDECIDED

MOST_DEPTH = 18  # halvings of a box along each feature
MOST_DOUBTS = 8  # boxes too small to be cut further, about which nothing is known
MULTIPLIER_STEPS = 8
NEARLY_ALL = 0.9  # of the floor is the width of a threshold; the rest is for rounding


@helper
def _optimistic(
    points: Floats,
    cells: Ints,
    origins: Floats,
    n_pos: int,
    center: Floats,
    radius: Floats,
    width: float,
    scores: Floats,
) -> None:
    """Score positives as high and negatives as low as the box allows, relative to their cell.

    A threshold of some width is one without it for positives that are lower by it.
    """
    for i in range(len(points)):
        total, spread = 0.0, 0.0
        for k in range(len(center)):
            offset = points[i, k] - origins[cells[i], k]
            total += center[k] * offset
            spread += radius[k] * abs(offset)
        scores[i] = total + spread - width if i < n_pos else total - spread


@helper
def _scale_box(
    center: Floats, radius: Floats, units: Floats, scaled_center: Floats, scaled_radius: Floats
) -> None:
    """Fill in the box whose directions have a largest weight of just 1 or more, without units."""
    largest = 0.0
    for k in range(len(center)):
        largest = max(largest, (abs(center[k]) - radius[k]) / units[k])
    for k in range(len(center)):
        scaled_center[k], scaled_radius[k] = center[k] / largest, radius[k] / largest


@inlined
def judge_cells(arrays: Arrays, points: Floats, cells: Ints, number: int, max_boxes: int) -> int:
    """Return INFEASIBLE if every direction exceeds the budgets, else UNDECIDED.

    Parameters
    ----------
    points : ndarray of shape (n_samples, c)
        The samples on the continuous features of the support, two or more.
    cells : ndarray of int64 of shape (n_samples,)
        The samples' cells.
    number : int
        How many cells there are.
    """
    n, c = points.shape
    n_pos, width = arrays.n_pos, arrays.floor * NEARLY_ALL
    least, places = np.empty(number), np.empty(number, np.int64)
    tables = empty_tables(cells, number)
    scaled, units = points.copy(), np.ones(c)
    origins = empty_origins(number, c, MOST_DEPTH * (c - 1) + 1)
    set_medians(points, tables, origins[0])
    set_units(scaled, cells, origins[0], units)
    boxes, size = open_faces(c, MOST_DEPTH * c)
    multipliers = np.full(len(boxes.depths), 0.5)
    scores, center, radius = np.empty(n), np.empty(c), np.empty(c)
    doubts = 0
    for _ in range(max_boxes):
        if arrays.halt[0] != 0:
            return UNDECIDED
        size -= 1
        depth = boxes.depths[size]
        _scale_box(boxes.centers[size], boxes.radii[size], units, center, radius)
        origin = origins[min(depth, len(origins) - 1)]
        _optimistic(scaled, cells, origin, n_pos, center, radius, width, scores)
        tabulate(tables, scores, n_pos, arrays.weight)
        excess, multiplier = best_multiplier(
            tables, multipliers[size], arrays.budgets, MULTIPLIER_STEPS, least, places
        )
        if excess <= EXCESS and depth >= MOST_DEPTH * (c - 1):
            doubts += 1  # too small to be cut further
            if doubts > MOST_DOUBTS:
                return UNDECIDED
        elif excess <= EXCESS:
            if depth + 1 < len(origins):
                set_near_thresholds(scaled, tables, scores, places, origins[depth + 1])
            copy_into(boxes.centers[size], center)
            copy_into(boxes.radii[size], radius)
            size = push_halves(boxes, size, center, radius, widest(radius), depth + 1)
            multipliers[size - 2], multipliers[size - 1] = multiplier, multiplier
        if size == 0:
            return UNDECIDED if doubts > 0 else INFEASIBLE
    return UNDECIDED
