"""The conflicts known so far, and what they prove together.

Each wrong row uses up a part of every limit it belongs to, and each conflict needs a wrong row:
together they ask for a use that no choice can avoid.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from frugalsvm.compiled import helper
from frugalsvm.margin.conflicts import FREE, HARD, UNDECIDED, Bytes, Flags

Floats = NDArray[np.float64]
Ints = NDArray[np.int64]

PRUNE = -2


class Pool(NamedTuple):
    """Conflicts, stored one after the other.

    ``starts`` tells where the members of each begin, ``values`` the objective below which it
    holds, and ``size`` how many there are.
    """

    members: Ints
    starts: Ints
    values: Floats
    size: Ints


def make_pool(n: int, total: int) -> Pool:
    """Return an empty pool with room for n conflicts of `total` rows."""
    return Pool(
        np.zeros(total, dtype=np.int64),
        np.zeros(n + 1, dtype=np.int64),
        np.zeros(n),
        np.zeros(1, dtype=np.int64),
    )


def enlarged(pool: Pool) -> Pool:
    """Return the pool with twice the room."""
    larger = make_pool(2 * len(pool.values), 2 * len(pool.members))
    for old, new in zip(pool, larger, strict=True):
        new[: len(old)] = old
    return larger


def above(pool: Pool, value: float) -> Pool:
    """Return the conflicts that hold below `value`, with the same room."""
    kept = make_pool(len(pool.values), len(pool.members))
    for number in np.flatnonzero(pool.values[: pool.size[0]] >= value):
        rows = pool.members[pool.starts[number] : pool.starts[number + 1]]
        at, begin = int(kept.size[0]), int(kept.starts[kept.size[0]])
        kept.members[begin : begin + len(rows)] = rows
        kept.starts[at + 1] = begin + len(rows)
        kept.values[at] = pool.values[number]
        kept.size[0] += 1
    return kept


def surrogates(n_limits: int) -> Floats:
    """Return the sums of limits that packings are held against: each, the first two, all.

    Every row that a limit counts has a use in the last one.
    """
    sums = [*np.eye(n_limits), (np.arange(n_limits) < 2).astype(float), np.ones(n_limits)]
    return np.unique(np.array(sums), axis=0)


@helper
def add_conflict(pool: Pool, conflict: Flags, value: float) -> bool:
    """Keep a conflict; False if there is no room for it."""
    number = pool.size[0]
    members = pool.members
    at = pool.starts[number]
    if number >= len(pool.values):
        return False
    for i in range(len(conflict)):
        if conflict[i]:
            if at >= len(members):
                return False
            members[at] = i
            at += 1
    pool.starts[number + 1] = at
    pool.values[number] = value
    pool.size[0] += 1
    return True


@helper
def misses(pool: Pool, wrong: Flags) -> bool:
    """Return True if some conflict has no wrong row."""
    members, starts = pool.members, pool.starts
    for c in range(pool.size[0]):
        hit = False
        for k in range(starts[c], starts[c + 1]):
            if wrong[members[k]]:
                hit = True
                break
        if not hit:
            return True
    return False


@helper
def by_size(pool: Pool, n: int, decided: Bytes, sizes: Ints) -> Ints:
    """Return the first n conflicts that no wrong row hits, those with few open rows first.

    Writes how many rows of each are undecided, -1 where a wrong row hits it.
    """
    members, starts = pool.members, pool.starts
    largest, unhit = 0, 0
    for c in range(n):
        sizes[c] = 0
        for k in range(starts[c], starts[c + 1]):
            state = decided[members[k]]
            if state == FREE:
                sizes[c] = -1
                break
            sizes[c] += state == UNDECIDED
        largest = max(largest, sizes[c])
        unhit += sizes[c] >= 0
    ends = np.zeros(largest + 2, dtype=np.int64)
    for c in range(n):
        if sizes[c] >= 0:
            ends[sizes[c] + 1] += 1
    for size in range(largest + 1):
        ends[size + 1] += ends[size]
    order = np.empty(unhit, dtype=np.int64)
    for c in range(n):
        if sizes[c] >= 0:
            order[ends[sizes[c]]] = c
            ends[sizes[c]] += 1
    return order


@helper
def charge(rows: Ints, decided: Bytes, residual: Floats, left: Floats) -> bool:
    """Charge a conflict to the rows that could hit it; True if that exceeds a sum of limits.

    For each sum of limits, some row of the conflict has to be paid in full. The least that is
    unpaid of any of them can be charged to all without asking for more than the truth, so that
    conflicts may share rows as long as something of them is unpaid.
    """
    for s in range(len(left)):
        least = np.inf
        for i in rows:
            if decided[i] != HARD:
                least = min(least, residual[s, i])
        left[s] -= least
        for i in rows:
            if decided[i] != HARD:
                residual[s, i] -= least
        if left[s] < 0.0:
            return True
    return False


@helper
def pack(pool: Pool, n: int, decided: Bytes, residual: Floats, left: Floats) -> int:
    """Charge the first n conflicts, small ones first; `residual` and `left` are changed in place.

    Returns the smallest open conflict, -1 if there is none, PRUNE if the limits cannot be kept.
    """
    smallest = -1
    sizes = np.empty(n, dtype=np.int64)
    for c in by_size(pool, n, decided, sizes):
        if sizes[c] == 0:
            return PRUNE
        if smallest < 0:
            smallest = c
        if charge(pool.members[pool.starts[c] : pool.starts[c + 1]], decided, residual, left):
            return PRUNE
    return smallest


@helper
def harden_unaffordable(decided: Bytes, residual: Floats, left: Floats) -> int:
    """Make the rows hard whose unpaid use exceeds what the conflicts leave; return how many.

    A wrong row costs what no conflict has charged to it on top of what all conflicts cost.
    """
    n = 0
    for s in range(len(left)):
        for i in range(len(decided)):
            if decided[i] == UNDECIDED and residual[s, i] > left[s]:
                decided[i] = HARD
                n += 1
    return n
