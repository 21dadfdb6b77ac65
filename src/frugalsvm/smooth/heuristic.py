"""Good sets of rows to give up: trimming, then exchanges of one row at a time."""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from frugalsvm.runtime.stopping import Stopper
from frugalsvm.smooth.choice import Choice, short
from frugalsvm.smooth.solver import Solution, Solver, Start
from frugalsvm.smooth.state import State

Flags = NDArray[np.bool_]

PHASE = "heuristic"

TRIMS = 8
"""How often the worst rows are chosen anew."""

TRIES = 40
"""Exchanges that are tried from one classifier."""

KICKS = 8
"""Restarts from a classifier with a few rows exchanged at random."""

GAIN = 1e-7
"""Relative gain that counts."""


@dataclass(frozen=True)
class Candidate:
    """Rows that are given up, and the training without them."""

    wrong: Flags
    solution: Solution
    objective: float


class Heuristic:
    """A search for good sets of wrong rows; what it finds goes to the state."""

    def __init__(self, solver: Solver, choice: Choice, state: State) -> None:
        self.solver, self.choice, self.state = solver, choice, state
        self.best: Candidate | None = None

    def trim(self, soft: Solution, stop: Stopper) -> None:
        """Give up the rows that are worst with the others hard, again and again."""
        solution = soft
        seen: set[bytes] = set()
        for _ in range(TRIMS):
            wrong = self.choice.worst(solution.margins)
            if wrong.tobytes() in seen or stop():
                return
            seen.add(wrong.tobytes())
            found = self._train(wrong, stop, self.state.cutoff, solution.start)
            if found is not None:
                self.descend(found, stop)
                return
            solution = self.solver.solve(~wrong, stop, self.state.cutoff, solution.start)

    def improve(self, wrong: Flags, stop: Stopper, start: Start | None = None) -> None:
        """Descend from these wrong rows."""
        found = self._train(wrong, stop, math.inf, start)
        if found is not None:
            self.descend(found, stop)

    def attempt(self, wrong: Flags, stop: Stopper, start: Start) -> None:
        """Descend from these wrong rows if they are better than the best so far."""
        found = self._train(wrong, stop, self.state.cutoff, start)
        if found is not None and found.objective < self.state.cutoff:
            self.descend(found, stop)

    def descend(self, candidate: Candidate, stop: Stopper) -> None:
        """Give up the rows that pull most, as long as there is room, then exchange rows."""
        while not stop():
            candidate = self._refilled(candidate, stop)
            self._keep(candidate)
            better = self._exchanged(candidate, stop)
            if better is None:
                return
            candidate = better

    def kick(self, rng: np.random.Generator, stop: Stopper) -> None:
        """Restart from the best with a few rows exchanged at random."""
        for _ in range(KICKS):
            if stop() or self.best is None or self.state.closed:
                return
            best = self.best
            pulling = self._pulling(best)
            leave = np.flatnonzero(best.wrong & self.choice.choosable)
            if len(pulling) == 0 or len(leave) == 0:
                return
            size = int(rng.integers(1, 4))
            into = rng.permutation(pulling)[:size]
            out = set(rng.permutation(leave)[:size].tolist())
            stay = [int(i) for i in leave if int(i) not in out]
            wrong = self.choice.filled([*into.tolist(), *stay, *out])
            self.improve(wrong, stop, best.solution.start)

    def _train(
        self, wrong: Flags, stop: Stopper, cutoff: float, start: Start | None
    ) -> Candidate | None:
        solution = self.solver.solve(~wrong, stop, cutoff, start)
        if not solution.holds:
            return None
        space = self.solver.space
        loss = float(space.cost @ space.loss.value(solution.margins))
        objective = float(solution.v @ solution.v) + loss
        return Candidate(wrong, solution, objective)

    def _keep(self, candidate: Candidate) -> None:
        if self.best is None or candidate.objective < self.best.objective:
            self.best = candidate
        if candidate.objective < self.state.objective:
            self.state.offer(self.solver.space, candidate.solution, candidate.wrong, PHASE)

    def _pulling(self, candidate: Candidate) -> NDArray[np.int64]:
        """Return the hard rows that may be given up, by how much they pull."""
        extra = candidate.solution.extra
        rows = np.flatnonzero(self.choice.choosable & ~candidate.wrong & (extra > 0.0))
        return rows[np.argsort(-extra[rows], kind="stable")]

    def _refilled(self, candidate: Candidate, stop: Stopper) -> Candidate:
        """Return the candidate after rows that need no leave have passed it on to others."""
        while not stop():
            choosable = candidate.wrong & self.choice.choosable
            needed = np.flatnonzero(choosable & short(candidate.solution.margins))
            order = [*needed.tolist(), *self._pulling(candidate).tolist()]
            wrong = self.choice.filled(order)
            if not (wrong & ~candidate.wrong).any():
                return candidate
            found = self._train(wrong, stop, math.inf, candidate.solution.start)
            if found is None or found.objective >= candidate.objective * (1.0 - GAIN):
                return candidate
            candidate = found
        return candidate

    def _exchanged(self, candidate: Candidate, stop: Stopper) -> Candidate | None:
        """Return a better candidate with one pulling row given up for others, None if none is."""
        margins = candidate.solution.margins
        given = np.flatnonzero(candidate.wrong & self.choice.choosable)
        given = given[np.argsort(margins[given], kind="stable")]
        cutoff = candidate.objective * (1.0 - GAIN)
        tries = 0
        for enter in self._pulling(candidate).tolist():
            for leave in given[::-1][: max(1, TRIES // 8)].tolist():
                order = [enter, *(i for i in given.tolist() if i != leave), leave]
                wrong = self.choice.filled(order)
                if not wrong[enter] or wrong[leave]:
                    continue
                tries += 1
                found = self._train(wrong, stop, cutoff, candidate.solution.start)
                if found is not None and found.objective < cutoff:
                    return found
                if stop() or tries >= TRIES:
                    return None
        return None
