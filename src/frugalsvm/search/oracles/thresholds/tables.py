"""What a threshold on the scores gets wrong in each cell, at every place that it can have.

Samples fall into cells by the discrete features of a support. On the scores of its continuous
features, a hyperplane is a threshold in each cell: positives below it are lost, negatives from it
on are wrong.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from frugalsvm.runtime.compiled import helper, without_nan
from frugalsvm.search.problem.reduction import Floats, Ints

EXCESS, ROUNDING = 1e-9, 1e-11  # that proves; and of sums over all samples, far above theirs
BUCKETS, SPAN = 1024, 8.0  # of rough scores, and how many mean scores they span
MANY = 2000  # samples of a cell that insertion alone would sort too slowly
CLOSE = 0.01  # samples: a bound this near to the best one is good enough


class Tables(NamedTuple):
    """The scores of each cell in order, and the errors of a threshold at each place.

    A threshold at place j of a cell is above the cell's first j values.

    Attributes
    ----------
    first : ndarray of int64 of shape (n_cells + 1,)
        The samples of cell c are ``order[first[c]:first[c + 1]]``.
    order : ndarray of int64 of shape (n_samples,)
        The samples, cell by cell, by ascending score.
    counts : ndarray of int64 of shape (n_cells,)
        The number of different values in each cell, which is its last place.
    values : ndarray of shape (n_samples,)
        Those values, from ``first[c]`` on.
    lost, wrong : ndarray of shape (n_samples + n_cells,)
        The weight of positives below place j and of negatives from it on, at
        ``first[c] + c + j``.
    cells : ndarray of int64 of shape (n_samples,)
        The samples' cells.
    rough, filled, starts : ndarray of int64
        Room to sort in.
    """

    first: Ints
    order: Ints
    counts: Ints
    values: Floats
    lost: Floats
    wrong: Floats
    cells: Ints
    rough: Ints
    filled: Ints
    starts: Ints


@helper
def empty_tables(cells: Ints, number: int) -> Tables:
    """Return tables with the samples sorted by cell, for scores that are to come."""
    n = len(cells)
    first = np.zeros(number + 1, np.int64)
    for c in cells:
        first[c + 1] += 1
    for c in range(number):
        first[c + 1] += first[c]
    filled, order = first.copy(), np.empty(n, np.int64)
    for i in range(n):
        order[filled[cells[i]]] = i
        filled[cells[i]] += 1
    room = n + number
    return Tables(
        first,
        order,
        np.zeros(number, np.int64),
        np.empty(n),
        np.empty(room),
        np.empty(room),
        cells,
        np.empty((2, n), np.int64),
        filled,
        np.empty(BUCKETS + 1, np.int64),
    )


@helper
def _sort(order: Ints, scores: Floats, first: int, last: int) -> None:
    """Sort order[first:last], nearly sorted, by score."""
    step = 1
    while MANY * step < last - first:
        step = 3 * step + 1
    while step > 0:
        for a in range(first + step, last):
            i = order[a]
            place = a
            while place - step >= first and scores[order[place - step]] > scores[i]:
                order[place] = order[place - step]
                place -= step
            order[place] = i
        step //= 3


@helper
def _presort(tables: Tables, scores: Floats) -> None:
    """Sort the samples by cell, and by rough scores in each."""
    n, starts, bucket, rough = len(scores), tables.starts, tables.rough[0], tables.rough[1]
    total = 0.0
    for i in range(n):
        total += abs(scores[i])
    scale = BUCKETS / SPAN * n / (total + 1e-200)
    for b in range(BUCKETS + 1):
        starts[b] = 0
    for i in range(n):
        bucket[i] = int(min(BUCKETS - 1.0, max(0.0, 0.5 * BUCKETS + scale * scores[i])))
        starts[bucket[i] + 1] += 1
    for b in range(BUCKETS):
        starts[b + 1] += starts[b]
    for i in range(n):
        rough[starts[bucket[i]]] = i
        starts[bucket[i]] += 1
    for c in range(len(tables.counts)):
        tables.filled[c] = tables.first[c]
    for i in rough:
        c = tables.cells[i]
        tables.order[tables.filled[c]] = i
        tables.filled[c] += 1


@helper
def tabulate(tables: Tables, scores: Floats, n_pos: int, weight: Ints) -> None:
    """Fill in the tables for the samples' scores."""
    first, order, values = tables.first, tables.order, tables.values
    _presort(tables, scores)
    for c in range(len(tables.counts)):
        _sort(order, scores, first[c], first[c + 1])
        lost, wrong, last = 0.0, 0.0, np.nan
        value, at = first[c], first[c] + c
        for a in range(first[c], first[c + 1]):
            i = order[a]
            if scores[i] != last:
                last = scores[i]
                values[value], tables.lost[at], tables.wrong[at] = last, lost, wrong
                value, at = value + 1, at + 1
            positive = weight[i] * (i < n_pos)
            lost += positive
            wrong += positive - weight[i]
        tables.lost[at], tables.wrong[at] = lost, wrong
        tables.counts[c] = value - first[c]
        for j in range(first[c] + c, at + 1):
            tables.wrong[j] -= wrong


