"""The cheapest cover: every proven infeasible set asks for a feature outside of it.

A branch and bound over the features, best bound first. Its bounds are packings of cuts
(`packing`); the cuts are grown from infeasible supports where the fractional cover violates them
(`cuts`). Once a cover holds a feature of every cut and no infeasible set can be found around it, it
is feasible: the answer.
It is at its best where supports are too large to enumerate: no errors allowed, or features
with few values.
"""

from __future__ import annotations

import heapq
import itertools
import math

import numpy as np

from frugalsvm.search.heuristics.heuristic import Heuristic
from frugalsvm.search.problem.reduction import Bools, Floats, Ints
from frugalsvm.search.state import SearchState
from frugalsvm.search.tactics.cover.cuts import Grower
from frugalsvm.search.tactics.cover.node import (
    Node,
    Relaxation,
    drop,
    pay,
    prices_of,
    relax,
    root_node,
    take,
)
from frugalsvm.search.tuning import (
    FIRST_PAUSE,
    KEPT_SETS,
    NODE_ROUNDS,
    NODE_SHARE,
    ROOT_ROUNDS,
)

VIOLATION = 1e-3
WHOLE = 1e-6
ROUNDING = 1e-9  # relative, of a bound that is a sum of floats


class Cover:
    """Branch and bound over features with cuts from infeasible sets."""

    name = "cover"

    def run(self, state: SearchState) -> None:
        """Work until the answer is proven or the time is over."""
        if state.regime.fits_covers and not state.finished():
            CoverSearch(state).run()


