"""The thresholds of the cells add up: those of all cells follow from a weight per feature.

A cell's threshold is the hyperplane's, less the weights of the discrete features that are on in
it. The best thresholds of the single cells hardly ever come from one set of weights. Those that
do not are found as conflicts are (`wolfe`): "the upper threshold of this cell is at most here" is
a positive sample of that cell that has to be right, "the lower one is above that" a negative one.

Every conflict raises the bound by the least that moving one of its thresholds away costs; what
was charged to a cell once is not charged again. Where that is not enough, a conflict is branched
on: one of its thresholds has to be elsewhere, and those before it need not.

A loss of at most `level` in a cell keeps its upper threshold at or below some value and its lower
one above another, and the two are the margin apart: hence both with half of it to spare. A share
of the floor may be given to the tables; each of the two has half of the rest.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from frugalsvm.compiled import helper, kernel
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
    lower_loss,
    upper_loss,
)
from frugalsvm.search.directions import INFEASIBLE, UNDECIDED
from frugalsvm.search.reduction import Floats, Ints
from frugalsvm.search.wolfe import BARRED, CONFLICT, SEPARATED, USABLE, Hull, find_conflict, hull_of

MULTIPLIER_STEPS = 4
MOST_CALLS = 60  # conflicts looked for in a node
FINEST = 0.2  # of a sample: levels nearer to the least loss than this are not told from it
WIDER = 0.25  # by how much a box is wider for the conflicts
STACK = 400  # nodes that may wait
REALISED = 2  # verdict: all thresholds can be had at once


class Offsets(NamedTuple):
    """Room for the branch and bound over the thresholds of one support.

    Attributes
    ----------
    hull : Hull
        The thresholds as samples: column c asks the upper threshold of cell c to be at most, the
        column ``n_cells + c`` the lower one to be above a value. The next asks the continuous
        features for a weight that can separate anything, the others for directions in the box.
        The rows: the continuous features' common weight, its changes within the box, the
        weights of the discrete features, the threshold.
    middle : ndarray of shape (n_cells,)
        The score of each cell's origin in the middle of the box of directions.
    least, level : ndarray of shape (n_cells,)
        The least loss of each cell, and what was charged to it so far.
    places : ndarray of int64 of shape (n_cells,)
        Where the least loss is.
    regret, at : ndarray of shape (2 * n_cells,)
        The least loss if the threshold of a column is elsewhere, and the place that it is asked to
        be at, at most or at least.
    kept, kept_at : ndarray of int64
        The columns of the conflict to branch on, and their places.
    kept_regret : ndarray of float
        What it costs, beyond the least loss, to have their thresholds elsewhere.
    stack : ndarray of int64 of shape (STACK, 4, n_cells)
        The ranges of nodes that wait.
    multipliers : ndarray of shape (STACK,)
        Their multipliers.
    """

    hull: Hull
    middle: Floats
    least: Floats
    level: Floats
    places: Ints
    regret: Floats
    at: Ints
    kept: Ints
    kept_at: Ints
    kept_regret: Floats
    stack: Ints
    multipliers: Floats


@helper
def offsets_of(
    values: Floats,
    free: int,
    continuous_range: float,
    floor: float,
    share: float,
    least: Floats,
    places: Ints,
) -> Offsets:
    """Make room for a support with these values of its discrete features, a row a cell.

    `free` is the number of features whose weights vary in a box, `share` the part of the floor
    that the tables have; `least` and `places` become the attributes of these names.
    """
    number, k = values.shape
    rows = np.zeros((1 + free + k + 1, 2 * number + 1 + 2 * free))
    for c in range(number):
        for j in range(k):
            at = 1 + free + j
            rows[at, c], rows[at, number + c] = values[c, j], -values[c, j]
        rows[-1, c], rows[-1, number + c] = 1.0, -1.0
    # With less weight than the floor over their range, the continuous features separate nothing.
    margin = 0.5 - 0.5 * share
    rows[0, 2 * number] = continuous_range * margin
    for j in range(free):
        for side in range(2):
            column = 2 * number + 1 + 2 * j + side
            rows[0, column] = continuous_range * margin * (1.0 + WIDER) / WIDER
            rows[1 + j, column] = continuous_range * margin * (1.0 - 2.0 * side) / WIDER
    hull = hull_of(rows, 1.0 / (floor * margin))
    for column in range(2 * number, rows.shape[1]):
        hull.barred[column] = USABLE
    room = len(hull.corral) + 1
    return Offsets(
        hull,
        np.empty(number),
        least,
        np.empty(number),
        places,
        np.empty(2 * number),
        np.empty(2 * number, np.int64),
        np.empty(room, np.int64),
        np.empty(room, np.int64),
        np.empty(room),
        np.empty((STACK, 4, number), np.int64),
        np.empty(STACK),
    )


@helper
def set_box(offsets: Offsets, means: Floats, center: Floats, radius: Floats, free: int) -> None:
    """Take over a box of directions, given the cells' origins."""
    number, rows = len(offsets.least), offsets.hull.rows
    for c in range(number):
        offsets.middle[c] = 0.0
        for k in range(len(center)):
            offsets.middle[c] += center[k] * means[c, k]
        for k in range(free):
            shift = radius[k] * means[c, k]
            rows[1 + k, c], rows[1 + k, number + c] = shift, -shift


