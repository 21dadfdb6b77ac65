"""Fewer errors, along one line of directions after another.

Whether a support meets the budgets is a matter of counting samples; a fit ends where a smooth loss
does, often many samples away. Here a direction is moved along a line, one weight or two of them at
once, to where the errors exceed the budgets least. That place is found exactly: along a line every
sample changes sides once. Of several such places any may be taken, so that the next line starts
elsewhere.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from frugalsvm.compiled import helper, kernel
from frugalsvm.search.problem.fit import trimmed_fit
from frugalsvm.search.problem.reduction import CoreProblem, Floats, Ints

FIT_ROUNDS, RIDGE, EMPHASIS = 10, 1e-3, 1 / 3  # of the fit that a descent starts from
PATIENCE = 2  # lines without a gain, for each weight
MOST_LINES = 8  # for each weight
FAR = 1e3  # that the threshold may move
LEAST_SLOPE, LEAST_WIDTH = 1e-12, 1e-9


@helper
def _random(state: NDArray[np.uint64]) -> float:
    """Return a number from 0 to 1 (xorshift)."""
    x = state[0]
    x ^= x << np.uint64(13)
    x ^= x >> np.uint64(7)
    x ^= x << np.uint64(17)
    state[0] = x
    return float((x >> np.uint64(11)) * 2.0**-53)


@helper
def _best_step(
    scores: Floats,
    slopes: Floats,
    n_pos: int,
    weight: Ints,
    margin: float,
    budgets: Ints,
    prices: Floats,
    low: float,
    high: float,
    state: NDArray[np.uint64],
    turns: Floats,
    changes: Ints,
) -> tuple[float, float]:
    """Return the least excess over the budgets for steps between low and high, and such a step."""
    errors, count = np.zeros(2, np.int64), 0
    for i in range(len(scores)):
        side = int(i >= n_pos)
        sign = 1.0 - 2.0 * side
        slope, short = sign * slopes[i], margin - sign * scores[i]
        if abs(slope) < LEAST_SLOPE:
            errors[side] += weight[i] * (short > LEAST_SLOPE)
            continue
        turn = short / slope
        right_later = slope > 0.0
        if right_later == (turn > low):
            errors[side] += weight[i]
        if low < turn < high:
            turns[count] = turn
            changes[count] = -i - 1 if right_later else i + 1
            count += 1
    order = np.argsort(turns[:count])
    best, step, equals, before = np.inf, 0.0, 0.0, low
    for a in range(count + 1):
        turn = turns[order[a]] if a < count else high
        if turn > before + LEAST_WIDTH:
            excess = prices[0] * max(0, errors[0] - budgets[0])
            excess += prices[1] * max(0, errors[1] - budgets[1])
            equals = 1.0 if excess < best else equals + 1.0
            if excess < best or (excess == best and _random(state) * equals < 1.0):
                best, step = excess, 0.5 * (before + turn)
        if a < count:
            i = abs(changes[order[a]]) - 1
            errors[int(i >= n_pos)] += weight[i] if changes[order[a]] > 0 else -weight[i]
            before = turn
    return best, step


@kernel
def fewest_errors(
    columns: Floats,
    n_pos: int,
    weight: Ints,
    floor: float,
    budgets: Ints,
    patience: int,
    most_lines: int,
    seed: int,
    w: Floats,
) -> float:
    """Move `w` (the threshold last) in place to where errors exceed the budgets least.

    Parameters
    ----------
    columns : ndarray of shape (d, n_samples)
        The features of the support, positives first.
    w : ndarray of shape (d + 1,)
        The direction to start from, with weights of at most 1.

    Returns
    -------
    excess : float
        Errors beyond the budgets; those of the class with the smaller budget count more.
    """
    d, n = columns.shape
    state = np.full(1, 88172645463325252 + 7919 * seed, np.uint64)
    scores, slopes, turns = np.empty(n), np.empty(n), np.empty(n)
    changes, best_w, two = np.empty(n, np.int64), w.copy(), np.zeros(2)
    larger, prices = max(budgets[0], budgets[1]) + 1.0, np.empty(2)
    for side in range(2):
        prices[side] = np.sqrt(larger / (budgets[side] + 1.0))
    for i in range(n):
        scores[i] = w[d]
        for k in range(d):
            scores[i] += w[k] * columns[k, i]
    best, stale, picked = np.inf, 0, np.zeros(2, np.int64)
    for _ in range(most_lines * (d + 1)):
        picked[0], picked[1] = int(_random(state) * (d + 1)), int(_random(state) * 2 * (d + 1))
        ratio = 2.0 * _random(state) - 1.0
        two[0], two[1] = 1.0, 2.0 * ratio
        low, high, used = -FAR, FAR, 2 if picked[1] <= d and picked[1] != picked[0] else 1
        for i in range(n):
            slopes[i] = 0.0
        for a in range(used):
            k = picked[a]
            for i in range(n):
                slopes[i] += two[a] * (columns[k, i] if k < d else 1.0)
            if k < d:
                reach = np.sign(two[a])
                low = max(low, (-reach - w[k]) / two[a])
                high = min(high, (reach - w[k]) / two[a])
        if not low < high:
            continue
        excess, step = _best_step(
            scores, slopes, n_pos, weight, 0.5 * floor, budgets, prices, low, high,
            state, turns, changes,
        )  # fmt: skip
        for a in range(used):
            w[picked[a]] += step * two[a]
        for i in range(n):
            scores[i] += step * slopes[i]
        stale += 1
        if excess < best:
            best, stale = excess, 0
            for k in range(d + 1):
                best_w[k] = w[k]
        if best == 0.0 or stale > patience * (d + 1):
            break
    for k in range(d + 1):
        w[k] = best_w[k]
    return float(best)


def fewest_on(
    core: CoreProblem,
    chosen: NDArray[np.intp],
    patience: int = PATIENCE,
    most_lines: int = MOST_LINES,
    seed: int = 0,
) -> tuple[float, Floats]:
    """Return how many errors too many a descent on chosen features ends with, and its direction."""
    columns = np.ascontiguousarray(core.columns[chosen])
    d = len(chosen)
    fitted, found = np.zeros(d + 1), np.zeros(d)
    trimmed_fit(
        np.ascontiguousarray(columns.T), core.n_pos, core.weight, core.need_pos, core.need_neg,
        core.floor, FIT_ROUNDS, RIDGE, EMPHASIS, fitted, found,
    )  # fmt: skip
    largest = float(np.max(np.abs(found), initial=0.0))
    w = np.append(0.5 * found / largest if largest > 0.0 else found, 0.0)
    scores = w[:d] @ columns
    w[d] = -0.5 * (np.median(scores[: core.n_pos]) + np.median(scores[core.n_pos :]))
    budgets = np.array([core.budget_pos, core.budget_neg], dtype=np.int64)
    excess = fewest_errors(
        columns, core.n_pos, core.weight, core.floor, budgets, patience, most_lines, seed, w
    )
    direction = np.zeros(core.n_features)
    direction[chosen] = w[:d]
    return float(excess), direction
