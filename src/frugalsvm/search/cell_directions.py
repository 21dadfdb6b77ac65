"""Cells with several continuous features: boxes of directions, a threshold of its own per cell.

A box of directions of the continuous features bounds every sample's score by an interval. In
each cell the positives are given their highest scores and the negatives their lowest, and the
best threshold of the cell is taken: more than any hyperplane with such a direction can do. If
even that exceeds the budgets, no direction in the box will do. Where it does not, the box is cut in
halves; or before that, where halves promise no end, the thresholds are asked to add up
(`cell_offsets`), which is as much work as a hundred boxes.

The threshold has the width of the margin floor: with max |w_k| <= 1, samples of one cell that are
both right lie at least the floor apart. Without it, samples that tie on a direction look separable
in every box around it, however small, and features with a heavy value (half of all incomes are
zero) are never ruled out. (The faces are those of the unit cube of the continuous features in
their units, and a box is scaled so that the largest of their weights is 1 or more; where a discrete
feature has the largest weight, the floor is only larger.)
"""

from __future__ import annotations

import numpy as np

from frugalsvm.compiled import helper, inlined
from frugalsvm.search.arrays import Arrays
from frugalsvm.search.cell_offsets import LONG, Offsets, offsets_of, set_box
from frugalsvm.search.cell_origins import (
    empty_origins,
    set_medians,
    set_near_thresholds,
    set_units,
)
from frugalsvm.search.cell_tables import (
    EXCESS,
    all_places,
    best_multiplier,
    empty_tables,
    tabulate,
)
from frugalsvm.search.copying import copy_into
from frugalsvm.search.directions import (
    FEASIBLE,
    INFEASIBLE,
    UNDECIDED,
    open_faces,
    push_halves,
)
from frugalsvm.search.offset_cuts import empty_pool
from frugalsvm.search.offset_program import empty_program
from frugalsvm.search.offset_tree import REALISED, judge_offsets
from frugalsvm.search.reduction import Floats, Ints
from frugalsvm.search.selection import gap_of_scores

MOST_DEPTH = 18  # halvings of a box along each feature
MOST_DOUBTS = 8  # boxes too small to be cut further, about which nothing is known
IN_VAIN = 4  # nodes in boxes that they did not rule out, over those that one box may take
MULTIPLIER_STEPS = 8
DEEP = 5  # halvings of a box along each feature after which the offsets are always tried
NODES, GROWTH = 60, 4  # for the offsets at that depth, and how many times more one level deeper
TRUST, MORE, LESS = 3.0, 1.2, 0.9  # what offsets can make up for, and how that changes
HALF_WAY = 1.0  # nodes are spent on what cuts leave open, if it is at most what they gave
NEARLY_ALL = 0.9  # of the floor is for the tables, where they are all there is
IN_TABLES = 0.5  # of the floor, where there are boxes; the rest is for the offsets
LESS_IN_TABLES, MANY_BOXES = 0.1, 5000  # where so many are allowed: what is left is near the floor


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
def _range(points: Floats, floor: float) -> float:
    """Return how far apart two scores can be, for weights of at most 1.

    If they are all alike it is as if they could be far apart: the weight is of no consequence, and
    what is asked of it (`cell_offsets`) can be had.
    """
    total = 0.0
    for k in range(points.shape[1]):
        least, most = np.inf, -np.inf
        for i in range(len(points)):
            least, most = min(least, points[i, k]), max(most, points[i, k])
        total += most - least
    return total if total > 0.0 else max(1.0, floor)


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


@helper
def _take_direction(
    offsets: Offsets, center: Floats, radius: Floats, free: int, units: Floats, direction: Floats
) -> None:
    """Fill in the direction at the point of the offsets' hull, as it is without units."""
    v, c = offsets.hull.v, len(center)
    for k in range(c):
        direction[k] = v[0] * center[k]
    for k in range(free):
        direction[k] += v[1 + k] * radius[k]
    for k in range(c):
        direction[k] /= units[k]
    for k in range(1 + free, len(v) - 1):
        direction[c + k - 1 - free] = v[k] / offsets.hull.units[k]


@helper
def _allowed(depth: int, c: int) -> int:
    """Return the nodes that the offsets of a box may take.

    Large boxes are better cut in halves. In small ones the bound is that of one direction, and
    halves have no better one.
    """
    level = depth // (c - 1) - DEEP
    return int(NODES * GROWTH**level if level >= 0 else 1 + depth)


