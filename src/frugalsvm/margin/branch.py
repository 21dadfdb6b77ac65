"""Branch and bound on conflicts: a proof that no classifier is better than the cutoff.

A node has decided that some rows may be wrong (FREE) and some must hold (HARD). It is closed if
the SVM with its hard rows reaches the cutoff, or if disjoint conflicts need more wrong rows than
the limits allow. Otherwise one row of some conflict has to be wrong: one child for each.
"""

from __future__ import annotations

import math
from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray

from frugalsvm.margin.candidates import Candidate, Trainer
from frugalsvm.margin.conflicts import (
    FREE,
    HARD,
    UNDECIDED,
    Bytes,
    Flags,
    find_conflict,
    set_boxes,
)
from frugalsvm.margin.dual import Floats, copy_state, recompute
from frugalsvm.margin.moves import CUTOFF, OPTIMAL, PAUSED, balance
from frugalsvm.margin.options import MarginOptions
from frugalsvm.margin.pool import PRUNE, Pool, charge, pack, surrogates
from frugalsvm.stopping import Stopper


@dataclass
class Node:
    """A part of the search space, with the multipliers of its parent's SVM as a start."""

    decided: Bytes
    start: Floats
    slack: Floats
    bound: float


@dataclass
class Search:
    """The state of one proof.

    Attributes
    ----------
    trainer : Trainer
        Solves SVMs and turns them into candidates.
    cutoff : float
        What is to be proven: no classifier has a smaller objective.
    tolerance : float
        How far below a new incumbent the cutoff is set.
    best : Candidate or None
        The incumbent.
    """

    trainer: Trainer
    options: MarginOptions
    cutoff: float
    tolerance: float
    best: Candidate | None
    pool: Pool = field(default_factory=Pool)
    stack: list[Node] = field(default_factory=list)
    nodes: int = 0
    unresolved: float = math.inf
    most_effort: float = math.inf

    def __post_init__(self) -> None:
        rows = self.trainer.rows
        self.sums = surrogates(len(rows.caps))
        self.use = np.ascontiguousarray(self.sums @ rows.use)
        self.choosable = rows.use.any(axis=0) & ~rows.fixed

    def run(self, stop: Stopper, nodes: float = math.inf, work: float = math.inf) -> bool:
        """Work through the tree; True if it is done, False if something stopped it.

        Parameters
        ----------
        stop : Stopper
            Time limit and interrupt.
        nodes : float
            Most nodes in all.
        work : float
            Most work of this call, as the solver counts it.
        """
        if self.nodes == 0:
            self.stack.append(self._root())
        self.most_effort = self.trainer.effort + work
        while self.stack:
            if self.nodes >= nodes or self._exhausted(stop):
                return False
            self.nodes += 1
            self._process(self.stack.pop(), stop)
        return True

    def _exhausted(self, stop: Stopper) -> bool:
        return self.trainer.effort >= self.most_effort or stop()

    @property
    def bound(self) -> float:
        """The proven lower bound on any classifier's objective."""
        open_bound = min((node.bound for node in self.stack), default=math.inf)
        return min(self.cutoff, self.unresolved, open_bound)

    def _root(self) -> Node:
        rows = self.trainer.rows
        decided = np.full(rows.n_rows, FREE, dtype=np.int8)
        decided[self.choosable] = UNDECIDED
        decided[rows.fixed] = HARD
        return Node(decided, np.zeros(rows.n_rows), np.zeros(rows.n_rows), 0.0)

    def _left(self, decided: Bytes) -> NDArray[np.float64] | None:
        """Return what is left of the limits; rows too heavy for that become hard."""
        rows = self.trainer.rows
        left = rows.caps - rows.use[:, (decided == FREE) & self.choosable].sum(axis=1)
        if (left < 0).any():
            return None
        heavy = (rows.use > left[:, None]).any(axis=0) & (decided == UNDECIDED)
        decided[heavy] = HARD
        return np.asarray(left)

    def _process(self, node: Node, stop: Stopper) -> None:
        """Close the node or put its children on the stack."""
        decided = node.decided
        left = self._left(decided)
        if left is None:
            return
        left = self.sums @ left
        residual = self.use.copy()
        smallest = self._pack(decided, residual, left)
        if smallest == PRUNE or not self._relax(node, stop):
            return
        while not self._exhausted(stop):
            found = self._conflict(node, (decided == UNDECIDED) & (residual[-1] > 0.0), stop)
            if found is None:
                break
            rows = self.pool.rows(found)
            if (decided[rows] == HARD).all():
                return
            if smallest < 0 or self._open(rows, decided) < self._open(
                self.pool.rows(smallest), decided
            ):
                smallest = found
            if not self.options.packing:
                break
            if charge(rows, decided, residual, left):
                return
        if self._exhausted(stop):
            self.stack.append(node)  # what was found is in the pool
        elif smallest >= 0:
            self._branch(node, self.pool.rows(smallest))
        else:
            self._split(node)

    @staticmethod
    def _open(rows: NDArray[np.int64], decided: Bytes) -> int:
        return int((decided[rows] == UNDECIDED).sum())

    def _pack(self, decided: Bytes, residual: Floats, left: Floats) -> int:
        pool = self.pool if self.options.pool else Pool()
        if not self.options.packing:
            residual, left = np.zeros_like(residual), np.zeros_like(left)
        return int(pack(pool.members, pool.starts, len(pool), decided, residual, left))

    def _relax(self, node: Node, stop: Stopper) -> bool:
        """Solve the SVM with the node's hard rows; False if it closes the node."""
        work = self.trainer.work
        work.a[:] = node.start
        set_boxes(work, self.trainer.box, node.decided == HARD)
        balance(work)
        code, conflict = self._solve(np.zeros(len(node.decided), dtype=bool), stop)
        if code == CUTOFF:
            self.pool.add(conflict, self.cutoff)
            return False
        node.bound = max(node.bound, recompute(work))
        node.start = work.a.copy()
        self.trainer.keep()
        node.slack = self.trainer.slack()
        if code == OPTIMAL:
            candidate = self.trainer.candidate()
            if candidate is not None:
                # Feasible and optimal for the relaxation: the best of this node.
                self.offer(candidate)
                self.unresolved = min(self.unresolved, node.bound)
                return False
        return True

    def _conflict(self, node: Node, candidates: Flags, stop: Stopper) -> int | None:
        """Return the number of a new conflict within hard rows and candidates, if there is one."""
        while True:
            copy_state(self.trainer.kept, self.trainer.work)
            set_boxes(self.trainer.work, self.trainer.box, node.decided == HARD)
            code, conflict = self._solve(candidates, stop)
            if code == CUTOFF:
                return self.pool.add(conflict, self.cutoff)
            candidate = self.trainer.candidate() if code == OPTIMAL else None
            if candidate is None or not self.offer(candidate):
                return None

    def _solve(self, candidates: Flags, stop: Stopper) -> tuple[int, Flags]:
        trainer = self.trainer
        while True:
            code, conflict = find_conflict(
                trainer.work,
                trainer.backup,
                trainer.box,
                self.choosable,
                candidates,
                self.cutoff,
                trainer.max_pivots,
                self.options.shrink,
            )
            if code != PAUSED or self._exhausted(stop):
                return int(code), conflict

    def offer(self, candidate: Candidate) -> bool:
        """Take a better incumbent; True if it lowers the cutoff."""
        if self.best is not None and candidate.objective >= self.best.objective:
            return False
        self.best = candidate
        lower = candidate.objective * (1.0 - self.tolerance)
        if lower < self.cutoff:
            self.cutoff = lower
            return True
        return False

    def _branch(self, node: Node, rows: NDArray[np.int64]) -> None:
        """Stack a child for each undecided row of the conflict: it is wrong, those before hold."""
        open_rows = rows[node.decided[rows] == UNDECIDED]
        pull = np.abs(node.start[open_rows]) / self.trainer.box[open_rows]
        slack = node.slack[open_rows]
        order = open_rows[np.lexsort((-pull, -slack))]
        decided = node.decided.copy()
        for i in order:
            child = decided.copy()
            child[i] = FREE
            self.stack.append(Node(child, node.start, node.slack, node.bound))
            decided[i] = HARD

    def _split(self, node: Node) -> None:
        """Split a node the solver could not settle on its most violated undecided row."""
        slack = np.where(node.decided == UNDECIDED, node.slack, -math.inf)
        i = int(np.argmax(slack))
        if slack[i] <= 0.0:
            self.unresolved = min(self.unresolved, node.bound)
            return
        for state in (FREE, HARD):
            child = node.decided.copy()
            child[i] = state
            self.stack.append(Node(child, node.start, node.slack, node.bound))
