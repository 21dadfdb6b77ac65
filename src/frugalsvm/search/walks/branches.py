"""All supports within a limit of cost, branch by branch: what fails as a whole is left at once.

A branch has features that are in and others that are out. With all that are still affordable it is
a set of which every support of the branch is a part: if the set is infeasible, so are they all.
Otherwise the branch is cut in two by the next feature, in or out. Where the affordable ones can be
had at once the set is a support; those to which another feature could be added are parts of
others, and left out.

With prices that differ most supports have many cheap features, and a branch is hardly larger than
its supports as soon as the dear ones are decided.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from frugalsvm.search.problem.catalogue import Catalogue
from frugalsvm.search.problem.reduction import Bools, Floats, Ints
from frugalsvm.search.verdict import INFEASIBLE
from frugalsvm.search.walks.set_walk import Round

ROUND = 128  # sets that are judged before any of them is branched on


class Nodes(NamedTuple):
    """Branches of the tree, a row each, a column for each position of the catalogue.

    Attributes
    ----------
    inside, outside : ndarray of bool
        The features that are decided.
    known : ndarray of bool of shape (n_nodes,)
        Whether all that is not outside was judged and not ruled out.
    """

    inside: Bools
    outside: Bools
    known: Bools

    def pick(self, which: Bools | Ints | slice) -> Nodes:
        """Return some of the nodes."""
        return Nodes(self.inside[which], self.outside[which], self.known[which])


def nodes_of(features: Catalogue, sets: list[tuple[int, ...]], parts: bool) -> Nodes:
    """Return branches for core features: of the parts of each set, or of what holds each set."""
    position = {int(k): i for i, k in enumerate(features.features)}
    members = np.zeros((len(sets), len(position)), dtype=np.bool_)
    for row, chosen in zip(members, sets, strict=True):
        row[[position[k] for k in chosen if k in position]] = True
    nothing, known = np.zeros_like(members), np.zeros(len(sets), dtype=np.bool_)
    return Nodes(nothing, ~members, known) if parts else Nodes(members, nothing, known)


class Branches:
    """Walks the tree until every support within the limit is ruled out or delivered.

    Parameters
    ----------
    features : Catalogue
        The priced features.
    limit : float
        What a support may cost, as the catalogue counts it.
    free : ndarray of int
        Features that are part of every set.
    first : ndarray of bool, a value for each position of the catalogue
        The features to decide first, those that make a set hard to judge.
    start : Nodes or None
        The branches to walk; None: a single one, with nothing decided.
    whole : bool
        Whether sets that are not affordable are judged.
    """

    def __init__(
        self,
        features: Catalogue,
        limit: float,
        free: np.ndarray,
        first: Bools,
        start: Nodes | None = None,
        whole: bool = True,
    ) -> None:
        self.features = features
        self.limit = limit
        self.judges_whole = whole
        self.free = np.asarray(free, dtype=np.int64)
        m, groups = len(features.features), len(features.group_price)
        self.order = np.argsort(~first, kind="stable")
        self.pays = np.zeros((m, groups))
        self.pays[np.repeat(np.arange(m), np.diff(features.start)), features.groups] = 1.0
        self.copies = np.flatnonzero(features.original >= 0)
        nothing = np.zeros((1, m), dtype=np.bool_)
        self._open = [Nodes(nothing, nothing, np.zeros(1, np.bool_)) if start is None else start]
        self._seen: set[bytes] = set()

    @property
    def exhausted(self) -> bool:
        """True if nothing is open but what is being judged."""
        return not self._open

    def draw(self) -> list[Round[Nodes]]:
        """Return sets to be judged: affordable ones and others."""
        nodes = self._without_unaffordable(self._next())
        whole = ~nodes.outside
        cost = self._cost(whole)
        affordable = cost <= self.limit
        delivered = affordable & self._is_maximal(whole, cost) & self._is_new(whole, affordable)
        judged = ~affordable & ~nodes.known & self.judges_whole
        self._branch(nodes.pick(~affordable & ~judged))
        drawn = []
        for which in (delivered, judged):
            if np.any(which):
                rows, sizes = self._rows(whole[which])
                drawn.append(Round(nodes.pick(which), which is delivered, rows, sizes))
        return drawn

    def learn(self, drawn: Round[Nodes], verdicts: Ints) -> None:
        """Branch where a set that is not affordable was not ruled out."""
        if not drawn.affordable:
            self._branch(drawn.nodes.pick(verdicts != INFEASIBLE))

    def _next(self) -> Nodes:
        """Return the nodes that were opened last."""
        taken = [self._open.pop()]
        while self._open and sum(len(nodes.known) for nodes in taken) < ROUND:
            taken.append(self._open.pop())
        nodes = Nodes(*(np.concatenate(part) for part in zip(*taken, strict=True)))
        if len(nodes.known) > ROUND:
            self._open.append(nodes.pick(slice(ROUND, None)))
        return nodes.pick(slice(0, ROUND))

    def _cost(self, members: Bools) -> Floats:
        """Return what sets of features cost."""
        paid = members @ self.pays > 0.0
        return members @ self.features.price + paid @ self.features.group_price

    def _marginal(self, members: Bools) -> Floats:
        """Return what each further feature would add to the cost of each set."""
        unpaid = ~(members @ self.pays > 0.0)
        more = (unpaid * self.features.group_price) @ self.pays.T
        return np.asarray(self.features.price + more)

    def _without_unaffordable(self, nodes: Nodes) -> Nodes:
        """Put outside what can never be afforded, and copies without their original.

        Nodes that have too much inside are left.
        """
        room = self.limit - self._cost(nodes.inside)
        nodes, room = nodes.pick(room >= 0.0), room[room >= 0.0]
        too_dear = ~nodes.inside & (self._marginal(nodes.inside) > room[:, None])
        outside = nodes.outside | too_dear
        for i in self.copies:  # originals come before their copies
            outside[:, i] |= outside[:, self.features.original[i]]
        known = nodes.known & ~np.any(outside & ~nodes.outside, axis=1)
        return Nodes(nodes.inside, outside, known)

    def _is_maximal(self, whole: Bools, cost: Floats) -> Bools:
        """Return whether no feature can be added to each set within the limit."""
        room = self.limit - cost
        fits = ~whole & (self._marginal(whole) <= room[:, None])
        for i in self.copies:
            fits[:, i] &= whole[:, self.features.original[i]]
        return np.asarray(~np.any(fits, axis=1))

    def _is_new(self, whole: Bools, which: Bools) -> Bools:
        """Return which of some sets were not met before."""
        new = np.zeros(len(whole), dtype=np.bool_)
        for r in np.flatnonzero(which):
            key = np.packbits(whole[r]).tobytes()
            new[r] = key not in self._seen
            self._seen.add(key)
        return new

    def _branch(self, nodes: Nodes) -> None:
        """Open both ways to decide the next feature of each node."""
        if len(nodes.known) == 0:
            return
        undecided = ~(nodes.inside | nodes.outside)
        following = self.order[np.argmax(undecided[:, self.order], axis=1)]
        rows = np.arange(len(following))
        inside, outside = nodes.inside.copy(), nodes.outside.copy()
        inside[rows, following] = True
        outside[rows, following] = True
        without = Nodes(nodes.inside, outside, np.zeros_like(nodes.known))
        self._open += [without, Nodes(inside, nodes.outside, np.ones_like(nodes.known))]

    def _rows(self, whole: Bools) -> tuple[Ints, Ints]:
        """Return sets as rows of core features, the free ones first."""
        sizes = whole.sum(axis=1) + len(self.free)
        rows = np.zeros((len(whole), int(sizes.max())), np.int64)
        rows[:, : len(self.free)] = self.free
        place = np.arange(rows.shape[1])
        rows[(place >= len(self.free)) & (place < sizes[:, None])] = self.features.features[
            np.nonzero(whole)[1]
        ]
        return rows, sizes.astype(np.int64)
