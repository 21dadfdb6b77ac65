"""Branches of supports, against the walk over all of them."""

from __future__ import annotations

from itertools import combinations

import numpy as np
import pytest

from frugalsvm.search import search
from frugalsvm.search.options import SearchOptions
from frugalsvm.search.problem.catalogue import Catalogue
from frugalsvm.search.problem.reduction import Ints
from frugalsvm.search.tactics import enumeration
from frugalsvm.search.tactics.batches import Batch
from frugalsvm.search.verdict import INFEASIBLE, UNDECIDED
from frugalsvm.search.walks.branches import Branches, Nodes, nodes_of
from frugalsvm.search.walks.maximal_supports import MaximalSupports
from frugalsvm.search.walks.set_walk import in_rounds
from frugalsvm.stopping import Stopper
from reference_selection import large_budgets

FREE = np.array([99])


def random_catalogue(rng: np.random.Generator) -> Catalogue:
    """Return some features with prices, and groups for some of them; a few are copies."""
    n, n_groups = int(rng.integers(3, 9)), int(rng.integers(0, 4))
    of = [
        np.flatnonzero(rng.random(n_groups) < 0.4) if n_groups else np.zeros(0, np.int64)
        for _ in range(n)
    ]
    price = rng.integers(0 if n_groups else 1, 8, n).astype(float)
    original = np.full(n, -1)
    if rng.random() < 0.5:  # the last one repeats the first one
        of[-1], price[-1], original[-1] = of[0], price[0] + 1.0, 0
    group_price = rng.integers(1, 8, n_groups).astype(float)
    return Catalogue(
        features=rng.permutation(n).astype(np.int64),
        price=price,
        full=price + np.array([group_price[groups].sum() for groups in of]),
        start=np.concatenate(([0], np.cumsum([len(groups) for groups in of]))).astype(np.int64),
        groups=np.concatenate(of).astype(np.int64),
        group_price=group_price,
        original=original,
    )


def cost_of(features: Catalogue, support: set[int]) -> float:
    """Return what core features cost."""
    chosen = [i for i, k in enumerate(features.features) if int(k) in support]
    paid = {
        int(g) for i in chosen for g in features.groups[features.start[i] :][: _count(features, i)]
    }
    return float(features.price[chosen].sum() + sum(features.group_price[g] for g in paid))


def _count(features: Catalogue, i: int) -> int:
    return int(features.start[i + 1] - features.start[i])


def maximal(features: Catalogue, limit: float) -> set[frozenset[int]]:
    """Return all maximal supports within a limit, each with the free feature."""
    walk, found = MaximalSupports(features, limit), set()
    while not walk.over:
        rows, sizes = walk.next_batch(100)
        for row, size in zip(rows, sizes, strict=True):
            found.add(frozenset([99, *(int(k) for k in features.features[row[:size]])]))
    return found


def supports_of(walk: Branches) -> list[frozenset[int]]:
    """Return the supports of a walk that judges nothing else."""
    found = []
    while not walk.exhausted:
        for drawn in walk.draw():
            rows = zip(drawn.rows.tolist(), drawn.sizes.tolist(), strict=True)
            found += [frozenset(row[:size]) for row, size in rows]
    return found


def branches(
    features: Catalogue, limit: float, seed: int, start: Nodes | None = None, whole: bool = False
) -> Branches:
    """Return branches that decide random features first."""
    first = np.random.default_rng(seed).random(len(features.features)) < 0.5
    order_kept = features.original >= 0
    first[order_kept] = first[features.original[order_kept]]
    return Branches(features, limit, FREE, first, start, whole)


@pytest.mark.parametrize("seed", range(60))
def test_branches_deliver_every_maximal_support_once(seed: int) -> None:
    rng = np.random.default_rng(seed)
    features = random_catalogue(rng)
    limit = rng.integers(0, 30) + 0.5
    walk = branches(features, limit, seed)
    supports = supports_of(walk)
    assert walk.exhausted
    assert len(supports) == len(set(supports))
    assert {s for s in supports if len(s) > 1} == {
        s for s in maximal(features, limit) if len(s) > 1
    }


@pytest.mark.parametrize("seed", range(60))
def test_parts_are_what_an_open_support_leaves_below_a_lower_limit(seed: int) -> None:
    rng = np.random.default_rng(seed)
    features = random_catalogue(rng)
    high = rng.integers(3, 30) + 0.5
    low = rng.integers(0, int(high)) + 0.5
    still_open = [s for s in sorted(maximal(features, high), key=sorted) if rng.random() < 0.5]
    expected = {
        part
        for part in maximal(features, low)
        if len(part) > 1 and any(part <= support for support in still_open)
    }
    start = nodes_of(features, [tuple(support) for support in still_open], parts=True)
    parts = supports_of(branches(features, low, seed, start))
    assert len(parts) == len(set(parts))
    assert {part for part in parts if len(part) > 1} == expected


@pytest.mark.parametrize("seed", range(30))
def test_what_holds_a_set_holds_it(seed: int) -> None:
    rng = np.random.default_rng(seed)
    features = random_catalogue(rng)
    limit = rng.integers(5, 30) + 0.5
    held = frozenset(int(k) for k in features.features[: int(rng.integers(1, 3))])
    start = nodes_of(features, [tuple(held)], parts=False)
    found = set(supports_of(branches(features, limit, seed, start)))
    assert found == {s for s in maximal(features, limit) if held <= s}


@pytest.mark.parametrize("seed", range(30))
def test_every_affordable_support_is_within_what_was_judged(seed: int) -> None:
    rng = np.random.default_rng(seed)
    features = random_catalogue(rng)
    limit = rng.integers(5, 30) + 0.5
    ruled_out: list[set[int]] = []

    def judge(rows: Ints, sizes: Ints, affordable: bool) -> object:
        verdicts = np.full(len(rows), UNDECIDED)
        for r in range(len(rows)):
            union = set(rows[r, : sizes[r]].tolist())
            assert affordable == (cost_of(features, union) <= limit)
            if affordable or rng.random() < 0.4:
                verdicts[r] = INFEASIBLE
                ruled_out.append(union)
        batch = Batch(rows, sizes, verdicts, np.zeros(rows.shape))
        return lambda: batch

    walk = branches(features, limit, seed, whole=True)
    for _ in in_rounds(walk, judge, lambda: False):  # type: ignore[arg-type]  # a lambda is enough
        pass
    assert walk.exhausted
    position = {int(k): i for i, k in enumerate(features.features)}
    for size in range(1, len(position) + 1):
        for support in combinations(position, size):
            copies = [k for k in support if features.original[position[k]] >= 0]
            alone = any(
                int(features.features[features.original[position[k]]]) not in support
                for k in copies
            )
            if cost_of(features, set(support)) <= limit and not alone:
                assert any(set(support) <= union for union in ruled_out), support


@pytest.mark.parametrize("seed", range(12))
def test_branches_and_growing_do_not_change_an_optimum(
    seed: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    problem = large_budgets(seed)
    with_them = search(problem, stop=Stopper(), options=SearchOptions(cover=False))
    plain = SearchOptions(cover=False, unions=False, heuristic=False)
    monkeypatch.setattr(enumeration, "grow", lambda *_: None)
    without = search(problem, stop=Stopper(), options=plain)
    assert with_them.status == without.status
    assert with_them.cost == without.cost
