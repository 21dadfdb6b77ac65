"""Conflicts that share samples of the scarcer class, charged to the other one.

The class with less left may give up few samples, and each saves only the conflicts that it is
in. What is not saved costs the other class, of which the conflicts share no droppable sample.
"""

from __future__ import annotations

import numpy as np

from frugalsvm.compiled import helper, inlined, variable
from frugalsvm.search.oracles.conflicts.given_up import GONE, Packing, Samples, droppable
from frugalsvm.search.oracles.conflicts.min_norm_point import (
    BARRED,
    CONFLICT,
    USABLE,
    Hull,
    find_conflict,
)
from frugalsvm.search.problem.reduction import Floats, Ints

MOST_USES = 2  # conflicts that may share a sample


@helper
def _charge(
    corral: Ints, m: int, shared: int, samples: Samples, barred: Floats, hits: Ints, uses: Ints
) -> int:
    """Return what a conflict costs the class that is not shared; note whom it may be saved by."""
    value = samples.left[1 - shared] + 1
    for i in range(m):
        j = corral[i]
        if samples.side[j] != shared and droppable(samples, j):
            value = min(value, samples.weight[j])
            barred[j] = BARRED
    for i in range(m):
        j = corral[i]
        if samples.side[j] == shared and droppable(samples, j):
            hits[j] += value
            uses[j] += 1
            barred[j] = USABLE if uses[j] < MOST_USES else BARRED
    return int(value)


@helper
def _saved(hits: Ints, count: int, number: int) -> int:
    """Return the sum of the largest hits, so many of them."""
    total, above = 0, 1 << 60
    while number > 0:
        largest, times = 0, 0
        for j in range(count):
            if hits[j] < above:
                if hits[j] > largest:
                    largest, times = hits[j], 1
                elif hits[j] == largest:
                    times += 1
        if largest == 0:
            break
        total += largest * min(times, number)
        number -= times
        above = largest
    return total


@inlined
def shared_conflicts_exceed(
    hull: Hull, samples: Samples, count: int, packing: Packing, number: int
) -> bool:
    """Return True if conflicts that share samples of one class prove that the budgets are short.

    `number` disjoint conflicts are in `packing`; further ones are looked for.
    """
    left, barred = samples.left, hull.barred
    shared = 0 if left[0] < left[1] else 1
    if left[shared] == 0:
        return False
    hits, uses = np.zeros(count, np.int64), np.zeros(count, np.int64)
    for j in range(count):
        if samples.status[j] != GONE and samples.side[j] == shared:
            barred[j] = USABLE
    total = 0
    for c in range(number):
        members, m = packing.corrals[c], packing.sizes[c]
        total += _charge(members, m, shared, samples, barred, hits, uses)
    for _ in range(left[0] + left[1] + 2):
        outcome, m = find_conflict(hull, count, variable(0))
        if outcome != CONFLICT:
            return False
        total += _charge(hull.corral, m, shared, samples, barred, hits, uses)
        if total - _saved(hits, count, left[shared]) > left[1 - shared]:
            return True
    return False
