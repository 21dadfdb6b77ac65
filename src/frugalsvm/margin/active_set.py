"""The SVM for known wrong samples, by an active-set method on its dual.

The dual of  min ||f||^2 + sum c_i xi_i,  y_i f(x_i) >= r_i - xi_i,  in the signed multipliers
a_i = y_i alpha_i is

    max  sum t_i a_i - a'Ka / 4    with  sum a_i = 0,  lo_i <= a_i <= hi_i,   t_i = y_i r_i,

where the box of a row is [0, c_i] or [-c_i, 0], and unbounded on its far side for a row that must
hold without a slack. Every iterate is feasible, so its value is a lower bound on the objective
however early the work stops, and nothing has to stand in for an infinite box.

With g = Ka / 2 (the classifier without its intercept) and e_i = t_i - g_i, the optimum is an
intercept b with e_i <= b wherever a_i can grow and e_i >= b wherever it can shrink. Rows strictly
inside their box whose e_i equals b are *free*; the inverse of their bordered kernel matrix is
kept up to date, so that a multiplier can enter while all free rows stay at e_i = b. A linear
kernel needs the features only: free rows are then at most one more than the features.
"""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np
from numba import njit
from numpy.typing import NDArray

Floats = NDArray[np.float64]
Ints = NDArray[np.int64]

OPTIMAL, CUTOFF, UNBOUNDED, STALLED = 0, 1, 2, 3

FLAT = 1e-12
"""Relative curvature below which a direction counts as flat."""

EQUAL = 1e-9
"""How far the e_i of free rows may differ when they are gathered from a warm start."""

REFRESH = 64
"""Changes of the free set after which the inverse and g are computed afresh."""


class Work(NamedTuple):
    """Data and state of one solver; the arrays are changed in place.

    ``numbers`` holds the dual value, the intercept and the kernel's scale; ``counts`` the number
    of free rows, the changes since the last refresh, and the pivots of this solver's life.
    """

    Z: Floats
    K: Floats
    t: Floats
    y: Floats
    lo: Floats
    hi: Floats
    a: Floats
    g: Floats
    w: Floats
    R: Floats
    free: Ints
    h: Floats
    beta: Floats
    ray: Floats
    numbers: Floats
    counts: Ints


def make_work(Z: Floats, K: Floats, y: Floats, target: Floats) -> Work:
    """Return a solver at a = 0 with empty boxes; see :func:`set_boxes`."""
    m = len(y)
    squares = (Z * Z).sum(axis=1) if K.shape[0] == 0 else np.diag(K)
    capacity = min(m, Z.shape[1] + 1 if K.shape[0] == 0 else m) + 3
    return Work(
        Z=Z,
        K=K,
        t=y * target,
        y=y,
        lo=np.zeros(m),
        hi=np.zeros(m),
        a=np.zeros(m),
        g=np.zeros(m),
        w=np.zeros(Z.shape[1]),
        R=np.zeros((capacity, capacity)),
        free=np.zeros(capacity, dtype=np.int64),
        h=np.zeros(capacity),
        beta=np.zeros(capacity),
        ray=np.zeros(m),
        numbers=np.array([0.0, 0.0, float(squares.mean())]),
        counts=np.zeros(3, dtype=np.int64),
    )


@njit(cache=True, nogil=True)
def half_kernel(work: Work, i: int, j: int) -> float:
    """Return K_ij / 2."""
    if work.K.shape[0] > 0:
        return float(0.5 * work.K[i, j])
    total = 0.0
    for k in range(work.Z.shape[1]):
        total += work.Z[i, k] * work.Z[j, k]
    return 0.5 * total


@njit(cache=True, nogil=True)
def add_to_g(work: Work, i: int, change: float) -> None:
    """Add change K_i / 2 to g (kernel), or change x_i / 2 to w, from which g follows (linear)."""
    half = 0.5 * change
    if work.K.shape[0] > 0:
        for k in range(len(work.g)):
            work.g[k] += half * work.K[i, k]
    else:
        for k in range(len(work.w)):
            work.w[k] += half * work.Z[i, k]


@njit(cache=True, nogil=True)
def settle_g(work: Work) -> None:
    """Compute g from w for a linear kernel."""
    if work.K.shape[0] > 0:
        return
    d = work.Z.shape[1]
    for i in range(len(work.g)):
        total = 0.0
        for k in range(d):
            total += work.w[k] * work.Z[i, k]
        work.g[i] = total


@njit(cache=True, nogil=True)
def recompute(work: Work) -> float:
    """Compute g, w and the dual value from a; return the value."""
    work.g[:] = 0.0
    work.w[:] = 0.0
    for i in range(len(work.a)):
        if work.a[i] != 0.0:
            add_to_g(work, i, work.a[i])
    settle_g(work)
    value = 0.0
    for i in range(len(work.a)):
        value += work.a[i] * (work.t[i] - 0.5 * work.g[i])
    work.numbers[0] = value
    return value


