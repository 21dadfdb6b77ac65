"""Products of rows, sums in twice the precision, and the dual's value."""

from __future__ import annotations

import numpy as np

from frugalsvm.margin.arrays import Floats, Ints
from frugalsvm.margin.slots import INTERCEPT, LARGEST, NEGLIGIBLE, VALUE
from frugalsvm.margin.solver.dual import Work
from frugalsvm.margin.tuning import COARSE, PRECISION, ROUNDING
from frugalsvm.runtime.compiled import helper


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
    value -= (
        abs(total) * abs(work.numbers[INTERCEPT])
        + 0.25 * work.numbers[LARGEST] * total * total
        + doubt
    )
    work.numbers[VALUE] = value
    work.numbers[NEGLIGIBLE] = max(PRECISION, noise)
    return float(value)
