"""Nodes of covers: their costs, their bounds and what they leave out, against all supports."""

from __future__ import annotations

import math

import numpy as np
import pytest

from frugalsvm.search.problem.reduction import CoreProblem
from frugalsvm.search.tactics.cover.node import (
    Node,
    Prices,
    drop,
    node_cost,
    pay,
    prices_of,
    relax,
    root_node,
    take,
)
from reference_oracles import all_supports, core_of


def begun(seed: int) -> tuple[CoreProblem, Prices, np.random.Generator]:
    core = core_of(seed)
    return core, prices_of(core), np.random.default_rng(seed)


def somewhere(prices: Prices, rng: np.random.Generator) -> Node:
    """Return a node after some decisions."""
    node = root_node(prices)
    m, g = prices.member.shape
    for _ in range(int(rng.integers(0, 3))):
        left = np.flatnonzero(node.undecided)
        if not len(left):
            break
        feature = int(rng.choice(left))
        if rng.random() < 0.4:
            node = take(prices, node, feature)
        elif g and rng.random() < 0.4:
            node = pay(prices, node, np.arange(g) == rng.integers(g))
        else:
            node = drop(prices, node, np.arange(m) == feature)
    return node


def cost_of(prices: Prices, support: tuple[int, ...], paid: np.ndarray) -> float:
    """Return what a support costs if some groups are paid anyway."""
    chosen = list(support)
    groups = paid | np.any(prices.member[chosen], axis=0)
    return float(prices.feature[chosen].sum() + prices.group[groups].sum())


def supports_of(prices: Prices, node: Node) -> list[tuple[int, ...]]:
    """Return all supports of a node."""
    inside, outside = set(np.flatnonzero(node.inside)), set(np.flatnonzero(node.outside))
    return [
        s
        for s in all_supports(range(len(prices.feature)))
        if inside <= set(s) and not outside & set(s)
    ]


@pytest.mark.parametrize("seed", range(40))
def test_prices_are_those_of_the_problem(seed: int) -> None:
    core, prices, _ = begun(seed)
    for support in all_supports(range(len(core.priced))):
        priced = tuple(int(k) for k in core.priced[list(support)])
        nothing = np.zeros(len(prices.group), np.bool_)
        assert cost_of(prices, support, nothing) * prices.scale == core.cost(priced)
    for i, copies in enumerate(prices.copies):
        assert all(core.copy_of[core.priced[j]] == core.priced[i] for j in copies)


@pytest.mark.parametrize("seed", range(60))
def test_a_nodes_supports_cost_what_it_has_decided_and_no_less(seed: int) -> None:
    _, prices, rng = begun(seed)
    node = somewhere(prices, rng)
    assert not np.any(node.inside & node.outside)
    for support in supports_of(prices, node):
        assert cost_of(prices, support, node.paid) >= node_cost(prices, node)
    gratis = node.undecided & (prices.feature == 0) & ~np.any(prices.member & ~node.paid, axis=1)
    assert not gratis.any()  # what costs nothing more is in


@pytest.mark.parametrize("seed", range(120))
def test_the_bound_holds_for_every_support_that_hits_the_cuts(seed: int) -> None:
    _, prices, rng = begun(seed)
    node = somewhere(prices, rng)
    m = len(prices.feature)
    if m == 0:
        return
    cuts = rng.random((int(rng.integers(0, 5)), m)) < 0.5
    hitting = [
        cost_of(prices, s, node.paid)
        for s in supports_of(prices, node)
        if np.all(cuts[:, list(s)].any(axis=1))
    ]
    least = min(hitting, default=math.inf)
    found = relax(prices, node, cuts, math.inf)
    assert found.bound <= least + 1e-9
    assert found.bound >= node_cost(prices, node) - 1e-9
    assert not found.too_dear.any() or math.isinf(found.bound)
    np.testing.assert_array_equal(found.cover[node.inside], 1.0)
    np.testing.assert_array_equal(found.cover[node.outside], 0.0)
    if math.isinf(least):
        return
    limit = least + float(rng.integers(0, 4))
    found = relax(prices, node, cuts, limit)
    assert found.bound <= least + 1e-9
    for feature in np.flatnonzero(found.too_dear):
        assert all(
            cost_of(prices, s, node.paid) > limit
            for s in supports_of(prices, node)
            if feature in s and np.all(cuts[:, list(s)].any(axis=1))
        )


@pytest.mark.parametrize("seed", range(20))
def test_a_bound_is_not_far_below_what_the_cuts_ask_for(seed: int) -> None:
    """One cut: its cheapest feature, groups and all, as far as fractions can tell."""
    _, prices, rng = begun(seed)
    m = len(prices.feature)
    if m == 0 or prices.member.any():
        return
    cut = rng.random((1, m)) < 0.7
    node = root_node(prices)
    found = relax(prices, node, cut, math.inf)
    if not cut.any():
        assert math.isinf(found.bound)
    elif not np.any(node.inside & cut[0]):
        assert found.bound == pytest.approx(prices.feature[cut[0]].min(), rel=1e-6)


def chain() -> Prices:
    """Return four features of which 1 copies 0, and 2 copies 1."""
    copies = (np.array([1]), np.array([2]), np.array([], int), np.array([], int))
    return Prices(np.arange(1.0, 5.0), np.zeros((4, 0), np.bool_), np.zeros(0), copies, 1)


def test_without_a_feature_there_are_no_copies_of_it() -> None:
    prices = chain()
    first = np.arange(4) == 0
    dropped = drop(prices, root_node(prices), first)
    assert dropped.outside.tolist() == [True, True, True, False]
    taken = take(prices, root_node(prices), 1)
    assert drop(prices, taken, first).outside.tolist() == [True, False, False, False]
    assert drop(prices, take(prices, root_node(prices), 0), first).outside.tolist() == [False] * 4
    assert taken.depth == 1


def test_a_paid_group_brings_in_what_costs_nothing_else() -> None:
    member = np.array([[True, False], [True, True], [False, False]])
    none = (np.array([], int),) * 3
    prices = Prices(np.array([0.0, 0.0, 2.0]), member, np.array([3.0, 4.0]), none, 1)
    node = root_node(prices)
    assert not node.inside.any()
    one = pay(prices, node, np.array([True, False]))
    assert one.inside.tolist() == [True, False, False]
    assert node_cost(prices, one) == 3.0
    both = take(prices, node, 1)
    assert both.inside.tolist() == [True, True, False]
    assert node_cost(prices, both) == 7.0
    without = drop(prices, node, np.array([True, False, False]))
    assert not pay(prices, without, np.array([True, True])).inside[0]
