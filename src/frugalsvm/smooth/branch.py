"""Branch and bound over the rows that are given up, the least bound first."""

from __future__ import annotations

import heapq
import itertools
import math
from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

from frugalsvm.runtime.stopping import Stopper
from frugalsvm.smooth.choice import Choice, short
from frugalsvm.smooth.heuristic import Heuristic
from frugalsvm.smooth.packing import Group, Node, Packing, stripped, without
from frugalsvm.smooth.solver import Solution, Solver
from frugalsvm.smooth.state import State

Flags = NDArray[np.bool_]

PHASE = "branch and bound"

SOLUTIONS = 30
"""Trainings of a node beside two for each of its groups."""

EXCHANGES = 3
"""Rows that the weakest group of a node may take from others without success."""


class Search:
    """A proof that no classifier is better than the best one, or the classifier that is.

    Attributes
    ----------
    lost : float
        The least bound of parts that could neither be closed nor divided.
    """

    def __init__(
        self, solver: Solver, choice: Choice, state: State, heuristic: Heuristic, root: Solution
    ) -> None:
        self.solver, self.choice, self.state = solver, choice, state
        self.heuristic = heuristic
        self.lost = math.inf
        self._order = itertools.count()
        self._queue: list[tuple[float, int, Packing, Node]] = []
        self._root = root

    def run(self, stop: Stopper) -> bool:
        """Work until nothing is open; False if something stopped it."""
        self._look_for_answers(self._root, self._root.bound)
        packing, node = self._first(stop)
        self._open(packing, node)
        while self._queue and not stop():
            bound, _, packing, node = heapq.heappop(self._queue)
            self.state.raise_bound(min(bound, self.lost, self.state.cutoff), PHASE)
            if bound < self.state.cutoff:
                self._work(packing, node, stop)
            self.state.nodes += 1
        if stop() or self.state.answer is None:
            return False
        self.state.raise_bound(min(self.state.cutoff, self.lost), PHASE)
        return math.isinf(self.lost) or self.lost >= self.state.cutoff

    def _first(self, stop: Stopper) -> tuple[Packing, Node]:
        """Return the root with the best of the packings: one for each limit and for sums."""
        use, caps = self.choice.use, self.choice.caps
        n_limits = len(caps)
        sums = [*np.eye(n_limits), np.arange(n_limits) < 2, np.ones(n_limits)]
        whole = Group((), self._root.bound, self._root, int((~self._soft).sum()))
        base = Node(self.choice.free, ~self._soft, (whole,), self._root.bound)
        best = Packing(np.ones(n_limits) @ use, float(caps.sum())), base
        for weights in np.unique(np.array(sums, dtype=np.float64), axis=0):
            packing = Packing(weights @ use, float(weights @ caps))
            groups = packing.seeds(base, self._root.margins)
            if groups is None or stop() or self.state.closed:
                continue
            node = self._tightened(packing, replace(base, groups=groups), math.inf, stop)
            if node.bound > best[1].bound:
                best = packing, node
                self.state.raise_bound(node.bound, PHASE)
        return best

    @property
    def _soft(self) -> Flags:
        return self.choice.choosable | self.choice.free

    def _open(self, packing: Packing, node: Node) -> None:
        if node.bound < self.state.cutoff:
            heapq.heappush(self._queue, (node.bound, next(self._order), packing, node))

    def _work(self, packing: Packing, node: Node, stop: Stopper) -> None:
        """Raise a node's bound; divide it if that does not close it."""
        most = SOLUTIONS + 2 * len(node.groups)
        node = self._tightened(packing, node, most, stop)
        if stop() or node.bound >= self.state.cutoff:
            self._put_back(packing, node, stop)
            return
        weakest = node.groups[-1]
        if weakest.solution is None:
            node = self._solved(node, stop)
            weakest = node.groups[-1]
        self._round(node, weakest, stop)
        row = self._dividing_row(node, weakest)
        if row is None:
            if not stop() and node.bound < self.state.cutoff:
                self.lost = min(self.lost, node.bound)
            self._put_back(packing, node, stop)
            return
        self._open(packing, self._right(node, row))
        self._open(packing, self._given_up(packing, node, row))

    def _put_back(self, packing: Packing, node: Node, stop: Stopper) -> None:
        """Keep what a stop has left open, so that it counts."""
        if stop():
            self._open(packing, node)

    def _round(self, node: Node, weakest: Group, stop: Stopper) -> None:
        """Try the weakest group's worst rows, after the node's own, as those to give up."""
        if weakest.solution is not None and not stop():
            given = np.flatnonzero(node.given & self.choice.choosable)
            wrong = self.choice.worst(weakest.solution.margins, given.tolist())
            self.heuristic.attempt(wrong, stop, weakest.solution.start)

    def _dividing_row(self, node: Node, weakest: Group) -> int | None:
        """Return the weakest group's row that pulls most, or the row that misses most."""
        solution = weakest.solution
        if solution is None:
            return None
        if weakest.members:
            return max(weakest.members, key=lambda i: float(solution.extra[i]))
        rows = np.flatnonzero(node.undecided & short(solution.margins))
        return None if len(rows) == 0 else int(rows[np.argmin(solution.margins[rows])])

    @staticmethod
    def _right(node: Node, row: int) -> Node:
        """Return the part in which the row is right: all groups have it."""
        hard = node.hard.copy()
        hard[row] = True
        groups = tuple(without(g, row) for g in node.groups)
        kept = (*(stripped(g) for g in groups[:-1]), groups[-1])
        return Node(node.given, hard, kept, node.bound)

    def _given_up(self, packing: Packing, node: Node, row: int) -> Node:
        """Return the part in which the row is given up: one group less is needed."""
        given = node.given.copy()
        given[row] = True
        left = self.choice.left(given)
        over = (self.choice.use > left[:, None]).any(axis=0)
        hard = node.hard | (over & ~given & self.choice.choosable)
        groups = []
        for group in node.groups:
            if row in group.members:
                continue
            members = tuple(i for i in group.members if not hard[i])
            groups.append(stripped(replace(group, members=members)))
        kept = Node(given, hard, tuple(groups), node.bound)
        needed = packing.needed(kept)
        return replace(kept, groups=needed, bound=max(node.bound, needed[-1].bound))

    def _tightened(self, packing: Packing, node: Node, most: float, stop: Stopper) -> Node:
        """Return the node with a better packing."""
        failed = 0
        end = self.solver.solved + most
        while not stop():
            groups = packing.needed(node)
            node = replace(node, groups=groups, bound=max(node.bound, groups[-1].bound))
            if node.bound >= self.state.cutoff or self.solver.solved >= end:
                break
            hard = self._hard_of(node, groups[-1])
            if groups[-1].solution is None or groups[-1].hard != int(hard.sum()):
                node = self._solved(node, stop)
                continue
            row = packing.addition(node, groups)
            if row is not None:
                weakest = groups[-1]
                larger = replace(weakest, members=(*weakest.members, row))
                node = self._solved(replace(node, groups=(*groups[:-1], larger)), stop)
                continue
            if failed >= EXCHANGES:
                break
            exchanged = self._exchanged(packing, node, failed, stop)
            failed, node = (failed + 1, node) if exchanged is None else (0, exchanged)
        return node

    def _exchanged(self, packing: Packing, node: Node, number: int, stop: Stopper) -> Node | None:
        """Let the weakest group take a row that it misses from another; None if that is no gain."""
        *others, weakest = node.groups
        solution = weakest.solution
        if solution is None:
            return None
        missed = [
            (float(solution.margins[i]), i, k)
            for k, group in enumerate(others)
            for i in group.members
            if len(group.members) > 1 and solution.margins[i] < 1.0
        ]
        missed = [m for m in missed if packing.use[m[1]] >= packing.least_use(weakest)]
        if number >= len(missed):
            return None
        _, row, k = sorted(missed)[number]
        poorer = self._train(node, replace(without(others[k], row), bound=-math.inf), stop)
        if poorer.bound <= weakest.bound:
            return None
        richer = self._train(node, replace(weakest, members=(*weakest.members, row)), stop)
        others[k] = poorer
        return replace(node, groups=(*others, richer))

    def _solved(self, node: Node, stop: Stopper) -> Node:
        """Return the node with its last group trained; what it finds is offered."""
        *others, weakest = node.groups
        return replace(node, groups=(*others, self._train(node, weakest, stop)))

    def _train(self, node: Node, group: Group, stop: Stopper) -> Group:
        hard = self._hard_of(node, group)
        start = self._root.start if group.solution is None else group.solution.start
        solution = self.solver.solve(hard, stop, self.state.cutoff, start)
        bound = max(group.bound, solution.bound)
        self._look_for_answers(solution, bound)
        return Group(group.members, bound, solution, int(hard.sum()))

    def _look_for_answers(self, solution: Solution, bound: float) -> None:
        """Offer a solution that keeps the limits."""
        wrong = short(solution.margins) | self.choice.free
        if bound < self.state.cutoff and solution.holds and self.choice.fits(wrong):
            self.state.offer(self.solver.space, solution, wrong, PHASE)

    @staticmethod
    def _hard_of(node: Node, group: Group) -> Flags:
        hard = node.hard.copy()
        hard[list(group.members)] = True
        return hard
