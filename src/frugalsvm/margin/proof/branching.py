"""How a node is replaced by its children."""

from __future__ import annotations

import math

import numpy as np

from frugalsvm.margin.arrays import Bytes, Flags, Floats
from frugalsvm.margin.classifiers.drafts import Bench
from frugalsvm.margin.conflicts import Pool
from frugalsvm.margin.proof.door import GIVEN_UP, NEW_PACKING, SPLIT, ask, close
from frugalsvm.margin.proof.tree import FINISHED, FREE, HARD, STACK_FULL, UNDECIDED, Tree, push
from frugalsvm.margin.slots import INTERCEPT, N_OPEN, UNSETTLED
from frugalsvm.runtime.compiled import helper


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
def branch(bench: Bench, tree: Tree, pool: Pool, conflict: int, decided: Bytes) -> int:
    """Replace the top node by a child for each open row of a conflict.

    In each, that row may be wrong and those of the children before it hold. A node without a
    conflict, which the solver could not settle, is split on its most violated open row.
    """
    y, kept, box = bench.work.y, bench.kept, bench.limits.box
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
    i = most_slack(rows, slack, kept.a, box)
    rule = SPLIT
    if conflict < 0 and i < 0:
        rule = GIVEN_UP
        tree.numbers[UNSETTLED] = min(tree.numbers[UNSETTLED], bound)
    elif i < 0:  # what the conflicts leave affords no row of this one
        rule = NEW_PACKING
    ask(tree, rule, 0)
    close(tree, rule)
    for j in range(len(decided)):
        tree.start[level, j] = kept.a[j]
    while i >= 0:
        decided[i] = FREE
        push(tree, decided, level, bound)
        decided[i] = HARD
        rows[i] = False
        if conflict < 0:
            push(tree, decided, level, bound)
            break
        i = most_slack(rows, slack, kept.a, box)
    return FINISHED
