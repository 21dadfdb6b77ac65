"""Conflicts of thresholds that were found once, and what they cost in a node of the tree.

Thresholds that cannot be had at once cannot be had in any node. So before a node looks for new
conflicts, it takes those that are known; and of several it takes the dearest first.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from frugalsvm.compiled import helper
from frugalsvm.search.cell_offsets import Offsets, refresh
from frugalsvm.search.cell_tables import EXCESS, Tables
from frugalsvm.search.reduction import Bools, Floats, Ints

SIZE = 400


class Pool(NamedTuple):
    """Conflicts, and what they can be charged.

    Attributes
    ----------
    columns, places : ndarray of int64 of shape (SIZE, most members)
        The thresholds of each conflict, and the place that each is asked to be at.
    slots : ndarray, likewise
        Where the offsets' regret of that is.
    sizes : ndarray of int64 of shape (SIZE,)
        How many they are.
    shares : ndarray of shape (SIZE,)
        The part of the least regret that a conflict can be charged: 1, or 1/2 where both
        thresholds of a cell are in it, since both pay then.
    charges : ndarray of shape (SIZE,)
        What each conflict costs at least, as the places are charged: at most this.
    spent : ndarray of shape (SIZE,)
        What it was charged in this node.
    useful : ndarray of bool of shape (SIZE,)
        Whether it could be charged anything at first.
    saved : ndarray
        Room for all charges and what they lead to.
    filled : ndarray of int64 of shape (2,)
        How many conflicts there are, and which one goes when another one comes.
    """

    columns: Ints
    places: Ints
    slots: Ints
    sizes: Ints
    shares: Floats
    charges: Floats
    spent: Floats
    useful: Bools
    saved: Floats
    filled: Ints


@helper
def empty_pool(members: int, places: int) -> Pool:
    """Make room for conflicts of so many members, of cells with so many places."""
    return Pool(
        np.empty((SIZE, members), np.int64),
        np.empty((SIZE, members), np.int64),
        np.empty((SIZE, members), np.int64),
        np.zeros(SIZE, np.int64),
        np.empty(SIZE),
        np.empty(SIZE),
        np.zeros(SIZE),
        np.empty(SIZE, np.bool_),
        np.empty(4 * places + SIZE),
        np.zeros(2, np.int64),
    )


@helper
def forget(pool: Pool) -> None:
    """Drop all conflicts."""
    pool.filled[0], pool.filled[1] = 0, 0


@helper
def value(pool: Pool, offsets: Offsets, k: int) -> None:
    """Find what conflict k can be charged."""
    charge = np.inf
    for i in range(pool.sizes[k]):
        charge = min(charge, offsets.regret[pool.slots[k, i]])
    pool.charges[k] = pool.shares[k] * charge


@helper
def value_all(pool: Pool, offsets: Offsets) -> None:
    """Find what every conflict can be charged in a node where nothing is charged yet."""
    for k in range(pool.filled[0]):
        value(pool, offsets, k)
        pool.spent[k] = 0.0
        pool.useful[k] = pool.charges[k] > EXCESS


@helper
def dearest(pool: Pool, offsets: Offsets, above: float) -> int:
    """Return the conflict that can be charged most, -1 if that is not above a number."""
    best, most = -1, above + EXCESS
    for k in range(pool.filled[0]):
        if pool.charges[k] > most:
            value(pool, offsets, k)  # charges since then may have made it cheaper
            if pool.charges[k] > most:
                best, most = k, pool.charges[k]
    return best


@helper
def add(pool: Pool, offsets: Offsets, tables: Tables, m: int) -> int:
    """Add the conflict in a corral of m columns; return its number."""
    corral, last = offsets.hull.corral, 2 * len(offsets.least)
    k = pool.filled[1]
    pool.filled[0] = max(pool.filled[0], k + 1)
    pool.filled[1] = (k + 1) % len(pool.sizes)
    size, share = 0, 1.0
    for i in range(m):
        column = corral[i]
        if column < last:
            c, side = (column, 0) if 2 * column < last else (column - last // 2, 1)
            pool.columns[k, size], pool.places[k, size] = column, offsets.at[column]
            first = tables.first[c] + c + side * len(offsets.upper)
            pool.slots[k, size] = first + offsets.at[column]
            for before in range(size):
                if 2 * abs(pool.columns[k, before] - column) == last:
                    share = 0.5
            size += 1
    pool.sizes[k], pool.shares[k] = size, share
    pool.spent[k], pool.useful[k] = 0.0, True
    value(pool, offsets, k)
    return int(k)


@helper
def spend(
    pool: Pool, offsets: Offsets, tables: Tables, ranges: Ints, k: int, charge: float
) -> None:
    """Charge conflict k to the places beyond those that it asks for; less than 0: give it back."""
    number = len(offsets.least)
    pool.spent[k] += charge
    for i in range(pool.sizes[k]):
        column, place = pool.columns[k, i], pool.places[k, i]
        c = column % number
        at = tables.first[c] + c
        if column < number:
            for j in range(at + place + 1, at + tables.counts[c] + 1):
                offsets.upper[j] -= charge
        else:
            for j in range(at, at + place):
                offsets.lower[j] -= charge
        refresh(offsets, tables, ranges, c)
