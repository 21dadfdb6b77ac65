"""Which exchanges of one row promise a better classifier."""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np

from frugalsvm.margin.arrays import Flags, Floats, Ints
from frugalsvm.margin.classifiers.drafts import Draft, Limits, take_in_order
from frugalsvm.margin.slots import FLAG
from frugalsvm.margin.solver.dual import Work
from frugalsvm.margin.solver.free_rows import stiffness
from frugalsvm.margin.solver.sorting import falling
from frugalsvm.margin.tuning import LEAST_RESISTANCE, MOST_EXCHANGED, OUTSIDE_ITS_BOX
from frugalsvm.runtime.compiled import helper, inlined


class Offers(NamedTuple):
    """What a round has to offer.

    ``enter`` lists the rows that had better be wrong, ``leave`` the wrong rows; ``gain`` and
    ``cost`` are those of all rows; ``into`` and ``out`` list those whose pairs are looked at, with
    the ``promise`` of each.
    """

    enter: Ints
    leave: Ints
    gain: Floats
    cost: Floats
    into: Ints
    out: Ints
    promise: Floats


@inlined
def make_offers(work: Work, limits: Limits, best: Draft) -> Offers:
    """Return what can be exchanged in a classifier, and what that promises."""
    enter, leave = movable(limits, best)
    gain, cost = promises(work, limits, best, enter, leave)
    into, out = most(gain, enter), most(-cost, leave)
    promise = pair_promises(limits, best, into, out, gain, cost)
    return Offers(enter, leave, gain, cost, into, out, promise)


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
            elif abs(best.a[i]) > limits.box[i] * OUTSIDE_ITS_BOX:
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
        if work.halt[FLAG] != 0:
            break
        excess = abs(best.a[i]) - limits.box[i]
        gain[i] = 0.5 * stiffness(work, i) * excess * excess
    for i in leave:
        if work.halt[FLAG] != 0:
            break
        cost[i] = 0.5 * best.slack[i] ** 2 / max(stiffness(work, i), LEAST_RESISTANCE)
    return gain, cost


@helper
def most(values: Floats, rows: Ints) -> Ints:
    """Return the rows in their order, if there are many those with the largest values."""
    return rows if len(rows) <= MOST_EXCHANGED else falling(values, rows)[:MOST_EXCHANGED]


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
def next_pair(limits: Limits, best: Draft, offers: Offers, wrong: Flags) -> bool:
    """Mark the wrong rows after the exchange that promises most; False if none is left."""
    enter, leave, promise = offers.into, offers.out, offers.promise
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
def refill(limits: Limits, offers: Offers, number: int, wrong: Flags) -> bool:
    """Let the row go that promises most but for `number` others, and fill up around it.

    Where rows have unequal weights one of them may take the room of several.
    """
    if number >= len(offers.enter):
        return False
    wish = falling(offers.gain, offers.enter)
    out = falling(offers.cost, offers.leave)
    order = np.concatenate((wish[number : number + 1], out, wish))
    take_in_order(limits, order, wrong)
    return True