@without_nan
def _least(lost: Floats, wrong: Floats, first: int, last: int, multiplier: float) -> float:
    """Return the least loss of a threshold at the places from first to last."""
    least = np.inf
    for j in range(first, last + 1):
        least = min(least, multiplier * lost[j] + wrong[j])
    return least


@helper
def least_losses(
    tables: Tables, multiplier: float, least: Floats, places: Ints
) -> tuple[float, float]:
    """Fill in the least loss of each cell and its place; return the sum and the lost.

    The loss is the multiplier times the lost positives, plus the wrong negatives.
    """
    total, lost = 0.0, 0.0
    for c in range(len(tables.counts)):
        at, place = tables.first[c] + c, 0
        least[c] = _least(tables.lost, tables.wrong, at, at + tables.counts[c], multiplier)
        while (
            place < tables.counts[c]
            and multiplier * tables.lost[at + place] + tables.wrong[at + place] > least[c]
        ):
            place += 1
        places[c] = place
        total += least[c]
        lost += tables.lost[at + place]
    return total, lost


@helper
def best_multiplier(
    tables: Tables,
    start: float,
    budgets: Ints,
    steps: int,
    least: Floats,
    places: Ints,
) -> tuple[float, float]:
    """Return by how much the least losses exceed the budgets, at most, and the multiplier.

    What rounding may have added is deducted. The least losses and places that are filled in are
    those of this multiplier.
    """
    # The bound is concave in the multiplier, with slope lost - budgets[0]: of the lines that touch
    # it, the nearest one on each side of the best multiplier is kept, and where they meet is next.
    low, low_bound, low_slope = 0.0, 0.0, np.inf
    high, high_bound, high_slope = np.inf, 0.0, 0.0
    multiplier = start
    best, best_at, last_at = -np.inf, start, start
    for _ in range(steps):
        total, lost = least_losses(tables, multiplier, least, places)
        last_at = multiplier
        afforded = multiplier * budgets[0] + budgets[1]
        excess = total - afforded - ROUNDING * afforded
        if excess > best:
            best, best_at = excess, multiplier
        if excess > EXCESS:
            break
        slope = lost - budgets[0]
        if slope > 0.0:
            low, low_bound, low_slope = multiplier, excess, slope
        else:
            high, high_bound, high_slope = multiplier, excess, slope
        if np.isinf(high):
            multiplier = 2.0 * multiplier
        elif np.isinf(low_slope):
            multiplier = 0.5 * multiplier
        else:
            gained = high_bound - high_slope * (high - low) - low_bound
            multiplier = low + gained / (low_slope - high_slope)
            if low_bound + low_slope * (multiplier - low) <= best + CLOSE:
                break
    if last_at != best_at:
        least_losses(tables, best_at, least, places)
    return best, best_at
