"""What the known conflicts prove together: no choice of wrong rows within the limits hits them all.

Each wrong row uses up a part of every limit it belongs to, and each conflict needs a wrong row:
together they ask for a use that no choice can avoid.
"""

from __future__ import annotations

import numpy as np

from frugalsvm.margin.arrays import Bytes, Floats, Ints
from frugalsvm.margin.classifiers.drafts import Limits
from frugalsvm.margin.conflicts import Pool
from frugalsvm.margin.proof.tree import FREE, HARD, UNDECIDED, Node, Rules
from frugalsvm.margin.slots import N_CONFLICTS
from frugalsvm.margin.tuning import REPACKS
from frugalsvm.runtime.compiled import helper, inlined

PRUNE, OVERDRAWN = -2, -3
"""The limits cannot be kept: by the conflicts together, by the rows that may be wrong alone."""


def surrogates(n_limits: int) -> Floats:
    """Return the sums of limits that packings are held against: each, the first two, all.

    Every row that a limit counts has a use in the last one.
    """
    sums = [*np.eye(n_limits), (np.arange(n_limits) < 2).astype(float), np.ones(n_limits)]
    return np.unique(np.array(sums), axis=0)


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


@helper
def pack_node(limits: Limits, rules: Rules, pool: Pool, node: Node) -> int:
    """Hold the known conflicts against what is left of the limits, as `pack` does.

    Rows that nothing left can afford become hard, which makes the conflicts stronger. Returns
    OVERDRAWN where nothing is left.
    """
    decided, residual, left = node.decided, node.residual, node.left
    n = pool.counts[N_CONFLICTS] if rules.pool else 0
    rest = limits.caps.copy()
    if not afford(limits, decided, rest):
        return OVERDRAWN
    smallest = -1
    for _ in range(REPACKS):
        fill_in(rules, rest, residual, left)
        smallest = pack(pool, n, decided, residual, left)
        if smallest == PRUNE or not rules.packing:
            break
        if harden_unaffordable(decided, residual, left) == 0:
            break
    if not rules.packing:  # conflicts are looked for among all rows
        for i in range(len(decided)):
            residual[-1, i] = rules.use[-1, i]
    return smallest


@inlined
def afford(limits: Limits, decided: Bytes, rest: Floats) -> bool:
    """Take what the rows that may be wrong use from the limits; False if that is too much.

    Rows that the rest cannot afford become hard.
    """
    use, fits = limits.use, True
    for i in range(len(decided)):
        if decided[i] == FREE and limits.choosable[i]:
            for k in range(len(rest)):
                rest[k] -= use[k, i]
    for k in range(len(rest)):
        fits = fits and rest[k] >= 0.0
    for i in range(len(decided)):
        if decided[i] == UNDECIDED:
            for k in range(len(rest)):
                if use[k, i] > rest[k]:
                    decided[i] = HARD
    return fits


@inlined
def fill_in(rules: Rules, rest: Floats, residual: Floats, left: Floats) -> None:
    """Write what is left of each sum of limits, and what each row uses of it."""
    for s in range(len(left)):
        left[s] = 0.0
        for k in range(len(rest)):
            left[s] += rules.sums[s, k] * rest[k]
        for i in range(residual.shape[1]):
            residual[s, i] = rules.use[s, i] if rules.packing else 0.0


@helper
def count_open(rows: Ints, decided: Bytes) -> int:
    """Return how many of the rows are undecided."""
    n = 0
    for i in rows:
        n += decided[i] == UNDECIDED
    return n
