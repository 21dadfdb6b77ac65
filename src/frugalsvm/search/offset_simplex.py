"""A dual simplex method for the linear program over thresholds.

A basis has multipliers with which every key is the best choice of its cell. A share or slack that
is negative leaves it; the multipliers go on, and the bound up, until another choice is as good as
its key and enters. A key with a negative share becomes one of the other choices of its cell first.
"""

from __future__ import annotations

import numpy as np

from frugalsvm.compiled import helper, variable
from frugalsvm.search.cell_tables import (
    EXCESS,
    LOWER_LEAST,
    LOWER_MOST,
    UPPER_MOST,
    Tables,
    first_upper,
)
from frugalsvm.search.offset_bound import add_up, bound, cost_all
from frugalsvm.search.offset_cuts import Pool
from frugalsvm.search.offset_program import NEGATIVE, SLACK, Program, entry_change
from frugalsvm.search.reduction import Ints

MOST_PIVOTS = 300  # of one solution
PIVOT = 1e-7  # the least slope of what enters the basis
BEYOND = 1e-6  # a bound that suffices
FAR = 1e3  # along a ray of multipliers

OPTIMAL, EXCEEDED, FAILED = 1, 2, 0


@helper
def _weigh_keys(program: Program) -> None:
    """Find the shares of the keys."""
    for c in range(len(program.key_value)):
        program.key_value[c] = 1.0
    for r in range(program.size[0]):
        if program.cell[r] != SLACK:
            program.key_value[program.cell[r]] -= program.value[r]


@helper
def _swap_key(program: Program, c: int) -> int:
    """Make the largest basic choice of a cell its key; return where the key is basic now."""
    position, most = -1, 0.0
    for r in range(program.size[0]):
        if program.cell[r] == c and program.value[r] > most:
            position, most = r, program.value[r]
    m, inverse = program.size[0], program.inverse
    for r in range(m):
        if program.cell[r] == c and r != position:
            for i in range(m):
                inverse[position, i] += inverse[r, i]
    for i in range(m):
        inverse[position, i] = -inverse[position, i]
    upper, lower = program.upper[position], program.lower[position]
    program.upper[position], program.lower[position] = program.key_upper[c], program.key_lower[c]
    program.key_upper[c], program.key_lower[c] = upper, lower
    value = program.value[position]
    program.value[position], program.key_value[c] = program.key_value[c], value
    return position


@helper
def _leaving(program: Program) -> int:
    """Return the position of the most negative share or slack, -1 if there is none."""
    position, least = -1, -NEGATIVE
    for r in range(program.size[0]):
        if program.value[r] < least:
            position, least = r, program.value[r]
    _weigh_keys(program)
    cell = variable(-1)
    for c in range(len(program.key_value)):
        if program.key_value[c] < least:
            cell, least = c, program.key_value[c]
    return _swap_key(program, cell) if cell >= 0 else position


@helper
def _list_choices(program: Program, tables: Tables, ranges: Ints) -> None:
    """List the choices that may enter the basis, cell by cell.

    A place is better than the next one below it by fewer wrong negatives, or because a cut ends
    there; and better than the next one above it, likewise, by fewer lost positives. The thresholds
    of a cell are apart only where cuts or ranges end.
    """
    half, n = len(program.cost) // 2, 0
    room = len(program.choice_cell) - 1
    lost, wrong, marked = tables.lost, tables.wrong, program.marked
    for c in range(len(tables.counts)):
        at = tables.first[c] + c
        down = half + at
        first, last = first_upper(ranges, c), ranges[UPPER_MOST, c]
        least, most = ranges[LOWER_LEAST, c], ranges[LOWER_MOST, c]
        for j in range(first, last + 1):
            lower = min(j, most)
            fewer = j == first or wrong[at + j] < wrong[at + j - 1]
            fewer = fewer and (j == last or lost[at + j] < lost[at + j + 1])
            beyond = marked[at + j] > 0
            if fewer or beyond or marked[down + j] > 0 or j == most:
                program.choice_cell[n] = c
                program.choice_upper[n], program.choice_lower[n] = at + j, down + lower
                n = min(n + 1, room)
            if beyond or j == first:
                for low in range(least, lower):
                    if marked[down + low] > 0:
                        program.choice_cell[n] = c
                        program.choice_upper[n], program.choice_lower[n] = at + j, down + low
                        n = min(n + 1, room)
    program.size[1] = n


