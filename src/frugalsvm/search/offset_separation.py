"""Looking for cuts where the linear program's solution is.

Among the thresholds that are hardly ever elsewhere in it, conflicts are looked for as among samples
(`wolfe`); then among those that are elsewhere a little more often, and so on.
"""

from __future__ import annotations

import numpy as np

from frugalsvm.compiled import helper, variable
from frugalsvm.search.cell_offsets import Offsets, ask, keeps, write_values
from frugalsvm.search.cell_tables import Tables
from frugalsvm.search.copying import copy_into
from frugalsvm.search.offset_cuts import (
    LEAST_VIOLATION,
    NONE,
    SIZE,
    Pool,
    move,
    strengthen,
    violation,
)
from frugalsvm.search.reduction import Floats, Ints
from frugalsvm.search.wolfe import BARRED, CONFLICT, SEPARATED, find_conflict

LEVELS = 7  # of how often a threshold may be elsewhere
MOST_LOOKS = 30  # at one level
ENOUGH = 20  # cuts at a time
CLOSER = 10  # looks in other units
LEAST_PART = 1e-3  # of the largest coordinate


@helper
def _collect(pool: Pool, offsets: Offsets, tables: Tables, m: int, k: int) -> bool:
    """Make the thresholds in a corral of m columns cut k; False if it has no room to be adapted."""
    hull, number = offsets.hull, len(offsets.places)
    size = variable(0)
    for i in range(m):
        column = hull.corral[i]
        if column < 2 * number:
            pool.columns[k, size], pool.weights[k, size] = column, hull.lam[i]
            move(pool, tables, k, size, offsets.at[column])
            size += 1
    pool.sizes[k] = size
    return bool(size + (hull.rows.shape[1] - 2 * number) // 2 < len(hull.corral))


@helper
def _dearest(pool: Pool, elsewhere: Floats, k: int) -> int:
    """Return the threshold of cut k that is elsewhere most often."""
    most, dropped = -1.0, 0
    for i in range(pool.sizes[k]):
        often = elsewhere[pool.slots[k, i]] + 1e-6 * pool.weights[k, i]
        if often > most:
            most, dropped = often, pool.columns[k, i]
    return dropped


@helper
def _add(
    pool: Pool, offsets: Offsets, tables: Tables, m: int, elsewhere: Floats
) -> tuple[bool, int]:
    """Add the conflict in a corral of m columns; True if it cuts the solution off.

    Also return the threshold to do without next.
    """
    hull, number = offsets.hull, len(offsets.places)
    k = pool.filled[1]
    while pool.rows[k] != NONE:
        k = (k + 1) % SIZE
    adaptable = _collect(pool, offsets, tables, m, k)
    dropped = _dearest(pool, elsewhere, k)
    saved = hull.corral[:m].copy(), hull.lam[:m].copy()
    adaptable = adaptable and strengthen(pool, offsets, tables, elsewhere, k)
    cuts = violation(pool, elsewhere, k) > LEAST_VIOLATION
    if not (adaptable and cuts):
        copy_into(saved[0], hull.corral)
        copy_into(saved[1], hull.lam)
        _collect(pool, offsets, tables, m, k)
        adaptable, cuts = False, violation(pool, elsewhere, k) > LEAST_VIOLATION
    copy_into(saved[0], hull.corral)
    copy_into(saved[1], hull.lam)
    for i in range(pool.sizes[k]):
        column = pool.columns[k, i]
        c, sign = (column, 1.0) if column < number else (column - number, -1.0)
        place = tables.first[c] + offsets.at[column] - int(column >= number)
        hull.rows[0, column] = sign * (offsets.middle[c] + tables.values[place])
        if not adaptable:
            pool.weights[k, i] = 0.0
    pool.used[k] = False
    if cuts:
        pool.filled[0], pool.filled[1] = max(pool.filled[0], k + 1), (k + 1) % SIZE
    return cuts, int(dropped)


@helper
def _look_closer(offsets: Offsets) -> tuple[int, int]:
    """Look for a conflict where the nearest point is none, but hardly far enough to be had.

    Whether thresholds can be had is a matter of the largest weight: in the dual, of the sum of the
    point's coordinates. In units of the roots of its coordinates (iteratively reweighted least
    squares), the nearest point comes to have the least sum.
    """
    hull, k = offsets.hull, offsets.values.shape[1]
    first = len(hull.v) - 1 - k
    outcome, m = SEPARATED, variable(0)
    for _ in range(CLOSER):
        largest = 1e-300
        for j in range(len(hull.v) - 1):
            largest = max(largest, abs(hull.v[j]) * hull.units[j])
        for j in range(first, first + k):
            part = abs(hull.v[j]) * hull.units[j] / largest
            hull.units[j] = np.sqrt((part + LEAST_PART) / (abs(hull.v[0]) / largest + LEAST_PART))
        write_values(hull, offsets.values)
        outcome, m = find_conflict(hull, hull.rows.shape[1], variable(0))
        if outcome != SEPARATED:
            break
    return outcome, m


@helper
def separate(
    offsets: Offsets, tables: Tables, pool: Pool, ranges: Ints, budgets: Ints, elsewhere: Floats
) -> tuple[int, bool]:
    """Look for cuts that a solution violates; return how many there are.

    True if the solution can be had, or another one was met that keeps the budgets; the hull's point
    gives its thresholds.
    """
    found, m = 0, variable(0)
    for level in range(LEVELS):
        share = 1e-9 + 0.05 * level * (1.0 + 0.1 * level)
        ask(offsets, tables, ranges, elsewhere, share)
        for _ in range(MOST_LOOKS):
            outcome, m = find_conflict(offsets.hull, offsets.hull.rows.shape[1], m)
            if outcome != CONFLICT:
                if outcome != SEPARATED or not keeps(offsets, tables, budgets):
                    break
                outcome, m = _look_closer(offsets)
                if outcome != CONFLICT:
                    return found, outcome == SEPARATED and keeps(offsets, tables, budgets)
            cuts, dropped = _add(pool, offsets, tables, m, elsewhere)
            found += cuts
            offsets.hull.barred[dropped] = BARRED
        if found >= ENOUGH:
            break
    return found, False
