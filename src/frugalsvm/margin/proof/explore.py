"""The proof's work on its nodes, in compiled code."""

from __future__ import annotations

from typing import Any

import numpy as np

from frugalsvm.margin.classifiers.drafts import Bench, read_draft
from frugalsvm.margin.conflicts import Pool, add_conflict
from frugalsvm.margin.proof.branching import branch
from frugalsvm.margin.proof.door import (
    CONFLICT,
    LIMITS,
    NEW_PACKING,
    OPEN,
    OPTIMUM,
    PACKING,
    ask,
    close,
)
from frugalsvm.margin.proof.find_conflict import find_conflict
from frugalsvm.margin.proof.packing import (
    OVERDRAWN,
    PRUNE,
    charge,
    count_open,
    harden_unaffordable,
    pack_node,
)
from frugalsvm.margin.proof.tree import (
    FINISHED,
    HARD,
    LIMIT,
    POOL_FULL,
    UNDECIDED,
    Node,
    Proof,
    Rules,
    Tree,
    offer,
)
from frugalsvm.margin.slots import EFFORT, N_CONFLICTS, N_DONE, N_OPEN, TO_PROVE, UNSETTLED, VALUE
from frugalsvm.margin.solver.codes import BALANCE, CUTOFF, EVALUATE, OPTIMAL, PAUSED, READY
from frugalsvm.margin.solver.dual import restore, save, set_boxes
from frugalsvm.runtime.compiled import helper, inlined, kernel


@kernel
def explore(solver: Any, bench: Bench, proof: Proof, most_nodes: int, most_work: int) -> int:
    """Work through the tree, until `most_nodes` are finished or `most_work` is done.

    The best classifier is replaced by better ones, which lower the cutoff.
    """
    counts, code = proof.tree.counts, FINISHED
    while counts[N_OPEN] > 0 and code == FINISHED:
        if counts[N_DONE] >= most_nodes or bench.work.counts[EFFORT] >= most_work:
            return LIMIT
        code = process(solver, bench, proof, most_work)
    return code


@inlined
def process(solver: Any, bench: Bench, proof: Proof, most_work: int) -> int:
    """Close the top node or replace it by its children; on other codes it stays."""
    rules, tree = proof.rules, proof.tree
    node = open_node(rules, tree)
    smallest = pack_node(bench.limits, rules, proof.pool, node)
    rule = packed(rules, tree, proof.pool, smallest)
    code = FINISHED
    if rule == OPEN:
        start_node(bench, tree, node)
        code, rule, smallest = search_node(solver, bench, proof, node, smallest, most_work)
    if code == FINISHED and rule == OPEN:
        if rules.packing:
            harden_unaffordable(node.decided, node.residual, node.left)
        return int(branch(bench, tree, proof.pool, smallest, node.decided))
    if code == FINISHED:
        close(tree, rule)
    return code


@inlined
def open_node(rules: Rules, tree: Tree) -> Node:
    """Return the top node with room for the work on it."""
    m = tree.decided.shape[1]
    return Node(
        tree.decided[tree.counts[N_OPEN] - 1].copy(),
        rules.use.copy(),
        np.empty(len(rules.sums)),
        np.zeros(m, dtype=np.bool_),
        np.zeros(m, dtype=np.bool_),
    )


