"""Whether a support is feasible for one of the targets, and what that says about other supports.

Feasibility is monotone: a support that holds a feasible one is feasible with the same hyperplane,
and what lies within an infeasible set is infeasible. Both are remembered, so that most questions of
the joint search are answered without an oracle.
"""

from __future__ import annotations

from collections.abc import Iterable
from functools import cached_property
from typing import NamedTuple

import numpy as np

from frugalsvm.search.oracles.ladder import climb
from frugalsvm.search.problem.guess import guessed
from frugalsvm.search.problem.hyperplane import Hyperplane, hyperplane_from_direction
from frugalsvm.search.problem.reduction import Floats, Ints
from frugalsvm.search.state import SearchState
from frugalsvm.search.tactics.cover.cuts import Grower
from frugalsvm.search.tuning import QUICK, Effort, Rung
from frugalsvm.search.verdict import FEASIBLE, Verdict
from frugalsvm.search.verdict import INFEASIBLE as NOT_FEASIBLE
from frugalsvm.search.verdict import UNDECIDED as NOT_DECIDED

JOINING = (Rung("kernels", effort=Effort(cell_boxes=30, conflict_nodes=30, boxes=100)),)
"""How a support is looked at when a feature asks to join it."""
NO_FEATURES = np.zeros(0, np.int64)


class Opinion(NamedTuple):
    """What is known about a support; a feasible one comes with its verified hyperplane."""

    code: int
    plane: Hyperplane | None = None

    @property
    def infeasible(self) -> bool:
        """True if no hyperplane on the support meets the target's budgets."""
        return self.code == NOT_FEASIBLE

    @property
    def decided(self) -> bool:
        """True if it is known whether one does."""
        return self.code != NOT_DECIDED


INFEASIBLE = Opinion(NOT_FEASIBLE)
UNDECIDED = Opinion(NOT_DECIDED)


class Judge:
    """Judges supports (priced core features; the free ones are always added) for one target."""

    def __init__(self, state: SearchState) -> None:
        self.state = state
        self.core = state.core
        self.by_covers = state.regime.covers_first
        self._planes: dict[int, Hyperplane] = {}
        self._gone: list[int] = []
        self._guessed: set[int] = set()
        if state.core.need_pos == 0 or state.core.need_neg == 0:
            self.learn(np.zeros(state.core.n_features))  # a constant answers it

    @cached_property
    def grower(self) -> Grower:
        """What enlarges infeasible supports where covers are promising."""
        return Grower(self.state)

    @cached_property
    def _free(self) -> int:
        return _bits(self.core.free)

    def learn(self, direction: Floats) -> Hyperplane | None:
        """Verify a direction over the core features, and remember it."""
        plane = hyperplane_from_direction(self.core, direction)
        if plane is not None:
            self.state.door.accept(plane.support)
            used = np.flatnonzero(plane.weights[self.core.feature_ids])
            self._planes.setdefault(_bits(used) | self._free, plane)
        return plane

    def learn_infeasible(self, features: Iterable[int]) -> None:
        """Remember a set of core features that is proven infeasible, together with the free."""
        self._gone.append(_bits(features) | self._free)

    def recall(self, support: Iterable[int]) -> Opinion:
        """Return what follows from what is remembered."""
        bits = _bits(support) | self._free
        for used, plane in self._planes.items():
            if used & ~bits == 0:
                return Opinion(FEASIBLE, plane)
        if any(bits & ~gone == 0 for gone in self._gone):
            return INFEASIBLE
        return UNDECIDED

    def guess(self, support: tuple[int, ...]) -> Hyperplane | None:
        """Return a hyperplane on the support if one is remembered or a few fits find one."""
        opinion = self.recall(support)
        bits = _bits(support)
        if opinion.decided or bits in self._guessed:
            return opinion.plane
        self._guessed.add(bits)
        chosen = self.core.with_free(support)
        if len(chosen) == 0:
            return None
        direction = guessed(self.core, chosen)
        return None if direction is None else self.learn(direction)

    def judge(self, support: tuple[int, ...], effort: int) -> Opinion:
        """Judge a support; an effort of 2 leaves less undecided than one of 1."""
        opinion = self.recall(support)
        if opinion.decided:
            return opinion
        if not self.by_covers:
            opinion = self._opinion(support, climb(self.state, support, QUICK))
        if not opinion.decided and (self.by_covers or effort > 1) and not self.state.stop():
            chosen = np.asarray(support, np.int64)
            grown, verdict = self.grower.grow(chosen, NO_FEATURES, sure=effort > 1)
            if grown is not None:
                return self._infeasible(support)
            opinion = self._opinion(support, verdict)
        return opinion

    def grow(self, support: tuple[int, ...], others: Ints) -> Ints | None:
        """Return an infeasible set that holds the support; the others join where they can.

        None if the support itself is not proven infeasible.
        """
        if self.by_covers:
            grown, verdict = self.grower.grow(np.asarray(support, np.int64), others)
            if grown is not None:
                self._infeasible(grown)
            else:
                self._opinion(support, verdict)
            return grown
        if not self.judge(support, 1).infeasible:
            return None
        inside = list(support)
        for k in others:
            if self.state.stop():
                break
            if self._still_infeasible((*inside, int(k))):
                inside.append(int(k))
        self._infeasible(inside)
        return np.asarray(inside, np.int64)

    def _still_infeasible(self, support: tuple[int, ...]) -> bool:
        """Return True if a short look proves a support infeasible."""
        if self.guess(support) is not None:
            return False
        if self.recall(support).infeasible:
            return True
        return climb(self.state, support, JOINING).infeasible

    def _opinion(self, support: tuple[int, ...], verdict: Verdict | None) -> Opinion:
        """Return an oracle's verdict as an opinion: a direction verified, a proof kept."""
        if verdict is None:
            return UNDECIDED
        if verdict.infeasible:
            return self._infeasible(support)
        plane = None if verdict.direction is None else self.learn(verdict.direction)
        return UNDECIDED if plane is None else Opinion(FEASIBLE, plane)

    def _infeasible(self, features: Iterable[int]) -> Opinion:
        bits = _bits(features) | self._free
        self._gone = [gone for gone in self._gone if gone & ~bits]  # those within say nothing more
        self._gone.append(bits)
        return INFEASIBLE


def _bits(features: Iterable[int]) -> int:
    """Return a set of features as the bits of a number."""
    bits = 0
    for k in features:
        bits |= 1 << int(k)
    return bits