class CoverSearch:
    """The open nodes and the cuts."""

    def __init__(self, state: SearchState, grower: Grower | None = None) -> None:
        self.state = state
        self.core = state.core
        self.prices = prices_of(state.core, state.cost)
        self.grower = Grower(state) if grower is None else grower
        self.cuts = np.zeros((64, len(state.core.priced)), np.bool_)
        self.n_cuts = 0
        self.unresolved = math.inf  # the least bound of a node that could not be decided
        self.nodes = 0
        self._random = np.random.default_rng(state.seed)
        self._open: list[tuple[float, int, int, Node]] = []
        self._ticket = itertools.count()
        for support in state.infeasible_sets[-KEPT_SETS:]:
            self._add_cut(np.asarray(support, dtype=np.int64))

    @property
    def limit(self) -> float:
        """Supports that cost more need not be looked at, in what the prices count in."""
        cutoff = self.state.cutoff
        return cutoff if math.isinf(cutoff) else float(int(cutoff) // self.prices.scale)

    def _units(self, bound: float) -> float:
        """Return a bound in the problem's units."""
        return bound if math.isinf(bound) else int(bound) * self.prices.scale

    def _too_dear(self, bound: float) -> bool:
        """Return True if nothing with this bound can be better than the best answer."""
        return bound > self.limit or math.isinf(bound)

    def run(self) -> None:
        """Open nodes, best bound first."""
        state = self.state
        self._push(root_node(self.prices))
        pause, pauses = FIRST_PAUSE, 0
        while self._open and not state.finished():
            if self.nodes >= pause:
                pause, pauses = 4 * pause, pauses + 1
                self._look_for_answers(pauses)
                continue
            bound, _, _, node = heapq.heappop(self._open)
            if self._too_dear(bound):
                self._open.clear()
                break
            state.raise_bound(self._units(min(bound, self.unresolved)))
            self.nodes += 1
            for child in self._process(node):
                self._push(child)
        state.count("cover nodes", self.nodes)
        state.count("cover cuts", self.n_cuts)
        if not self._open and not state.stop():
            self._conclude()
        self._remember()

    def _look_for_answers(self, pauses: int) -> None:
        """Give the heuristic its share of the work."""
        self.state.perform(Heuristic(NODE_SHARE * self.nodes, seed=pauses))

    def _conclude(self) -> None:
        """All nodes are closed: the best answer is optimal, or there is none."""
        if self.unresolved < math.inf and self.unresolved <= self.limit:
            self.state.raise_bound(self._units(self.unresolved))
        elif self.state.best is not None:
            self.state.raise_bound(self.state.cost)
        else:
            self.state.prove_infeasible()

    def _push(self, node: Node) -> None:
        if not self._too_dear(node.bound):
            entry = (node.bound, -node.depth, next(self._ticket), node)
            heapq.heappush(self._open, entry)

    def _process(self, node: Node) -> list[Node]:
        """Return the parts of a node that stay open."""
        rounds = ROOT_ROUNDS if node.depth == 0 else NODE_ROUNDS
        while True:
            found = relax(self.prices, node, self.cuts[: self.n_cuts], self.limit)
            node = _with_bound(node, self._round_up(found.bound))
            if self._too_dear(node.bound):
                return []
            if self.state.stop():
                return [node]
            if np.any(found.too_dear):
                node = drop(self.prices, node, found.too_dear)
                continue
            whole = np.all(np.minimum(found.cover, 1.0 - found.cover) <= WHOLE)
            if whole and self._settle(node, found.cover > 0.5):
                continue
            if not whole and rounds > 0 and self._separate(found.cover):
                rounds -= 1
                continue
            if self._too_dear(node.bound):
                return []
            return self._branch(node, found)

    def _round_up(self, bound: float) -> float:
        """Return the least cost that a support can have, given the bound: a whole number."""
        if math.isinf(bound):
            return bound
        return float(max(0, math.ceil(bound * (1.0 - ROUNDING) - WHOLE)))

    def _settle(self, node: Node, support: Bools) -> bool:
        """Judge the support of a whole cover; True if it gave a cut."""
        priced = self.core.priced
        rest = np.flatnonzero(~support)
        rest = rest[np.lexsort((self._random.random(len(rest)), node.outside[rest]))]
        sure = not np.any(node.undecided)  # otherwise an easier case may settle a doubtful one
        grown, verdict = self.grower.grow(priced[support], priced[rest], sure)
        if grown is not None:
            return self._add_cut(grown)
        if verdict is not None and verdict.direction is not None:
            self.state.offer(verdict.direction)
        return False

    def _separate(self, cover: Floats) -> bool:
        """Look for an infeasible set that the cover hardly leaves; True if it gave a cut."""
        order = np.argsort(-cover - VIOLATION * self._random.random(len(cover)))
        grown, verdict = self.grower.grow(np.zeros(0, np.int64), self.core.priced[order])
        if grown is None:
            if verdict is not None and verdict.direction is not None:
                self.state.offer(verdict.direction)
            return False
        outside = ~np.isin(self.core.priced, grown)
        return bool(cover[outside].sum() < 1.0 - VIOLATION) and self._add_cut(grown)

    def _add_cut(self, infeasible: Ints) -> bool:
        """Ask for a feature outside of the set."""
        if self.n_cuts == len(self.cuts):
            self.cuts = np.concatenate((self.cuts, np.zeros_like(self.cuts)))
        self.cuts[self.n_cuts] = ~np.isin(self.core.priced, infeasible)
        self.n_cuts += 1
        return True

    def _branch(self, node: Node, found: Relaxation) -> list[Node]:
        """Split a node at the most doubtful group or feature."""
        doubt = np.minimum(found.groups, 1.0 - found.groups)
        if len(doubt) and np.max(doubt) > WHOLE:
            group = np.arange(len(doubt)) == np.argmax(doubt)
            members: Bools = np.any(self.prices.member[:, group], axis=1)
            return [pay(self.prices, node, group), drop(self.prices, node, members)]
        doubt = np.minimum(found.cover, 1.0 - found.cover)
        if np.max(doubt, initial=0.0) <= WHOLE:  # a whole cover that nobody could judge
            doubt = node.undecided * (1.0 + found.cover)
        if np.max(doubt, initial=0.0) == 0.0:
            self.unresolved = min(self.unresolved, node.bound)
            return []
        feature = int(np.argmax(doubt))
        without = np.arange(len(doubt)) == feature
        return [take(self.prices, node, feature), drop(self.prices, node, without)]

    def _remember(self) -> None:
        """Leave the strongest cuts to others."""
        size = self.cuts[: self.n_cuts].sum(axis=1)
        for c in np.argsort(size, kind="stable")[:KEPT_SETS]:
            inside = self.core.priced[~self.cuts[c]]
            self.state.remember_infeasible(tuple(int(k) for k in inside))


def _with_bound(node: Node, bound: float) -> Node:
    """Return the node with a bound that is not lower than before."""
    return Node(node.inside, node.outside, node.paid, max(node.bound, bound), node.depth)
