"""Branch and bound over the thresholds of cells, by the conflicts among them.

Every conflict raises the bound by the least that moving one of its thresholds away costs; what
was charged to a cell once is not charged again. Where that is not enough, a conflict is branched
on: one of its thresholds has to be elsewhere, and those before it need not.
"""

from __future__ import annotations

import numpy as np

from frugalsvm.compiled import helper, kernel
from frugalsvm.search.cell_offsets import STACK, Offsets, look
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
from frugalsvm.search.reduction import Ints
from frugalsvm.search.wolfe import CONFLICT, SEPARATED

MULTIPLIER_STEPS = 4
MOST_CALLS = 60  # conflicts looked for in a node
FINEST = 0.2  # of a sample: levels nearer to the least loss than this are not told from it
REALISED = 2  # verdict: all thresholds can be had at once


@helper
def _members(offsets: Offsets, m: int) -> int:
    """Move the columns of thresholds to the front of a corral of m; return how many they are."""
    corral, last = offsets.hull.corral, 2 * len(offsets.least)
    count = 0
    for i in range(m):
        if corral[i] < last:
            corral[count] = corral[i]
            count += 1
    return count


@helper
def _charge(offsets: Offsets, m: int, room: float) -> float:
    """Charge a conflict of m columns to its cells, if it is less than `room`; return it."""
    number, corral, level = len(offsets.least), offsets.hull.corral, offsets.level
    charge = np.inf
    for i in range(m):
        charge = min(charge, offsets.regret[corral[i]] - level[corral[i] % number])
    if charge < room:
        for i in range(m):
            new = True
            for before in range(i):
                new &= corral[before] % number != corral[i] % number
            if new:
                level[corral[i] % number] += charge
    return float(charge)


@helper
def _keep(offsets: Offsets, m: int) -> None:
    """Keep a conflict of m columns for branching, the dearest regret first."""
    number, corral = len(offsets.least), offsets.hull.corral
    for i in range(m):
        column = corral[i]
        regret = offsets.regret[column] - offsets.least[column % number]
        place = i
        while place > 0 and offsets.kept_regret[place - 1] < regret:
            offsets.kept[place] = offsets.kept[place - 1]
            offsets.kept_at[place] = offsets.kept_at[place - 1]
            offsets.kept_regret[place] = offsets.kept_regret[place - 1]
            place -= 1
        offsets.kept[place] = column
        offsets.kept_at[place] = offsets.at[column]
        offsets.kept_regret[place] = regret


@helper
def _pack(
    offsets: Offsets, tables: Tables, ranges: Ints, room: float, multiplier: float
) -> tuple[int, int, float]:
    """Pack conflicts; return a verdict, the size of the first one, which is kept, and their sum."""
    for c in range(len(offsets.least)):
        offsets.level[c] = offsets.least[c]
    step, left, size = room, room, 0
    for _ in range(MOST_CALLS):
        outcome, m = look(offsets, tables, ranges, step, multiplier)
        if outcome == CONFLICT:
            m = _members(offsets, m)
            if size == 0:
                size = m
                _keep(offsets, m)
            charge = _charge(offsets, m, left)
            if charge >= left:
                return INFEASIBLE, size, room
            left -= charge
            step = min(step, left)
        elif step > 0.0:
            step = 0.5 * step if step > FINEST else 0.0
        else:
            realised = outcome == SEPARATED and size == 0
            return (REALISED if realised else UNDECIDED), size, room - left
    return UNDECIDED, size, room - left


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
    offsets: Offsets, ranges: Ints, size: int, members: int, room: float, multiplier: float
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
        if offsets.kept_regret[i] < room:
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


@helper
def _within(offsets: Offsets, tables: Tables, budgets: Ints) -> bool:
    """Return True if the thresholds at the hull's point keep both budgets, not only their sum."""
    rows, v = offsets.hull.rows, offsets.hull.v
    if v[0] <= 0.0:
        return False
    lost, wrong = 0.0, 0.0
    for c in range(len(offsets.least)):
        offset = 0.0
        for k in range(1, len(v)):
            offset += v[k] * rows[k, c]
        threshold = -offset / v[0] - offsets.middle[c]
        place = 0
        while place < tables.counts[c] and tables.values[tables.first[c] + place] < threshold:
            place += 1
        lost += tables.lost[tables.first[c] + c + place]
        wrong += tables.wrong[tables.first[c] + c + place]
    return bool(lost <= budgets[0] and wrong <= budgets[1])


@kernel
def judge_offsets(
    offsets: Offsets, tables: Tables, budgets: Ints, multiplier: float, max_nodes: int, halt: Ints
) -> tuple[int, float]:
    """Return INFEASIBLE if no offsets keep the budgets, REALISED if some do, or UNDECIDED.

    The second number is what the conflicts of the first node came to.

    The offsets that were found are in the hull's point, in the order of its rows.
    """
    ranges = np.empty((4, len(offsets.least)), np.int64)
    all_places(tables, offsets.stack[0])
    offsets.multipliers[0] = multiplier
    size, gain = 1, 0.0
    for node in range(max_nodes):
        if halt[0] != 0:
            break
        size -= 1
        _copy_ranges(offsets.stack[size], ranges)
        excess, multiplier = best_multiplier(
            tables, ranges, offsets.multipliers[size], budgets, MULTIPLIER_STEPS,
            offsets.least, offsets.places,
        )  # fmt: skip
        if excess <= EXCESS:
            room = 2.0 * EXCESS - excess
            verdict, members, packed = _pack(offsets, tables, ranges, room, multiplier)
            gain = packed if node == 0 else gain
            if verdict == REALISED:
                if _within(offsets, tables, budgets):
                    return REALISED, gain
                size = _split(offsets, ranges, size, multiplier)
            elif verdict == UNDECIDED:
                if members == 0:
                    break
                size = _branch(offsets, ranges, size, members, room, multiplier)
            if size < 0 or size > STACK - len(offsets.kept) - 2:
                break
        if size == 0:
            return INFEASIBLE, gain
    return UNDECIDED, gain
