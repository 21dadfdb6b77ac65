"""Multipliers made feasible: inside their boxes, with sum zero."""

from __future__ import annotations

import numpy as np

from frugalsvm.margin.slots import EFFORT, FLAG, FOLLOW, INTERCEPT, N_FREE, VALUE
from frugalsvm.margin.solver.dual import Work
from frugalsvm.margin.solver.free_rows import column, drop_free, pivot_work, refresh
from frugalsvm.margin.solver.moves import advance, blocking
from frugalsvm.margin.solver.sorting import falling
from frugalsvm.margin.tuning import BALANCED, MOST_PULLED_BACK
from frugalsvm.runtime.compiled import helper, inlined


@inlined
def balance(work: Work) -> None:
    """Put a into its boxes and make its sum zero, changing as few large entries as possible."""
    a, lo, hi = work.a, work.lo, work.hi
    total, scale = 0.0, 0.0
    for i in range(len(a)):
        a[i] = min(max(a[i], lo[i]), hi[i])
        total += a[i]
        scale += abs(a[i])
    if abs(total) > BALANCED * scale:
        size = np.empty(len(a))
        for i in range(len(a)):
            size[i] = a[i] if total > 0.0 else -a[i]
        for i in falling(size, np.arange(len(a))):
            cut = min(abs(total), max(size[i], 0.0))
            if cut == 0.0:
                break
            cut = cut if total > 0.0 else -cut
            a[i] -= cut
            total -= cut
    refresh(work)


@inlined
def pull_back(work: Work, i: int) -> bool:
    """Bring a multiplier that is outside its box to its end; the free rows follow.

    Returns False if no free row is left to do so: `balance` has to.
    """
    a, lo, hi, free = work.a, work.lo, work.hi, work.free
    for p in range(work.counts[N_FREE]):
        if free[p] == i:
            drop_free(work, p)
            break
    goal = hi[i] if a[i] > hi[i] else lo[i]
    sign = 1.0 if goal > a[i] else -1.0
    while work.counts[N_FREE] > 0 and work.halt[FLAG] == 0:
        curvature = column(work, i)
        work.counts[EFFORT] += pivot_work(work)
        p, room = blocking(work, sign)
        step = min(room, abs(goal - a[i]))
        slope = sign * (work.e[i] - work.numbers[INTERCEPT])
        advance(work, i, sign * step)
        work.numbers[VALUE] += step * (slope - 0.5 * curvature * step)
        if room > step:
            a[i] = goal
            return True
        if p < 0:  # the numbers have lost all their digits
            return False
        row = free[p]
        a[row] = hi[row] if sign * work.beta[FOLLOW, p + 1] > 0.0 else lo[row]
        drop_free(work, p)
    return False


@helper
def settle(work: Work) -> bool:
    """Make a consistent state feasible again after its boxes were changed.

    Returns False if it takes a new start: `balance` has to.
    """
    a, lo, hi = work.a, work.lo, work.hi
    outside = 0
    for i in range(len(a)):
        outside += a[i] < lo[i] or a[i] > hi[i]
    if outside > MOST_PULLED_BACK:
        return False
    for i in range(len(a)):
        if (a[i] < lo[i] or a[i] > hi[i]) and not pull_back(work, i):
            return False
    return True
