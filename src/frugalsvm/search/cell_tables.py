"""What a threshold on the scores gets wrong in each cell, at every place that it can have.

Samples fall into cells by the discrete features of a support. On the scores of its continuous
features, a hyperplane is a threshold in each cell: with the width of its margin, it is two, an
upper one below which positives are lost and a lower one from which on negatives are wrong.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from frugalsvm.compiled import helper
from frugalsvm.search.reduction import Floats, Ints

UPPER_LEAST, UPPER_MOST, LOWER_LEAST, LOWER_MOST = 0, 1, 2, 3
"""The rows of an array of ranges: where the two thresholds of each cell may be."""

EXCESS = 1e-9


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
    """

    first: Ints
    order: Ints
    counts: Ints
    values: Floats
    lost: Floats
    wrong: Floats


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
        first, order, np.zeros(number, np.int64), np.empty(n), np.empty(room), np.empty(room)
    )


@helper
def _sort(order: Ints, scores: Floats, first: int, last: int) -> None:
    """Sort order[first:last] by score; fast where it is nearly sorted."""
    step = 1
    while 9 * step < last - first:
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
def tabulate(tables: Tables, scores: Floats, n_pos: int, weight: Ints) -> None:
    """Fill in the tables for the samples' scores."""
    first, order, values = tables.first, tables.order, tables.values
    for c in range(len(tables.counts)):
        _sort(order, scores, first[c], first[c + 1])
        negatives = 0.0
        for a in range(first[c], first[c + 1]):
            if order[a] >= n_pos:
                negatives += weight[order[a]]
        at = first[c] + c
        tables.lost[at], tables.wrong[at] = 0.0, negatives
        count = 0
        for a in range(first[c], first[c + 1]):
            i = order[a]
            if count == 0 or values[first[c] + count - 1] != scores[i]:
                values[first[c] + count] = scores[i]
                count += 1
                tables.lost[at + count] = tables.lost[at + count - 1]
                tables.wrong[at + count] = tables.wrong[at + count - 1]
            if i < n_pos:
                tables.lost[at + count] += weight[i]
            else:
                tables.wrong[at + count] -= weight[i]
        tables.counts[c] = count


@helper
def all_places(tables: Tables, ranges: Ints) -> None:
    """Let the thresholds be anywhere."""
    for c in range(len(tables.counts)):
        ranges[UPPER_LEAST, c], ranges[UPPER_MOST, c] = 0, tables.counts[c]
        ranges[LOWER_LEAST, c], ranges[LOWER_MOST, c] = 0, tables.counts[c]


@helper
def upper_loss(tables: Tables, ranges: Ints, c: int, j: int, multiplier: float) -> float:
    """Return the least loss of cell c with its upper threshold at place j."""
    at = tables.first[c] + c
    low = min(j, ranges[LOWER_MOST, c])
    return float(multiplier * tables.lost[at + j] + tables.wrong[at + low])


@helper
def lower_loss(tables: Tables, ranges: Ints, c: int, j: int, multiplier: float) -> float:
    """Return the least loss of cell c with its lower threshold at place j."""
    at = tables.first[c] + c
    up = max(j, ranges[UPPER_LEAST, c])
    return float(multiplier * tables.lost[at + up] + tables.wrong[at + j])


@helper
def first_upper(ranges: Ints, c: int) -> int:
    """Return the lowest place that the upper threshold of cell c can have."""
    return int(max(ranges[UPPER_LEAST, c], ranges[LOWER_LEAST, c]))


@helper
def last_lower(ranges: Ints, c: int) -> int:
    """Return the highest place that the lower threshold of cell c can have."""
    return int(min(ranges[LOWER_MOST, c], ranges[UPPER_MOST, c]))


@helper
def least_losses(
    tables: Tables, ranges: Ints, multiplier: float, least: Floats, places: Ints
) -> tuple[float, float]:
    """Fill in the least loss of each cell and its upper place; return the sum and the lost.

    The loss is the multiplier times the lost positives, plus the wrong negatives.
    """
    total, lost = 0.0, 0.0
    for c in range(len(tables.counts)):
        best, place = np.inf, 0
        for j in range(first_upper(ranges, c), ranges[UPPER_MOST, c] + 1):
            loss = upper_loss(tables, ranges, c, j, multiplier)
            if loss < best:
                best, place = loss, j
        least[c], places[c] = best, place
        total += best
        lost += tables.lost[tables.first[c] + c + place]
    return total, lost


@helper
def best_multiplier(
    tables: Tables,
    ranges: Ints,
    start: float,
    budgets: Ints,
    steps: int,
    least: Floats,
    places: Ints,
) -> tuple[float, float]:
    """Return by how much the least losses exceed the budgets, at most, and the multiplier.

    The least losses and places that are filled in are those of this multiplier.
    """
    low, high, multiplier = 0.0, np.inf, start
    best, best_at, last_at = -np.inf, start, start
    for _ in range(steps):
        total, lost = least_losses(tables, ranges, multiplier, least, places)
        last_at = multiplier
        excess = total - multiplier * budgets[0] - budgets[1]
        if excess > best:
            best, best_at = excess, multiplier
        if excess > EXCESS:
            break
        # The bound is concave in the multiplier, with slope lost - budgets[0].
        if lost > budgets[0]:
            low = multiplier
        else:
            high = multiplier
        multiplier = 2.0 * multiplier if np.isinf(high) else 0.5 * (low + high)
    if last_at != best_at:
        least_losses(tables, ranges, best_at, least, places)
    return best, best_at
