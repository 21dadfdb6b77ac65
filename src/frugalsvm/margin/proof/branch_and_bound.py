"""Branch and bound on conflicts: a proof that no classifier is better than the cutoff.

A node has decided that some rows may be wrong (FREE) and some must hold (HARD). It is closed if
the SVM with its hard rows reaches the cutoff, or if disjoint conflicts need more wrong rows than
the limits allow. Otherwise one row of some conflict has to be wrong: one child for each.
"""

from __future__ import annotations

import math
import time
from dataclasses import dataclass

import numpy as np

from frugalsvm.margin.arrays import Flags
from frugalsvm.margin.classifiers.candidates import Candidate, Trainer
from frugalsvm.margin.classifiers.drafts import make_draft
from frugalsvm.margin.conflicts import Pool, make_pool
from frugalsvm.margin.conflicts import enlarged as enlarged_pool
from frugalsvm.margin.options import MarginOptions
from frugalsvm.margin.proof.door import Door
from frugalsvm.margin.proof.explore import explore
from frugalsvm.margin.proof.packing import surrogates
from frugalsvm.margin.proof.tree import (
    FREE,
    HARD,
    LIMIT,
    POOL_FULL,
    STACK_FULL,
    UNDECIDED,
    Proof,
    Rules,
    enlarged,
    make_tree,
)
from frugalsvm.margin.rows.reduction import Reduced
from frugalsvm.margin.slots import (
    N_CONFLICTS,
    N_DONE,
    N_OPEN,
    OBJECTIVE,
    TO_PROVE,
    UNSETTLED,
    WITNESS,
)
from frugalsvm.margin.tuning import PROOF_POOL, PROOF_SLICE
from frugalsvm.runtime.stopping import Stopper

ENDLESS = 2**62
"""A limit on nodes or work that is none."""


@dataclass(frozen=True)
class Witness:
    """A known answer: the rows that are wrong, and its objective."""

    wrong: Flags
    objective: float

    @classmethod
    def of(cls, rows: Reduced, counted: Flags, objective: float) -> Witness:
        """Return the answer that counts these samples correct."""
        wrong = np.zeros(rows.n_rows, dtype=np.bool_)
        wrong[rows.group_of[~counted]] = True
        return cls(wrong, objective)


@dataclass(frozen=True)
class Goal:
    """What is to be proven.

    Attributes
    ----------
    cutoff : float
        No classifier has a smaller objective.
    tolerance : float
        How far below a new incumbent the cutoff is set.
    best : Candidate or None
        The incumbent.
    witness : Witness or None
        An answer to check the proof by.
    """

    cutoff: float
    tolerance: float
    best: Candidate | None
    witness: Witness | None = None


class Search:
    """The state of one proof.

    Parameters
    ----------
    trainer : Trainer
        Solves SVMs and turns them into candidates.
    options : MarginOptions
        Switches.
    goal : Goal
        What is to be proven.
    door : Door
        Counts by which rules nodes are closed.
    pool : Pool or None
        Conflicts that hold below the cutoff; None: none are known.
    """

    def __init__(
        self,
        trainer: Trainer,
        options: MarginOptions,
        goal: Goal,
        door: Door,
        pool: Pool | None = None,
    ) -> None:
        rows = trainer.rows
        self.trainer, self.goal, self.door = trainer, goal, door
        self.best = goal.best
        self.pool = make_pool(*PROOF_POOL) if pool is None else pool
        sums = surrogates(len(rows.caps))
        self.rules = Rules(
            sums=sums,
            use=np.ascontiguousarray(sums @ rows.use),
            max_pivots=trainer.max_pivots,
            pool=options.pool,
            packing=options.packing,
            shrink=options.shrink,
        )
        root = np.full(rows.n_rows, FREE, dtype=np.int8)
        root[trainer.limits.choosable] = UNDECIDED
        root[rows.fixed] = HARD
        self.tree = make_tree(root, goal.cutoff, goal.tolerance)
        if goal.witness is not None:
            self.tree.witness[:] = goal.witness.wrong
            self.tree.numbers[WITNESS] = goal.witness.objective
        self.draft = make_draft(rows.n_rows)
        if goal.best is not None:
            self.draft.numbers[OBJECTIVE] = goal.best.objective

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
        most_work = int(min(self.trainer.effort + work, ENDLESS))
        most_nodes = int(min(nodes, ENDLESS))
        size = PROOF_SLICE
        while self.open:
            if self.nodes >= nodes or self.trainer.effort >= most_work or stop():
                return False
            self.trainer.watch.obey(stop)
            before = self.nodes + self.conflicts
            code = self._explore(most_nodes, min(most_work, self.trainer.effort + size))
            if code == STACK_FULL:
                self.tree = enlarged(self.tree)
            elif code == POOL_FULL:
                self.pool = enlarged_pool(self.pool)
            elif code == LIMIT and self.nodes + self.conflicts == before:
                size *= 2
        return True

    def _explore(self, most_nodes: int, most_work: int) -> int:
        trainer = self.trainer
        started = time.perf_counter()
        code = explore(
            trainer.solver,
            trainer.bench,
            Proof(self.rules, self.tree, self.pool, self.draft),
            most_nodes,
            most_work,
        )
        self.door.take(self.tree, time.perf_counter() - started)
        if self.draft.numbers[OBJECTIVE] < (math.inf if self.best is None else self.best.objective):
            self.best = Candidate.of(self.draft)
        return int(code)

    @property
    def open(self) -> int:
        """Number of open nodes."""
        return int(self.tree.counts[N_OPEN])

    @property
    def nodes(self) -> int:
        """Number of finished nodes."""
        return int(self.tree.counts[N_DONE])

    @property
    def conflicts(self) -> int:
        """Number of conflicts found."""
        return int(self.pool.counts[N_CONFLICTS])

    @property
    def cutoff(self) -> float:
        """What is to be proven."""
        return float(self.tree.numbers[TO_PROVE])

    @property
    def bound(self) -> float:
        """The proven lower bound on any classifier's objective."""
        open_bound = float(self.tree.bound[: self.open].min(initial=math.inf))
        return min(self.cutoff, float(self.tree.numbers[UNSETTLED]), open_bound)

    def offer(self, candidate: Candidate) -> None:
        """Take a better incumbent, which lowers the cutoff."""
        if self.best is None or candidate.objective < self.best.objective:
            self.best = candidate
            self.draft.numbers[OBJECTIVE] = candidate.objective
            self.tree.numbers[TO_PROVE] = min(
                self.cutoff, candidate.objective * (1.0 - self.goal.tolerance)
            )
