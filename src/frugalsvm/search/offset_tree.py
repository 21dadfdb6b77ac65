"""Branch and bound over the thresholds of cells, by the conflicts among them.

A node's bound is the least losses of its cells and a packing of conflicts. Where that is not
enough, a conflict is branched on: one of its thresholds has to be elsewhere, and those before it
need not.
"""

from __future__ import annotations

import numpy as np

from frugalsvm.compiled import helper, kernel
from frugalsvm.search.cell_offsets import STACK, Offsets
from frugalsvm.search.cell_tables import (
    EXCESS,
    LOWER_LEAST,
    LOWER_MOST,
    UPPER_LEAST,
    UPPER_MOST,
    Tables,
    all_places,
    best_multiplier,
    first_upper,
    last_lower,
)
from frugalsvm.search.directions import INFEASIBLE, UNDECIDED
from frugalsvm.search.offset_pack import REALISED, keeps, pack_best
from frugalsvm.search.offset_pool import Pool, forget
from frugalsvm.search.reduction import Ints

MULTIPLIER_STEPS = 4
ROOT_TRIALS, TRIALS = 6, 3  # multipliers, in the first node and in the others
CHILD = 0.1  # the work that every child is, beside what its bound leaves open


@helper
def _keep(offsets: Offsets, pool: Pool, k: int) -> int:
    """Keep a conflict of the pool for branching, the dearest regret first; return its size."""
    for i in range(pool.sizes[k]):
        regret = offsets.regret[pool.slots[k, i]]
        place = i
        while place > 0 and offsets.kept_regret[place - 1] < regret:
            offsets.kept[place] = offsets.kept[place - 1]
            offsets.kept_at[place] = offsets.kept_at[place - 1]
            offsets.kept_regret[place] = offsets.kept_regret[place - 1]
            place -= 1
        offsets.kept[place] = pool.columns[k, i]
        offsets.kept_at[place] = pool.places[k, i]
        offsets.kept_regret[place] = regret
    return int(pool.sizes[k])


@helper
def _choose(offsets: Offsets, pool: Pool, left: float) -> int:
    """Keep the conflict with the fewest and dearest ways out; return its size, 0 if none is there.

    Each way out that costs less than what is left is a child, and the less it costs the larger.
    """
    best, least = -1, np.inf
    for k in range(pool.filled[0]):
        if pool.useful[k]:
            work = 0.0
            for i in range(pool.sizes[k]):
                regret = offsets.regret[pool.slots[k, i]]
                if regret < left:
                    work += CHILD + 1.0 - regret / left
            if work < least:
                best, least = k, work
    return _keep(offsets, pool, best) if best >= 0 else 0


@helper
def _copy_ranges(source: Ints, target: Ints) -> None:
    for kind in range(4):
        for c in range(source.shape[1]):
            target[kind, c] = source[kind, c]


@helper
def _possible(ranges: Ints, c: int) -> bool:
    """Return True if the thresholds of cell c have a place."""
    return bool(
        first_upper(ranges, c) <= ranges[UPPER_MOST, c]
        and ranges[LOWER_LEAST, c] <= last_lower(ranges, c)
    )


@helper
def _push(offsets: Offsets, ranges: Ints, size: int, multiplier: float, c: int) -> int:
    """Put a node whose ranges were changed in cell c on the stack; return its new size."""
    if not _possible(ranges, c):
        return size
    _copy_ranges(ranges, offsets.stack[size])
    offsets.multipliers[size] = multiplier
    return size + 1


@helper
def _branch(
    offsets: Offsets, ranges: Ints, size: int, members: int, left: float, multiplier: float
) -> int:
    """Put the ways out of the kept conflict on the stack; return its new size.

    In each one, one threshold is elsewhere and those before it are where they were asked to be.
    """
    number = len(offsets.least)
    for i in range(members):
        column, place = offsets.kept[i], offsets.kept_at[i]
        c = column % number
        inside, outside, step = UPPER_MOST, UPPER_LEAST, 1
        if column >= number:
            inside, outside, step = LOWER_LEAST, LOWER_MOST, -1
        if offsets.kept_regret[i] < left:
            before = ranges[outside, c]
            beyond = place + step
            ranges[outside, c] = max(before, beyond) if step > 0 else min(before, beyond)
            size = _push(offsets, ranges, size, multiplier, c)
            ranges[outside, c] = before
        before = ranges[inside, c]
        ranges[inside, c] = min(before, place) if step > 0 else max(before, place)
        if not _possible(ranges, c):
            break
    return size


