"""The linear program over the thresholds of the cells, with conflicts as cuts.

Each cell chooses a place for its upper and its lower threshold, by shares that add up to one; the
positives that are lost keep within their budget, every cut is kept, and the negatives that are
wrong are as few as can be. One row is the budget, the others are cuts; that the shares of a cell
add up is not a row: one choice of each cell, its key, has what the others leave (generalised upper
bounds). A basis (`offset_simplex`) is then no larger than the cuts that matter.

The multipliers of the rows are all that is believed: whatever they are, if only they are not
negative, the cells' least losses with them are a bound (`offset_bound`).
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from frugalsvm.compiled import helper, variable
from frugalsvm.search.cell_tables import (
    LOWER_MOST,
    UPPER_MOST,
    Tables,
    first_upper,
)
from frugalsvm.search.offset_cuts import NONE, Pool, violation
from frugalsvm.search.reduction import Floats, Ints

ROWS = 96
NEGATIVE = 1e-9  # a share or slack below minus this
SLACK = -1


class Program(NamedTuple):
    """A basis of the linear program and what belongs to it.

    Attributes
    ----------
    inverse : ndarray of shape (ROWS, ROWS)
        Of the basis, a column being the choice's less the key's.
    value : ndarray of shape (ROWS,)
        Of the basic shares and slacks.
    multiplier : ndarray of shape (ROWS,)
        Of the rows.
    cut : ndarray of int64 of shape (ROWS,)
        The number in the pool of each row's cut, -1 for the budget.
    cell, upper, lower : ndarray of int64 of shape (ROWS,)
        The basic choices: their cell and places; SLACK and the row for slacks.
    key_upper, key_lower : ndarray of int64 of shape (n_cells,)
        The places of each cell's key.
    key_value : ndarray of shape (n_cells,)
        Its share.
    size : ndarray of int64 of shape (2,)
        The number of rows, and of choices that may enter.
    choice_cell, choice_upper, choice_lower : ndarray of int64
        Those choices: their cell, and where the costs of their places are.
    cost, slope : ndarray of shape (2 * (n_samples + n_cells),)
        What the places of the upper and of the lower thresholds cost, with the multipliers, and
        how fast that changes along a row of the inverse.
    marked : ndarray of int64 of shape (2 * (n_samples + n_cells),)
        The first places beyond those that cuts ask for.
    choices : ndarray of int64 of shape (2, 2)
        The places of a choice that changes, and of its cell's key.
    row : ndarray of shape (ROWS,)
        Of the inverse, where a pivot is.
    entering : ndarray of shape (ROWS,)
        The column that enters the basis, in terms of the basis.
    elsewhere : ndarray of shape (2 * (n_samples + n_cells),)
        The share of choices with the upper threshold above a place, and with the lower one below.
    """

    inverse: Floats
    value: Floats
    multiplier: Floats
    cut: Ints
    cell: Ints
    upper: Ints
    lower: Ints
    key_upper: Ints
    key_lower: Ints
    key_value: Floats
    size: Ints
    choice_cell: Ints
    choice_upper: Ints
    choice_lower: Ints
    cost: Floats
    slope: Floats
    marked: Ints
    choices: Ints
    row: Floats
    entering: Floats
    elsewhere: Floats


@helper
def empty_program(number: int, n_samples: int) -> Program:
    """Make room for the program of so many cells and samples."""
    room = 2 * (n_samples + number)
    return Program(
        np.empty((ROWS, ROWS)),
        np.empty(ROWS),
        np.empty(ROWS),
        np.empty(ROWS, np.int64),
        np.empty(ROWS, np.int64),
        np.empty(ROWS, np.int64),
        np.empty(ROWS, np.int64),
        np.empty(number, np.int64),
        np.empty(number, np.int64),
        np.empty(number),
        np.zeros(2, np.int64),
        np.empty(2 * room, np.int64),
        np.empty(2 * room, np.int64),
        np.empty(2 * room, np.int64),
        np.empty(room),
        np.empty(room),
        np.zeros(room, np.int64),
        np.empty((2, 2), np.int64),
        np.empty(ROWS),
        np.empty(ROWS),
        np.empty(room),
    )


@helper
def _lower_of(ranges: Ints, c: int, upper: int) -> int:
    """Return the best lower place for an upper one where no cut is concerned."""
    return int(min(upper, ranges[LOWER_MOST, c]))


@helper
def begin(
    program: Program, tables: Tables, pool: Pool, ranges: Ints, budgets: Ints, multiplier: float
) -> bool:
    """Solve the program without cuts, from a multiplier near its own; False if it has no solution.

    The multiplier goes from one breakpoint to the next until the budget is just kept: one cell then
    has two choices that are equally good.
    """
    for k in range(pool.filled[0]):
        pool.rows[k] = NONE
    for j in range(len(program.marked)):
        program.marked[j] = 0
    number = len(tables.counts)
    lost = 0.0
    for c in range(number):
        at, best, place = tables.first[c] + c, np.inf, variable(0)
        for j in range(first_upper(ranges, c), ranges[UPPER_MOST, c] + 1):
            loss = multiplier * tables.lost[at + j] + tables.wrong[at + _lower_of(ranges, c, j)]
            if loss < best:
                best, place = loss, j
        program.key_upper[c], program.key_lower[c] = place, _lower_of(ranges, c, place)
        lost += tables.lost[at + place]
    program.size[0], program.cut[0] = 1, -1
    program.cell[0], program.upper[0] = SLACK, 0
    program.inverse[0, 0] = 1.0
    while True:
        sign = 1.0 if lost > budgets[0] else -1.0
        cell, place = variable(-1), variable(0)
        nearest = np.inf if sign > 0 else multiplier
        for c in range(number):
            at = tables.first[c] + c
            key_lost = tables.lost[at + program.key_upper[c]]
            key_wrong = tables.wrong[at + program.key_lower[c]]
            for j in range(first_upper(ranges, c), ranges[UPPER_MOST, c] + 1):
                fewer = sign * (key_lost - tables.lost[at + j])
                if fewer > 0.0:
                    more = sign * (tables.wrong[at + _lower_of(ranges, c, j)] - key_wrong)
                    away = sign * (more / fewer - multiplier)
                    if away < nearest:
                        cell, place, nearest = c, j, away
        if cell < 0:
            program.multiplier[0], program.value[0] = 0.0, budgets[0] - lost
            return sign < 0
        multiplier += sign * max(0.0, nearest)
        at = tables.first[cell] + cell
        change = tables.lost[at + place] - tables.lost[at + program.key_upper[cell]]
        if sign * (lost + change - budgets[0]) <= 0.0:
            program.cell[0], program.upper[0] = cell, place
            program.lower[0] = _lower_of(ranges, cell, place)
            program.inverse[0, 0] = 1.0 / change
            program.multiplier[0], program.value[0] = multiplier, (budgets[0] - lost) / change
            return True
        program.key_upper[cell], program.key_lower[cell] = place, _lower_of(ranges, cell, place)
        lost += change


@helper
def entry_change(
    columns: Ints, places: Ints, size: int, c: int, down: int, new: Ints, old: Ints
) -> int:
    """Return by how much the entry in a cut's row changes from one choice of cell c to another.

    The columns of its thresholds are c and `down`; a choice is an upper and a lower place.
    """
    total = 0
    for a in range(size):
        if columns[a] == c:
            total += int(old[0] > places[a]) - int(new[0] > places[a])
        elif columns[a] == down:
            total += int(old[1] < places[a]) - int(new[1] < places[a])
    return total


@helper
def add_row(program: Program, tables: Tables, pool: Pool, k: int) -> None:
    """Add cut k, which the solution may violate."""
    m = program.size[0]
    inverse, half = program.inverse, len(program.marked) // 2
    for i in range(m):
        inverse[m, i], inverse[i, m] = 0.0, 0.0
    choice, key = program.choices[0], program.choices[1]
    columns, places, size = pool.columns[k], pool.places[k], pool.sizes[k]
    for r in range(m):
        c = program.cell[r]
        if c != SLACK:
            choice[0], choice[1] = program.upper[r], program.lower[r]
            key[0], key[1] = program.key_upper[c], program.key_lower[c]
            entry = entry_change(columns, places, size, c, len(tables.counts) + c, choice, key)
            if entry != 0:
                for i in range(m):
                    inverse[m, i] -= entry * inverse[r, i]
    inverse[m, m] = 1.0
    program.value[m] = -violation(pool, program.elsewhere, k)
    program.multiplier[m], program.cut[m] = 0.0, k
    program.cell[m], program.upper[m] = SLACK, m
    pool.rows[k] = m
    for a in range(pool.sizes[k]):
        slot = pool.slots[k, a]
        program.marked[slot + 1 if slot < half else slot - 1] += 1
    program.size[0] = m + 1


@helper
def _drop_row(program: Program, pool: Pool, r: int) -> None:
    """Drop the row whose slack is basic at a position; the last ones take their places."""
    row, last, inverse = program.upper[r], program.size[0] - 1, program.inverse
    half = len(program.marked) // 2
    k = program.cut[row]
    pool.rows[k] = NONE
    for a in range(pool.sizes[k]):
        slot = pool.slots[k, a]
        program.marked[slot + 1 if slot < half else slot - 1] -= 1
    for i in range(last + 1):
        inverse[i, row] = inverse[i, last]
    for i in range(last):
        inverse[r, i] = inverse[last, i]
    for position in range(last + 1):
        if program.cell[position] == SLACK and program.upper[position] == last:
            program.upper[position] = row
    if row != last:
        program.multiplier[row], program.cut[row] = program.multiplier[last], program.cut[last]
        pool.rows[program.cut[row]] = row
    program.cell[r], program.upper[r] = program.cell[last], program.upper[last]
    program.lower[r], program.value[r] = program.lower[last], program.value[last]
    program.size[0] = last


@helper
def drop_loose(program: Program, pool: Pool) -> None:
    """Drop the cuts that the solution keeps with something to spare."""
    for r in range(program.size[0] - 1, -1, -1):
        if program.cell[r] == SLACK and program.upper[r] > 0 and program.value[r] > NEGATIVE:
            _drop_row(program, pool, r)