@njit(cache=True, nogil=True)
def column(work: Work, j: int) -> float:
    """Find how the free multipliers and b follow a_j; return the curvature, 0 if it is flat."""
    k = work.counts[0]
    h, beta, R = work.h, work.beta, work.R
    h[0] = 1.0
    for p in range(k):
        h[p + 1] = half_kernel(work, work.free[p], j)
    own = half_kernel(work, j, j)
    curvature = own
    size = own
    for p in range(k + 1):
        total = 0.0
        for q in range(k + 1):
            total -= R[p, q] * h[q]
        beta[p] = total
        curvature += h[p] * total
        size += abs(h[p] * total)
    full = k + 3 >= len(h)  # more free rows than dimensions: rounding hides a dependence
    if full or not curvature > FLAT * size:
        return 0.0
    return float(curvature)


@njit(cache=True, nogil=True)
def add_free(work: Work, j: int, curvature: float) -> None:
    """Make row j free; `column` was called for it just before."""
    k = work.counts[0]
    R, beta = work.R, work.beta
    beta[k + 1] = 1.0
    for p in range(k + 1):
        R[p, k + 1] = 0.0
        R[k + 1, p] = 0.0
    R[k + 1, k + 1] = 0.0
    for p in range(k + 2):
        scaled = beta[p] / curvature
        for q in range(k + 2):
            R[p, q] += scaled * beta[q]
    work.free[k] = j
    work.counts[0] = k + 1
    work.counts[1] += 1


@njit(cache=True, nogil=True)
def start_free(work: Work, j: int) -> None:
    """Make j the only free row."""
    work.free[0] = j
    work.counts[0] = 1
    work.R[0, 0] = -half_kernel(work, j, j)
    work.R[0, 1] = 1.0
    work.R[1, 0] = 1.0
    work.R[1, 1] = 0.0
    work.numbers[1] = work.t[j] - work.g[j]


@njit(cache=True, nogil=True)
def drop_free(work: Work, p: int) -> None:
    """Take the p-th free row out; the last one takes its place."""
    k = work.counts[0]
    R = work.R
    last = k
    gone = p + 1
    if gone != last:
        for q in range(k + 1):
            R[gone, q], R[last, q] = R[last, q], R[gone, q]
        for q in range(k + 1):
            R[q, gone], R[q, last] = R[q, last], R[q, gone]
        work.free[p] = work.free[k - 1]
    corner = R[last, last]
    if corner > 0.0:
        for p2 in range(k):
            scaled = R[p2, last] / corner
            for q in range(k):
                R[p2, q] -= scaled * R[last, q]
    work.counts[0] = k - 1
    work.counts[1] += 1


@njit(cache=True, nogil=True)
def refresh(work: Work) -> None:
    """Compute g, the dual value, the free set and its inverse from a alone."""
    recompute(work)
    m = len(work.a)
    work.counts[0] = 0
    anchor = -1
    room = 0.0
    for i in range(m):
        inside = min(work.a[i] - work.lo[i], work.hi[i] - work.a[i])
        if inside > room:
            anchor, room = i, inside
    if anchor >= 0:
        start_free(work, anchor)
        b = work.numbers[1]
        for i in range(m):
            if (
                i != anchor
                and work.lo[i] < work.a[i] < work.hi[i]
                and abs(work.t[i] - work.g[i] - b) <= EQUAL * (1.0 + abs(b))
            ):
                curvature = column(work, i)
                if curvature > 0.0:
                    add_free(work, i, curvature)
    work.counts[1] = 0


@njit(cache=True, nogil=True)
def price(work: Work) -> tuple[int, float]:
    """Return the row that violates optimality most, and its signed e - b (0: none does)."""
    b = work.numbers[1]
    best, violation = -1, 0.0
    for i in range(len(work.a)):
        v = work.t[i] - work.g[i] - b
        if v > 0.0:
            if v > abs(violation) and work.a[i] < work.hi[i]:
                best, violation = i, v
        elif -v > abs(violation) and work.a[i] > work.lo[i]:
            best, violation = i, v
    return best, violation


@njit(cache=True, nogil=True)
def seed_free(work: Work) -> bool:
    """With no free row, take the one that wants to grow most as anchor; False at an optimum."""
    top, bottom = -1, -1
    for i in range(len(work.a)):
        e = work.t[i] - work.g[i]
        if work.a[i] < work.hi[i] and (top < 0 or e > work.t[top] - work.g[top]):
            top = i
        if work.a[i] > work.lo[i] and (bottom < 0 or e < work.t[bottom] - work.g[bottom]):
            bottom = i
    if top < 0 or bottom < 0:
        return False
    start_free(work, top)
    return True


@njit(cache=True, nogil=True)
def blocking(work: Work, sign: float) -> tuple[int, float]:
    """Return the free row that reaches its box first when a_j moves by sign, and the step."""
    who, step = -1, math.inf
    steepest = 0.0
    for p in range(work.counts[0]):
        rate = sign * work.beta[p + 1]
        i = work.free[p]
        if rate > 1e-14:
            room = max(0.0, work.hi[i] - work.a[i]) / rate
        elif rate < -1e-14:
            room = max(0.0, work.a[i] - work.lo[i]) / -rate
        else:
            continue
        if room < step or (room == step and abs(rate) > steepest):
            who, step, steepest = p, room, abs(rate)
    return who, step


