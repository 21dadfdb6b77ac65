"""The conflicts known so far, and what they prove together.

Each wrong row uses up a part of every limit it belongs to, and each conflict needs a wrong row:
together they ask for a use that no choice can avoid.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from frugalsvm.margin.arrays import Flags, Floats, Ints
from frugalsvm.margin.slots import N_CONFLICTS
from frugalsvm.margin.solver.codes import UNBOUNDED
from frugalsvm.margin.solver.dual import Work
from frugalsvm.margin.tuning import OUTSIDE_ITS_BOX
from frugalsvm.runtime.compiled import helper


class Pool(NamedTuple):
    """Conflicts, stored one after the other.

    ``starts`` tells where the members of each begin, ``values`` the objective below which it
    holds, and ``counts`` how many there are.
    """

    members: Ints
    starts: Ints
    values: Floats
    counts: Ints


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
    for number in np.flatnonzero(pool.values[: pool.counts[N_CONFLICTS]] >= value):
        rows = pool.members[pool.starts[number] : pool.starts[number + 1]]
        at, begin = int(kept.counts[N_CONFLICTS]), int(kept.starts[kept.counts[N_CONFLICTS]])
        kept.members[begin : begin + len(rows)] = rows
        kept.starts[at + 1] = begin + len(rows)
        kept.values[at] = pool.values[number]
        kept.counts[N_CONFLICTS] += 1
    return kept


@helper
def add_conflict(pool: Pool, conflict: Flags, value: float) -> bool:
    """Keep a conflict; False if there is no room for it."""
    number = pool.counts[N_CONFLICTS]
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
    pool.counts[N_CONFLICTS] += 1
    return True


@helper
def misses(pool: Pool, wrong: Flags) -> bool:
    """Return True if some conflict has no wrong row."""
    members, starts = pool.members, pool.starts
    for c in range(pool.counts[N_CONFLICTS]):
        hit = False
        for k in range(starts[c], starts[c + 1]):
            if wrong[members[k]]:
                hit = True
                break
        if not hit:
            return True
    return False


@helper
def read_conflict(work: Work, box: Floats, choosable: Flags, code: int) -> Flags:
    """Return the rows that must be hard for the bound that `code` stands for."""
    conflict = np.zeros(len(box), dtype=np.bool_)
    a, ray = work.a, work.ray
    for i in range(len(box)):
        if choosable[i]:
            needed = ray[i] != 0.0 if code == UNBOUNDED else abs(a[i]) > box[i] * OUTSIDE_ITS_BOX
            conflict[i] = needed
    return conflict
