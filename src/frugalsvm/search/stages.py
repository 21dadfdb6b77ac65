"""The costs at which the enumeration stops for breath, each with several times the supports."""

from __future__ import annotations

import math

import numpy as np

from frugalsvm.search.maximal import Catalogue, MaximalSupports, most_affordable
from frugalsvm.search.state import SearchState, strictly_below

GROWTH = 3.0  # supports of a stage over those of the one before, at least
FIRST_STAGE = 50  # supports
LAST_GROWTH = 2.0  # times that, if it is the last stage
BISECTIONS = 12


def next_goal(state: SearchState, features: Catalogue, size: int) -> tuple[float, int]:
    """Return the next cost below which all supports are to be decided, and how many they are.

    Stages grow by a factor, so that the early ones, which exist for the anytime bound and for
    lucky finds, cost little in comparison. The last stage ends at the best cost, or without one
    at infinity, where the only maximal support is the whole.
    """
    base = state.core.base_cost
    wanted = max(FIRST_STAGE, int(GROWTH * size))
    whole = base + float(np.sum(features.price) + np.sum(features.group_price))
    top = min(state.cost, whole + 1.0)
    last = int(LAST_GROWTH * wanted)
    if support_count(state, features, top, last) < last:
        return state.cost, last
    low, high = max(state.bound, base), top
    for _ in range(BISECTIONS):
        middle = 0.5 * (low + high)
        if support_count(state, features, middle, wanted) < wanted:
            low = middle
        else:
            high = middle
    goal = rounded_up(features, high - base) + base
    return min(goal, state.cost), support_count(state, features, goal, 4 * wanted)


def support_count(state: SearchState, features: Catalogue, goal: float, most: int) -> int:
    """Return how many maximal supports are cheaper than `goal`, at most `most`."""
    limit = strictly_below(goal) - state.core.base_cost
    if limit < 0:
        return 0
    alike = len(features.group_price) == 0 and np.all(features.price == features.price[:1])
    if alike and np.all(features.original < 0):  # all supports of one size
        return min(most, math.comb(len(features.features), most_affordable(features, limit)))
    return MaximalSupports(features, limit).count(most)


def rounded_up(features: Catalogue, cost: float) -> float:
    """Return the next multiple of the prices' common divisor, if they are whole numbers."""
    prices = np.concatenate((features.price, features.group_price))
    whole = np.round(prices).astype(np.int64)
    if np.any(prices != whole) or not np.any(whole):
        return cost
    divisor = int(np.gcd.reduce(whole))
    return math.ceil(cost / divisor - 1e-9) * float(divisor)
