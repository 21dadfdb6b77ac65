"""Classifiers as compiled code sees them: read off the solver, checked against the limits."""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np

from frugalsvm.margin.arrays import Flags, Floats, Ints
from frugalsvm.margin.rows.reduction import Reduced
from frugalsvm.margin.slots import INTERCEPT, NEGLIGIBLE, OBJECTIVE
from frugalsvm.margin.solver.dual import State, Work
from frugalsvm.margin.tuning import COUNTED, MEANT, MOST_ROUNDING, NOISE_FACTOR, SAME_INTERCEPT
from frugalsvm.runtime.compiled import helper, kernel


class Limits(NamedTuple):
    """What may be wrong.

    ``use`` and ``caps`` are those of the reduced rows, ``choosable`` marks the rows that a limit
    counts and that may be wrong, ``box`` holds the largest multipliers of rows with a slack.
    """

    use: Floats
    caps: Floats
    fixed: Flags
    choosable: Flags
    box: Floats


class Draft(NamedTuple):
    """Room for a classifier that keeps every limit; ``numbers`` as in `slots.py`."""

    a: Floats
    slack: Floats
    wrong: Flags
    numbers: Floats


class Bench(NamedTuple):
    """What compiled searches work with: the solver's data and room, and the limits.

    ``backup`` and ``kept`` are room for states to come back to, ``trial`` is room for a classifier
    that is being tried.
    """

    work: Work
    backup: State
    kept: State
    limits: Limits
    trial: Draft


def make_limits(rows: Reduced, box: Floats) -> Limits:
    """Return the limits of reduced rows."""
    choosable = np.ascontiguousarray(rows.use.any(axis=0) & ~rows.fixed)
    return Limits(rows.use, rows.caps, rows.fixed, choosable, box)


def make_draft(m: int) -> Draft:
    """Return room for a classifier of m rows."""
    return Draft(np.zeros(m), np.zeros(m), np.zeros(m, dtype=np.bool_), np.array([math.inf, 0.0]))


@helper
def copy_draft(source: Draft, goal: Draft) -> None:
    """Copy a classifier."""
    a, slack, wrong = goal.a, goal.slack, goal.wrong
    from_a, from_slack, from_wrong = source.a, source.slack, source.wrong
    for i in range(len(a)):
        a[i], slack[i], wrong[i] = from_a[i], from_slack[i], from_wrong[i]
    goal.numbers[INTERCEPT], goal.numbers[OBJECTIVE] = (
        source.numbers[INTERCEPT],
        source.numbers[OBJECTIVE],
    )


@helper
def draft_at(work: Work, limits: Limits, b: float, draft: Draft) -> bool:
    """Write the classifier with intercept b; False if it breaks a limit.

    Hard rows end a rounding error short of their target: a factor puts them on it.
    """
    a, e, t, y = work.a, work.e, work.t, work.y
    use, caps, fixed, box = limits.use, limits.caps, limits.fixed, limits.box
    wrong, slack = draft.wrong, draft.slack
    used = np.zeros(len(caps))
    noise = NOISE_FACTOR * work.numbers[NEGLIGIBLE]
    counted, meant = min(max(COUNTED, noise), MOST_ROUNDING), min(max(COUNTED, noise), MEANT)
    lowest, norm = 1.0, 0.0
    for i in range(len(a)):
        score = t[i] - e[i]
        norm += 0.5 * a[i] * score
        margin, target = y[i] * (score + b), y[i] * t[i]
        at_target = meant > counted and work.lo[i] < a[i] < work.hi[i]
        wrong[i] = margin < target - (meant if at_target else counted)
        if wrong[i]:
            if fixed[i]:
                return False
            for k in range(len(caps)):
                used[k] += use[k, i]
        elif target > 0.5 and not at_target:
            lowest = min(lowest, margin)
    for k in range(len(caps)):
        if used[k] > caps[k]:
            return False
    scale = 1.0 / lowest
    paid = 0.0
    for i in range(len(a)):
        draft.a[i] = scale * a[i]
        slack[i] = 0.0
        if wrong[i]:
            slack[i] = max(0.0, y[i] * (t[i] - scale * (t[i] - e[i] + b)))
            if slack[i] > 0.0:
                paid += box[i] * slack[i]
    draft.numbers[INTERCEPT] = scale * b
    draft.numbers[OBJECTIVE] = scale * scale * max(0.0, norm) + paid
    return True


@helper
def read_draft(work: Work, limits: Limits, draft: Draft) -> bool:
    """Write the present, optimal SVM as a classifier; False if it breaks a limit.

    Where a whole interval of intercepts is optimal its middle is tried first, as libsvm does,
    then its ends.
    """
    a, lo, hi, e = work.a, work.lo, work.hi, work.e
    low, high = -math.inf, math.inf
    for i in range(len(a)):
        if a[i] < hi[i]:
            low = max(low, e[i])
        if a[i] > lo[i]:
            high = min(high, e[i])
    b = work.numbers[INTERCEPT]
    if low > -math.inf and high < math.inf:
        b = 0.5 * (low + high)
    for number in range(3):
        if number > 0:
            b = low if number == 1 else high
            if not (abs(b) < math.inf and low < high - SAME_INTERCEPT):
                continue
        if draft_at(work, limits, b, draft):
            return True
    return False


@kernel
def take_in_order(limits: Limits, order: Ints, wrong: Flags) -> None:
    """Mark each row of the order as wrong that what is left of the limits has room for."""
    use, fixed = limits.use, limits.fixed
    left = limits.caps.copy()
    for i in range(len(wrong)):
        wrong[i] = False
    for i in order:
        fits = not fixed[i] and not wrong[i]
        for k in range(len(left)):
            fits = fits and use[k, i] <= left[k]
        if fits:
            wrong[i] = True
            for k in range(len(left)):
                left[k] -= use[k, i]
