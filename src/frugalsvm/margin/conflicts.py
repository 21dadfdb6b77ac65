"""Conflicts: sets of rows that cannot all hold without a slack below a given objective.

A conflict is read off a dual solution whose value has reached the cutoff: rows whose multiplier
fits the box they have with a slack do not need to be hard for that value, so one of the others
has to be wrong in any better classifier. Conflicts therefore hold in the whole search tree.
"""

from __future__ import annotations

import math

import numpy as np
from numba import njit
from numpy.typing import NDArray

from frugalsvm.margin.active_set import (
    CUTOFF,
    OPTIMAL,
    STALLED,
    UNBOUNDED,
    Floats,
    Work,
    balance,
    half_kernel,
    solve,
)

SLACK = 1e-7
"""Slacks up to this are rounding errors."""

ENDLESS = 1e11
"""A bound on the objective, times the kernel's scale, above which no classifier exists.

It stands for a margin of a few millionths of the data's spread: what double precision can tell
from none."""

FREE, UNDECIDED, HARD = 0, 1, 2
"""What a node has decided about a row: may be wrong, open, must hold without a slack."""

Bytes = NDArray[np.int8]
Flags = NDArray[np.bool_]


@njit(cache=True, nogil=True)
def set_boxes(work: Work, box: Floats, hard: Flags) -> None:
    """Give each row the box of its label: up to `box`, or without end if it is hard."""
    for i in range(len(box)):
        size = math.inf if hard[i] else box[i]
        work.lo[i] = 0.0 if work.y[i] > 0.0 else -size
        work.hi[i] = size if work.y[i] > 0.0 else 0.0


@njit(cache=True, nogil=True)
def harden(work: Work, i: int) -> None:
    """Take the far side of a row's box away."""
    if work.y[i] > 0.0:
        work.hi[i] = math.inf
    else:
        work.lo[i] = -math.inf


@njit(cache=True, nogil=True)
def most_violated(work: Work, candidates: Flags) -> int:
    """Return the candidate with the largest slack, -1 if none has one."""
    b = work.numbers[1]
    best, most = -1, SLACK
    for i in range(len(work.a)):
        if candidates[i]:
            slack = work.y[i] * (work.t[i] - work.g[i] - b)
            if slack > most and work.lo[i] > -math.inf and work.hi[i] < math.inf:
                best, most = i, slack
    return best


@njit(cache=True, nogil=True)
def dive(work: Work, candidates: Flags, cutoff: float, max_pivots: int, tolerance: float) -> int:
    """Make the most violated candidate hard until the cutoff is reached or none is violated."""
    while True:
        code = solve(work, cutoff, max_pivots, tolerance)
        if code != OPTIMAL:
            return int(code)
        j = most_violated(work, candidates)
        if j < 0:
            return OPTIMAL
        harden(work, j)


@njit(cache=True, nogil=True)
def ray_value(work: Work) -> float:
    """Return the objective that the recorded direction proves, recomputed from the data."""
    gain, bend = 0.0, 0.0
    support = np.flatnonzero(work.ray)
    for i in support:
        gain += work.t[i] * work.ray[i]
        for j in support:
            bend += half_kernel(work, i, j) * work.ray[i] * work.ray[j]
    if gain <= 0.0:
        return 0.0
    # The best multiple s of the ray has the value max over s of gain s - bend s^2 / 2.
    return math.inf if bend <= 0.0 else 0.5 * gain * gain / bend


@njit(cache=True, nogil=True)
def read_conflict(work: Work, box: Floats, choosable: Flags, code: int) -> Flags:
    """Return the rows that must be hard for the bound that `code` stands for."""
    conflict = np.zeros(len(box), dtype=np.bool_)
    for i in range(len(box)):
        if choosable[i]:
            if code == UNBOUNDED:
                conflict[i] = work.ray[i] != 0.0
            else:
                conflict[i] = abs(work.a[i]) > box[i] * (1.0 + 1e-9)
    return conflict


@njit(cache=True, nogil=True)
def certified(work: Work, code: int, cutoff: float) -> bool:
    """Return True if the solver's answer proves that the cutoff is reached."""
    if code == CUTOFF:
        return True
    if code == UNBOUNDED:
        return bool(ray_value(work) >= min(cutoff, ENDLESS / max(work.numbers[2], 1e-300)))
    return False


@njit(cache=True, nogil=True)
def shrink(
    work: Work,
    box: Floats,
    fixed: Flags,
    conflict: Flags,
    cutoff: float,
    max_pivots: int,
    tolerance: float,
) -> Flags:
    """Return a conflict within the given one from which no row can be left out."""
    choosable = ~fixed
    best = conflict.copy()
    start = work.a.copy()
    order = np.flatnonzero(conflict)
    excess = np.abs(start[order]) - box[order]
    for i in order[np.argsort(excess)]:
        if not best[i]:
            continue
        best[i] = False
        work.a[:] = start
        set_boxes(work, box, best | fixed)
        balance(work)
        code = solve(work, cutoff, max_pivots, tolerance)
        if certified(work, code, cutoff):
            best = read_conflict(work, box, choosable, code)
            start = work.a.copy()
        else:
            best[i] = True
    return best


@njit(cache=True, nogil=True)
def find_conflict(
    work: Work,
    box: Floats,
    fixed: Flags,
    candidates: Flags,
    cutoff: float,
    limits: tuple[int, float, bool],
) -> tuple[int, Flags]:
    """Dive and return (CUTOFF, the conflict), or how the dive ended and an empty set."""
    max_pivots, tolerance, smaller = limits
    code = dive(work, candidates, cutoff, max_pivots, tolerance)
    if code in (OPTIMAL, STALLED) or not certified(work, code, cutoff):
        return (STALLED if code != OPTIMAL else OPTIMAL), np.zeros(len(box), dtype=np.bool_)
    conflict = read_conflict(work, box, ~fixed, code)
    if smaller and conflict.sum() > 1:
        conflict = shrink(work, box, fixed, conflict, cutoff, max_pivots, tolerance)
    return CUTOFF, conflict
