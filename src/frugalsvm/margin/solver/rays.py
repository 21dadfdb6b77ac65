"""Rays: directions of the multipliers that show that rows cannot all hold.

Let r be a direction with r_i >= 0 on positive and r_i <= 0 on negative rows, zero on rows that may
have a slack, and sum r_i = 0. A classifier f = g + b for which all other rows hold has
r_i f(x_i) >= r_i t_i, so that

    <g, s> = sum r_i f(x_i) >= sum r_i t_i =: gain,    s = sum r_i K(x_i, .).

Hence ||g||^2 >= gain^2 / ||s||^2, and if gain > 0 and s = 0 there is no such classifier. Rounding
leaves an s that is never quite zero: `reaches` takes it, enlarged by what rounding may hide, for a
bound on the objective; for an infinite cutoff it tells whether s may be zero, which is not a proof:
`proof/infeasibility.py` has that.
"""

from __future__ import annotations

import math

import numpy as np

from frugalsvm.margin.solver.dual import Work
from frugalsvm.margin.tuning import LEAST_GAIN, NEARLY, NEARLY_SQUARE, ROUNDING
from frugalsvm.runtime.compiled import helper, inlined


@inlined
def ray_gain(work: Work) -> tuple[float, float]:
    """Return the gain of the recorded direction and what its parts add up to."""
    gain, whole = 0.0, 0.0
    t, ray = work.t, work.ray
    for i in range(len(ray)):
        gain += t[i] * ray[i]
        whole += max(1.0, abs(t[i])) * abs(ray[i])
    return gain, whole


@inlined
def ray_square(work: Work) -> tuple[float, float]:
    """Return the square of s, rounding errors added, and of what its parts add up to."""
    Zt, K = work.Zt, work.K
    ray = work.ray.copy()
    heaviest, total, size, n = 0, 0.0, 0.0, 0
    for i in range(len(ray)):
        total += ray[i]
        size += abs(ray[i])
        if abs(ray[i]) > abs(ray[heaviest]):
            heaviest = i
    if not abs(total) <= NEARLY * size:
        return math.inf, 0.0
    ray[heaviest] -= total
    rows = np.empty(len(ray), dtype=np.int64)
    for i in range(len(ray)):
        if ray[i] != 0.0:
            rows[n] = i
            n += 1
    rows = rows[:n]
    square, whole = 0.0, 0.0
    for c in range(Zt.shape[0]):
        part, reach = 0.0, 0.0
        for row in rows:
            part += ray[row] * Zt[c, row]
            reach += abs(ray[row] * Zt[c, row])
        square += (abs(part) + ROUNDING * n * reach) ** 2
        whole += reach * reach
    if K.shape[0] > 0:
        for row in rows:
            for other in rows:
                square += ray[row] * ray[other] * K[row, other]
                whole += abs(ray[row] * ray[other] * K[row, other])
        square = max(square, 0.0) + ROUNDING * n * whole
    return square, whole


@helper
def reaches(work: Work, cutoff: float) -> bool:
    """Return True if the recorded direction proves that the objective reaches the cutoff.

    Nothing but a ray reaches an infinite cutoff: a direction that may be one, and none of rounding
    errors. That it is one remains to be proven.
    """
    gain, size = ray_gain(work)
    square, whole = ray_square(work)
    if cutoff == math.inf:
        nearly = NEARLY_SQUARE if work.K.shape[0] > 0 else NEARLY * NEARLY
        return bool(gain >= LEAST_GAIN * size and square <= nearly * whole)
    if gain <= ROUNDING * len(work.ray) * size:
        return bool(cutoff <= 0.0)
    return bool(square == 0.0 or gain * gain / square >= cutoff)
