"""The free rows of the dual: strictly inside their box, with e_i equal to the intercept.

The inverse of their bordered kernel matrix is kept up to date, so that other multipliers can
move while all free rows stay at e_i = b. A linear kernel has at most one free row more than
features.
"""

from __future__ import annotations

import numpy as np

from frugalsvm.margin.arrays import Floats, Ints
from frugalsvm.margin.slots import CHANGES, EFFORT, FLAG, FOLLOW, INTERCEPT, N_FREE, PULL
from frugalsvm.margin.solver.dual import Work
from frugalsvm.margin.solver.value import half_kernel, recompute
from frugalsvm.margin.tuning import EQUAL, FLAT_CURVATURE, FLAT_STEP, LEAST_STIFFNESS, STEEP
from frugalsvm.runtime.compiled import helper, variable


@helper
def column(work: Work, j: int) -> float:
    """Find how the free multipliers and b follow a_j; return the curvature, 0 if it is flat."""
    k = work.counts[N_FREE]
    Zt, K, R, free = work.Zt, work.K, work.R, work.free
    h, beta = work.beta[PULL], work.beta[FOLLOW]
    h[0] = 1.0
    for p in range(k):
        h[p + 1] = half_kernel(Zt, K, free[p], j)
    curvature = half_kernel(Zt, K, j, j)
    size = curvature
    for p in range(k + 1):
        total = 0.0
        for q in range(k + 1):
            total -= R[p, q] * h[q]
        beta[p] = total
        curvature += h[p] * total
        size += abs(h[p] * total)
    full = k + 3 >= len(h)  # more free rows than dimensions: rounding hides a dependence
    if not full and curvature > STEEP * size:
        return float(curvature)
    curvature = careful_column(work, j)
    return 0.0 if full else float(curvature)


@helper
def careful_column(work: Work, j: int) -> float:
    """Improve what `column` has found; return the curvature, 0 if it is flat.

    The inverse of a kernel matrix knows half the digits of the rows' distances. Two corrections
    by what it leaves over, computed from the rows themselves, win back the others.
    """
    k, d = work.counts[N_FREE], len(work.Zt)
    Zt, K, R, free, beta = work.Zt, work.K, work.R, work.free, work.beta[FOLLOW]
    over, step, size = np.empty(k + 1), np.empty(d), np.empty(d)
    work.counts[EFFORT] += (3 * k * (k + d)) // 1000
    for correction in range(3):
        for c in range(d):
            step[c], size[c] = Zt[c, j], abs(Zt[c, j])
            for p in range(k):
                step[c] += beta[p + 1] * Zt[c, free[p]]
                size[c] += abs(beta[p + 1] * Zt[c, free[p]])
        if correction == 2:
            break
        over[0] = 1.0
        for p in range(k):
            over[0] += beta[p + 1]
            over[p + 1] = beta[0]
            for c in range(d):
                over[p + 1] += 0.5 * step[c] * Zt[c, free[p]]
            if len(K) > 0:
                row = K[free[p]]
                over[p + 1] += 0.5 * row[j]
                for q in range(k):
                    over[p + 1] += 0.5 * row[free[q]] * beta[q + 1]
        for p in range(k + 1):
            for q in range(k + 1):
                beta[p] -= R[p, q] * over[q]
    if len(K) > 0:
        return float(curvature_of_kernel(K, free, beta, k, j))
    square, whole = 0.0, 0.0
    for c in range(d):
        square += step[c] * step[c]
        whole += size[c] * size[c]
    return 0.5 * square if square > FLAT_STEP * FLAT_STEP * whole else 0.0


@helper
def curvature_of_kernel(K: Floats, free: Ints, beta: Floats, k: int, j: int) -> float:
    """Return half the square of the step's length in the kernel's space, 0 if it is flat."""
    curvature, size = 0.5 * K[j, j], 0.5 * abs(K[j, j])
    for p in range(k):
        row = K[free[p]]
        part = row[j]
        whole = abs(part)
        for q in range(k):
            part += 0.5 * row[free[q]] * beta[q + 1]
            whole += 0.5 * abs(row[free[q]] * beta[q + 1])
        curvature += beta[p + 1] * part
        size += abs(beta[p + 1]) * whole
    return curvature if curvature > FLAT_CURVATURE * size else 0.0


