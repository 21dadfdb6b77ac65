"""The priced features in the order in which walks choose them, with their prices as floats."""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np

from frugalsvm.search.problem.reduction import CoreProblem, Floats, Ints
from frugalsvm.search.problem.whole_prices import as_floats


@dataclass(frozen=True, eq=False)
class Catalogue:
    """The priced features in the order of the walk, with their prices as arrays.

    Attributes
    ----------
    features : ndarray of int64
        Core features: dear ones first (their choice decides most), copies after originals.
    price, full : ndarray of float
        The features' own prices, and those with all their groups; whole numbers of `scale` units.
    start, groups : ndarray of int64
        The groups of the i-th feature are ``groups[start[i]:start[i + 1]]``.
    group_price : ndarray of float
        Prices of the groups.
    original : ndarray of int64
        Position of the feature that the i-th repeats, or -1.
    scale : int
        The units of the problem's prices that 1 stands for; 1 unless prices have many digits.
    """

    features: Ints
    price: Floats
    full: Floats
    start: Ints
    groups: Ints
    group_price: Floats
    original: Ints
    scale: int = 1

    @property
    def alike(self) -> bool:
        """True if all features cost the same and there are no groups."""
        return len(self.groups) == 0 and bool(np.all(self.full == self.full[:1]))

    def limit(self, units: float) -> float:
        """Return what may be spent, as the walks count it, for a limit in the problem's units."""
        return units if math.isinf(units) else float(int(units) // self.scale)


def catalogue(core: CoreProblem, ceiling: float = math.inf) -> Catalogue:
    """Return the priced features of a problem in the order of the walk.

    `ceiling` is the most that a support may ever be allowed to cost, in units: what is dearer is
    only known to be too dear.
    """
    costs = core.costs
    group_sum = {int(k): sum(costs.group[g] for g in costs.groups_of[k]) for k in core.priced}

    def rank(k: int) -> tuple[int, tuple[int, ...], int, int, int, int]:
        root, depth = _root(core, k)
        own = -costs.feature[root]
        return (-group_sum.get(root, 0), costs.groups_of[root], own, root, depth, k)

    features = sorted((int(k) for k in core.priced), key=rank)
    position = {k: i for i, k in enumerate(features)}
    groups = [g for k in features for g in costs.groups_of[k]]
    lengths = [len(costs.groups_of[k]) for k in features]
    price, group_price, scale = as_floats(
        [costs.feature[k] for k in features], costs.group, len(groups), ceiling
    )
    start = np.concatenate(([0], np.cumsum(lengths))).astype(np.int64)
    shared = np.concatenate(([0.0], np.cumsum(group_price[groups]))) if groups else np.zeros(1)
    return Catalogue(
        features=np.array(features, dtype=np.int64),
        price=price,
        full=price + (shared[start[1:]] - shared[start[:-1]] if groups else 0.0),
        start=start,
        groups=np.array(groups, dtype=np.int64),
        group_price=group_price,
        original=np.array([position.get(int(core.copy_of[k]), -1) for k in features], np.int64),
        scale=scale,
    )


def most_affordable(features: Catalogue, limit: float) -> int:
    """Return how many features a support within the limit has at most."""
    return int(np.count_nonzero(np.cumsum(np.sort(features.price)) <= limit))


def cheaper_parts(
    core: CoreProblem, features: Catalogue, supports: list[tuple[int, ...]], goal: float
) -> list[tuple[int, ...]]:
    """Return supports below `goal`, in the place of some that are above it the largest such parts.

    Walks meet supports that are too dear only where prices had to be rounded down.
    """
    if features.scale == 1:
        return supports
    free = set(core.free.tolist())
    within: dict[tuple[int, ...], None] = {}
    rest = list(reversed(supports))
    while rest:
        support = rest.pop()
        if support in within:
            continue
        if core.cost(support) < goal:
            within[support] = None
        else:
            rest += [tuple(j for j in support if j != k) for k in support if k not in free]
    return list(within)


def _root(core: CoreProblem, k: int) -> tuple[int, int]:
    """Return the first original of a chain of copies, and how far from it the feature is."""
    depth = 0
    while core.copy_of[k] >= 0:
        k = int(core.copy_of[k])
        depth += 1
    return k, depth
