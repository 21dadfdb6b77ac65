"""Many supports at a time: an infeasible union of similar features rules out all its subsets.

The features are clustered by correlation. A node of the walk is some clusters, each of which is
to give at least one feature, and stands for all supports made so that the limit allows. If the
union of the clusters is infeasible, so are they all; otherwise a cluster is split in two, of
which either or both are used. Similar features add little to each other, so unions are often
infeasible when they are twice as large as what the limit allows.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Generator
from dataclasses import dataclass
from typing import NamedTuple, Protocol, TypeVar

import numpy as np

from frugalsvm.search.problem.catalogue import Catalogue, most_affordable
from frugalsvm.search.problem.reduction import CoreProblem, Ints
from frugalsvm.search.tuning import (
    FIRST_LOOKS,
    HOPELESS,
    MANY_LOOKS,
    ROUNDS_AHEAD,
    UNIONS_AT_ONCE,
    WORTH,
)
from frugalsvm.search.verdict import INFEASIBLE


class Judged(Protocol):
    """Sets and the verdicts on them."""

    @property
    def verdicts(self) -> Ints:
        """INFEASIBLE and others."""


T = TypeVar("T", bound=Judged)
Judge = Callable[[Ints, Ints, bool], Callable[[], T]]
"""Begins to judge rows of features with their sizes, affordable ones or not; how to get on."""


class Node(NamedTuple):
    """Some clusters.

    Attributes
    ----------
    chosen : tuple of int
        The clusters.
    least, most : float
        What one feature of each costs at least; what all of them cost.
    size : int
        The number of features.
    known : bool
        True if the union was judged and not ruled out.
    """

    chosen: tuple[int, ...]
    least: float
    most: float
    size: int
    known: bool


@dataclass(frozen=True, eq=False)
class Clusters:
    """A tree over the features of a catalogue: leaves first, the root last.

    Attributes
    ----------
    members : list of ndarray of int64
        The core features of each cluster.
    sizes : list of int
        How many they are.
    parts : list of pairs of int
        The two clusters that a cluster consists of; (-1, -1) for a single feature.
    least, most : list of float
        What the cheapest feature costs without groups; what all cost with their groups.
    groups : list of frozenset of int
        The groups that every feature of the cluster pays.
    """

    members: list[Ints]
    sizes: list[int]
    parts: list[tuple[int, int]]
    least: list[float]
    most: list[float]
    groups: list[frozenset[int]]


def cluster(core: CoreProblem, features: Catalogue) -> Clusters:
    """Join the nearest clusters (by average correlation) until one is left."""
    m = len(features.features)
    columns = core.columns[features.features]
    columns = columns - columns.mean(axis=1, keepdims=True)
    length = np.sqrt((columns**2).sum(axis=1)) + 1e-300
    near = np.abs(columns @ columns.T) / np.outer(length, length)
    starts = features.start
    own = [frozenset(features.groups[starts[i] : starts[i + 1]].tolist()) for i in range(m)]
    for i in range(m):
        for j in range(m):
            near[i, j] += 1.0 if own[i] and own[i] == own[j] else 0.0
    found = Clusters(
        members=[features.features[i : i + 1] for i in range(m)],
        sizes=[1] * m,
        parts=[(-1, -1)] * m,
        least=features.price.tolist(),
        most=features.full.tolist(),
        groups=own,
    )
    name, weight = np.arange(m), np.ones(m)
    np.fill_diagonal(near, -np.inf)
    for new in range(m, 2 * m - 1):
        a, b = (int(x) for x in np.unravel_index(np.argmax(near), near.shape))
        _join(found, int(name[a]), int(name[b]))
        near[a] = near[:, a] = (weight[a] * near[a] + weight[b] * near[b]) / (weight[a] + weight[b])
        near[b] = near[:, b] = -np.inf
        near[a, a] = -np.inf
        weight[a] += weight[b]
        name[a] = new
    return found


def _join(clusters: Clusters, a: int, b: int) -> None:
    clusters.members.append(np.concatenate((clusters.members[a], clusters.members[b])))
    clusters.sizes.append(clusters.sizes[a] + clusters.sizes[b])
    clusters.parts.append((a, b))
    clusters.groups.append(clusters.groups[a] & clusters.groups[b])
    clusters.least.append(min(clusters.least[a], clusters.least[b]))
    clusters.most.append(clusters.most[a] + clusters.most[b])


class Unions:
    """Walks the clusters until every support within the limit is ruled out or delivered.

    Parameters
    ----------
    limit : float
        What a support may cost, as the catalogue counts it.
    """

    def __init__(self, core: CoreProblem, features: Catalogue, limit: float) -> None:
        self.core = core
        self.clusters = cluster(core, features)
        self.group_price, self.scale = features.group_price, features.scale
        self.limit = limit
        self.smallest = most_affordable(features, limit) + 1
        self.widest = self.smallest + 1
        root = len(self.clusters.members) - 1
        self._open = [self._node((root,), False)]
        if self._open[0].least > limit:  # no feature can be had: the free ones are all there is
            self._open = [Node((), 0.0, 0.0, 0, known=False)]
        self._looks = [0] * (root + 4)
        self._hits = [0] * (root + 4)

    @property
    def over(self) -> bool:
        """True if nothing is open but what is being judged."""
        return not self._open

    @property
    def exhausted(self) -> bool:
        """True if nothing more is to be judged."""
        return self.over or self.hopeless

    @property
    def hopeless(self) -> bool:
        """True if unions are ruled out too seldom: whoever walks should do it one by one."""
        looks, hits = self._looks[self.smallest], self._hits[self.smallest]
        return looks >= MANY_LOOKS and hits < HOPELESS * looks

    def walk(self, judge: Judge[T], stop: Callable[[], bool]) -> Generator[T, None, None]:
        """Yield the affordable unions with their verdicts, until over, stopped, or hopeless.

        Which sets are looked at does not depend on when their verdicts come.
        """
        waiting: deque[tuple[list[Node], bool, Callable[[], T]]] = deque()
        while True:
            while not self.exhausted and len(waiting) < 2 * ROUNDS_AHEAD and not stop():
                for nodes, affordable in self._draw():
                    waiting.append((nodes, affordable, judge(*self._rows(nodes), affordable)))
            if not waiting:
                return
            nodes, affordable, outcome = waiting.popleft()
            judged = outcome()
            if affordable:
                yield judged
            else:
                self._learn(nodes, judged.verdicts)

    def _draw(self) -> list[tuple[list[Node], bool]]:
        """Return affordable unions and others that are worth a look."""
        affordable: list[Node] = []
        others: list[Node] = []
        while self._open and len(affordable) + len(others) < UNIONS_AT_ONCE:
            node = self._open.pop()
            if node.most <= self.limit:
                affordable.append(node)
            elif node.known or not self._worth(node.size):
                self._split(node, node.known)
            else:
                others.append(node)
        return [(nodes, nodes is affordable) for nodes in (affordable, others) if nodes]

    def _learn(self, nodes: list[Node], verdicts: Ints) -> None:
        """Split what was not ruled out, and remember how often that was."""
        for node, verdict in zip(nodes, verdicts.tolist(), strict=True):
            self._looks[node.size] += 1
            if verdict == INFEASIBLE:
                self._hits[node.size] += 1
            else:
                self._split(node, True)

    def _worth(self, size: int) -> bool:
        """Return True if unions of this size are ruled out often enough."""
        if size > self.widest:
            return False
        looks, hits = self._looks[size], self._hits[size]
        if looks < FIRST_LOOKS:
            return True
        if size == self.widest and hits >= 0.5 * looks and size + 1 < len(self._looks):
            self.widest += 1
        return bool(hits >= WORTH * looks)

    def _split(self, node: Node, known: bool) -> None:
        """Open the three ways to use the parts of the cluster with the most to choose from."""
        parts, least, most = self.clusters.parts, self.clusters.least, self.clusters.most
        widest, room = -1, -1.0
        for c in node.chosen:
            if parts[c][0] >= 0 and most[c] - least[c] > room:
                widest, room = c, most[c] - least[c]
        rest = tuple([c for c in node.chosen if c != widest])
        a, b = parts[widest]
        for used in ((a,), (b,), (a, b)):
            opened = self._node(rest + used, known and len(used) == 2)
            if opened.least <= self.limit:
                self._open.append(opened)

    def _node(self, chosen: tuple[int, ...], known: bool) -> Node:
        clusters = self.clusters
        size = sum([clusters.sizes[c] for c in chosen])
        least = sum([clusters.least[c] for c in chosen])
        if len(self.group_price):
            paid = frozenset[int]().union(*(clusters.groups[c] for c in chosen))
            least += float(sum(self.group_price[g] for g in paid))
        most = least
        if size > len(chosen):
            most = sum([clusters.most[c] for c in chosen])
            if len(self.group_price):
                features = np.concatenate([clusters.members[c] for c in chosen])
                most = float(self.core.costs.cost(features.tolist()) // self.scale)
        return Node(chosen, least, most, size, known)

    def _rows(self, nodes: list[Node]) -> tuple[Ints, Ints]:
        """Return the unions with the free features added."""
        free = self.core.free
        members = self.clusters.members
        sizes = np.array([len(free) + node.size for node in nodes], dtype=np.int64)
        rows = np.zeros((len(nodes), int(sizes.max())), np.int64)
        rows[:, : len(free)] = free
        chosen = [members[c] for node in nodes for c in node.chosen] or [np.zeros(0, np.int64)]
        place = np.arange(rows.shape[1])
        rows[(place >= len(free)) & (place < sizes[:, None])] = np.concatenate(chosen)
        return rows, sizes
