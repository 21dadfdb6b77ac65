"""The dual of the SVM for known wrong samples: its data, its state and its value.

The dual of  min ||f||^2 + sum c_i xi_i,  y_i f(x_i) >= r_i - xi_i,  in the signed multipliers
a_i = y_i alpha_i is

    max  sum t_i a_i - a'Ka / 4    with  sum a_i = 0,  lo_i <= a_i <= hi_i,   t_i = y_i r_i,

where the box of a row is [0, c_i] or [-c_i, 0], and unbounded on its far side for a row that must
hold without a slack. Every iterate is feasible, so its value is a lower bound on the objective
however early the work stops, and nothing has to stand in for an infinite box.

With e = t - Ka / 2, what the classifier without its intercept lacks, the optimum is an
intercept b with e_i <= b wherever a_i can grow and e_i >= b wherever it can shrink.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from frugalsvm.compiled import helper

Floats = NDArray[np.float64]
Ints = NDArray[np.int64]

PRECISION = 1e-9
"""Largest violation of the optimality conditions at an optimum, in units of the margin."""

ROUNDING = 2e-16
"""Rounding error of e for each unit of the multipliers' pull, in units of a row's length."""

COARSE = 1e-10
"""Rounding error of e above which it is summed up in twice the precision."""


class Work(NamedTuple):
    """Data and state of one solver; the arrays are changed in place.

    ``numbers`` holds the dual value, the intercept, the largest K_ii, and the largest violation
    that still is optimal; ``counts`` the number of free rows, the changes since the last refresh,
    the pivots of this solver's life, and its work in thousands of operations. ``batch`` and
    ``moves`` list rows that move together; ``length`` holds the roots of the K_ii. ``Zt`` holds the
    features by columns for a linear kernel, ``K`` any other kernel's matrix. A number other than 0
    in ``halt`` ends the work: another thread may write it.
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
    batch: Ints
    moves: Floats
    length: Floats
    numbers: Floats
    counts: Ints
    halt: Ints


class State(NamedTuple):
    """What follows from the multipliers of a solver, kept to come back to."""

    a: Floats
    e: Floats
    R: Floats
    free: Ints
    numbers: Floats
    counts: Ints


def make_state(work: Work) -> State:
    """Return room for the state of a solver."""
    # Zeros that were never written take no memory, unlike those of zeros_like.
    arrays = (getattr(work, name) for name in State._fields)
    return State(*(np.zeros(array.shape, dtype=array.dtype) for array in arrays))


def make_work(Z: Floats, K: Floats, y: Floats, target: Floats, halt: Ints | None = None) -> Work:
    """Return a solver at a = 0 with empty boxes, which a number in `halt` ends."""
    m = len(y)
    squares = (Z * Z).sum(axis=1) if K.shape[0] == 0 else np.maximum(np.diag(K), 0.0)
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
        batch=np.zeros(m + capacity, dtype=np.int64),
        moves=np.zeros(m + capacity),
        length=np.sqrt(squares),
        numbers=np.array([0.0, 0.0, float(squares.max(initial=1e-100)), PRECISION]),
        counts=np.zeros(4, dtype=np.int64),
        halt=np.zeros(1, dtype=np.int64) if halt is None else halt,
    )


@helper
def half_kernel(Zt: Floats, K: Floats, i: int, j: int) -> float:
    """Return K_ij / 2."""
    if K.shape[0] > 0:
        return float(0.5 * K[i, j])
    total = 0.0
    for k in range(Zt.shape[0]):
        total += Zt[k, i] * Zt[k, j]
    return 0.5 * total


@helper
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


@helper
def add_product(total: float, rest: float, x: float, y: float) -> tuple[float, float]:
    """Add x y to the sum total + rest, with hardly a rounding error (Ogita, Rump and Oishi)."""
    product = x * y
    big = 134217729.0 * x  # Dekker's split at 27 bits
    x_high = big - (big - x)
    big = 134217729.0 * y
    y_high = big - (big - y)
    x_low, y_low = x - x_high, y - y_high
    lost = x_low * y_low - (((product - x_high * y_high) - x_low * y_high) - x_high * y_low)
    new = total + product
    part = new - total
    lost += (total - (new - part)) + (product - part)
    return new, rest + lost


