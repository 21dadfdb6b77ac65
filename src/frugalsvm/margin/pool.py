"""The conflicts known so far, and what they prove together.

Each wrong row uses up a part of every limit it belongs to, and each conflict needs a wrong row:
together they ask for a use that no choice can avoid.
"""

from __future__ import annotations

import numpy as np
from numba import njit
from numpy.typing import NDArray

from frugalsvm.margin.conflicts import FREE, HARD, Bytes, Flags

Floats = NDArray[np.float64]
Ints = NDArray[np.int64]

PRUNE = -2


class Pool:
    """A growing list of conflicts, stored one after the other.

    Attributes
    ----------
    values : list of float
        The objective below which each conflict holds.
    """

    def __init__(self) -> None:
        self.members = np.zeros(1024, dtype=np.int64)
        self.starts = np.zeros(257, dtype=np.int64)
        self.values: list[float] = []

    def __len__(self) -> int:
        return len(self.values)

    def add(self, conflict: Flags, value: float) -> int:
        """Keep a conflict; return its number."""
        rows = np.flatnonzero(conflict)
        number = len(self.values)
        begin = int(self.starts[number])
        if number + 2 > len(self.starts):
            self.starts = np.resize(self.starts, 2 * len(self.starts))
        while begin + len(rows) > len(self.members):
            self.members = np.resize(self.members, 2 * len(self.members))
        self.members[begin : begin + len(rows)] = rows
        self.starts[number + 1] = begin + len(rows)
        self.values.append(value)
        return number

    def missed_by(self, wrong: Flags) -> bool:
        """Return True if some conflict has no wrong row."""
        return bool(misses(self.members, self.starts, len(self), wrong))

    def rows(self, number: int) -> Ints:
        """Return the rows of a conflict."""
        return self.members[self.starts[number] : self.starts[number + 1]]

    def above(self, value: float) -> Pool:
        """Return the conflicts that hold below `value`."""
        kept = Pool()
        size = int(self.members.max(initial=0)) + 1
        for number, held in enumerate(self.values):
            if held >= value:
                conflict = np.zeros(size, dtype=bool)
                conflict[self.rows(number)] = True
                kept.add(conflict, held)
        return kept


def surrogates(n_limits: int) -> Floats:
    """Return the sums of limits that packings are held against: each, the first two, all.

    Every row that a limit counts has a use in the last one.
    """
    sums = [*np.eye(n_limits), (np.arange(n_limits) < 2).astype(float), np.ones(n_limits)]
    return np.unique(np.array(sums), axis=0)


@njit(cache=True, nogil=True)
def misses(members: Ints, starts: Ints, n: int, wrong: Flags) -> bool:
    """Return True if one of the n conflicts has no wrong row."""
    for c in range(n):
        hit = False
        for k in range(starts[c], starts[c + 1]):
            hit = hit or wrong[members[k]]
        if not hit:
            return True
    return False


@njit(cache=True, nogil=True, no_cpython_wrapper=True, no_cfunc_wrapper=True)
def open_sizes(members: Ints, starts: Ints, n: int, decided: Bytes) -> Ints:
    """Return how many rows of each conflict are undecided, -1 where a wrong row already hits it."""
    sizes = np.zeros(n, dtype=np.int64)
    for c in range(n):
        for k in range(starts[c], starts[c + 1]):
            state = decided[members[k]]
            if state == FREE:
                sizes[c] = -1
                break
            if state != HARD:
                sizes[c] += 1
    return sizes


@njit(cache=True, nogil=True, no_cpython_wrapper=True, no_cfunc_wrapper=True)
def by_size(sizes: Ints) -> Ints:
    """Return the conflicts that are not hit, small ones first, by counting."""
    largest, n = 0, 0
    for size in sizes:
        largest = max(largest, size)
        n += size >= 0
    ends = np.zeros(largest + 2, dtype=np.int64)
    for size in sizes:
        if size >= 0:
            ends[size + 1] += 1
    for size in range(largest + 1):
        ends[size + 1] += ends[size]
    order = np.empty(n, dtype=np.int64)
    for c in range(len(sizes)):
        if sizes[c] >= 0:
            order[ends[sizes[c]]] = c
            ends[sizes[c]] += 1
    return order


@njit(cache=True, nogil=True)
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


@njit(cache=True, nogil=True)
def pack(
    members: Ints, starts: Ints, n: int, decided: Bytes, residual: Floats, left: Floats
) -> int:
    """Charge the known conflicts, small ones first; `residual` and `left` are changed in place.

    Returns the smallest open conflict, -1 if there is none, PRUNE if the limits cannot be kept.
    """
    smallest = -1
    sizes = open_sizes(members, starts, n, decided)
    for c in by_size(sizes):
        if sizes[c] == 0:
            return PRUNE
        if smallest < 0:
            smallest = c
        if charge(members[starts[c] : starts[c + 1]], decided, residual, left):
            return PRUNE
    return smallest
