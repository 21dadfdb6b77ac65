"""Whether one support is feasible: looks at it, from cheap to sure.

A ladder is a tuple of rungs; a rung is a judge and how far it may go. The ladders of the search
are in :mod:`~frugalsvm.search.tuning`; this file climbs them.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Protocol

import numpy as np
from numpy.typing import NDArray

from frugalsvm.runtime.hands import Hands
from frugalsvm.runtime.stopping import Stopper
from frugalsvm.search.door import Door
from frugalsvm.search.options import SearchOptions
from frugalsvm.search.oracles.batch import Oracles, allowed
from frugalsvm.search.oracles.errors.branch_and_cut import ErrorCuts
from frugalsvm.search.oracles.errors.search import ConflictOracle
from frugalsvm.search.oracles.split_directions import SplitDirections
from frugalsvm.search.problem.guess import guessed
from frugalsvm.search.problem.reduction import CoreProblem
from frugalsvm.search.tuning import MOST_DIRECTIONS, Effort, Rung
from frugalsvm.search.verdict import FEASIBLE, OPEN, RULED_OUT, Verdict


class Bench(Protocol):
    """Who judges, by which switches, until when: a state of the search is one."""

    @property
    def core(self) -> CoreProblem:
        """The problem."""

    @property
    def stop(self) -> Stopper:
        """Time limit and interrupt."""

    @property
    def options(self) -> SearchOptions:
        """The switches."""

    @property
    def door(self) -> Door:
        """What every set that is ruled out passes."""

    @property
    def oracles(self) -> Oracles:
        """The compiled judges."""

    @property
    def hands(self) -> Hands:
        """Who opens the boxes of one support."""


def climb(bench: Bench, support: Iterable[int], rungs: tuple[Rung, ...]) -> Verdict:
    """Judge a core support (the free features are added) until a rung decides or time is over."""
    chosen = bench.core.with_free(tuple(support))
    if len(chosen) == 0:
        return bench.door.ask("no features", chosen, lambda: RULED_OUT)
    climber = _Climber(bench, chosen)
    for rung in rungs:
        verdict = climber.look(rung)
        if verdict.decided or bench.stop():
            return verdict
    return OPEN


class _Climber:
    """One support on its way up a ladder; boxes, and branch and cut, go on where they were left."""

    def __init__(self, bench: Bench, chosen: NDArray[np.intp]) -> None:
        self.bench = bench
        self.chosen = chosen.astype(np.int64)
        self._boxes: SplitDirections | None = None
        self._cuts: ErrorCuts | None = None

    def look(self, rung: Rung) -> Verdict:
        """Have a rung's judge look at the support."""
        core, errors = self.bench.core, self.bench.core.budget_pos + self.bench.core.budget_neg
        if not rung.least_errors <= errors <= rung.most_errors:
            return OPEN
        if core.n_samples > rung.most_samples:
            return OPEN
        if rung.judge == "guess":
            return self._by_guess()
        if rung.judge == "kernels":
            return self._by_kernels(rung.effort)
        if rung.judge == "boxes":
            return self._by_boxes(rung.effort)
        return self._by_errors(rung.nodes) if rung.judge == "errors" else self._by_cuts(rung.nodes)

    def _by_guess(self) -> Verdict:
        direction = guessed(self.bench.core, self.chosen)
        return OPEN if direction is None else Verdict(FEASIBLE, direction)

    def _by_kernels(self, effort: Effort) -> Verdict:
        """Judge by the compiled oracles."""
        bench, size = self.bench, np.array([len(self.chosen)], dtype=np.int64)
        judged = bench.oracles.judge(self.chosen.reshape(1, -1), size, effort, bench.options)
        direction = judged.directions[0] if judged.verdicts[0] == FEASIBLE else None
        return Verdict(int(judged.verdicts[0]), direction).on(self.chosen, bench.core.n_features)

    def _by_boxes(self, effort: Effort) -> Verdict:
        """Go on with boxes of directions, opened by several hands."""
        bench = self.bench
        most = allowed(effort, bench.options).scaled(bench.core.n_samples).boxes
        if most == 0 or len(self.chosen) > MOST_DIRECTIONS:
            return OPEN
        if self._boxes is None:
            self._boxes = SplitDirections(bench.oracles.on_support(self.chosen, bench.options))
        boxes = self._boxes
        verdict = bench.door.ask("directions", self.chosen, lambda: boxes.judge(most, bench.hands))
        return verdict.on(self.chosen, bench.core.n_features)

    def _by_errors(self, nodes: int) -> Verdict:
        """Judge by the search over errors, on what the support's samples merge to."""
        bench = self.bench
        if not (bench.options.conflicts and bench.options.errors):
            return OPEN
        merged = ConflictOracle.of(bench.core, bench.stop).on(self.chosen)
        every = np.arange(len(self.chosen))
        verdict = bench.door.ask("errors", self.chosen, lambda: merged.judge(every, nodes))
        return verdict.on(self.chosen, bench.core.n_features)

    def _by_cuts(self, nodes: int) -> Verdict:
        """Go on with a branch and cut over the samples given up."""
        if not self.bench.options.cuts:
            return OPEN
        if self._cuts is None:
            self._cuts = ErrorCuts(self.bench.core, self.chosen, self.bench.stop)
        cuts = self._cuts
        return self.bench.door.ask("error cuts", self.chosen, lambda: cuts.judge(nodes))