@helper
def shift_precisely(Zt: Floats, K: Floats, e: Floats, rows: Ints, changes: Floats) -> None:
    """Do as `shift` does, in twice the precision."""
    m, d = len(e), Zt.shape[0]
    if K.shape[0] > 0:
        for i in range(m):
            value, rest = e[i], 0.0
            for p in range(len(rows)):
                value, rest = add_product(value, rest, -0.5 * changes[p], K[i, rows[p]])
            e[i] = value + rest
        return
    high, low = np.zeros(d), np.zeros(d)
    for k in range(d):
        for p in range(len(rows)):
            high[k], low[k] = add_product(high[k], low[k], -0.5 * changes[p], Zt[k, rows[p]])
    for i in range(m):
        value, rest = e[i], 0.0
        for k in range(d):
            value, rest = add_product(value, rest, high[k], Zt[k, i])
            rest += low[k] * Zt[k, i]
        e[i] = value + rest


@helper
def recompute(work: Work) -> float:
    """Compute e and the dual value from a; return the value.

    Rounding errors may leave the sum of a a little off zero. What it costs to take the rest from
    a row at the intercept is deducted, and what rounding errors may have added: the value is a
    bound. Where large multipliers cancel, sums are formed in twice the precision.
    """
    a, e, t, length = work.a, work.e, work.t, work.length
    n, reach, longest, size, total = 0, 0.0, 0.0, 0.0, 0.0
    for i in range(len(a)):
        e[i] = t[i]
        if a[i] != 0.0:
            n += 1
            size += abs(a[i])
            total += a[i]
            reach += abs(a[i]) * length[i]
            longest = max(longest, length[i])
    rows = np.empty(n, dtype=np.int64)
    changes = np.empty(n)
    n = 0
    for i in range(len(a)):
        if a[i] != 0.0:
            rows[n], changes[n] = i, a[i]
            n += 1
    noise = ROUNDING * reach * longest
    doubt = 0.0
    if noise > COARSE:
        shift_precisely(work.Zt, work.K, e, rows, changes)
    else:
        shift(work.Zt, work.K, e, rows, changes)
        doubt = noise * size
    value, rest = 0.0, 0.0
    for p in range(n):
        part, side = changes[p], t[rows[p]] + e[rows[p]]
        value, rest = add_product(value, rest, 0.5 * part, side)
        doubt += 2.0 * ROUNDING * abs(part) * (abs(t[rows[p]]) + abs(e[rows[p]]))
    value += rest
    value -= abs(total) * abs(work.numbers[1]) + 0.25 * work.numbers[2] * total * total + doubt
    work.numbers[0] = value
    work.numbers[3] = max(PRECISION, noise)
    return float(value)


@helper
def save(work: Work, state: State) -> None:
    """Keep the multipliers and all that follows from them; the boxes are not kept."""
    copy_state(
        State(work.a, work.e, work.R, work.free, work.numbers, work.counts),
        state,
    )


@helper
def restore(state: State, work: Work) -> None:
    """Go back to what was kept."""
    copy_state(
        state,
        State(work.a, work.e, work.R, work.free, work.numbers, work.counts),
    )


@helper
def copy_state(source: State, goal: State) -> None:
    """Copy a state; not the counts of all work done."""
    k = source.counts[0]
    # Loops, as assignments to slices take long to compile.
    a, e, free, R = goal.a, goal.e, goal.free, goal.R
    from_a, from_e, from_free, from_R = source.a, source.e, source.free, source.R
    for i in range(len(a)):
        a[i] = from_a[i]
        e[i] = from_e[i]
    for p in range(k):
        free[p] = from_free[p]
    for p in range(k + 1):
        for q in range(k + 1):
            R[p, q] = from_R[p, q]
    for p in range(len(goal.numbers)):
        goal.numbers[p] = source.numbers[p]
    goal.counts[0] = k
    goal.counts[1] = source.counts[1]
