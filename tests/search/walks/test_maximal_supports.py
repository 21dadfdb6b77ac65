"""Maximal supports, their catalogue, and the stages of cost."""

from __future__ import annotations

from itertools import combinations

import numpy as np
import pytest

from frugalsvm.search.problem.catalogue import catalogue, cheaper_parts, most_affordable
from frugalsvm.search.problem.reduction import CoreProblem, reduce_problem
from frugalsvm.search.walks.maximal_supports import MaximalSupports
from frugalsvm.search.walks.stages import next_goal, support_count
from reference_selection import random_problem


def all_maximal(core: CoreProblem, limit: float) -> set[frozenset[int]]:
    """Return the maximal supports by trying all; copies only with what they repeat."""
    priced = core.priced.tolist()
    sets = [frozenset(s) for m in range(len(priced) + 1) for s in combinations(priced, m)]
    sets = [s for s in sets if core.cost(tuple(s)) <= limit and _originals(core, s)]
    return {s for s in sets if not any(s < other for other in sets)}


def _originals(core: CoreProblem, support: frozenset[int]) -> bool:
    free = set(core.free.tolist())
    repeated = [int(core.copy_of[k]) for k in support]
    return all(k < 0 or k in support or k in free for k in repeated)


@pytest.mark.parametrize("seed", range(40))
def test_all_of_them_and_each_once(seed: int) -> None:
    core = reduce_problem(random_problem(seed))
    features = catalogue(core)
    for limit in sorted({core.cost((int(k),)) for k in core.priced}):
        walk, found = MaximalSupports(features, float(limit)), []
        while not walk.over:
            rows, sizes = walk.next_batch(3)
            rows = [features.features[r[:m]] for r, m in zip(rows, sizes, strict=True)]
            found += [frozenset(row.tolist()) for row in rows]
        assert len(found) == len(set(found))
        assert set(found) == all_maximal(core, limit), (seed, limit)
        assert max(map(len, found)) <= most_affordable(features, float(limit))
        assert support_count(features, limit + 1, 1_000) == len(found)
        assert cheaper_parts(core, features, [tuple(s) for s in found], limit + 1) == [
            tuple(s) for s in found
        ]


def test_stages_end_at_the_best_cost_and_grow() -> None:
    core = reduce_problem(random_problem(41))
    features = catalogue(core)
    whole = core.cost(tuple(core.priced.tolist()))
    goal, size = next_goal(core, features, 0, whole, 0)
    assert goal == whole  # so few supports are one stage
    assert size >= 50
    assert np.all(np.diff(features.price) <= 0) or len(features.groups)
