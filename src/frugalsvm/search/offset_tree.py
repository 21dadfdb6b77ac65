"""Branch and cut over the thresholds of cells.

A node's bound is that of the linear program with the cuts found so far (`offset_program`). Where
that is not enough and no more cuts are found, a threshold that the solution has here and there is
branched on.
"""

from __future__ import annotations

import numpy as np

from frugalsvm.compiled import helper, inlined, variable
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
from frugalsvm.search.offset_cuts import LEAST_VIOLATION, NONE, Pool, adapt, violation
from frugalsvm.search.offset_program import ROWS, Program, add_row, begin, drop_loose
from frugalsvm.search.offset_separation import ENOUGH, separate
from frugalsvm.search.offset_simplex import EXCEEDED, OPTIMAL, solve
from frugalsvm.search.reduction import Ints

REALISED = 2  # verdict: thresholds that can be had at once and keep the budgets
MULTIPLIER_STEPS = 8
ROUNDS = 60  # of cuts, in one node
LEAST_SHARE = 1e-6
WORTH = 0.5  # of the largest violation


@helper
def _copy_ranges(source: Ints, target: Ints) -> None:
    for kind in range(4):
        for c in range(source.shape[1]):
            target[kind, c] = source[kind, c]


@helper
def _add_violated(program: Program, tables: Tables, pool: Pool) -> int:
    """Add the cuts of the pool that the solution violates most; return how many."""
    most = 0.0
    for k in range(pool.filled[0]):
        if pool.rows[k] == NONE:
            pool.violated[k] = violation(pool, program.elsewhere, k)
            most = max(most, pool.violated[k])
    if most <= LEAST_VIOLATION:
        return 0
    added, least = 0, max(LEAST_VIOLATION, WORTH * most)
    for k in range(pool.filled[0]):
        if added == ENOUGH or program.size[0] == ROWS:
            break
        if pool.rows[k] == NONE and pool.violated[k] >= least:
            add_row(program, tables, pool, k)
            pool.used[k] = True
            added += 1
    return added


@helper
def _cut(
    offsets: Offsets,
    tables: Tables,
    pool: Pool,
    program: Program,
    ranges: Ints,
    budgets: Ints,
    multiplier: float,
    new: bool,
) -> tuple[int, float]:
    """Cut until the bound exceeds the budgets or nothing is found; return verdict and bound.

    The cuts in the pool are of another box if the node is the first one of a new box.
    """
    if not begin(program, tables, pool, ranges, budgets, multiplier):
        return INFEASIBLE, 0.0
    excess = -np.inf
    for _ in range(ROUNDS):
        outcome, excess = solve(program, tables, pool, ranges, budgets, excess)
        if outcome == EXCEEDED:
            return INFEASIBLE, excess
        if outcome != OPTIMAL:
            pool.filled[0] = 0 if new else pool.filled[0]
            break
        if new:
            adapt(pool, offsets, tables, program.elsewhere)
            new = False
        drop_loose(program, pool)
        if _add_violated(program, tables, pool) == 0:
            found, realised = separate(offsets, tables, pool, ranges, budgets, program.elsewhere)
            if realised:
                return REALISED, excess
            if found == 0 or _add_violated(program, tables, pool) == 0:
                break
    return UNDECIDED, excess


@helper
def _push(offsets: Offsets, ranges: Ints, size: int, multiplier: float, c: int) -> int:
    """Put a node whose ranges were changed in cell c on the stack; return its new size."""
    if first_upper(ranges, c) > ranges[UPPER_MOST, c]:
        return size
    if ranges[LOWER_LEAST, c] > last_lower(ranges, c):
        return size
    _copy_ranges(ranges, offsets.stack[size])
    offsets.multipliers[size] = multiplier
    return size + 1


@helper
def _branch(offsets: Offsets, tables: Tables, program: Program, ranges: Ints, size: int) -> int:
    """Branch on the threshold that is elsewhere nearest to half of the time; -1 if none is."""
    elsewhere, half = program.elsewhere, len(program.elsewhere) // 2
    most, cell, place, side = LEAST_SHARE, variable(-1), 0, 0
    for c in range(len(tables.counts)):
        at = tables.first[c] + c
        for j in range(tables.counts[c] + 1):
            for s in range(2):
                share = elsewhere[at + j + s * half]
                if min(share, 1.0 - share) > most:
                    most, cell, place, side = min(share, 1.0 - share), c, j, s
    if cell < 0:
        return -1
    here, there, step = UPPER_MOST, UPPER_LEAST, 1
    if side == 1:
        here, there, step = LOWER_LEAST, LOWER_MOST, -1
    multiplier = program.multiplier[0]
    before = ranges[there, cell]
    ranges[there, cell] = place + step
    size = _push(offsets, ranges, size, multiplier, cell)
    ranges[there, cell] = before
    ranges[here, cell] = place
    return int(_push(offsets, ranges, size, multiplier, cell))


@inlined
def judge_offsets(
    offsets: Offsets,
    tables: Tables,
    pool: Pool,
    program: Program,
    budgets: Ints,
    multiplier: float,
    max_nodes: int,
    hope: float,
    halt: Ints,
) -> tuple[int, int]:
    """Return INFEASIBLE if no offsets keep the budgets, REALISED if some do, or UNDECIDED.

    Also return how many nodes that took.

    If the first node leaves more open than `hope` times what its cuts came to, it is the only one.
    The offsets that were found are in the hull's point, in the order of its rows.
    """
    ranges = np.empty((4, len(offsets.least)), np.int64)
    all_places(tables, offsets.stack[0])
    offsets.multipliers[0] = multiplier
    size, node = 1, 0
    while node < max_nodes and halt[0] == 0:
        size -= 1
        _copy_ranges(offsets.stack[size], ranges)
        multiplier = offsets.multipliers[size]
        excess, multiplier = best_multiplier(
            tables, ranges, multiplier, budgets, MULTIPLIER_STEPS, offsets.least, offsets.places
        )
        if excess <= EXCESS:
            verdict, reached = _cut(
                offsets, tables, pool, program, ranges, budgets, multiplier, node == 0
            )
            if node == 0:
                max_nodes = max_nodes if -reached <= hope * (reached - excess) else 1
            if verdict == REALISED:
                return REALISED, node + 1
            if verdict == UNDECIDED:
                size = _branch(offsets, tables, program, ranges, size)
            if size < 0 or size > STACK - 2:
                break
        node += 1
        if size == 0:
            return INFEASIBLE, node
    return UNDECIDED, node
