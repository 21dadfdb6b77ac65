"""The proof's work on its nodes, in compiled code."""

from __future__ import annotations

from typing import Any

import numpy as np

from frugalsvm.compiled import inlined, kernel
from frugalsvm.margin.classifiers.drafts import Draft, Limits, read_draft
from frugalsvm.margin.conflicts import Pool, add_conflict
from frugalsvm.margin.proof.find_conflict import find_conflict
from frugalsvm.margin.proof.packing import PRUNE, charge, count_open, harden_unaffordable, pack_node
from frugalsvm.margin.proof.tree import (
    FINISHED,
    HARD,
    LIMIT,
    POOL_FULL,
    UNDECIDED,
    Rules,
    Tree,
    branch,
    close,
    offer,
)
from frugalsvm.margin.slots import EFFORT, N_CONFLICTS, N_DONE, N_OPEN, TO_PROVE, UNSETTLED, VALUE
from frugalsvm.margin.solver.codes import BALANCE, CUTOFF, EVALUATE, OPTIMAL, PAUSED, READY
from frugalsvm.margin.solver.dual import State, Work, restore, save, set_boxes


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
    while tree.counts[N_OPEN] > 0 and code == FINISHED:
        if tree.counts[N_DONE] >= most_nodes or work.counts[EFFORT] >= most_work:
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
    top = tree.counts[N_OPEN] - 1
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
        cutoff = tree.numbers[TO_PROVE]
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
            number = pool.counts[N_CONFLICTS]
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
                solver(work, EVALUATE, cutoff, 0, -np.inf)
                tree.bound[top] = max(tree.bound[top], work.numbers[VALUE])
                save(work, kept)
                if found:  # feasible and optimal for the relaxation: the best of this node
                    offer(tree, best, trial)
                    tree.numbers[UNSETTLED] = min(tree.numbers[UNSETTLED], tree.bound[top])
                    close(tree)
                    return FINISHED
            elif not (found and offer(tree, best, trial)):
                break
        relaxed = True
        if work.counts[EFFORT] >= most_work:
            return LIMIT
        restore(kept, work)
        set_boxes(work, limits.box, hard)
        for i in range(m):
            candidates[i] = decided[i] == UNDECIDED and residual[-1, i] > 0.0
    if rules.packing:
        harden_unaffordable(decided, residual, left)
    return int(branch(work.y, kept, limits, tree, pool, smallest, decided))
