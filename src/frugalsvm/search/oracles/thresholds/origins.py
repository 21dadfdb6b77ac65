"""Where the scores of a cell are measured from, and in which units.

A box of directions leaves a score uncertain by the box's size times the sample's distance from the
origin. Every cell may have an origin of its own, and every box others: the nearer to the samples
about which the thresholds are in doubt, the better the bounds. The features' units are free, too:
a feature with a few large values varies little for most samples, and in units of what is usual its
weights need no finer boxes than those of the others.
"""

from __future__ import annotations

import numpy as np

from frugalsvm.runtime.compiled import helper
from frugalsvm.search.oracles.thresholds.tables import Tables
from frugalsvm.search.problem.order_statistics import kth_smallest
from frugalsvm.search.problem.reduction import Floats, Ints

SMALLEST_UNIT = 0.05
LARGEST_UNIT = 1.0  # with larger ones the floor would have to be lower
NEARBY = 2, 10  # samples on each side of a threshold, and one of so many more
MOST_KEPT = 2_000_000  # numbers


@helper
def empty_origins(number: int, c: int, depths: int) -> Floats:
    """Make room for the origins of all cells at so many depths, or at fewer if that is too much."""
    return np.zeros((max(1, min(depths, MOST_KEPT // (number * c))), number, c))


@helper
def set_medians(points: Floats, tables: Tables, origins: Floats) -> None:
    """Measure from the medians of each cell."""
    values, ones = np.empty(len(points)), np.ones(len(points), np.int64)
    for cell in range(len(origins)):
        first, last = tables.first[cell], tables.first[cell + 1]
        for k in range(points.shape[1]):
            for a in range(first, last):
                values[a - first] = points[tables.order[a], k]
            count = last - first
            origins[cell, k] = kth_smallest(values, ones, count, count // 2 + 1)


@helper
def set_units(points: Floats, cells: Ints, origins: Floats, units: Floats) -> None:
    """Fill in how far samples are from the origins on average, and measure in that."""
    n, c = points.shape
    for k in range(c):
        total = 0.0
        for i in range(n):
            total += abs(points[i, k] - origins[cells[i], k])
        units[k] = min(LARGEST_UNIT, max(SMALLEST_UNIT, total / n))
        for i in range(n):
            points[i, k] /= units[k]
        for cell in range(len(origins)):
            origins[cell, k] /= units[k]


@helper
def set_near_thresholds(
    points: Floats, tables: Tables, scores: Floats, places: Ints, origins: Floats
) -> None:
    """Measure from the medians of the samples nearest to thresholds at these places."""
    order, values = tables.order, np.empty(len(points))
    ones = np.ones(len(points), np.int64)
    for cell in range(len(places)):
        first, last = tables.first[cell], tables.first[cell + 1]
        at = first
        if places[cell] < tables.counts[cell]:
            threshold = tables.values[first + places[cell]]
            while at < last and scores[order[at]] < threshold:
                at += 1
        else:
            at = last
        reach = NEARBY[0] + (last - first) // NEARBY[1]
        low, high = max(first, at - reach), min(last, at + reach)
        for k in range(points.shape[1]):
            for a in range(low, high):
                values[a - low] = points[order[a], k]
            count = high - low
            origins[cell, k] = kth_smallest(values, ones, count, count // 2 + 1)
