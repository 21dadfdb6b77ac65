"""The SVM for known wrong samples, by an active-set method on its dual.

The dual of  min ||f||^2 + sum c_i xi_i,  y_i f(x_i) >= r_i - xi_i,  in the signed multipliers
a_i = y_i alpha_i is

    max  sum t_i a_i - a'Ka / 4    with  sum a_i = 0,  lo_i <= a_i <= hi_i,   t_i = y_i r_i,

where the box of a row is [0, c_i] or [-c_i, 0], and unbounded on its far side for a row that must
hold without a slack. Every iterate is feasible, so its value is a lower bound on the objective
however early the work stops, and nothing has to stand in for an infinite box.

With e = t - Ka / 2, what the classifier without its intercept lacks, the optimum is an
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

OPTIMAL, CUTOFF, UNBOUNDED, STALLED, PAUSED = 0, 1, 2, 3, 4

FLAT = 1e-12
"""Relative curvature below which a direction counts as flat."""

EQUAL = 1e-9
"""How far the e_i of free rows may differ when they are gathered from a warm start."""

PRECISION = 1e-9
"""Largest violation of the optimality conditions at an optimum, in units of the margin."""

LOOSE = 1e-6
"""A violation that is accepted when an ill-conditioned kernel does not allow less."""

MOST_REPAIRS = 6
"""Attempts to make the free rows agree before the solver gives up."""

ENDLESS = 1e11
"""A bound on the objective, times the kernel's scale, above which no classifier exists.

