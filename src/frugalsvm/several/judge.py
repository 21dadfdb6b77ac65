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

from frugalsvm.search.cover import fits, promising
from frugalsvm.search.cover_grow import Grower
from frugalsvm.search.decide import decide, guessed
from frugalsvm.search.hyperplane import Hyperplane, hyperplane_from_direction
from frugalsvm.search.oracles import Effort
from frugalsvm.search.reduction import Floats, Ints
from frugalsvm.search.state import SearchState
from frugalsvm.search.verdict import Feasibility, Verdict

GROWTH = Effort(cell_boxes=30, conflict_nodes=30, boxes=100)  # when a feature asks to join
NO_FEATURES = np.zeros(0, np.int64)


class Opinion(NamedTuple):
    """What is known about a support; a feasible one comes with its verified hyperplane."""

    feasibility: Feasibility
    plane: Hyperplane | None = None

    @property
    def infeasible(self) -> bool:
        """True if no hyperplane on the support meets the target's budgets."""
        return self.feasibility is Feasibility.INFEASIBLE

    @property
    def decided(self) -> bool:
        """True if it is known whether one does."""
        return self.feasibility is not Feasibility.UNDECIDED


INFEASIBLE = Opinion(Feasibility.INFEASIBLE)
UNDECIDED = Opinion(Feasibility.UNDECIDED)


class Judge:
    """Judges supports (priced core features; the free ones are always added) for one target."""

    def __init__(self, state: SearchState) -> None:
        self.state = state
        self.core = state.core
        self.by_covers = fits(state.core) and promising(state.core)
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
                return Opinion(Feasibility.FEASIBLE, plane)
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
            opinion = self._opinion(support, decide(self.state, support))
        if not opinion.decided and (self.by_covers or effort > 1) and not self.state.stop():
            chosen = np.asarray(support, np.int64)
            grown, verdict = self.grower.grow(chosen, NO_FEATURES, effort)
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
        chosen = self.core.with_free(support).astype(np.int64)
        effort = GROWTH.allowed_by(self.state.options).scaled(self.core.n_samples)
        size = np.array([len(chosen)], dtype=np.int64)
        verdicts, _, _ = self.state.oracles.judge(chosen.reshape(1, -1), size, effort)
        return bool(verdicts[0] == Feasibility.INFEASIBLE.value)

    def _opinion(self, support: tuple[int, ...], verdict: Verdict | None) -> Opinion:
        """Return an oracle's verdict as an opinion: a direction verified, a proof kept."""
        if verdict is None:
            return UNDECIDED
        if verdict.infeasible:
            return self._infeasible(support)
        plane = None if verdict.direction is None else self.learn(verdict.direction)
        return UNDECIDED if plane is None else Opinion(Feasibility.FEASIBLE, plane)

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