@inlined
def judge_cells(
    arrays: Arrays,
    points: Floats,
    values: Floats,
    cells: Ints,
    max_boxes: int,
    offset_nodes: int | None,
    alone: bool,
    direction: Floats,
) -> int:
    """Return INFEASIBLE if every direction exceeds the budgets, FEASIBLE with one that does not.

    Parameters
    ----------
    points : ndarray of shape (n_samples, c)
        The samples on the continuous features of the support.
    values : ndarray of shape (n_cells, k)
        The values of the discrete ones in each cell.
    cells : ndarray of int64 of shape (n_samples,)
        The samples' cells.
    offset_nodes : int or None
        Nodes for thresholds that add up, for a single continuous feature; None: they need not,
        and that part is not even compiled.
    alone : bool
        Whether the discrete features might do without the continuous ones, which are then judged
        without weight (`points` zero) and with it, one after the other.
    direction : ndarray of at least c + k floats
        Receives the direction that meets the budgets, continuous features first; or, of those that
        were met and keep them with less than the floor, the one with the widest gap.
    """
    n, c = points.shape
    number = len(values)
    n_pos = arrays.n_pos
    weightless = alone and not np.any(points)
    floor = arrays.floor * (1.0 - 1.0 / LONG) if weightless else arrays.floor
    share, free, hope = (0.0, 0, np.inf) if c == 1 else (NEARLY_ALL, c, HALF_WAY)
    if c > 1 and offset_nodes is not None:
        share = IN_TABLES if max_boxes <= MANY_BOXES else LESS_IN_TABLES
    least, places = np.empty(number), np.empty(number, np.int64)
    tables = empty_tables(cells, number)
    scaled, units = points.copy(), np.ones(c)
    origins = empty_origins(number, c, MOST_DEPTH * (c - 1) + 1)
    if c > 1:
        set_medians(points, tables, origins[0])
        set_units(scaled, cells, origins[0], units)
    if offset_nodes is not None:
        reach = _range(scaled, floor)
        offsets = offsets_of(values, free, reach, floor, share, alone, least, places)
        pool = empty_pool(len(offsets.hull.corral))
        program = empty_program(number, n)
    anywhere = np.empty((4, number), np.int64)
    capacity = 2 * c + MOST_DEPTH * c + 4
    centers, radii = np.zeros((capacity, c)), np.ones((capacity, c))
    multipliers, before = np.full(capacity, 0.5), np.full(capacity, np.inf)
    depths, scores = np.zeros(capacity, np.int64), np.empty(n)
    center, radius = np.empty(c), np.empty(c)
    size = open_faces(centers, radii)
    trust, doubts, spent, widest = TRUST, 0, 0, 0.0
    met = np.zeros(len(direction))
    for _ in range(max_boxes):
        if arrays.halt[0] != 0:
            return UNDECIDED
        size -= 1
        depth = depths[size]
        _scale_box(centers[size], radii[size], units, center, radius)
        origin = origins[min(depth, len(origins) - 1)]
        _optimistic(scaled, cells, origin, n_pos, center, radius, floor * share, scores)
        tabulate(tables, scores, n_pos, arrays.weight)
        all_places(tables, anywhere)
        excess, multiplier = best_multiplier(
            tables, anywhere, multipliers[size], arrays.budgets, MULTIPLIER_STEPS, least, places
        )
        if excess <= EXCESS:
            verdict, short = UNDECIDED, -excess
            limit = short - (c - 1) * (before[size] - short)
            if offset_nodes is not None and (
                c == 1 or depth >= DEEP * (c - 1) or (limit > 0.0 and short <= trust)
            ):
                set_box(offsets, origin, center, radius, free)
                nodes = offset_nodes if c == 1 else min(offset_nodes, _allowed(depth, c))
                verdict, used = judge_offsets(
                    offsets, tables, pool, program, arrays.budgets, multiplier, nodes, hope,
                    arrays.halt,
                )  # fmt: skip
                proven = verdict == INFEASIBLE
                spent += 0 if proven else used
                trust = max(trust, MORE * short) if proven else min(trust, LESS * short)
                if verdict == REALISED:
                    _take_direction(offsets, center, radius, free, units, met)
                    gap = _gap(arrays, points, values, cells, met)
                    if gap > widest:
                        widest = gap
                        copy_into(met, direction)
                    if gap >= arrays.floor:
                        return FEASIBLE
                if c > 1 and spent > IN_VAIN * offset_nodes:
                    return UNDECIDED
            if verdict != INFEASIBLE and depth >= MOST_DEPTH * (c - 1):
                doubts += 1  # too small to be cut further
                if doubts > MOST_DOUBTS:
                    return UNDECIDED
            elif verdict != INFEASIBLE:
                if depth + 1 < len(origins):
                    set_near_thresholds(scaled, tables, scores, places, origins[depth + 1])
                copy_into(centers[size], center)
                copy_into(radii[size], radius)
                size = push_halves(centers, radii, size, center, radius)
                for box in (size - 2, size - 1):
                    multipliers[box], depths[box], before[box] = multiplier, depth + 1, short
        if size == 0:
            return UNDECIDED if doubts > 0 else INFEASIBLE
    return UNDECIDED


@helper
def _gap(arrays: Arrays, points: Floats, values: Floats, cells: Ints, direction: Floats) -> float:
    """Return the gap of a direction, for a largest weight of 1."""
    c, scores = points.shape[1], np.empty(len(points))
    largest = 1e-300
    for k in range(c + values.shape[1]):
        largest = max(largest, abs(direction[k]))
    for i in range(len(points)):
        scores[i] = 0.0
        for k in range(c):
            scores[i] += direction[k] * points[i, k]
        for k in range(values.shape[1]):
            scores[i] += direction[c + k] * values[cells[i], k]
    gap = gap_of_scores(scores, arrays.weight, arrays.n_pos, arrays.needs[0], arrays.needs[1])
    return float(gap / largest)
