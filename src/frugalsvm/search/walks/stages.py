"""The costs at which the enumeration stops for breath, each with several times the supports."""

from __future__ import annotations

import math

from frugalsvm.search.problem.catalogue import Catalogue, most_affordable
from frugalsvm.search.problem.reduction import CoreProblem
from frugalsvm.search.tuning import FIRST_STAGE, LAST_GROWTH, STAGE_GROWTH
from frugalsvm.search.walks.maximal_supports import MaximalSupports

BISECTIONS = 12


def next_goal(
    core: CoreProblem, features: Catalogue, bound: float, cost: float, size: int
) -> tuple[float, int]:
    """Return the next cost below which all supports are to be decided, and how many they are.

    All costs between a proven bound and the best cost are open; the last stage had `size` supports.
    Stages grow by a factor, so that the early ones, which exist for the anytime bound and for
    lucky finds, cost little in comparison. The last stage ends at the best cost, or without one
    at infinity, where the only maximal support is the whole.
    """
    wanted = max(FIRST_STAGE, int(STAGE_GROWTH * size))
    top = min(cost, core.cost(tuple(features.features.tolist())) + 1)
    last = int(LAST_GROWTH * wanted)
    if support_count(features, top, last) < last:
        return cost, last
    low, goal = int(bound), int(top)
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
