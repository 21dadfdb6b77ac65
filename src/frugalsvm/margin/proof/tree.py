"""The search tree of a proof: open nodes, and how a node is replaced by its children.

Nodes lie on a stack. Below every node of the stack there are only nodes of the same or a lower
level, so that one place for each level is enough to keep the multipliers its nodes start from.
"""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np

from frugalsvm.compiled import helper
from frugalsvm.margin.arrays import Bytes, Flags, Floats, Ints
from frugalsvm.margin.classifiers.drafts import Draft, Limits, copy_draft
from frugalsvm.margin.conflicts import Pool
from frugalsvm.margin.slots import (
    INTERCEPT,
    N_DONE,
    N_OPEN,
    OBJECTIVE,
    TO_PROVE,
    TOLERANCE,
    UNSETTLED,
)
from frugalsvm.margin.solver.dual import State
from frugalsvm.margin.tuning import PROOF_STACK

FREE, UNDECIDED, HARD = 0, 1, 2
"""What a node has decided about a row: may be wrong, open, must hold without a slack."""

FINISHED, LIMIT, STACK_FULL, POOL_FULL = 0, 1, 2, 3
"""How the work on nodes ended: all done, no time for more, no room for nodes, for conflicts."""


class Tree(NamedTuple):
    """The open nodes.

    Each has decided that some rows may be wrong (FREE) and others must hold (HARD), a level, and
    a lower bound. ``start`` holds the multipliers that the nodes of each level start from.
    ``counts`` holds the number of open nodes and of finished ones, ``numbers`` the cutoff, the
    least bound of what could not be settled, and the tolerance.
    """

    decided: Bytes
    level: Ints
    bound: Floats
    start: Floats
    counts: Ints
    numbers: Floats


class Rules(NamedTuple):
    """Sums of limits, what a wrong row uses of each, and the switches of the proof."""

    sums: Floats
    use: Floats
    max_pivots: int
    pool: bool
    packing: bool
    shrink: bool


def make_tree(
    root: Bytes, cutoff: float, tolerance: float, room: tuple[int, int] = PROOF_STACK
) -> Tree:
    """Return a tree whose only node is the root."""
    (n, levels), m = room, len(root)
    tree = Tree(
        decided=np.zeros((n, m), dtype=np.int8),
        level=np.zeros(n, dtype=np.int64),
        bound=np.zeros(n),
        start=np.zeros((levels, m)),
        counts=np.array([1, 0]),
        numbers=np.array([cutoff, math.inf, tolerance]),
    )
    tree.decided[0] = root
    return tree


def enlarged(tree: Tree) -> Tree:
    """Return the tree with twice the room."""
    n, levels = len(tree.level), len(tree.start)
    larger = make_tree(tree.decided[0], 0.0, 0.0, (2 * n, 2 * levels))
    larger.decided[:n], larger.level[:n], larger.bound[:n] = tree.decided, tree.level, tree.bound
    larger.start[:levels] = tree.start
    larger.counts[:], larger.numbers[:] = tree.counts, tree.numbers
    return larger


@helper
def close(tree: Tree) -> None:
    """Take the top node off the stack."""
    tree.counts[N_OPEN] -= 1
    tree.counts[N_DONE] += 1


@helper
def offer(tree: Tree, best: Draft, trial: Draft) -> bool:
    """Take a better classifier; True if it lowers the cutoff."""
    if not trial.numbers[OBJECTIVE] < best.numbers[OBJECTIVE]:
        return False
    copy_draft(trial, best)
    lower = trial.numbers[OBJECTIVE] * (1.0 - tree.numbers[TOLERANCE])
    if lower < tree.numbers[TO_PROVE]:
        tree.numbers[TO_PROVE] = lower
        return True
    return False


@helper
def most_slack(rows: Flags, slack: Floats, pull: Floats, box: Floats) -> int:
    """Return the marked row with the largest slack, then the largest pull; -1 if none is left."""
    best, most, strongest = -1, -math.inf, 0.0
    for i in range(len(rows)):
        if rows[i] and slack[i] >= most:
            strength = abs(pull[i]) / box[i]
            if slack[i] > most or strength > strongest:
                best, most, strongest = i, slack[i], strength
    return best


@helper
def push(tree: Tree, decided: Bytes, level: int, bound: float) -> None:
    """Put a node on the stack."""
    at = tree.counts[N_OPEN]
    for i in range(len(decided)):
        tree.decided[at, i] = decided[i]
    tree.level[at], tree.bound[at] = level, bound
    tree.counts[N_OPEN] += 1


@helper
def branch(
    y: Floats,
    kept: State,
    limits: Limits,
    tree: Tree,
    pool: Pool,
    conflict: int,
    decided: Bytes,
) -> int:
    """Replace the top node by a child for each open row of a conflict.

    In each, that row may be wrong and those of the children before it hold. A node without a
    conflict, which the solver could not settle, is split on its most violated open row.
    """
    top = tree.counts[N_OPEN] - 1
    level, bound = tree.level[top] + 1, tree.bound[top]
    rows = np.zeros(len(decided), dtype=np.bool_)
    slack = np.empty(len(decided))
    for i in range(len(decided)):
        slack[i] = y[i] * (kept.e[i] - kept.numbers[INTERCEPT])
        rows[i] = conflict < 0 and decided[i] == UNDECIDED and slack[i] > 0.0
    n = 2
    if conflict >= 0:
        for i in pool.members[pool.starts[conflict] : pool.starts[conflict + 1]]:
            rows[i] = decided[i] == UNDECIDED
            n += 1
    if top + n > len(tree.level) or level >= len(tree.start):
        return STACK_FULL
    close(tree)
    for i in range(len(decided)):
        tree.start[level, i] = kept.a[i]
    i = most_slack(rows, slack, kept.a, limits.box)
    if conflict < 0 and i < 0:
        tree.numbers[UNSETTLED] = min(tree.numbers[UNSETTLED], bound)
    while i >= 0:
        decided[i] = FREE
        push(tree, decided, level, bound)
        decided[i] = HARD
        rows[i] = False
        if conflict < 0:
            push(tree, decided, level, bound)
            break
        i = most_slack(rows, slack, kept.a, limits.box)
    return FINISHED
