"""The kernels that judge supports one after the other, each with one oracle."""

from __future__ import annotations

import numpy as np

from frugalsvm.runtime.compiled import helper, inlined, kernel
from frugalsvm.search.oracles.arrays import Arrays
from frugalsvm.search.oracles.coincidence import assign_cells, cells_exceed, thresholds_exceed
from frugalsvm.search.oracles.conflicts.branching import branch_conflicts
from frugalsvm.search.oracles.conflicts.given_up import Packing
from frugalsvm.search.oracles.directions import OnSupport, search_directions
from frugalsvm.search.oracles.thresholds.boxes import judge_cells
from frugalsvm.search.oracles.thresholds.freed import Freed, begin, free_others, set_counts
from frugalsvm.search.problem.copying import copy_into
from frugalsvm.search.problem.reduction import Floats, Ints
from frugalsvm.search.tuning import MOST_DIRECTIONS
from frugalsvm.search.verdict import INFEASIBLE, UNDECIDED

WORKING_SET = 120
"""Samples that the conflicts are looked for in, at first."""


@helper
def _gather(columns: Floats, chosen: Ints, samples: Ints, count: int) -> Floats:
    """Return the samples on the chosen features, one row a sample."""
    d = len(chosen)
    points = np.empty((count, d))
    for k in range(d):
        column = columns[chosen[k]]
        for i in range(count):
            points[i, k] = column[samples[i]]
    return points


@inlined
def _judge_by_cells(
    arrays: Arrays, counts: Ints, boxes: int, chosen: Ints, cells: Ints, firsts: Ints
) -> int:
    """Judge a support by the cells of its discrete features, those with counts above 0."""
    continuous, several = np.empty(len(chosen), np.int64), 0
    for k in chosen:
        if counts[k] == 0:
            continuous[several] = k
            several += 1
    if several == len(chosen):
        return UNDECIDED
    number = assign_cells(arrays.codes, counts, chosen, cells, firsts)
    n_pos, weight, budgets = arrays.n_pos, arrays.weight, arrays.budgets
    if number < 0 or not cells_exceed(cells, number, n_pos, weight, budgets[0], budgets[1]):
        return UNDECIDED
    if several == 0:
        return INFEASIBLE
    if several == 1:
        column, order = arrays.columns[continuous[0]], arrays.orders[continuous[0]]
        exceeded = thresholds_exceed(
            column, order, cells, number, n_pos, weight, budgets[0], budgets[1]
        )
        return INFEASIBLE if exceeded else UNDECIDED
    for i in range(len(cells)):
        firsts[i] = i
    points = _gather(arrays.columns, continuous[:several], firsts, len(cells))
    return int(judge_cells(arrays, points, cells, number, boxes))