@helper
def _entering(program: Program, tables: Tables, r: int) -> tuple[float, int, int, int]:
    """Return how far the multipliers can go along row r of the inverse, and what enters then."""
    cost, slope = program.cost, program.slope
    uppers, lowers, cells = program.choice_upper, program.choice_lower, program.choice_cell
    nearest, row, choice = np.inf, -1, -1
    for i in range(program.size[0]):
        steep = -program.inverse[r, i]
        if steep > PIVOT and program.multiplier[i] < nearest * steep:
            nearest, row = max(0.0, program.multiplier[i]) / steep, i
    half = len(cost) // 2
    before, key_cost, key_slope = -1, 0.0, 0.0
    for q in range(program.size[1]):
        if cells[q] != before:
            before = cells[q]
            at = tables.first[before] + before
            upper, lower = at + program.key_upper[before], half + at + program.key_lower[before]
            key_cost, key_slope = cost[upper] + cost[lower], slope[upper] + slope[lower]
        steep = key_slope - slope[uppers[q]] - slope[lowers[q]]
        if steep > PIVOT:
            dearer = cost[uppers[q]] + cost[lowers[q]] - key_cost
            if dearer < nearest * steep:
                nearest, choice = max(0.0, dearer) / steep, q
    if choice < 0:
        return nearest, SLACK, row, 0
    c = cells[choice]
    at = tables.first[c] + c
    return nearest, c, uppers[choice] - at, lowers[choice] - half - at


@helper
def _pivot(
    program: Program, tables: Tables, pool: Pool, r: int, cell: int, upper: int, lower: int
) -> bool:
    """Let a choice or slack enter the basis at position r; False if it nearly depends on it."""
    m, inverse, entering = program.size[0], program.inverse, program.entering
    if cell == SLACK:
        for a in range(m):
            entering[a] = inverse[a, upper]
    if cell != SLACK:
        choice, key = program.choices[0], program.choices[1]
        choice[0], choice[1] = upper, lower
        key[0], key[1] = program.key_upper[cell], program.key_lower[cell]
        at, down = tables.first[cell] + cell, len(tables.counts) + cell
        fewer = tables.lost[at + upper] - tables.lost[at + key[0]]
        for a in range(m):
            entering[a] = fewer * inverse[a, 0]
        for i in range(1, m):
            k = program.cut[i]
            entry = entry_change(
                pool.columns[k], pool.places[k], pool.sizes[k], cell, down, choice, key
            )
            if entry != 0:
                for a in range(m):
                    entering[a] += entry * inverse[a, i]
    if entering[r] > -PIVOT:
        return False
    value = program.value[r] / entering[r]
    row = program.row
    for i in range(m):
        row[i] = inverse[r, i] / entering[r]
        inverse[r, i] = row[i]
    for a in range(m):
        if a != r and entering[a] != 0.0:
            factor, other = entering[a], inverse[a]
            program.value[a] -= value * factor
            for i in range(m):
                other[i] -= factor * row[i]
    program.value[r] = value
    program.cell[r], program.upper[r], program.lower[r] = cell, upper, lower
    return True


@helper
def _share_out(program: Program, tables: Tables) -> None:
    """Find how often the solution has thresholds beyond each place."""
    elsewhere, half = program.elsewhere, len(program.elsewhere) // 2
    for j in range(len(elsewhere)):
        elsewhere[j] = 0.0
    for r in range(-len(program.key_value), program.size[0]):
        c = -r - 1
        share, upper, lower = 0.0, 0, 0
        if r < 0:
            share, upper, lower = program.key_value[c], program.key_upper[c], program.key_lower[c]
        elif program.cell[r] != SLACK:
            c = program.cell[r]
            share, upper, lower = program.value[r], program.upper[r], program.lower[r]
        if share > 0.0:
            at = tables.first[c] + c
            for j in range(at, at + upper):
                elsewhere[j] += share
            for j in range(half + at + lower + 1, half + at + tables.counts[c] + 1):
                elsewhere[j] += share


@helper
def solve(
    program: Program, tables: Tables, pool: Pool, ranges: Ints, budgets: Ints, excess: float
) -> tuple[int, float]:
    """Solve the program from its basis, which has a bound; return an outcome and the new bound.

    OPTIMAL: the solution is there. EXCEEDED: the budgets cannot be kept.
    """
    cost, slope = program.cost, program.slope
    cost_all(program, tables, pool)
    _list_choices(program, tables, ranges)
    outcome = FAILED
    for _ in range(MOST_PIVOTS):
        r = _leaving(program)
        if r < 0:
            outcome = OPTIMAL
            break
        add_up(program, tables, pool, program.inverse[r], slope)
        step, cell, upper, lower = _entering(program, tables, r)
        ray = step == np.inf
        step = FAR if ray else step
        for i in range(program.size[0]):
            program.multiplier[i] += step * program.inverse[r, i]
        if ray:
            break
        for j in range(len(cost)):
            cost[j] += step * slope[j]
        excess -= step * program.value[r]
        if excess > BEYOND or not _pivot(program, tables, pool, r, cell, upper, lower):
            break
    excess = bound(program, tables, pool, ranges, budgets)
    if excess > EXCESS:
        return EXCEEDED, excess
    if outcome == OPTIMAL:
        _share_out(program, tables)
    return outcome, excess
