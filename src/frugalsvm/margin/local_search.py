"""From a set of wrong rows to a better one, by exchanges of one row: in compiled code."""

from __future__ import annotations

import math
from typing import Any, NamedTuple

import numpy as np

from frugalsvm.compiled import helper, kernel
from frugalsvm.margin.conflicts import read_conflict, set_boxes
from frugalsvm.margin.drafts import (
    Draft,
    Flags,
    Limits,
    copy_draft,
    falling,
    read_draft,
    take_in_order,
)
from frugalsvm.margin.dual import Floats, Ints, State, Work, restore, save
from frugalsvm.margin.free_rows import stiffness
from frugalsvm.margin.moves import CUTOFF, OPTIMAL, PAUSED, UNBOUNDED
from frugalsvm.margin.pool import Pool, add_conflict, misses
from frugalsvm.margin.solver import BALANCE, SETTLE, VALUE

NOTHING = -1
"""No classifier came of the start."""

RAISE = 4.0
"""Factor by which rows that are to be right become dearer in each step."""

TINY = 1e-12
"""Smallest resistance that a row is taken to meet."""

GAIN = 1e-7
"""Relative improvement of the objective that is worth another round."""


MOST_ROWS = 500
"""Rows that had better be wrong, and wrong rows, of which all pairs are looked at."""


class Plan(NamedTuple):
    """How to search.

    ``state`` holds the steps left before the rows that are to be right become hard (below zero:
    a classifier was found and is being improved), the factor on their boxes in the next step,
    and the objective that the first classifier has to beat; ``weights`` multiplies the factor.
    ``tries`` and ``refills`` limit the exchanges of a round.
    """

    state: Floats
    weights: Floats
    tries: int
    refills: int
    max_pivots: int


@kernel
def local_search(
    solver: Any,
    work: Work,
    kept: State,
    limits: Limits,
    best: Draft,
    trial: Draft,
    pool: Pool,
    plan: Plan,
    most_work: int,
) -> int:
    """Train with the rows that `best` marks as wrong, and exchange rows while that pays.

    With steps to go, the rows are chosen first: the worst may be wrong, the others become dearer
    and dearer. An exchange that fails leaves a conflict: those that miss it would fail as well.
    Returns OPTIMAL, NOTHING, or PAUSED, to be called again to go on.
    """
    state = plan.state
    while state[0] >= 0.0:
        last = state[0] == 0.0
        cutoff = state[2] if last else math.inf
        set_start(work, limits, best.wrong, plan, last)
        code = solver(work, BALANCE, cutoff, plan.max_pivots, -math.inf)
        # The value is a bound: no rounding errors of many steps.
        solver(work, VALUE, cutoff, 0, -math.inf)
        if code == PAUSED:
            return PAUSED
        if code != OPTIMAL:
            return NOTHING
        if not last:
            allow_worst(work, limits, best.wrong)
        elif not read_draft(work, limits, best) or best.numbers[1] >= cutoff:
            return NOTHING
        state[0] -= 1.0
        state[1] *= RAISE
        if work.counts[3] >= most_work:
            return PAUSED
    wrong = np.empty(len(work.a), dtype=np.bool_)
    improved = plan.tries > 0
    while improved:
        improved = False
        save(work, kept)
        enter, leave = movable(limits, best)
        gain, cost = promises(work, limits, best, enter, leave)
        into, out = most(gain, enter), most(-cost, leave)
        promise = pair_promises(limits, best, into, out, gain, cost)
        cutoff = best.numbers[1] * (1.0 - GAIN)
        for number in range(-plan.refills, plan.tries):
            if number < 0:
                index = number + plan.refills
                allowed = refill(limits, gain, cost, enter, leave, index, wrong)
            else:
                allowed = next_pair(limits, best, into, out, promise, wrong)
            if not allowed or misses(pool, wrong):
                continue
            restore(kept, work)
            if work.counts[3] >= most_work:
                return PAUSED
            set_start(work, limits, wrong, plan, True)
            code = solver(work, SETTLE, cutoff, plan.max_pivots, -math.inf)
            if code == PAUSED:
                restore(kept, work)
                return PAUSED
            if code == OPTIMAL and read_draft(work, limits, trial) and trial.numbers[1] < cutoff:
                copy_draft(trial, best)
                improved = True
                break
            if code in (CUTOFF, UNBOUNDED):
                add_conflict(pool, read_conflict(work, limits.box, limits.choosable, code), cutoff)
        if not improved:
            restore(kept, work)
    return OPTIMAL