@kernel
def by_cells(arrays: Arrays, boxes: int, rows: Ints, sizes: Ints, verdicts: Ints) -> None:
    """Judge the undecided supports by the cells of their discrete features.

    The thresholds of the cells are free of each other, where those of a hyperplane add up from
    feature to feature. So with boxes to spare some discrete features are freed: they join the
    continuous ones, whose weights are the same in all cells, and the cells of the others remain.
    """
    n = arrays.columns.shape[1]
    cells, firsts = np.empty(n, np.int64), np.empty(n, np.int64)
    counts, several = arrays.counts.copy(), len(arrays.counts)
    freed = Freed(np.empty(several, np.int64), np.empty(several, np.int64), np.empty(4, np.int64))
    for r in range(len(rows)):
        if verdicts[r] != UNDECIDED:
            continue
        chosen = rows[r, : sizes[r]]
        begin(freed, arrays.counts, chosen)
        left = True
        while left and verdicts[r] == UNDECIDED and arrays.halt[0] == 0:
            set_counts(freed, arrays.counts, counts)
            share = max(1, boxes // freed.many[0])
            verdicts[r] = _judge_by_cells(arrays, counts, share, chosen, cells, firsts)
            left = free_others(freed, boxes)


@helper
def _merge_cells(
    cells: Ints, number: int, n_pos: int, weight: Ints, samples: Ints, merged: Ints
) -> tuple[int, int]:
    """Merge samples of one class and cell; return how many are left, and how many positives.

    `samples` receives a representative of each, positives first, `merged` their weights.
    """
    place = np.full(number, -1, np.int64)
    count = 0
    positives = 0
    for i in range(len(cells)):
        if i == n_pos:
            positives = count
            for c in range(number):
                place[c] = -1
        c = cells[i]
        if place[c] < 0:
            place[c] = count
            samples[count] = i
            merged[count] = 0
            count += 1
        merged[place[c]] += weight[i]
    return count, positives


@helper
def _signed_points(points: Floats, n_pos: int, rows: Floats, side: Ints) -> None:
    """Fill in y_i (x_i, 1) as columns, and the classes."""
    n, d = points.shape
    for i in range(n):
        y = 1.0 if i < n_pos else -1.0
        for k in range(d):
            rows[k, i] = y * points[i, k]
        rows[d, i] = y
        side[i] = 0 if i < n_pos else 1


@helper
def _hard_rows(arrays: Arrays, chosen: Ints, rows: Floats, side: Ints, mass: Ints) -> None:
    """Fill in y_i (x_i, 1) as columns, the hardest samples first, with classes and weights."""
    d = len(chosen)
    for k in range(d):
        copy_into(arrays.signed[chosen[k]], rows[k])
    for i in range(len(side)):
        side[i] = arrays.side[i]
        mass[i] = arrays.mass[i]
        rows[d, i] = 1.0 - 2.0 * side[i]


@helper
def _shrink(
    arrays: Arrays, coded: bool, chosen: Ints, cells: Ints, samples: Ints, mass: Ints
) -> tuple[int, int]:
    """Merge the samples that coincide if all features are discrete.

    Return how many samples are left and how many of them are positive; 0 and 0 if the features
    are not all discrete, and nothing was done.
    """
    if not coded:
        return 0, 0
    for k in chosen:
        if arrays.counts[k] == 0:
            return 0, 0
    number = assign_cells(arrays.codes, arrays.counts, chosen, cells, samples)
    if number < 0:
        return 0, 0
    count, positives = _merge_cells(cells, number, arrays.n_pos, arrays.weight, samples, mass)
    return int(count), int(positives)


@helper
def _shrunken_rows(
    arrays: Arrays,
    coded: bool,
    chosen: Ints,
    cells: Ints,
    samples: Ints,
    rows: Floats,
    side: Ints,
    mass: Ints,
) -> int:
    """Fill in merged samples as columns; return how many they are, 0 if nothing was done."""
    count, positives = _shrink(arrays, coded, chosen, cells, samples, mass)
    if count > 0:
        points = _gather(arrays.columns, chosen, samples, count)
        _signed_points(points, positives, rows, side)
    return int(count)


@kernel
def by_conflicts(
    arrays: Arrays,
    coded: bool | None,
    max_nodes: int,
    rows: Ints,
    sizes: Ints,
    verdicts: Ints,
    directions: Floats,
) -> int:
    """Judge the undecided supports by conflicts; return the nodes opened.

    Where no feature is discrete, `coded` is None, and what merges samples is not compiled.
    """
    n = arrays.columns.shape[1]
    cells, samples = np.empty(n, np.int64), np.empty(n, np.int64)
    side, mass = np.empty(n, np.int64), np.empty(n, np.int64)
    room = arrays.budgets[0] + arrays.budgets[1] + 2
    width = rows.shape[1] + 4
    packing = Packing(
        np.zeros((room, width), np.int64), np.zeros((room, width)), np.zeros(room, np.int64)
    )
    space = np.empty((rows.shape[1] + 1, n))
    total = 0
    for r in range(len(rows)):
        if verdicts[r] != UNDECIDED:
            continue
        chosen = rows[r, : sizes[r]]
        d = len(chosen)
        count = 0
        if coded is not None:
            count = _shrunken_rows(arrays, coded, chosen, cells, samples, space, side, mass)
        if count > 0:
            packing.sizes[:] = 0
        else:
            count = n
            _hard_rows(arrays, chosen, space, side, mass)
        verdicts[r], nodes = branch_conflicts(
            arrays,
            space[: d + 1],
            side[:count],
            mass[:count],
            min(WORKING_SET, count),
            max_nodes,
            packing,
            directions[r, :d],
        )
        total += nodes
    return total


@helper
def _on_support(
    arrays: Arrays, coded: bool | None, chosen: Ints, cells: Ints, samples: Ints, mass: Ints
) -> OnSupport:
    """Return the samples on a support, merged where they coincide if all features are discrete."""
    count, positives = 0, 0
    if coded is not None:
        count, positives = _shrink(arrays, coded, chosen, cells, samples, mass)
    if count == 0:
        count, positives = len(cells), arrays.n_pos
        for i in range(count):
            samples[i] = i
            mass[i] = arrays.weight[i]
    points = _gather(arrays.columns, chosen, samples, count)
    needs = arrays.needs
    return OnSupport(points, positives, mass[:count], needs[0], needs[1], arrays.floor)


@kernel
def on_support(arrays: Arrays, coded: bool | None, chosen: Ints) -> OnSupport:
    """Return the samples on a support, for a search of its own."""
    n = arrays.columns.shape[1]
    cells, samples, mass = np.empty(n, np.int64), np.empty(n, np.int64), np.empty(n, np.int64)
    on: OnSupport = _on_support(arrays, coded, chosen, cells, samples, mass)
    return on


@kernel
def by_directions(
    arrays: Arrays,
    coded: bool | None,
    max_boxes: int,
    rows: Ints,
    sizes: Ints,
    verdicts: Ints,
    directions: Floats,
) -> int:
    """Judge the undecided supports of few features by directions; return the boxes opened."""
    n = arrays.columns.shape[1]
    cells, samples, mass = np.empty(n, np.int64), np.empty(n, np.int64), np.empty(n, np.int64)
    total = 0
    for r in range(len(rows)):
        if verdicts[r] != UNDECIDED or sizes[r] > MOST_DIRECTIONS:
            continue
        chosen = rows[r, : sizes[r]]
        on = _on_support(arrays, coded, chosen, cells, samples, mass)
        found = directions[r, : len(chosen)]
        verdicts[r], boxes = search_directions(on, max_boxes, arrays.halt, found)
        total += boxes
    return total
