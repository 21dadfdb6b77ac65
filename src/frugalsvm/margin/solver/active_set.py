"""The SVM for known wrong samples, by an active-set method on its dual."""

from __future__ import annotations

from frugalsvm.margin.slots import (
    CHANGES,
    EFFORT,
    FLAG,
    INTERCEPT,
    N_FREE,
    NEGLIGIBLE,
    PIVOTS,
    VALUE,
)
from frugalsvm.margin.solver.codes import BELOW, CUTOFF, OPTIMAL, PAUSED, STALLED, UNBOUNDED
from frugalsvm.margin.solver.dual import Work
from frugalsvm.margin.solver.free_rows import is_free, pivot_work, refresh, seed_free
from frugalsvm.margin.solver.moves import enter, flip, refine
from frugalsvm.margin.solver.value import recompute
from frugalsvm.margin.tuning import (
    FLIP_SHARE,
    HOPELESS,
    LOOSE,
    MOST_PATIENCE,
    MOST_REPAIRS,
    REACHED,
    REFRESH,
)
from frugalsvm.runtime.compiled import helper, inlined


@helper
def price(work: Work) -> tuple[int, float, float]:
    """Return the row that violates optimality most, its signed e - b, and the dual's most gain.

    The gain ignores violations that are rounding errors; it is infinite while a row without a
    far side is violated.
    """
    a, lo, hi, e = work.a, work.lo, work.hi, work.e
    b, negligible = work.numbers[INTERCEPT], work.numbers[NEGLIGIBLE]
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


@inlined
def solve(work: Work, cutoff: float, max_pivots: int, least: float) -> int:
    """Maximise the dual from the present a, which must be feasible.

    Returns OPTIMAL; CUTOFF as soon as the value reaches `cutoff`; UNBOUNDED with the direction
    in ``ray``; STALLED after `max_pivots`; BELOW as soon as the optimum is seen to be less than
    `least`; PAUSED if it is told to end. The value in ``numbers[VALUE]`` is a bound in any case.
    """
    counts, numbers = work.counts, work.numbers
    above = cutoff + REACHED * abs(cutoff)
    fresh, repairs, wait, patience = False, 0, 0, 1
    for _ in range(max_pivots):
        if work.halt[FLAG] != 0:
            return PAUSED
        if counts[CHANGES] >= REFRESH + 2 * counts[N_FREE]:
            refresh(work)
        if counts[N_FREE] == 0:
            seed_free(work)
        j, violation, gain = price(work)
        if numbers[VALUE] + gain < least:
            return BELOW
        if abs(violation) <= numbers[NEGLIGIBLE]:
            if fresh or counts[CHANGES] == 0:
                if numbers[VALUE] >= cutoff:
                    return CUTOFF
                return OPTIMAL if numbers[NEGLIGIBLE] <= HOPELESS else STALLED
            recompute(work)  # optimal, unless rounding errors have added up
            numbers[INTERCEPT] = work.e[work.free[0]]
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
        counts[PIVOTS] += 1
        counts[EFFORT] += pivot_work(work)
        fresh, repairs = False, 0
        if wait == 0:
            if flip(work, FLIP_SHARE * abs(violation), cutoff):
                patience = 1
                continue
            wait, patience = patience, min(2 * patience, MOST_PATIENCE)
        wait -= 1
        code = enter(work, j, violation, above)
        if code in (UNBOUNDED, STALLED):
            return int(code)
        if (code == CUTOFF or numbers[VALUE] >= cutoff) and recompute(work) >= cutoff:
            return CUTOFF
    return STALLED
