"""The SVM for known wrong samples, by an active-set method on its dual."""

from __future__ import annotations

from frugalsvm.compiled import helper
from frugalsvm.margin.dual import Work, recompute
from frugalsvm.margin.free_rows import is_free, pivot_work, refresh, seed_free
from frugalsvm.margin.moves import (
    BELOW,
    CUTOFF,
    OPTIMAL,
    PAUSED,
    STALLED,
    UNBOUNDED,
    enter,
    flip,
    refine,
)

LOOSE = 1e-6
"""A violation that is accepted when an ill-conditioned kernel does not allow less."""

HOPELESS = 0.3
"""Rounding errors of the margins beyond which nothing can be told from them."""

MOST_REPAIRS = 6
"""Attempts to make the free rows agree before the solver gives up."""

REFRESH = 64
"""Changes of the free set after which its inverse is computed afresh, plus twice its size."""

SHARE = 0.5
"""Rows go to their box's other end together if they violate by this share of the largest."""

MOST_PATIENCE = 16
"""Single moves, at the most, between attempts at joint ones."""


@helper
def price(work: Work) -> tuple[int, float, float]:
    """Return the row that violates optimality most, its signed e - b, and the dual's most gain.

    The gain ignores violations that are rounding errors; it is infinite while a row without a
    far side is violated.
    """
    a, lo, hi, e = work.a, work.lo, work.hi, work.e
    b, negligible = work.numbers[1], work.numbers[3]
    best, most, gain = -1, 0.0, 0.0
    for i in range(len(a)):
        v = e[i] - b
        room = hi[i] - a[i] if v > 0.0 else a[i] - lo[i]
        v = abs(v)
        if room > 0.0 and v > negligible:
            gain += v * room
        if v > most and room > 0.0:
            best, most = i, v
    return best, (e[best] - b if best >= 0 else 0.0), gain


@helper
def solve(work: Work, cutoff: float, max_pivots: int, least: float) -> int:
    """Maximise the dual from the present a, which must be feasible.

    Returns OPTIMAL; CUTOFF as soon as the value reaches `cutoff`; UNBOUNDED with the direction
    in ``ray``; STALLED after `max_pivots`; BELOW as soon as the optimum is seen to be less than
    `least`; PAUSED if it is told to end. The value in ``numbers[0]`` is a bound in any case.
    """
    counts, numbers = work.counts, work.numbers
    above = cutoff + 1e-9 * abs(cutoff)
    fresh, repairs, wait, patience = False, 0, 0, 1
    for _ in range(max_pivots):
        if work.halt[0] != 0:
            return PAUSED
        if counts[1] >= REFRESH + 2 * counts[0]:
            refresh(work)
        if counts[0] == 0:
            seed_free(work)
        j, violation, gain = price(work)
        if numbers[0] + gain < least:
            return BELOW
        if abs(violation) <= numbers[3]:
            if fresh or counts[1] == 0:
                if numbers[0] >= cutoff:
                    return CUTOFF
                return OPTIMAL if numbers[3] <= HOPELESS else STALLED
            recompute(work)  # optimal, unless rounding errors have added up
            numbers[1] = work.e[work.free[0]]
            fresh = True
            continue
        if is_free(work, j):  # the inverse has lost precision
            repairs += 1
            if repairs > MOST_REPAIRS:
                return OPTIMAL if abs(violation) <= LOOSE else STALLED
            if repairs % 2 == 1:
                refine(work)
            else:
                refresh(work)
            continue
        counts[2] += 1
        counts[3] += pivot_work(work)
        fresh, repairs = False, 0
        if wait == 0:
            if flip(work, SHARE * abs(violation), cutoff):
                patience = 1
                continue
            wait, patience = patience, min(2 * patience, MOST_PATIENCE)
        wait -= 1
        code = enter(work, j, violation, above)
        if code in (UNBOUNDED, STALLED):
            return int(code)
        if (code == CUTOFF or numbers[0] >= cutoff) and recompute(work) >= cutoff:
            return CUTOFF
    return STALLED