@njit(cache=True, nogil=True)
def advance(work: Work, j: int, delta: float) -> None:
    """Move a_j by delta, the free rows and b along with it."""
    for p in range(work.counts[0]):
        i = work.free[p]
        change = work.beta[p + 1] * delta
        work.a[i] += change
        add_to_g(work, i, change)
    work.a[j] += delta
    add_to_g(work, j, delta)
    settle_g(work)
    work.numbers[1] += work.beta[0] * delta


@njit(cache=True, nogil=True)
def record_ray(work: Work, j: int, sign: float) -> None:
    """Keep the direction along which the dual grows without end."""
    work.ray[:] = 0.0
    for p in range(work.counts[0]):
        if abs(work.beta[p + 1]) > 1e-11:
            work.ray[work.free[p]] = sign * work.beta[p + 1]
    work.ray[j] = sign


@njit(cache=True, nogil=True)
def enter(work: Work, j: int, violation: float) -> int:
    """Bring row j to optimality; free rows that hit their box on the way leave the free set."""
    while True:
        curvature = column(work, j)
        sign = 1.0 if violation > 0.0 else -1.0
        p, room = blocking(work, sign)
        own_room = work.hi[j] - work.a[j] if sign > 0.0 else work.a[j] - work.lo[j]
        newton = abs(violation) / curvature if curvature > 0.0 else math.inf
        step = min(room, own_room, newton)
        if step == math.inf:
            record_ray(work, j, sign)
            return UNBOUNDED
        advance(work, j, sign * step)
        work.numbers[0] += step * (abs(violation) - 0.5 * curvature * step)
        if own_room <= step:
            work.a[j] = work.hi[j] if sign > 0.0 else work.lo[j]
            return OPTIMAL
        if newton <= step:
            add_free(work, j, curvature)
            return OPTIMAL
        i = work.free[p]
        work.a[i] = work.hi[i] if sign * work.beta[p + 1] > 0.0 else work.lo[i]
        if work.counts[0] == 1:
            start_free(work, j)
            return OPTIMAL
        drop_free(work, p)
        violation = work.t[j] - work.g[j] - work.numbers[1]
        if violation * sign <= 0.0:
            return OPTIMAL


@njit(cache=True, nogil=True)
def solve(work: Work, cutoff: float, max_pivots: int, tolerance: float) -> int:
    """Maximise the dual from the present a, which must be feasible.

    Returns OPTIMAL; CUTOFF as soon as the value reaches `cutoff`; UNBOUNDED with the direction
    in ``ray``; STALLED after `max_pivots`. The value in ``numbers[0]`` is a bound in any case.
    """
    refreshed = False
    for _ in range(max_pivots):
        if work.counts[1] >= REFRESH:
            refresh(work)
        if work.counts[0] == 0 and not seed_free(work):
            return OPTIMAL
        j, violation = price(work)
        if j < 0 or abs(violation) <= tolerance:
            if refreshed or work.counts[1] == 0:
                return CUTOFF if work.numbers[0] >= cutoff else OPTIMAL
            refresh(work)  # optimal, unless rounding errors have added up
            refreshed = True
            continue
        work.counts[2] += 1
        refreshed = False
        if enter(work, j, violation) == UNBOUNDED:
            return UNBOUNDED
        if work.numbers[0] >= cutoff and recompute(work) >= cutoff:
            return CUTOFF
    return STALLED


@njit(cache=True, nogil=True)
def balance(work: Work) -> None:
    """Put a into its boxes and make its sum zero, changing as few large entries as possible."""
    m = len(work.a)
    total = 0.0
    for i in range(m):
        work.a[i] = min(max(work.a[i], work.lo[i]), work.hi[i])
        total += work.a[i]
    scale = 0.0
    for i in range(m):
        scale += abs(work.a[i])
    while abs(total) > 1e-15 * scale:
        largest = -1
        for i in range(m):
            if work.a[i] * total > 0.0 and (largest < 0 or abs(work.a[i]) > abs(work.a[largest])):
                largest = i
        if largest < 0:
            break
        cut = min(abs(total), abs(work.a[largest]))
        cut = cut if total > 0.0 else -cut
        work.a[largest] -= cut
        total -= cut
    refresh(work)


@njit(cache=True, nogil=True)
def intercept_range(work: Work) -> tuple[float, float]:
    """Return the interval of intercepts that are optimal together with g."""
    low, high = -math.inf, math.inf
    for i in range(len(work.a)):
        e = work.t[i] - work.g[i]
        if work.a[i] < work.hi[i]:
            low = max(low, e)
        if work.a[i] > work.lo[i]:
            high = min(high, e)
    return low, high
