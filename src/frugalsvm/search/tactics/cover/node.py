"""Nodes of the search over covers: what is in, what is out, what it costs, what it must cost.

A node fixes some features as in or out and some groups as paid. The bound on what the rest
must cost is a packing of the cuts that are not hit yet. With groups, a cut may be charged to
the features or to their groups: hitting it with a feature pays both.
"""

from __future__ import annotations

import math
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from frugalsvm.search.problem.reduction import Bools, CoreProblem, Floats
from frugalsvm.search.problem.whole_prices import as_floats
from frugalsvm.search.tactics.cover.packing import pack_cuts


@dataclass(frozen=True, eq=False)
class Prices:
    """The priced features' costs, in positions of ``core.priced``, as whole numbers of a scale.

    Attributes
    ----------
    feature : ndarray of shape (n_priced,)
        Own prices.
    member : ndarray of bool of shape (n_priced, n_groups)
        Which groups each feature pays.
    group : ndarray of shape (n_groups,)
        Prices of the groups.
    copies : tuple of ndarray of int
        For each feature, those that are of no use without it.
    scale : int
        The units of the problem that 1 stands for.
    """

    feature: Floats
    member: Bools
    group: Floats
    copies: tuple[NDArray[np.intp], ...]
    scale: int


def prices_of(core: CoreProblem, ceiling: float = math.inf) -> Prices:
    """Return the prices of a problem's priced features; no support may cost more than `ceiling`."""
    costs, priced = core.costs, core.priced
    used = sorted({g for k in priced for g in costs.groups_of[k]})
    member = np.zeros((len(priced), len(used)), np.bool_)
    for i, k in enumerate(priced):
        for g in costs.groups_of[k]:
            member[i, used.index(g)] = True
    feature, group, scale = as_floats(
        [costs.feature[k] for k in priced], [costs.group[g] for g in used], 0, ceiling
    )
    copies = tuple(np.flatnonzero(core.copy_of[priced] == k) for k in priced)
    return Prices(feature, member, group, copies, scale)


@dataclass(frozen=True, eq=False)
class Node:
    """A part of all supports: those with the features that are in, without those out.

    Attributes
    ----------
    inside, outside : ndarray of bool of shape (n_priced,)
        Fixed features.
    paid : ndarray of bool of shape (n_groups,)
        Groups that are paid, those of the features inside and perhaps more.
    bound : float
        No support of the node costs less.
    depth : int
        Decisions made.
    """

    inside: Bools
    outside: Bools
    paid: Bools
    bound: float = 0.0
    depth: int = 0

    @property
    def undecided(self) -> Bools:
        """Features that are neither in nor out."""
        return ~self.inside & ~self.outside


@dataclass(frozen=True, eq=False)
class Relaxation:
    """What the packing says about a node.

    Attributes
    ----------
    bound : float
        Lower bound on the cost of the node's supports.
    cover : ndarray of shape (n_priced,)
        Fractional choice of features: 1 inside, 0 outside.
    groups : ndarray of shape (n_groups,)
        Fractional choice of groups.
    too_dear : ndarray of bool of shape (n_priced,)
        Features that no support within the limit can add.
    """

    bound: float
    cover: Floats
    groups: Floats
    too_dear: Bools


def root_node(prices: Prices) -> Node:
    """Return the node of all supports; what costs nothing is in all of them.

    Prices that are rounded down to nothing count as such: the bounds are on rounded costs.
    """
    m, g = prices.member.shape
    nothing = Node(np.zeros(m, np.bool_), np.zeros(m, np.bool_), np.zeros(g, np.bool_))
    return replace(pay(prices, nothing, nothing.paid), depth=0)


def take(prices: Prices, node: Node, feature: int) -> Node:
    """Return the part of the node with a feature."""
    inside = node.inside.copy()
    inside[feature] = True
    return pay(prices, replace(node, inside=inside), prices.member[feature])


def pay(prices: Prices, node: Node, groups: Bools) -> Node:
    """Return the node with groups paid; features that cost nothing more come in."""
    paid = node.paid | groups
    gratis = (prices.feature == 0.0) & ~np.any(prices.member & ~paid, axis=1) & ~node.outside
    return replace(node, paid=paid, inside=node.inside | gratis, depth=node.depth + 1)