@helper
def _cut(
    offsets: Offsets, ranges: Ints, size: int, multiplier: float, c: int, least: int, place: int
) -> int:
    """Cut a range of cell c, whose row of least places is given, after a place."""
    before = ranges[least, c]
    ranges[least, c] = place + 1
    size = _push(offsets, ranges, size, multiplier, c)
    ranges[least, c] = before
    ranges[least + 1, c] = place
    return int(_push(offsets, ranges, size, multiplier, c))


@helper
def _split(offsets: Offsets, ranges: Ints, size: int, multiplier: float) -> int:
    """Cut the range of a threshold in two; return the stack's new size, -1: nothing to cut.

    For nodes whose best thresholds can be had at once, but spend the budgets unevenly. Places of
    the same loss spend them differently: where there are such, that range is cut, else the widest.
    """
    number, at = len(offsets.least), offsets.at
    widest, width, kind, place = 0, 0, UPPER_LEAST, 0
    for c in range(number):
        least, most = max(first_upper(ranges, c), at[number + c]), at[c]
        if most - least > width:
            widest, width, kind, place = c, most - least, UPPER_LEAST, (least + most) // 2
        least, most = at[number + c], min(last_lower(ranges, c), at[c])
        if most - least > width:
            widest, width, kind, place = c, most - least, LOWER_LEAST, (least + most) // 2
    if width == 0:
        for c in range(number):
            most = ranges[UPPER_MOST, c]
            if most - first_upper(ranges, c) > width:
                widest, width = c, most - first_upper(ranges, c)
                kind, place = UPPER_LEAST, min(offsets.places[c], most - 1)
            least = ranges[LOWER_LEAST, c]
            if last_lower(ranges, c) - least > width:
                widest, width = c, last_lower(ranges, c) - least
                kind, place = LOWER_LEAST, max(least, at[number + c] - 1)
    if width == 0:
        return -1
    return int(_cut(offsets, ranges, size, multiplier, widest, kind, place))


@kernel
def judge_offsets(
    offsets: Offsets,
    tables: Tables,
    pool: Pool,
    budgets: Ints,
    multiplier: float,
    max_nodes: int,
    hope: float,
    halt: Ints,
) -> tuple[int, float, float]:
    """Return INFEASIBLE if no offsets keep the budgets, REALISED if some do, or UNDECIDED.

    If the first node leaves more open than `hope` times what its conflicts came to, it is the only
    one. The other numbers are what they came to, and the first node's multiplier. The offsets that
    were found are in the hull's point, in the order of its rows.
    """
    ranges = np.empty((4, len(offsets.least)), np.int64)
    forget(pool)
    all_places(tables, offsets.stack[0])
    offsets.multipliers[0] = multiplier
    size, gain, first_multiplier = 1, 0.0, multiplier
    node = 0
    while node < max_nodes and halt[0] == 0:
        size -= 1
        _copy_ranges(offsets.stack[size], ranges)
        multiplier = offsets.multipliers[size]
        excess, _ = best_multiplier(
            tables, ranges, multiplier, budgets, MULTIPLIER_STEPS, offsets.least, offsets.places
        )
        if excess <= EXCESS:
            trials = ROOT_TRIALS if node == 0 else TRIALS
            verdict, left, multiplier = pack_best(
                offsets, tables, pool, ranges, multiplier, budgets, trials
            )
            if node == 0:
                gain, first_multiplier = -excess - left, multiplier
                max_nodes = max_nodes if left <= hope * gain else 1
            if verdict == REALISED:
                if keeps(offsets, tables, budgets):
                    return REALISED, gain, first_multiplier
                size = _split(offsets, ranges, size, multiplier)
            elif verdict == UNDECIDED:
                members = _choose(offsets, pool, left)
                if members == 0:
                    break
                size = _branch(offsets, ranges, size, members, left, multiplier)
            if size < 0 or size > STACK - len(offsets.kept) - 2:
                break
        node += 1
        if size == 0:
            return INFEASIBLE, gain, first_multiplier
    return UNDECIDED, gain, first_multiplier