@helper
def _ask_upper(
    offsets: Offsets, tables: Tables, ranges: Ints, c: int, level: float, multiplier: float
) -> None:
    """Ask the upper threshold of cell c to be where the loss is at most `level`."""
    highest, beyond = -1, np.inf
    for j in range(ranges[UPPER_MOST, c], first_upper(ranges, c) - 1, -1):
        loss = upper_loss(tables, ranges, c, j, multiplier)
        if loss <= level + EXCESS:
            highest = j
            break
        beyond = min(beyond, loss)
    offsets.regret[c], offsets.at[c] = beyond, highest
    if highest < tables.counts[c]:
        value = tables.values[tables.first[c] + highest]
        offsets.hull.rows[0, c] = offsets.middle[c] + value
        offsets.hull.barred[c] = USABLE
    else:
        offsets.hull.barred[c] = BARRED


@helper
def _ask_lower(
    offsets: Offsets, tables: Tables, ranges: Ints, c: int, level: float, multiplier: float
) -> None:
    """Ask the lower threshold of cell c to be where the loss is at most `level`."""
    column = len(offsets.least) + c
    last = last_lower(ranges, c)
    lowest, beyond = last, np.inf
    for j in range(ranges[LOWER_LEAST, c], last + 1):
        loss = lower_loss(tables, ranges, c, j, multiplier)
        if loss <= level + EXCESS:
            lowest = j
            break
        beyond = min(beyond, loss)
    offsets.regret[column], offsets.at[column] = beyond, lowest
    if lowest > 0:
        value = tables.values[tables.first[c] + lowest - 1]
        offsets.hull.rows[0, column] = -(offsets.middle[c] + value)
        offsets.hull.barred[column] = USABLE
    else:
        offsets.hull.barred[column] = BARRED


@helper
def _look(
    offsets: Offsets, tables: Tables, ranges: Ints, step: float, multiplier: float
) -> tuple[int, int]:
    """Look for a conflict of thresholds that cost at most `step` beyond the levels."""
    number = len(offsets.least)
    for c in range(number):
        level = offsets.level[c] + step
        _ask_upper(offsets, tables, ranges, c, level, multiplier)
        _ask_lower(offsets, tables, ranges, c, level, multiplier)
    outcome, m = find_conflict(offsets.hull, offsets.hull.rows.shape[1], 0)
    return int(outcome), int(m)


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
        outcome, m = _look(offsets, tables, ranges, step, multiplier)
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
def _split(offsets: Offsets, ranges: Ints, size: int, multiplier: float) -> int:
    """Cut the range of an upper threshold in two; return the stack's new size, -1: nothing to cut.

    For nodes whose best thresholds can be had at once, but spend the budgets unevenly. Places of
    the same loss spend them differently: where there are such, that range is cut, else the widest.
    """
    number = len(offsets.least)
    widest, width = 0, 0
    for c in range(number):
        if offsets.at[c] - offsets.at[number + c] > width:
            widest, width = c, offsets.at[c] - offsets.at[number + c]
    place = (offsets.at[widest] + offsets.at[number + widest]) // 2
    if width == 0:
        for c in range(number):
            if ranges[UPPER_MOST, c] - first_upper(ranges, c) > width:
                widest, width = c, ranges[UPPER_MOST, c] - first_upper(ranges, c)
        place = min(offsets.places[widest], ranges[UPPER_MOST, widest] - 1)
    if width == 0:
        return -1
    most = ranges[UPPER_MOST, widest]
    ranges[UPPER_MOST, widest] = place
    size = _push(offsets, ranges, size, multiplier, widest)
    ranges[UPPER_MOST, widest] = most
    ranges[UPPER_LEAST, widest] = place + 1
    return int(_push(offsets, ranges, size, multiplier, widest))


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
