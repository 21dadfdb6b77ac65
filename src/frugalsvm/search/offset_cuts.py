"""Conflicts of thresholds as cuts: of the thresholds in one, at least one has to be elsewhere.

What makes thresholds a conflict are weights with which the discrete features of their cells cancel
out. They do so for all directions of the continuous features; which places of the thresholds are in
conflict then follows from how far a direction, or a box of them, leaves the weighted sum of their
values from zero. That way is the room within which thresholds may be asked for less, and a cut be
made stronger (`_lift`), or by which they have to be asked for more (`_tighten`). So a cut found for
one box of directions is one for the others, too, with other places (`adapt`).
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from frugalsvm.compiled import helper, variable
from frugalsvm.search.cell_offsets import Offsets
from frugalsvm.search.cell_tables import Tables
from frugalsvm.search.reduction import Bools, Floats, Ints
from frugalsvm.search.wolfe import is_conflict

SIZE = 600  # cuts in the pool
LEAST_VIOLATION = 1e-3
ROOM = 0.99  # of the way to no conflict that thresholds may be moved
WORTH = 1e-2  # of a place that gains nothing for the solution at hand
LEAST_COST = 1e-12
NONE = -1


class Pool(NamedTuple):
    """Conflicts of thresholds.

    Attributes
    ----------
    columns, places : ndarray of int64 of shape (SIZE, most members)
        The thresholds of each conflict, and the place that each is asked to be at.
    slots : ndarray, likewise
        Where the share of the solution is that has this threshold elsewhere.
    values : ndarray, likewise
        The value that a threshold at that place is at most, or above.
    weights : ndarray, likewise
        Those that make it a conflict.
    sizes : ndarray of int64 of shape (SIZE,)
        How many thresholds each has.
    used : ndarray of bool of shape (SIZE,)
        Whether it was of use in the present box.
    rows : ndarray of int64 of shape (SIZE,)
        The row of the linear program that a cut is, or NONE.
    violated : ndarray of shape (SIZE,)
        By how much the solution violates each.
    filled : ndarray of int64 of shape (2,)
        How many cuts there are, and which one goes when another one comes.
    """

    columns: Ints
    places: Ints
    slots: Ints
    values: Floats
    weights: Floats
    sizes: Ints
    used: Bools
    rows: Ints
    violated: Floats
    filled: Ints


@helper
def empty_pool(members: int) -> Pool:
    """Make room for conflicts of so many members."""
    return Pool(
        np.empty((SIZE, members), np.int64),
        np.empty((SIZE, members), np.int64),
        np.empty((SIZE, members), np.int64),
        np.empty((SIZE, members)),
        np.empty((SIZE, members)),
        np.zeros(SIZE, np.int64),
        np.empty(SIZE, np.bool_),
        np.full(SIZE, NONE),
        np.empty(SIZE),
        np.zeros(2, np.int64),
    )


@helper
def violation(pool: Pool, elsewhere: Floats, k: int) -> float:
    """Return by how much a solution violates cut k."""
    total = 1.0
    for i in range(pool.sizes[k]):
        total -= elsewhere[pool.slots[k, i]]
    return total


@helper
def _balance(pool: Pool, offsets: Offsets, k: int) -> tuple[int, float]:
    """Put the thresholds of cut k into the corral, and what balances them in the box of directions.

    Return the size of the corral, and how far the values are on the side of a conflict.
    """
    hull, number = offsets.hull, len(offsets.places)
    rows, m, total = hull.rows, pool.sizes[k], 0.0
    for i in range(m):
        column = pool.columns[k, i]
        c, sign = (column, 1.0) if column < number else (column - number, -1.0)
        rows[0, column] = sign * (offsets.middle[c] + pool.values[k, i])
        hull.corral[i], hull.lam[i] = column, pool.weights[k, i]
        total += hull.lam[i] * rows[0, column]
    for j in range((rows.shape[1] - 2 * number) // 2):
        shift = 0.0
        for i in range(pool.sizes[k]):
            shift += hull.lam[i] * rows[1 + j, hull.corral[i]]
        if shift != 0.0:
            column = 2 * number + 1 + 2 * j + int(shift > 0.0)
            hull.corral[m], hull.lam[m] = column, abs(shift / rows[1 + j, column])
            total += hull.lam[m] * rows[0, column]
            m += 1
    if total < 0.0:
        hull.corral[m], hull.lam[m] = 2 * number, -total / rows[0, 2 * number]
        m += 1
    return m, -total


@helper
def _is_certain(pool: Pool, offsets: Offsets, k: int) -> bool:
    """Return True if cut k is a conflict, by the numbers."""
    m, room = _balance(pool, offsets, k)
    lam, total = offsets.hull.lam, 0.0
    for i in range(m):
        total += lam[i]
    for i in range(m):
        lam[i] /= total
    return bool(room > 0.0 and is_conflict(offsets.hull, m))


@helper
def move(pool: Pool, tables: Tables, k: int, i: int, place: int) -> None:
    """Ask for another place of threshold i of cut k."""
    number, column = len(tables.counts), pool.columns[k, i]
    c, side = (column, 0) if column < number else (column - number, 1)
    pool.places[k, i] = place
    pool.slots[k, i] = tables.first[c] + c + place + side * len(tables.lost)
    pool.values[k, i] = tables.values[tables.first[c] + place - side]


@helper
def _lift(pool: Pool, tables: Tables, elsewhere: Floats, k: int, room: float) -> None:
    """Ask less of the thresholds of cut k within a room, where that gains most."""
    number = len(tables.counts)
    while True:
        best, member, to, price = 0.0, variable(NONE), variable(0), 0.0
        for i in range(pool.sizes[k]):
            column, place, slot = pool.columns[k, i], pool.places[k, i], pool.slots[k, i]
            c, side = (column, 0) if column < number else (column - number, 1)
            step, last = (1, tables.counts[c] - 1) if side == 0 else (-1, 1)
            first, here = tables.first[c] - side, elsewhere[slot]
            while place != last:
                place += step
                slot += step
                way = abs(tables.values[first + place] - pool.values[k, i])
                cost = way * pool.weights[k, i] + LEAST_COST
                if cost > room:
                    break
                gain = here - elsewhere[slot] + WORTH
                if gain > best * cost:
                    best, member, to, price = gain / cost, i, place, cost
                if gain > WORTH:
                    break
        if member == NONE:
            return
        move(pool, tables, k, member, to)
        room -= price


@helper
def _tighten(pool: Pool, tables: Tables, elsewhere: Floats, k: int, room: float) -> float:
    """Ask more of the thresholds of cut k, where that loses least, until there is room."""
    number = len(tables.counts)
    while room <= 0.0:
        best, member, to, gained = 0.0, variable(NONE), variable(0), 0.0
        for i in range(pool.sizes[k]):
            column, place, slot = pool.columns[k, i], pool.places[k, i], pool.slots[k, i]
            c, side = (column, 0) if column < number else (column - number, 1)
            step, last = (-1, 0) if side == 0 else (1, tables.counts[c])
            if place != last:
                value = tables.values[tables.first[c] - side + place + step]
                way = abs(value - pool.values[k, i]) * pool.weights[k, i]
                loss = elsewhere[slot + step] - elsewhere[slot] + WORTH
                if min(way, LEAST_COST - room) > best * loss:
                    best, member = min(way, LEAST_COST - room) / loss, i
                    to, gained = place + step, way
        if member == NONE:
            break
        move(pool, tables, k, member, to)
        room += gained
    return room


@helper
def strengthen(pool: Pool, offsets: Offsets, tables: Tables, elsewhere: Floats, k: int) -> bool:
    """Ask as little of the thresholds of cut k as makes a conflict; False if none does."""
    _, room = _balance(pool, offsets, k)
    if room <= 0.0:
        room = _tighten(pool, tables, elsewhere, k, room)
    if room <= 0.0:
        return False
    _lift(pool, tables, elsewhere, k, ROOM * room)
    return bool(_is_certain(pool, offsets, k))


@helper
def _place_near(tables: Tables, column: int, value: float) -> int:
    """Return a place near a value."""
    number = len(tables.counts)
    c, side = (column, 0) if column < number else (column - number, 1)
    first, count, j = tables.first[c], tables.counts[c], 0
    while j < count - 1 and tables.values[first + j] < value:
        j += 1
    return j + side


@helper
def adapt(pool: Pool, offsets: Offsets, tables: Tables, elsewhere: Floats) -> None:
    """Take the cuts that were of use in the box before over to a new one."""
    kept = variable(0)
    for k in range(pool.filled[0]):
        pool.rows[k] = NONE
        if pool.used[k]:
            pool.sizes[kept], pool.used[kept] = pool.sizes[k], False
            for i in range(pool.sizes[k]):
                pool.columns[kept, i] = pool.columns[k, i]
                pool.weights[kept, i] = pool.weights[k, i]
                place = _place_near(tables, pool.columns[k, i], pool.values[k, i])
                move(pool, tables, kept, i, place)
            kept += strengthen(pool, offsets, tables, elsewhere, kept)
    pool.filled[0], pool.filled[1] = kept, kept % SIZE
