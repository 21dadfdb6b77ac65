"""The search tree of a proof: its open nodes.

Nodes lie on a stack. Below every node of the stack there are only nodes of the same or a lower
level, so that one place for each level is enough to keep the multipliers its nodes start from.
"""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np

from frugalsvm.margin.arrays import Bytes, Flags, Floats, Ints
from frugalsvm.margin.classifiers.drafts import Draft, copy_draft
from frugalsvm.margin.conflicts import Pool
from frugalsvm.margin.slots import N_OPEN, OBJECTIVE, TO_PROVE, TOLERANCE
from frugalsvm.margin.tuning import PROOF_STACK
from frugalsvm.runtime.compiled import helper

FREE, UNDECIDED, HARD = 0, 1, 2
"""What a node has decided about a row: may be wrong, open, must hold without a slack."""

N_RULES = 7
"""How many rules there are by which a node leaves the tree (see `door.py`)."""

FINISHED, LIMIT, STACK_FULL, POOL_FULL = 0, 1, 2, 3
"""How the work on nodes ended: all done, no time for more, no room for nodes, for conflicts."""


class Tree(NamedTuple):
    """The open nodes.

    Each has decided that some rows may be wrong (FREE) and others must hold (HARD), a level, and
    a lower bound. ``start`` holds the multipliers that the nodes of each level start from.
    ``tally`` counts what each rule did, ``witness`` marks the wrong rows of a known answer. What
    ``counts`` and ``numbers`` hold is listed in `slots.py`.
    """

    decided: Bytes
    level: Ints
    bound: Floats
    start: Floats
    counts: Ints
    numbers: Floats
    tally: Ints
    witness: Flags


class Rules(NamedTuple):
    """Sums of limits, what a wrong row uses of each, and the switches of the proof."""

    sums: Floats
    use: Floats
    max_pivots: int
    pool: bool
    packing: bool
    shrink: bool


class Node(NamedTuple):
    """Room for the work on one node.

    ``residual`` is what no conflict has charged of each row's use, ``left`` what the conflicts
    leave of each sum of limits; ``hard`` marks the rows that must hold, ``candidates`` those that
    further conflicts are looked for among.
    """

    decided: Bytes
    residual: Floats
    left: Floats
    hard: Flags
    candidates: Flags


class Proof(NamedTuple):
    """All that a proof works on: its rules, tree, conflicts, and the best classifier."""

    rules: Rules
    tree: Tree
    pool: Pool
    best: Draft


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
        counts=np.array([1, 0, -1]),
        numbers=np.array([cutoff, math.inf, tolerance, math.inf]),
        tally=np.zeros((N_RULES, 3), dtype=np.int64),
        witness=np.zeros(m, dtype=np.bool_),
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
    larger.tally[:], larger.witness[:] = tree.tally, tree.witness
    return larger


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
def push(tree: Tree, decided: Bytes, level: int, bound: float) -> None:
    """Put a node on the stack."""
    at = tree.counts[N_OPEN]
    for i in range(len(decided)):
        tree.decided[at, i] = decided[i]
    tree.level[at], tree.bound[at] = level, bound
    tree.counts[N_OPEN] += 1