@inlined
def packed(rules: Rules, tree: Tree, pool: Pool, smallest: int) -> int:
    """Return by which rule the known conflicts, or the limits, close a node; OPEN if none does."""
    ask(tree, LIMITS, 0)
    if smallest == OVERDRAWN:
        return LIMITS
    touched = tree.decided.shape[1] + pool.starts[pool.counts[N_CONFLICTS]]
    ask(tree, PACKING, 1 + len(rules.sums) * touched // 1000)
    return PACKING if smallest == PRUNE else OPEN


@inlined
def start_node(bench: Bench, tree: Tree, node: Node) -> None:
    """Set the solver to the node's multipliers and boxes."""
    work, level = bench.work, tree.level[tree.counts[N_OPEN] - 1]
    for i in range(len(work.a)):
        work.a[i] = tree.start[level, i]
        node.hard[i] = node.decided[i] == HARD
    set_boxes(work, bench.limits.box, node.hard)


@inlined
def search_node(
    solver: Any, bench: Bench, proof: Proof, node: Node, smallest: int, most_work: int
) -> tuple[int, int, int]:
    """Look for conflicts until they close the node or there are no more.

    Returns how it ended, the rule that closes the node (OPEN if none does), and the smallest open
    conflict.
    """
    work, rules, tree = bench.work, proof.rules, proof.tree
    first, rule = BALANCE, OPEN
    relaxed = False  # whether the SVM with the node's hard rows was solved
    while rule == OPEN:
        cutoff, before = tree.numbers[TO_PROVE], work.counts[EFFORT]
        code, conflict = find_conflict(
            solver, bench, rules, node.candidates, cutoff, most_work, first
        )
        ask(tree, CONFLICT, work.counts[EFFORT] - before)
        first = READY
        if code == PAUSED:
            return LIMIT, OPEN, smallest
        if code == CUTOFF:
            if not add_conflict(proof.pool, conflict, cutoff):
                return POOL_FULL, OPEN, smallest
            rule, smallest = use_conflict(rules, tree, proof.pool, node, smallest)
            if not rules.packing:
                break
        else:
            found = code == OPTIMAL and read_draft(work, bench.limits, bench.trial)
            if not relaxed:
                solver(work, EVALUATE, cutoff, 0, -np.inf)
                rule = relaxation(bench, tree, found)
            better = found and offer(tree, proof.best, bench.trial)
            if relaxed and not better:
                break
        relaxed = True
        if rule == OPEN:
            if work.counts[EFFORT] >= most_work:
                return LIMIT, OPEN, smallest
            start_again(bench, node)
    return FINISHED, rule, smallest


@inlined
def start_again(bench: Bench, node: Node) -> None:
    """Go back to the SVM with the node's hard rows, to look for conflicts among the open ones."""
    restore(bench.kept, bench.work)
    set_boxes(bench.work, bench.limits.box, node.hard)
    for i in range(len(node.decided)):
        node.candidates[i] = node.decided[i] == UNDECIDED and node.residual[-1, i] > 0.0


@helper
def use_conflict(
    rules: Rules, tree: Tree, pool: Pool, node: Node, smallest: int
) -> tuple[int, int]:
    """Return the rule by which the newest conflict closes the node, and the smallest open one."""
    newest = pool.counts[N_CONFLICTS] - 1
    rows = pool.members[pool.starts[newest] : pool.starts[newest + 1]]
    n_open = count_open(rows, node.decided)
    if n_open == 0:
        return CONFLICT, smallest
    if smallest < 0 or n_open < count_open(
        pool.members[pool.starts[smallest] : pool.starts[smallest + 1]], node.decided
    ):
        smallest = newest
    if rules.packing:
        ask(tree, NEW_PACKING, 1 + len(rules.sums) * len(rows) // 1000)
        if charge(rows, node.decided, node.residual, node.left):
            return NEW_PACKING, smallest
    return OPEN, smallest


@inlined
def relaxation(bench: Bench, tree: Tree, found: bool) -> int:
    """Take the bound of the node's SVM; return OPTIMUM if it keeps the limits, else OPEN.

    It is feasible then and optimal for the relaxation: the best of this node.
    """
    top = tree.counts[N_OPEN] - 1
    tree.bound[top] = max(tree.bound[top], bench.work.numbers[VALUE])
    save(bench.work, bench.kept)
    ask(tree, OPTIMUM, 0)
    if found:
        tree.numbers[UNSETTLED] = min(tree.numbers[UNSETTLED], tree.bound[top])
    return OPTIMUM if found else OPEN
