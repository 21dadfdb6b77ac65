"""Answers among the supports that hold one which was hard to rule out.

What is nearest to an answer at one cost is often a part of one at the next.
"""

from __future__ import annotations

from collections import deque
from concurrent.futures import ThreadPoolExecutor
from functools import partial

import numpy as np

from frugalsvm.search.oracles.batch import Effort
from frugalsvm.search.state import SearchState
from frugalsvm.search.tactics.batches import AHEAD, from_queue, in_order, keep_open
from frugalsvm.search.tactics.undecided import likeliest_first
from frugalsvm.search.walks.branches import Branches, nodes_of
from frugalsvm.search.walks.maximal_supports import Catalogue

STEPS = 4  # from the bound to the best cost
ROUNDS = 200  # of a walk over the supports in each
MOST, JUDGED = 1_000, 8  # supports in each, and how many of them are judged
EFFORT = Effort(100, 0, 0)


def grow(
    state: SearchState,
    features: Catalogue,
    supports: list[tuple[int, ...]],
    pool: ThreadPoolExecutor,
) -> None:
    """Look for answers that hold one of some supports that were hard to rule out.

    Cheap ones are looked for first, and dear ones not at all where they are too many.
    """
    if not supports or state.finished() or not state.options.heuristic:
        return
    start = nodes_of(features, supports, parts=False)
    none_first = np.zeros(len(features.features), dtype=np.bool_)
    proven, open_ = int(state.bound), int(state.cost - state.bound)
    for step in range(1, STEPS + 1):
        limit = features.limit(proven + step * open_ // STEPS - 1)
        walk = Branches(features, limit, state.core.free, none_first, start, whole=False)
        larger = walk.supports(ROUNDS)
        if state.finished() or not walk.exhausted or len(larger) > MOST:
            return
        found, larger = likeliest_first(state, larger, pool)
        queue = deque(larger[:JUDGED])
        batches = in_order(state, pool, partial(from_queue, queue), EFFORT, AHEAD)
        if found or keep_open(state, batches, []):
            return