def drop(prices: Prices, node: Node, features: Bools) -> Node:
    """Return the part of the node without some features, nor copies of them."""
    outside = node.outside | (features & ~node.inside)
    queue = list(np.flatnonzero(outside & ~node.outside))
    while queue:
        for copy in prices.copies[queue.pop()]:
            if not outside[copy] and not node.inside[copy]:
                outside[copy] = True
                queue.append(copy)
    return replace(node, outside=outside, depth=node.depth + 1)


def node_cost(prices: Prices, node: Node) -> float:
    """Return what the node's decisions cost."""
    return float(prices.feature[node.inside].sum() + prices.group[node.paid].sum())


def relax(prices: Prices, node: Node, cuts: Bools, limit: float) -> Relaxation:
    """Bound the cost of the node's supports; stop early once it exceeds the limit."""
    spent = node_cost(prices, node)
    left = np.flatnonzero(node.undecided)
    open_cuts = cuts[~np.any(cuts[:, node.inside], axis=1)][:, left]
    own = prices.feature[left] > 0.0
    unpaid = np.flatnonzero(~node.paid & np.any(prices.member[left], axis=0))
    capacity = np.concatenate((prices.feature[left][own], prices.group[unpaid]))
    columns, gain = _columns(open_cuts, own, prices.member[np.ix_(left, unpaid)])
    packing = pack_cuts(columns, gain, capacity, limit - spent + 1e-6 * max(1.0, limit))
    n_own = int(own.sum())
    cover = node.inside.astype(np.float64)
    groups = node.paid.astype(np.float64)
    groups[unpaid] = packing.cover[n_own:]
    rise = np.zeros(len(left))
    rise[own] = packing.slack[:n_own]
    cover[left[own]] = packing.cover[:n_own]
    if n_own < len(left):
        first = np.argmax(prices.member[np.ix_(left, unpaid)], axis=1)[~own]
        cover[left[~own]] = packing.cover[n_own:][first]
        rise[~own] = packing.slack[n_own:][first]
    bound = spent + packing.bound
    too_dear = np.zeros(len(cover), np.bool_)
    too_dear[left] = bound + rise > limit + 1e-6 * max(1.0, abs(limit))
    return Relaxation(bound, cover, groups, too_dear)


def _columns(open_cuts: Bools, own: Bools, member: Bools) -> tuple[Floats, Floats]:
    """Return the packing's columns (rows: features with a price, then unpaid groups) and gains.

    A cut is charged to its features, those without a price of their own to their first group;
    or to the first groups of its features; and a group may lend capacity to its features.
    """
    n_cuts, n_left = open_cuts.shape
    n_own, n_groups = int(own.sum()), member.shape[1]
    if n_groups == 0:
        return open_cuts.T[own].astype(np.float64), np.ones(n_cuts)
    rows = n_own + n_groups
    first = np.where(np.any(member, axis=1), n_own + np.argmax(member, axis=1), -1)
    of_own = np.full(n_left, -1)
    of_own[own] = np.arange(n_own)
    by_feature = np.where(own, of_own, first)
    by_group = np.where(first >= 0, first, of_own)
    blocks = [_charge(open_cuts, by_feature, rows)]
    gains = [np.ones(n_cuts)]
    lent = np.argwhere(member & own[:, None])
    if len(lent):
        blocks.append(_charge(open_cuts, by_group, rows))
        gains.append(np.ones(n_cuts))
        loans = np.zeros((rows, len(lent)))
        loans[of_own[lent[:, 0]], np.arange(len(lent))] = -1.0
        loans[n_own + lent[:, 1], np.arange(len(lent))] = 1.0
        blocks.append(loans)
        gains.append(np.zeros(len(lent)))
    return np.concatenate(blocks, axis=1), np.concatenate(gains)


def _charge(open_cuts: Bools, row_of: NDArray[np.intp], rows: int) -> Floats:
    """Return the cuts as columns over the rows that their features are charged to."""
    target = np.zeros((rows, open_cuts.shape[1]))
    target[row_of, np.arange(open_cuts.shape[1])] = 1.0
    return (target @ open_cuts.T.astype(np.float64) > 0.0).astype(np.float64)
