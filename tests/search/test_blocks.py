"""Blocks and loners hold every support exactly once, and change no optimum."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Callable
from dataclasses import replace
from itertools import combinations

import numpy as np
import pytest

from frugalsvm.costs import CostModel
from frugalsvm.problem import SelectionProblem
from frugalsvm.rates import ErrorBudget
from frugalsvm.result import SelectionResult, Status
from frugalsvm.search import SearchOptions, enumeration, search
from frugalsvm.search.oracles.batch import Effort
from frugalsvm.search.problem.reduction import Ints
from frugalsvm.search.walks.blocks import Blocks
from frugalsvm.stopping import Stopper
from reference_selection import brute_force, random_problem

NOTHING = np.zeros(0, dtype=np.int64)


def drawn(source: Callable[[], tuple[Ints, Ints] | None]) -> list[tuple[int, ...]]:
    """Return all that a method draws."""
    rows: list[tuple[int, ...]] = []
    while (batch := source()) is not None:
        rows.extend(tuple(row[:size].tolist()) for row, size in zip(*batch, strict=True))
    return rows


@pytest.mark.parametrize("n", range(2, 12))
def test_every_support_once(n: int) -> None:
    features = np.arange(n) * 3 + 1
    for size in range(1, n):
        walk = Blocks(features, size, NOTHING)
        blocks = drawn(walk.draw_blocks)
        loners = drawn(walk.draw_supports)
        assert walk.over
        assert all(len(block) == size + 1 for block in blocks)
        held = Counter(s for block in blocks for s in combinations(block, size))
        held.update(loners)
        expected = Counter(combinations(features.tolist(), size))
        assert held == expected, (n, size)


def test_opened_blocks_give_their_supports_and_free_features_come_along() -> None:
    walk = Blocks(np.array([2, 4, 6, 8, 10]), 2, np.array([0]))
    blocks = drawn(walk.draw_blocks)
    assert all(block[0] == 0 and len(block) == 4 for block in blocks)
    walk.reopen(blocks)
    assert not walk.over
    supports = drawn(walk.draw_supports)
    expected = {(0, *pair) for pair in combinations((2, 4, 6, 8, 10), 2)}
    assert len(supports) == len(expected)
    assert set(supports) == expected


def planted() -> SelectionProblem:
    """Five of twenty features are needed; there are 4,845 supports of four."""
    rng = np.random.default_rng(8)
    X = rng.standard_normal((150, 20))
    X = (X - X.mean(axis=0)) / X.std(axis=0)
    positive = X[:, [1, 5, 9, 13, 17]].sum(axis=1) > 0
    positive[:3] ^= True
    nothing = np.zeros(20, dtype=bool)
    costs = CostModel.per_feature(np.ones(20))
    return SelectionProblem(X, positive, ErrorBudget(3, 3), costs, nothing, nothing)


def solved(**switches: bool) -> SelectionResult:
    return search(planted(), stop=Stopper(60.0), options=SearchOptions(**switches), threads=2)


def test_blocks_are_used_and_change_no_optimum(monkeypatch: pytest.MonkeyPatch) -> None:
    reference = solved(unions=False)
    assert reference.status is Status.OPTIMAL
    assert reference.cost == 5.0
    monkeypatch.setattr(enumeration, "by_unions", lambda *_: False)
    with_blocks = solved()
    assert (with_blocks.cost, with_blocks.bound) == (5.0, 5.0)
    assert with_blocks.support == reference.support
    asked = [r.details["oracles"]["conflicts"]["asked"] for r in (with_blocks, reference)]
    assert asked[0] < 0.6 * asked[1]


@pytest.mark.parametrize("most_open", [0.0, 1.0])
def test_blocks_that_nobody_rules_out(monkeypatch: pytest.MonkeyPatch, most_open: float) -> None:
    """Whether they are given up for single supports or opened one by one."""
    monkeypatch.setattr(enumeration, "by_unions", lambda *_: False)
    monkeypatch.setattr(enumeration, "BLOCK_EFFORT", Effort(0, 0, 0))
    monkeypatch.setattr(enumeration, "TOO_MANY_OPEN", most_open)
    result = solved()
    assert (result.status, result.cost, result.bound) == (Status.OPTIMAL, 5.0, 5.0)


@pytest.mark.parametrize("first", range(3_000, 3_120, 20))
def test_small_instances_against_brute_force(first: int, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(enumeration, "by_unions", lambda *_: False)
    monkeypatch.setattr(enumeration, "FEW_SUPPORTS", 1)
    options = SearchOptions(heuristic=False, scan=False, sieve=False, cover=False)
    for seed in range(first, first + 20):
        problem = random_problem(seed)
        costs = CostModel.per_feature(np.ones(problem.n_features))
        problem = replace(problem, costs=costs, include=np.zeros(problem.n_features, dtype=bool))
        cost, optimal = brute_force(problem)
        result = search(problem, stop=Stopper(60.0), options=options, threads=2)
        assert result.cost == pytest.approx(cost), seed
        assert math.isinf(cost) or result.support in optimal, seed