@helper
def set_start(work: Work, limits: Limits, wrong: Flags, plan: Plan, last: bool) -> None:
    """Set the boxes for a step: rows that are to be right are dearer, and hard in the last."""
    m = len(wrong)
    box, hard = np.empty(m), np.zeros(m, dtype=np.bool_)
    for i in range(m):
        box[i] = limits.box[i]
        if last:
            hard[i] = limits.choosable[i] and not wrong[i]
        elif not wrong[i]:
            box[i] *= plan.state[1] * plan.weights[i]
    set_boxes(work, box, hard)


@helper
def allow_worst(work: Work, limits: Limits, wrong: Flags) -> None:
    """Mark the rows with the largest slacks as wrong, as many as the limits allow."""
    m, n = len(wrong), 0
    slack, rows = np.empty(m), np.empty(m, dtype=np.int64)
    for i in range(m):
        slack[i] = work.y[i] * (work.e[i] - work.numbers[1])
        if slack[i] > 0.0:
            rows[n] = i
            n += 1
    take_in_order(limits, falling(slack, rows[:n]), wrong)


@helper
def movable(limits: Limits, best: Draft) -> tuple[Ints, Ints]:
    """Return the rows that had better be wrong, and the wrong rows."""
    m = len(best.a)
    enter, leave = np.empty(m, dtype=np.int64), np.empty(m, dtype=np.int64)
    n, k = 0, 0
    for i in range(m):
        if limits.choosable[i]:
            if best.wrong[i]:
                leave[k] = i
                k += 1
            elif abs(best.a[i]) > limits.box[i] * (1.0 + 1e-9):
                enter[n] = i
                n += 1
    return enter[:n], leave[:k]


@helper
def promises(
    work: Work, limits: Limits, best: Draft, enter: Ints, leave: Ints
) -> tuple[Floats, Floats]:
    """Return by how much the objective changes, by row, if no other row changed its part.

    A row let go frees its multiplier's excess, a row made hard has to be pulled up by its slack.
    """
    gain, cost = np.zeros(len(best.a)), np.zeros(len(best.a))
    for i in enter:
        if work.halt[0] != 0:
            break
        excess = abs(best.a[i]) - limits.box[i]
        gain[i] = 0.5 * stiffness(work, i) * excess * excess
    for i in leave:
        if work.halt[0] != 0:
            break
        cost[i] = 0.5 * best.slack[i] ** 2 / max(stiffness(work, i), TINY)
    return gain, cost


@helper
def most(values: Floats, rows: Ints) -> Ints:
    """Return the rows in their order, if there are many those with the largest values."""
    return rows if len(rows) <= MOST_ROWS else falling(values, rows)[:MOST_ROWS]


@helper
def pair_promises(
    limits: Limits, best: Draft, enter: Ints, leave: Ints, gain: Floats, cost: Floats
) -> Floats:
    """Return the promise of each exchange, minus infinity where the limits forbid it.

    The last column is that of letting a row go without making another one hard.
    """
    use = limits.use
    left = limits.caps.copy()
    for i in range(len(best.wrong)):
        if limits.choosable[i] and best.wrong[i]:
            for k in range(len(left)):
                left[k] -= use[k, i]
    promise = np.empty((len(enter), len(leave) + 1))
    for p in range(len(enter)):
        i = enter[p]
        for q in range(len(leave) + 1):
            allowed = True
            for k in range(len(left)):
                room = left[k] + (use[k, leave[q]] if q < len(leave) else 0.0)
                allowed = allowed and use[k, i] <= room
            promise[p, q] = gain[i] - (cost[leave[q]] if q < len(leave) else 0.0)
            if not allowed:
                promise[p, q] = -math.inf
    return promise


@helper
def next_pair(
    limits: Limits, best: Draft, enter: Ints, leave: Ints, promise: Floats, wrong: Flags
) -> bool:
    """Mark the wrong rows after the exchange that promises most; False if none is left."""
    most, p, q = -math.inf, -1, -1
    for r in range(len(enter)):
        for s in range(len(leave) + 1):
            if promise[r, s] > most:
                most, p, q = promise[r, s], r, s
    if p < 0:
        return False
    promise[p, q] = -math.inf
    for i in range(len(wrong)):
        wrong[i] = best.wrong[i] and limits.choosable[i]
    wrong[enter[p]] = True
    if q < len(leave):
        wrong[leave[q]] = False
    return True


@helper
def refill(
    limits: Limits,
    gain: Floats,
    cost: Floats,
    enter: Ints,
    leave: Ints,
    number: int,
    wrong: Flags,
) -> bool:
    """Let the row go that promises most but for `number` others, and fill up around it.

    Where rows have unequal weights one of them may take the room of several.
    """
    if number >= len(enter):
        return False
    wish = falling(gain, enter)
    order = np.concatenate((wish[number : number + 1], falling(cost, leave), wish))
    take_in_order(limits, order, wrong)
    return True
