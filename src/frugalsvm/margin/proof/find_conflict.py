"""Conflicts: sets of rows that cannot all hold without a slack below a given objective.

A conflict is read off a dual solution whose value has reached the cutoff: rows whose multiplier
fits the box they have with a slack do not need to be hard for that value, so one of the others
has to be wrong in any better classifier. Conflicts therefore hold in the whole search tree.
"""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from frugalsvm.margin.arrays import Flags, Floats
from frugalsvm.margin.classifiers.drafts import Bench
from frugalsvm.margin.conflicts import read_conflict
from frugalsvm.margin.proof.tree import Rules
from frugalsvm.margin.slots import EFFORT, INTERCEPT
from frugalsvm.margin.solver.codes import (
    BELOW,
    CUTOFF,
    OPTIMAL,
    PAUSED,
    READY,
    SETTLE,
    STALLED,
    UNBOUNDED,
)
from frugalsvm.margin.solver.dual import Work, harden, restore, save, set_boxes
from frugalsvm.margin.tuning import NO_SLACK
from frugalsvm.runtime.compiled import helper


@helper
def most_violated(work: Work, candidates: Flags) -> int:
    """Return the candidate with the largest slack, -1 if none has one."""
    lo, hi, y, e = work.lo, work.hi, work.y, work.e
    b = work.numbers[INTERCEPT]
    best, most = -1, NO_SLACK
    for i in range(len(e)):
        slack = y[i] * (e[i] - b)
        if slack > most and candidates[i] and lo[i] > -math.inf and hi[i] < math.inf:
            best, most = i, slack
    return best


@helper
def weakest(start: Floats, box: Floats, conflict: Flags, tried: Flags) -> int:
    """Return the untried row of the conflict that exceeds its box least, -1 if all are tried."""
    best, least = -1, math.inf
    for i in range(len(box)):
        if conflict[i] and not tried[i] and abs(start[i]) - box[i] < least:
            best, least = i, abs(start[i]) - box[i]
    return best


@helper
def find_conflict(
    solver: Any,
    bench: Bench,
    rules: Rules,
    candidates: Flags,
    cutoff: float,
    most_work: int,
    first: int,
) -> tuple[int, Flags]:
    """Make violated candidates hard until the cutoff is reached, then leave out what can be.

    Returns CUTOFF and the conflict, or how it ended without one (OPTIMAL: no candidate is
    violated; STALLED; PAUSED: there was no time for more) and an empty set. `first` says what the
    multipliers need to be feasible.
    """
    work, backup = bench.work, bench.backup
    box = bench.limits.box
    conflict = np.zeros(len(box), dtype=np.bool_)
    tried = np.zeros(len(box), dtype=np.bool_)
    left_out = -1  # the row whose omission is being tried; -1 while the conflict grows
    exact = False  # a rough solution tells which row to make hard next, until none is left
    while True:
        least = cutoff if left_out >= 0 or not exact else -math.inf
        code = solver(work, first, cutoff, rules.max_pivots, least)
        first = READY
        reached = code in (CUTOFF, UNBOUNDED)
        if left_out < 0 and not reached:
            j = most_violated(work, candidates) if code in (BELOW, OPTIMAL) else -1
            if j >= 0:
                harden(work, j)
                if work.counts[EFFORT] <= most_work:
                    continue
                code = PAUSED
            elif code == BELOW:
                exact = True
                continue
            break
        if reached:
            conflict = read_conflict(work, box, bench.limits.choosable, code)
            save(work, backup)
        else:
            conflict[left_out] = True
        left_out = weakest(backup.a, box, conflict, tried)
        if code == PAUSED or left_out < 0 or not rules.shrink:
            code = CUTOFF
            break
        tried[left_out] = True
        conflict[left_out] = False
        restore(backup, work)
        set_boxes(work, box, conflict)
        first = SETTLE
    return (code if code in (CUTOFF, OPTIMAL, PAUSED) else STALLED), conflict
