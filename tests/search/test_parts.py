"""The affordable parts of supports, against the walk over all supports."""

from __future__ import annotations

import numpy as np
import pytest

from frugalsvm.search.maximal import Catalogue, MaximalSupports
from frugalsvm.search.parts import affordable_parts

FREE = 99


def random_catalogue(rng: np.random.Generator) -> Catalogue:
    """Return some features with prices, and groups for some of them."""
    n, n_groups = int(rng.integers(3, 9)), int(rng.integers(0, 4))
    of = [
        np.flatnonzero(rng.random(n_groups) < 0.4) if n_groups else np.zeros(0, np.int64)
        for _ in range(n)
    ]
    price = rng.integers(0 if n_groups else 1, 8, n).astype(float)
    group_price = rng.integers(1, 8, n_groups).astype(float)
    return Catalogue(
        features=rng.permutation(n).astype(np.int64),
        price=price,
        full=price + np.array([group_price[groups].sum() for groups in of]),
        start=np.concatenate(([0], np.cumsum([len(groups) for groups in of]))).astype(np.int64),
        groups=np.concatenate(of).astype(np.int64),
        group_price=group_price,
        original=np.full(n, -1),
    )


def maximal(features: Catalogue, limit: float) -> set[tuple[int, ...]]:
    """Return all maximal supports within a limit, with a free feature before each."""
    walk, found = MaximalSupports(features, limit), set()
    while not walk.over:
        rows, sizes = walk.next_batch(100)
        for row, size in zip(rows, sizes, strict=True):
            found.add((FREE, *(int(k) for k in features.features[row[:size]])))
    return found


@pytest.mark.parametrize("seed", range(60))
def test_parts_are_what_an_open_support_leaves_below_a_lower_limit(seed: int) -> None:
    rng = np.random.default_rng(seed)
    features = random_catalogue(rng)
    high = float(rng.integers(3, 30))
    low = float(rng.integers(0, high))
    supports = sorted(maximal(features, high))
    still_open = [support for support in supports if rng.random() < 0.5]
    expected = {
        part
        for part in maximal(features, low)
        if any(set(part) <= set(support) for support in still_open)
    }
    parts = affordable_parts(features, still_open, low)
    assert len(parts) == len(set(parts))
    assert set(parts) == expected


def test_no_open_support_leaves_no_part() -> None:
    assert affordable_parts(random_catalogue(np.random.default_rng(0)), [], 5.0) == []
