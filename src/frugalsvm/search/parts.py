"""What is left to decide of supports when a cheaper answer is found: their affordable parts."""

from __future__ import annotations

from collections.abc import Iterable

import numpy as np

from frugalsvm.search.maximal import Catalogue, MaximalSupports

BATCH = 64


def affordable_parts(
    features: Catalogue, supports: Iterable[tuple[int, ...]], limit: float
) -> list[tuple[int, ...]]:
    """Return the parts of supports that are maximal among all whose cost is at most `limit`.

    The cost is that beyond the base; free features stay in every part. Given the maximal supports
    within a higher limit that are not known to be infeasible, these are the ones within this limit:
    any other is a part of one that is.
    """
    position = {int(k): i for i, k in enumerate(features.features)}
    parts: dict[tuple[int, ...], None] = {}
    for support in supports:
        free = tuple(k for k in support if k not in position)
        chosen = np.array(sorted(position[k] for k in support if k in position), dtype=np.int64)
        walk = MaximalSupports(_only(features, chosen), limit)
        while not walk.over:
            rows, sizes = walk.next_batch(BATCH)
            for row, size in zip(rows, sizes, strict=True):
                part = chosen[row[:size]]
                if _is_maximal(features, part, limit):
                    parts[free + tuple(int(k) for k in features.features[part])] = None
    return list(parts)


def _is_maximal(features: Catalogue, part: np.ndarray, limit: float) -> bool:
    """Return True if no feature can be added to a part, given by positions, within the limit."""
    start, groups = features.start, features.groups
    paid = {int(g) for i in part for g in groups[start[i] : start[i + 1]]}
    room = limit - float(features.price[part].sum())
    room -= sum(float(features.group_price[g]) for g in paid)
    members = {int(i) for i in part}
    for i in np.flatnonzero(features.price <= room):
        unpaid = {int(g) for g in groups[start[i] : start[i + 1]]} - paid
        more = features.price[i] + sum(float(features.group_price[g]) for g in unpaid)
        if int(i) not in members and more <= room:
            return False
    return True


def _only(features: Catalogue, chosen: np.ndarray) -> Catalogue:
    """Return the catalogue of some of its features, given by their positions in order."""
    position = {int(i): new for new, i in enumerate(chosen)}
    spans = [features.groups[features.start[i] : features.start[i + 1]] for i in chosen]
    lengths = [len(span) for span in spans]
    return Catalogue(
        features=features.features[chosen],
        price=features.price[chosen],
        full=features.full[chosen],
        start=np.concatenate(([0], np.cumsum(lengths))).astype(np.int64),
        groups=np.concatenate([*spans, np.zeros(0, np.int64)]).astype(np.int64),
        group_price=features.group_price,
        original=np.array([position.get(int(features.original[i]), -1) for i in chosen], np.int64),
    )
