"""A better packing of conflicts: give one back where others can be charged more instead.

Conflicts are packed one after the other, and each one takes all that it can get. The best packing
is a linear program; these exchanges come near it at the price of some packings.
"""

from __future__ import annotations

from frugalsvm.compiled import helper
from frugalsvm.search.cell_offsets import Offsets
from frugalsvm.search.cell_tables import EXCESS, Tables
from frugalsvm.search.offset_pool import Pool, dearest, spend, value
from frugalsvm.search.reduction import Floats, Ints

MOST_FILLS = 20  # conflicts charged instead of one
SWEEPS = 3  # over all conflicts
LEAST_GAIN = 1e-6


@helper
def _copy(source: Floats, first: int, target: Floats, at: int, count: int) -> None:
    """Copy numbers; a loop compiles faster than slices."""
    for i in range(count):
        target[at + i] = source[first + i]


@helper
def _save(offsets: Offsets, pool: Pool) -> None:
    """Put all charges aside."""
    room = len(offsets.upper)
    _copy(offsets.upper, 0, pool.saved, 0, room)
    _copy(offsets.lower, 0, pool.saved, room, room)
    _copy(offsets.regret, 0, pool.saved, 2 * room, 2 * room)
    _copy(pool.spent, 0, pool.saved, 4 * room, len(pool.spent))


@helper
def _restore(offsets: Offsets, pool: Pool) -> None:
    """Take the charges that were put aside."""
    room = len(offsets.upper)
    _copy(pool.saved, 0, offsets.upper, 0, room)
    _copy(pool.saved, room, offsets.lower, 0, room)
    _copy(pool.saved, 2 * room, offsets.regret, 0, 2 * room)
    _copy(pool.saved, 4 * room, pool.spent, 0, len(pool.spent))


@helper
def _fill(offsets: Offsets, tables: Tables, pool: Pool, ranges: Ints, last: int) -> float:
    """Charge what can be charged, one conflict last; return how much that is."""
    total = 0.0
    for k in range(pool.filled[0]):
        value(pool, offsets, k)
    pool.charges[last] = 0.0
    for _ in range(MOST_FILLS):
        k = dearest(pool, offsets, EXCESS)
        if k < 0:
            break
        total += pool.charges[k]
        spend(pool, offsets, tables, ranges, k, pool.charges[k])
    value(pool, offsets, last)
    total += pool.charges[last]
    spend(pool, offsets, tables, ranges, last, pool.charges[last])
    return float(total)


@helper
def exchange(offsets: Offsets, tables: Tables, pool: Pool, ranges: Ints, left: float) -> float:
    """Exchange single conflicts for others; return what is left open then, 0 if nothing is."""
    for _ in range(SWEEPS):
        before = left
        for k in range(pool.filled[0]):
            spent = pool.spent[k]
            if spent <= EXCESS:
                continue
            _save(offsets, pool)
            spend(pool, offsets, tables, ranges, k, -spent)
            gained = _fill(offsets, tables, pool, ranges, k) - spent
            if gained >= left:
                return 0.0
            if gained > LEAST_GAIN:
                left -= gained
            else:
                _restore(offsets, pool)
        if before - left <= LEAST_GAIN:
            break
    return left
