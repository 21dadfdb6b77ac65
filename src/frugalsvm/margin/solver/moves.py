"""Moves of the dual's multipliers that keep it feasible; the free rows follow each of them."""

from __future__ import annotations

import math

from frugalsvm.margin.slots import CHANGES, FOLLOW, INTERCEPT, N_FREE, PULL, VALUE
from frugalsvm.margin.solver.codes import CUTOFF, OPTIMAL, STALLED, UNBOUNDED
from frugalsvm.margin.solver.dual import Work
from frugalsvm.margin.solver.free_rows import (
    add_free,
    column,
    drop_free,
    is_free,
    joint_column,
    start_free,
)
from frugalsvm.margin.solver.value import recompute, shift
from frugalsvm.margin.tuning import NO_PART_OF_A_RAY, NO_RATE
from frugalsvm.runtime.compiled import helper


@helper
def blocking(work: Work, sign: float) -> tuple[int, float]:
    """Return the free row that reaches its box first when a_j moves by sign, and the step."""
    a, lo, hi, free, beta = work.a, work.lo, work.hi, work.free, work.beta[FOLLOW]
    who, step, steepest = -1, math.inf, 0.0
    for p in range(work.counts[N_FREE]):
        rate = sign * beta[p + 1]
        i = free[p]
        if abs(rate) <= NO_RATE:
            continue
        room = max(0.0, hi[i] - a[i] if rate > 0.0 else a[i] - lo[i]) / abs(rate)
        if room < step or (room == step and abs(rate) > steepest):
            who, step, steepest = p, room, abs(rate)
    return who, step


@helper
def advance(work: Work, j: int, delta: float) -> None:
    """Move a_j by delta, the free rows and b along with it."""
    k = work.counts[N_FREE]
    a, free, h, beta = work.a, work.free, work.beta[PULL], work.beta[FOLLOW]
    free[k] = j
    for p in range(k):
        h[p] = beta[p + 1] * delta
        a[free[p]] += h[p]
    h[k] = delta
    a[j] += delta
    shift(work.Zt, work.K, work.e, free[: k + 1], h[: k + 1])
    work.numbers[INTERCEPT] += beta[0] * delta


@helper
def record_ray(work: Work, j: int, sign: float) -> None:
    """Keep the direction along which the dual grows without end."""
    ray, free, beta, length = work.ray, work.free, work.beta[FOLLOW], work.length
    for i in range(len(ray)):
        ray[i] = 0.0
    reach = length[j]
    for p in range(work.counts[N_FREE]):
        reach += abs(beta[p + 1]) * length[free[p]]
    for p in range(work.counts[N_FREE]):
        if (
            abs(beta[p + 1]) > NO_PART_OF_A_RAY
            or abs(beta[p + 1]) * length[free[p]] > NO_PART_OF_A_RAY * reach
        ):
            ray[free[p]] = sign * beta[p + 1]
    ray[j] = sign


@helper
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
        needed = cutoff - work.numbers[VALUE]
        if step * (abs(violation) - 0.5 * curvature * step) >= needed:
            root = math.sqrt(max(0.0, violation * violation - 2.0 * curvature * needed))
            step = min(step, 2.0 * needed / (abs(violation) + root))
            advance(work, j, sign * step)
            return CUTOFF
        advance(work, j, sign * step)
        work.numbers[VALUE] += step * (abs(violation) - 0.5 * curvature * step)
        if own_room <= step:
            a[j] = hi[j] if sign > 0.0 else lo[j]
            return OPTIMAL
        if newton <= step:
            add_free(work, j, curvature)
            return OPTIMAL
        if p < 0:  # the numbers have lost all their digits: nothing says where the move ends
            return STALLED
        i = work.free[p]
        a[i] = hi[i] if sign * work.beta[FOLLOW, p + 1] > 0.0 else lo[i]
        if work.counts[N_FREE] == 1:
            start_free(work, j)
            return OPTIMAL
        drop_free(work, p)
        violation = work.e[j] - work.numbers[INTERCEPT]
        if violation * sign <= 0.0:
            return OPTIMAL


@helper
def gather(work: Work, least: float) -> int:
    """List the rows that violate optimality by more than `least` and can go to their box's end."""
    a, lo, hi, e = work.a, work.lo, work.hi, work.e
    b, batch, moves = work.numbers[INTERCEPT], work.batch, work.moves
    n = 0
    for i in range(len(a)):
        v = e[i] - b
        if abs(v) > least:
            move = hi[i] - a[i] if v > 0.0 else lo[i] - a[i]
            if move != 0.0 and abs(move) < math.inf and not is_free(work, i):
                batch[n], moves[n] = i, move
                n += 1
    return n


@helper
def flip(work: Work, least: float, cutoff: float) -> bool:
    """Move all rows that violate optimality by more than `least` to their box's other end.

    Done only if the dual still grows where the move ends, below the cutoff, with all free rows
    inside their boxes; returns whether it was.
    """
    n = gather(work, least)
    if n < 2:
        return False
    k = work.counts[N_FREE]
    a, free, batch, moves, beta = work.a, work.free, work.batch, work.moves, work.beta[FOLLOW]
    slope = 0.0
    for q in range(n):
        slope += moves[q] * (work.e[batch[q]] - work.numbers[INTERCEPT])
    curvature = joint_column(work, n)
    gain = slope - 0.5 * curvature
    if slope < curvature or work.numbers[VALUE] + gain >= cutoff or blocking(work, 1.0)[1] <= 1.0:
        return False
    for q in range(n):
        i = batch[q]
        a[i] = work.hi[i] if moves[q] > 0.0 else work.lo[i]
    for p in range(k):
        batch[n + p], moves[n + p] = free[p], beta[p + 1]
        a[free[p]] += beta[p + 1]
    shift(work.Zt, work.K, work.e, batch[: n + k], moves[: n + k])
    work.numbers[VALUE] += gain
    work.numbers[INTERCEPT] += beta[0]
    work.counts[CHANGES] += 1
    return True


@helper
def refine(work: Work) -> None:
    """Bring the e of the free rows back to b by a Newton step with the present inverse."""
    k = work.counts[N_FREE]
    a, e, R, free = work.a, work.e, work.R, work.free
    h, beta = work.beta[PULL], work.beta[FOLLOW]
    b = work.numbers[INTERCEPT]
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
    work.numbers[INTERCEPT] = b + step * beta[0]
    if room < 1.0 and k > 1:
        i = free[who]
        a[i] = work.hi[i] if beta[who + 1] > 0.0 else work.lo[i]
        drop_free(work, who)