@helper
def joint_column(work: Work, n: int) -> float:
    """Find how the free multipliers and b follow the moves of n rows; return the curvature."""
    k, d = work.counts[N_FREE], len(work.Zt)
    Zt, K, R, free, batch, moves = work.Zt, work.K, work.R, work.free, work.batch, work.moves
    h, beta = work.beta[PULL], work.beta[FOLLOW]
    for p in range(k + 1):
        h[p] = 0.0
    curvature = 0.0
    for q in range(n):
        h[0] += moves[q]
    if len(K) > 0:
        for q in range(n):
            row = K[batch[q]]
            for p in range(k):
                h[p + 1] += 0.5 * moves[q] * row[free[p]]
            for r in range(n):
                curvature += 0.5 * moves[q] * moves[r] * row[batch[r]]
    for c in range(d):
        values = Zt[c]
        total = 0.0
        for q in range(n):
            total += moves[q] * values[batch[q]]
        curvature += 0.5 * total * total
        for p in range(k):
            h[p + 1] += 0.5 * total * values[free[p]]
    for p in range(k + 1):
        total = 0.0
        for q in range(k + 1):
            total -= R[p, q] * h[q]
        beta[p] = total
        curvature += h[p] * total
    return max(0.0, curvature)


@helper
def start_free(work: Work, j: int) -> None:
    """Make j the only free row."""
    work.free[0] = j
    work.counts[N_FREE] = 1
    R = work.R
    R[0, 0] = -half_kernel(work.Zt, work.K, j, j)
    R[0, 1] = 1.0
    R[1, 0] = 1.0
    R[1, 1] = 0.0
    work.numbers[INTERCEPT] = work.e[j]


@helper
def add_free(work: Work, j: int, curvature: float) -> None:
    """Make row j free; `column` was called for it just before."""
    k = work.counts[N_FREE]
    R, beta = work.R, work.beta[FOLLOW]
    beta[k + 1] = 1.0
    for p in range(k + 2):
        R[p, k + 1] = 0.0
        R[k + 1, p] = 0.0
    for p in range(k + 2):
        scaled = beta[p] / curvature
        for q in range(k + 2):
            R[p, q] += scaled * beta[q]
    work.free[k] = j
    work.counts[N_FREE] = k + 1
    work.counts[CHANGES] += 1


@helper
def drop_free(work: Work, p: int) -> None:
    """Take the p-th free row out; the last one takes its place."""
    k = work.counts[N_FREE]
    R = work.R
    gone = p + 1
    if gone != k:
        for q in range(k + 1):
            R[gone, q], R[k, q] = R[k, q], R[gone, q]
        for q in range(k + 1):
            R[q, gone], R[q, k] = R[q, k], R[q, gone]
        work.free[p] = work.free[k - 1]
    corner = R[k, k]
    if corner > 0.0:
        for row in range(k):
            scaled = R[row, k] / corner
            for q in range(k):
                R[row, q] -= scaled * R[k, q]
    work.counts[N_FREE] = k - 1
    work.counts[CHANGES] += 1


@helper
def pivot_work(work: Work) -> int:
    """Return the work of a move, in thousands of operations."""
    k, m = work.counts[N_FREE], len(work.a)
    return int(1 + (m * (4 + (k if len(work.K) > 0 else len(work.Zt))) + 2 * k * k) // 1000)


@helper
def is_free(work: Work, j: int) -> bool:
    """Return True if row j is free."""
    free, found = work.free, False
    for p in range(work.counts[N_FREE]):
        found = found or free[p] == j
    return found


@helper
def seed_free(work: Work) -> None:
    """With no free row, take the one that wants to grow most as anchor."""
    a, hi, e = work.a, work.hi, work.e
    top = -1
    for i in range(len(a)):
        if a[i] < hi[i] and (top < 0 or e[i] > e[top]):
            top = i
    start_free(work, max(top, 0))


@helper
def refresh(work: Work) -> None:
    """Compute e, the dual value, the free set and its inverse from a alone."""
    recompute(work)
    a, lo, hi, e = work.a, work.lo, work.hi, work.e
    work.counts[N_FREE] = 0
    anchor, room = variable(-1), 0.0
    for i in range(len(a)):
        inside = min(a[i] - lo[i], hi[i] - a[i])
        if inside > room:
            anchor, room = i, inside
    if anchor >= 0:
        start_free(work, anchor)
        b = work.numbers[INTERCEPT]
        close = EQUAL * (1.0 + abs(b))
        for i in range(len(a)):
            if work.halt[FLAG] != 0:
                break
            if lo[i] < a[i] < hi[i] and i != anchor and abs(e[i] - b) <= close:
                curvature = column(work, i)
                if curvature > 0.0:
                    add_free(work, i, curvature)
    work.counts[CHANGES] = 0
    k = work.counts[N_FREE]
    work.counts[EFFORT] += (k * k * k + len(a) * k) // 1000


@helper
def stiffness(work: Work, i: int) -> float:
    """Return the dual's curvature in a row's multiplier when the free rows follow it."""
    for p in range(work.counts[N_FREE]):
        if work.free[p] == i:
            return float(1.0 / max(work.R[p + 1, p + 1], LEAST_STIFFNESS))
    return float(column(work, i))
