"""The proof's work on its nodes, in compiled code."""

from __future__ import annotations

from typing import Any

import numpy as np

from frugalsvm.compiled import helper, inlined, kernel
from frugalsvm.margin.conflicts import FREE, HARD, UNDECIDED, Bytes, find_conflict, set_boxes
from frugalsvm.margin.drafts import Draft, Limits, read_draft
from frugalsvm.margin.dual import Floats, Ints, State, Work, restore, save
from frugalsvm.margin.moves import CUTOFF, OPTIMAL, PAUSED
from frugalsvm.margin.pool import PRUNE, Pool, add_conflict, charge, harden_unaffordable, pack
from frugalsvm.margin.solver import BALANCE, READY, VALUE
from frugalsvm.margin.tree import FINISHED, LIMIT, POOL_FULL, Rules, Tree, branch, close, offer

REPACKS = 3
"""Packings at a node, each after rows that no limit can afford were made hard."""


@kernel
def explore(
    solver: Any,
    work: Work,
    backup: State,
    kept: State,
    limits: Limits,
    rules: Rules,
    tree: Tree,
    pool: Pool,
    best: Draft,
    trial: Draft,
    most_nodes: int,
    most_work: int,
) -> int:
    """Work through the tree, until `most_nodes` are finished or `most_work` is done.

    `best` is replaced by better classifiers, which lower the cutoff.
    """
    code = FINISHED
    while tree.counts[0] > 0 and code == FINISHED:
        if tree.counts[1] >= most_nodes or work.counts[3] >= most_work:
            return LIMIT
        code = process(
            solver, work, backup, kept, limits, rules, tree, pool, best, trial, most_work
        )
    return code


@inlined
def process(
    solver: Any,
    work: Work,
    backup: State,
    kept: State,
    limits: Limits,
    rules: Rules,
    tree: Tree,
    pool: Pool,
    best: Draft,
    trial: Draft,
    most_work: int,
) -> int:
    """Close the top node or replace it by its children; on other codes it stays."""
    top = tree.counts[0] - 1
    level = tree.level[top]
    m = len(work.a)
    decided = tree.decided[top].copy()
    residual = rules.use.copy()
    left = np.empty(len(rules.sums))
    smallest = pack_node(limits, rules, pool, decided, residual, left)
    if smallest == PRUNE:
        close(tree)
        return FINISHED
    for i in range(m):
        work.a[i] = tree.start[level, i]
    hard, candidates = np.zeros(m, dtype=np.bool_), np.zeros(m, dtype=np.bool_)
    for i in range(m):
        hard[i] = decided[i] == HARD
    set_boxes(work, limits.box, hard)
    first = BALANCE
    relaxed = False  # whether the SVM with the node's hard rows was solved
    while True:
        cutoff = tree.numbers[0]
        code, conflict = find_conflict(
            solver,
            work,
            backup,
            limits.box,
            limits.choosable,
            candidates,
            cutoff,
            rules.max_pivots,
            rules.shrink,
            most_work,
            first,
        )
        first = READY
        if code == PAUSED:
            return LIMIT
        if code == CUTOFF:
            number = pool.size[0]
            if not add_conflict(pool, conflict, cutoff):
                return POOL_FULL
            rows = pool.members[pool.starts[number] : pool.starts[number + 1]]
            n_open = count_open(rows, decided)
            if n_open == 0:
                close(tree)
                return FINISHED
            if smallest < 0 or n_open < count_open(
                pool.members[pool.starts[smallest] : pool.starts[smallest + 1]], decided
            ):
                smallest = number
            if not rules.packing:
                break
            if charge(rows, decided, residual, left):
                close(tree)
                return FINISHED
        else:
            found = code == OPTIMAL and read_draft(work, limits, trial)
            if not relaxed:
                solver(work, VALUE, cutoff, 0, -np.inf)
                tree.bound[top] = max(tree.bound[top], work.numbers[0])
                save(work, kept)
                if found:  # feasible and optimal for the relaxation: the best of this node
                    offer(tree, best, trial)
                    tree.numbers[1] = min(tree.numbers[1], tree.bound[top])
                    close(tree)
                    return FINISHED
            elif not (found and offer(tree, best, trial)):
                break
        relaxed = True
        if work.counts[3] >= most_work:
            return LIMIT
        restore(kept, work)
        set_boxes(work, limits.box, hard)
        for i in range(m):
            candidates[i] = decided[i] == UNDECIDED and residual[-1, i] > 0.0
    if rules.packing:
        harden_unaffordable(decided, residual, left)
    return int(branch(work.y, kept, limits, tree, pool, smallest, decided))


@helper
def pack_node(
    limits: Limits, rules: Rules, pool: Pool, decided: Bytes, residual: Floats, left: Floats
) -> int:
    """Hold the known conflicts against what is left of the limits, as `pack` does.

    Rows that nothing left can afford become hard, which makes the conflicts stronger.
    """
    use, caps, sums = limits.use, limits.caps, rules.sums
    n = pool.size[0] if rules.pool else 0
    rest = caps.copy()
    for i in range(len(decided)):
        if decided[i] == FREE and limits.choosable[i]:
            for k in range(len(caps)):
                rest[k] -= use[k, i]
    for k in range(len(caps)):
        if rest[k] < 0.0:
            return PRUNE
    for i in range(len(decided)):
        if decided[i] == UNDECIDED:
            for k in range(len(caps)):
                if use[k, i] > rest[k]:
                    decided[i] = HARD
    smallest = -1
    for _ in range(REPACKS):
        for s in range(len(sums)):
            left[s] = 0.0
            for k in range(len(caps)):
                left[s] += sums[s, k] * rest[k]
            for i in range(len(decided)):
                residual[s, i] = rules.use[s, i] if rules.packing else 0.0
        smallest = pack(pool, n, decided, residual, left)
        if smallest == PRUNE or not rules.packing:
            break
        if harden_unaffordable(decided, residual, left) == 0:
            break
    if not rules.packing:  # conflicts are looked for among all rows
        for i in range(len(decided)):
            residual[-1, i] = rules.use[-1, i]
    return smallest


@helper
def count_open(rows: Ints, decided: Bytes) -> int:
    """Return how many of the rows are undecided."""
    n = 0
    for i in rows:
        n += decided[i] == UNDECIDED
    return n
