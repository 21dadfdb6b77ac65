"""The costs at which the enumeration stops for breath, each with several times the supports."""

from __future__ import annotations

import math

from frugalsvm.search.state import SearchState
from frugalsvm.search.walks.maximal_supports import Catalogue, MaximalSupports, most_affordable

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
    wanted = max(FIRST_STAGE, int(GROWTH * size))
    top = min(state.cost, state.core.cost(tuple(features.features.tolist())) + 1)
    last = int(LAST_GROWTH * wanted)
    if support_count(features, top, last) < last:
        return state.cost, last
    low, goal = int(state.bound), int(top)
    for _ in range(BISECTIONS):
        if goal - low <= 1:
            break
        middle = (low + goal) // 2
        if support_count(features, middle, wanted) < wanted:
            low = middle
        else:
            goal = middle
    return goal, support_count(features, goal, 4 * wanted)


def support_count(features: Catalogue, goal: float, most: int) -> int:
    """Return how many maximal supports are cheaper than `goal`, at most `most`."""
    limit = features.limit(goal - 1)
    if limit < 0:
        return 0
    if features.alike and bool((features.original < 0).all()):  # all supports of one size
        return min(most, math.comb(len(features.features), most_affordable(features, limit)))
    return MaximalSupports(features, limit).count(most)