It stands for a margin of a few millionths of the data's spread: what double precision can tell
from none."""

FEW = 6
"""Multipliers outside their new boxes that are pulled back one by one."""

ROUNDING = 2e-16
"""Rounding error of e for each unit of the multipliers' sum, in units of the kernel's scale."""

REFRESH = 64
"""Changes of the free set after which its inverse is computed afresh, plus twice its size."""


class Work(NamedTuple):
    """Data and state of one solver; the arrays are changed in place.

    ``numbers`` holds the dual value, the intercept, the kernel's scale, the largest violation
    that still is optimal, and the dual value that stands for infinity; ``counts`` the number of
    free rows, the changes since the last refresh,
    the pivots of this solver's life, and its work in thousands of operations.
    ``Zt`` holds the features by columns for a linear kernel, ``K`` any other kernel's matrix.
    """

    Zt: Floats
    K: Floats
    t: Floats
    y: Floats
    lo: Floats
    hi: Floats
    a: Floats
    e: Floats
    R: Floats
    free: Ints
    beta: Floats
    ray: Floats
    numbers: Floats
    counts: Ints


def make_work(Z: Floats, K: Floats, y: Floats, target: Floats) -> Work:
    """Return a solver at a = 0 with empty boxes."""
    m = len(y)
    squares = (Z * Z).sum(axis=1) if K.shape[0] == 0 else np.diag(K)
    scale = max(float(squares.mean()), 1e-100)
    capacity = min(m, Z.shape[1] + 1 if K.shape[0] == 0 else m) + 3
    return Work(
        Zt=np.ascontiguousarray(Z.T),
        K=K,
        t=y * target,
        y=y,
        lo=np.zeros(m),
        hi=np.zeros(m),
        a=np.zeros(m),
        e=y * target,
        R=np.zeros((capacity, capacity)),
        free=np.zeros(capacity, dtype=np.int64),
        beta=np.zeros((2, capacity)),
        ray=np.zeros(m),
        numbers=np.array([0.0, 0.0, scale, PRECISION, ENDLESS / scale]),
        counts=np.zeros(4, dtype=np.int64),
    )


@njit(cache=True, nogil=True)
def half_kernel(Zt: Floats, K: Floats, i: int, j: int) -> float:
    """Return K_ij / 2."""
    if K.shape[0] > 0:
        return float(0.5 * K[i, j])
    total = 0.0
    for k in range(Zt.shape[0]):
        total += Zt[k, i] * Zt[k, j]
    return 0.5 * total


@njit(cache=True, nogil=True)
def shift(Zt: Floats, K: Floats, e: Floats, rows: Ints, changes: Floats) -> None:
    """Lower e by what changes of the multipliers of some rows add to the classifier."""
    if K.shape[0] > 0:
        for p in range(len(rows)):
            if changes[p] != 0.0:
                half = 0.5 * changes[p]
                row = K[rows[p]]
                for i in range(len(e)):
                    e[i] -= half * row[i]
        return
    for k in range(Zt.shape[0]):
        values = Zt[k]
        weight = 0.0
        for p in range(len(rows)):
            weight += 0.5 * changes[p] * values[rows[p]]
        for i in range(len(e)):
            e[i] -= weight * values[i]


@njit(cache=True, nogil=True)
def recompute(work: Work) -> float:
    """Compute e and the dual value from a; return the value."""
    a, e, t = work.a, work.e, work.t
    n = 0
    for i in range(len(a)):
        n += a[i] != 0.0
        e[i] = t[i]
    rows = np.empty(n, dtype=np.int64)
    changes = np.empty(n)
    n = 0
    for i in range(len(a)):
        if a[i] != 0.0:
            rows[n], changes[n] = i, a[i]
            n += 1
    shift(work.Zt, work.K, e, rows, changes)
    value, size = 0.0, 0.0
    for i in range(len(a)):
        value += 0.5 * a[i] * (t[i] + e[i])
        size += abs(a[i])
    work.numbers[0] = value
    work.numbers[3] = max(PRECISION, ROUNDING * size * work.numbers[2])
    return value


@njit(cache=True, nogil=True)
def column(work: Work, j: int) -> float:
    """Find how the free multipliers and b follow a_j; return the curvature, 0 if it is flat."""
    k = work.counts[0]
    Zt, K, R, free = work.Zt, work.K, work.R, work.free
    h, beta = work.beta[0], work.beta[1]
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
    if full or not curvature > FLAT * size:
        return 0.0
    return float(curvature)


@njit(cache=True, nogil=True)
def start_free(work: Work, j: int) -> None:
    """Make j the only free row."""
    work.free[0] = j
    work.counts[0] = 1
    R = work.R
    R[0, 0] = -half_kernel(work.Zt, work.K, j, j)
    R[0, 1] = 1.0
    R[1, 0] = 1.0
    R[1, 1] = 0.0
    work.numbers[1] = work.e[j]


@njit(cache=True, nogil=True)
def add_free(work: Work, j: int, curvature: float) -> None:
    """Make row j free; `column` was called for it just before."""
    k = work.counts[0]
    R, beta = work.R, work.beta[1]
    beta[k + 1] = 1.0
    for p in range(k + 2):
        R[p, k + 1] = 0.0
        R[k + 1, p] = 0.0
    for p in range(k + 2):
        scaled = beta[p] / curvature
        for q in range(k + 2):
            R[p, q] += scaled * beta[q]
    work.free[k] = j
    work.counts[0] = k + 1
    work.counts[1] += 1


@njit(cache=True, nogil=True)
def drop_free(work: Work, p: int) -> None:
    """Take the p-th free row out; the last one takes its place."""
    k = work.counts[0]
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
    work.counts[0] = k - 1
    work.counts[1] += 1


@njit(cache=True, nogil=True)
def refresh(work: Work) -> None:
    """Compute e, the dual value, the free set and its inverse from a alone."""
    recompute(work)
    a, lo, hi, e = work.a, work.lo, work.hi, work.e
    work.counts[0] = 0
    anchor, room = -1, 0.0
    for i in range(len(a)):
        inside = min(a[i] - lo[i], hi[i] - a[i])
        if inside > room:
            anchor, room = i, inside
    if anchor >= 0:
        start_free(work, anchor)
        b = work.numbers[1]
        close = EQUAL * (1.0 + abs(b))
        for i in range(len(a)):
            if lo[i] < a[i] < hi[i] and i != anchor and abs(e[i] - b) <= close:
                curvature = column(work, i)
                if curvature > 0.0:
                    add_free(work, i, curvature)
    work.counts[1] = 0
    k = work.counts[0]
    work.counts[3] += (k * k * k + len(a) * k) // 1000


@njit(cache=True, nogil=True)
def price(work: Work) -> tuple[int, float]:
    """Return the row that violates optimality most, and its signed e - b (0: none does)."""
    a, lo, hi, e = work.a, work.lo, work.hi, work.e
    b = work.numbers[1]
    best, most = -1, 0.0
    for i in range(len(a)):
        v = e[i] - b
        if abs(v) > most and (a[i] < hi[i] if v > 0.0 else a[i] > lo[i]):
            best, most = i, abs(v)
    return best, (e[best] - b if best >= 0 else 0.0)


@njit(cache=True, nogil=True)
def is_free(work: Work, j: int) -> bool:
    """Return True if row j is free."""
    free, found = work.free, False
    for p in range(work.counts[0]):
        found = found or free[p] == j
    return found


@njit(cache=True, nogil=True)
def seed_free(work: Work) -> None:
    """With no free row, take the one that wants to grow most as anchor."""
    a, hi, e = work.a, work.hi, work.e
    top = -1
    for i in range(len(a)):
        if a[i] < hi[i] and (top < 0 or e[i] > e[top]):
            top = i
    start_free(work, max(top, 0))


@njit(cache=True, nogil=True)
def blocking(work: Work, sign: float) -> tuple[int, float]:
    """Return the free row that reaches its box first when a_j moves by sign, and the step."""
    a, lo, hi, free, beta = work.a, work.lo, work.hi, work.free, work.beta[1]
    who, step, steepest = -1, math.inf, 0.0
    for p in range(work.counts[0]):
        rate = sign * beta[p + 1]
        i = free[p]
        if abs(rate) <= 1e-14:
            continue
        room = max(0.0, hi[i] - a[i] if rate > 0.0 else a[i] - lo[i]) / abs(rate)
        if room < step or (room == step and abs(rate) > steepest):
            who, step, steepest = p, room, abs(rate)
    return who, step


@njit(cache=True, nogil=True)
def advance(work: Work, j: int, delta: float) -> None:
    """Move a_j by delta, the free rows and b along with it."""
    k = work.counts[0]
    a, free, h, beta = work.a, work.free, work.beta[0], work.beta[1]
    free[k] = j
    for p in range(k):
        h[p] = beta[p + 1] * delta
        a[free[p]] += h[p]
    h[k] = delta
    a[j] += delta
    shift(work.Zt, work.K, work.e, free[: k + 1], h[: k + 1])
    work.numbers[1] += beta[0] * delta


@njit(cache=True, nogil=True)
def refine(work: Work) -> None:
    """Bring the e of the free rows back to b by a Newton step with the present inverse."""
    k = work.counts[0]
    a, e, R, free = work.a, work.e, work.R, work.free
    h, beta = work.beta[0], work.beta[1]
    b = work.numbers[1]
    h[0] = 0.0
    for i in range(len(a)):
        h[0] -= a[i]
    for p in range(k):
        h[p + 1] = e[free[p]] - b
    for p in range(k + 1):
        beta[p] = 0.0
        for q in range(k + 1):
            beta[p] += R[p, q] * h[q]
    who, room = blocking(work, 1.0)
    step = min(1.0, room)
    for p in range(k):
        a[free[p]] += step * beta[p + 1]
    recompute(work)
    work.numbers[1] = b + step * beta[0]
    if room < 1.0 and k > 1:
        i = free[who]
        a[i] = work.hi[i] if beta[who + 1] > 0.0 else work.lo[i]
        drop_free(work, who)


@njit(cache=True, nogil=True)
def record_ray(work: Work, j: int, sign: float) -> None:
    """Keep the direction along which the dual grows without end."""
    ray, free, beta = work.ray, work.free, work.beta[1]
    ray[:] = 0.0
    for p in range(work.counts[0]):
        if abs(beta[p + 1]) > 1e-11:
            ray[free[p]] = sign * beta[p + 1]
    ray[j] = sign


@njit(cache=True, nogil=True)
def enter(work: Work, j: int, violation: float, cutoff: float) -> int:
    """Bring row j to optimality; free rows that hit their box on the way leave the free set.

    The move ends where the dual value reaches the cutoff, so that no multiplier is larger than
    that takes.
    """
    a, lo, hi = work.a, work.lo, work.hi
    sign = 1.0 if violation > 0.0 else -1.0
    while True:
        curvature = column(work, j)
        p, room = blocking(work, sign)
        own_room = hi[j] - a[j] if sign > 0.0 else a[j] - lo[j]
        newton = abs(violation) / curvature if curvature > 0.0 else math.inf
        step = min(room, own_room, newton)
        if step == math.inf:
            record_ray(work, j, sign)
            return UNBOUNDED
        needed = cutoff - work.numbers[0]
        if step * (abs(violation) - 0.5 * curvature * step) >= needed:
            root = math.sqrt(max(0.0, violation * violation - 2.0 * curvature * needed))
            step = min(step, 2.0 * needed / (abs(violation) + root))
            advance(work, j, sign * step)
            return CUTOFF
        advance(work, j, sign * step)
        work.numbers[0] += step * (abs(violation) - 0.5 * curvature * step)
        if own_room <= step:
            a[j] = hi[j] if sign > 0.0 else lo[j]
            return OPTIMAL
        if newton <= step:
            add_free(work, j, curvature)
            return OPTIMAL
        i = work.free[p]
        a[i] = hi[i] if sign * work.beta[1, p + 1] > 0.0 else lo[i]
        if work.counts[0] == 1:
            start_free(work, j)
            return OPTIMAL
        drop_free(work, p)
        violation = work.e[j] - work.numbers[1]
        if violation * sign <= 0.0:
            return OPTIMAL


@njit(cache=True, nogil=True)
def solve(work: Work, cutoff: float, max_pivots: int) -> int:
    """Maximise the dual from the present a, which must be feasible.

    Returns OPTIMAL; CUTOFF as soon as the value reaches `cutoff`; UNBOUNDED with the direction
    in ``ray``; STALLED after `max_pivots`. The value in ``numbers[0]`` is a bound in any case.
    """
    counts, numbers = work.counts, work.numbers
    cutoff = min(cutoff, numbers[4])
    above = cutoff + 1e-9 * abs(cutoff)
    fresh, repairs = False, 0
    for _ in range(max_pivots):
        if counts[1] >= REFRESH + 2 * counts[0]:
            refresh(work)
        if counts[0] == 0:
            seed_free(work)
        j, violation = price(work)
        if abs(violation) <= numbers[3]:
            if fresh or counts[1] == 0:
                return CUTOFF if numbers[0] >= cutoff else OPTIMAL
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
        counts[3] += (
            1 + len(work.a) * (4 + (counts[0] if len(work.K) > 0 else len(work.Zt))) // 1000
        )
        fresh, repairs = False, 0
        code = enter(work, j, violation, above)
        if code == UNBOUNDED:
            return UNBOUNDED
        if (code == CUTOFF or numbers[0] >= cutoff) and recompute(work) >= cutoff:
            return CUTOFF
    return STALLED


@njit(cache=True, nogil=True)
def balance(work: Work) -> None:
    """Put a into its boxes and make its sum zero, changing as few large entries as possible."""
    a, lo, hi = work.a, work.lo, work.hi
    total, scale = 0.0, 0.0
    for i in range(len(a)):
        a[i] = min(max(a[i], lo[i]), hi[i])
        total += a[i]
        scale += abs(a[i])
    while abs(total) > 1e-15 * scale:
        largest = 0
        for i in range(len(a)):
            if a[i] * total > 0.0 and (a[largest] * total <= 0.0 or abs(a[i]) > abs(a[largest])):
                largest = i
        cut = min(abs(total), abs(a[largest]))
        cut = cut if total > 0.0 else -cut
        a[largest] -= cut
        total -= cut
    refresh(work)


@njit(cache=True, nogil=True)
def copy_state(source: Work, goal: Work) -> None:
    """Copy the multipliers and all that follows from them; the boxes stay."""
    k = source.counts[0]
    goal.a[:] = source.a
    goal.e[:] = source.e
    goal.free[:k] = source.free[:k]
    R, S = goal.R, source.R
    for p in range(k + 1):
        for q in range(k + 1):
            R[p, q] = S[p, q]
    goal.numbers[:] = source.numbers
    goal.counts[:2] = source.counts[:2]


@njit(cache=True, nogil=True)
def pull_back(work: Work, i: int) -> bool:
    """Bring a multiplier that is outside its box to its end; the free rows follow.

    Returns False if no free row is left to do so: `balance` has to.
    """
    a, lo, hi, free = work.a, work.lo, work.hi, work.free
    for p in range(work.counts[0]):
        if free[p] == i:
            drop_free(work, p)
            break
    goal = hi[i] if a[i] > hi[i] else lo[i]
    sign = 1.0 if goal > a[i] else -1.0
    while work.counts[0] > 0:
        curvature = column(work, i)
        p, room = blocking(work, sign)
        step = min(room, abs(goal - a[i]))
        slope = sign * (work.e[i] - work.numbers[1])
        advance(work, i, sign * step)
        work.numbers[0] += step * (slope - 0.5 * curvature * step)
        if room > step:
            a[i] = goal
            return True
        row = free[p]
        a[row] = hi[row] if sign * work.beta[1, p + 1] > 0.0 else lo[row]
        drop_free(work, p)
    return False


@njit(cache=True, nogil=True)
def settle(work: Work) -> None:
    """Make a consistent state feasible again after its boxes were changed."""
    a, lo, hi = work.a, work.lo, work.hi
    outside = 0
    for i in range(len(a)):
        outside += a[i] < lo[i] or a[i] > hi[i]
    if outside <= FEW:
        for i in range(len(a)):
            if (a[i] < lo[i] or a[i] > hi[i]) and not pull_back(work, i):
                balance(work)
                return
    else:
        balance(work)


@njit(cache=True, nogil=True)
def stiffness(work: Work, rows: Ints) -> Floats:
    """Return the dual's curvature in each of these rows when the free rows follow it."""
    found = np.empty(len(rows))
    free, R = work.free, work.R
    for r in range(len(rows)):
        where = -1
        for p in range(work.counts[0]):
            if free[p] == rows[r]:
                where = p + 1
        if where >= 0:
            found[r] = 1.0 / max(R[where, where], 1e-18)
        else:
            found[r] = column(work, rows[r])
    return found


@njit(cache=True, nogil=True)
def intercept_range(work: Work) -> tuple[float, float]:
    """Return the interval of intercepts that are optimal together with a."""
    a, lo, hi, e = work.a, work.lo, work.hi, work.e
    low, high = -math.inf, math.inf
    for i in range(len(a)):
        if a[i] < hi[i]:
            low = max(low, e[i])
        if a[i] > lo[i]:
            high = min(high, e[i])
    return low, high
