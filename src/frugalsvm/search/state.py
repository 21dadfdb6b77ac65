"""What the tactics share: the best answer, the proven bound, and how one support is judged.

A tactic is any object with a ``name`` and ``run(state)``. It reads `state.core`, offers answers
through :meth:`SearchState.offer`, raises the bound through :meth:`SearchState.raise_bound`, and
returns when it is done, when ``state.stop()`` says so, or when ``state.closed`` is true.
"""

from __future__ import annotations

import math
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any, Protocol

import numpy as np
from numpy.typing import NDArray

from frugalsvm.data.result import Progress
from frugalsvm.runtime.elsewhere import Elsewhere, Workers
from frugalsvm.runtime.hands import Hands, Threads
from frugalsvm.runtime.stopping import Stopper
from frugalsvm.search.door import Door
from frugalsvm.search.options import SearchOptions
from frugalsvm.search.oracles.batch import Oracles, prepare_oracles
from frugalsvm.search.oracles.distant_judge import DistantJudge
from frugalsvm.search.oracles.sieve import Sieve
from frugalsvm.search.problem.hyperplane import Hyperplane, hyperplane_from_direction
from frugalsvm.search.problem.reduction import CoreProblem, Ints
from frugalsvm.search.regime import Regime, regime_of


class Tactic(Protocol):
    """One way to improve the answer or the bound."""

    name: str

    def run(self, state: SearchState) -> None:
        """Work on the state until done, stopped, or closed."""


@dataclass(eq=False)
class SearchState:
    """The search's memory; safe to use from several threads.

    Costs and bounds are whole numbers of the core problem's unit, beyond what every support pays;
    infinity stands for "none". Only what is reported is money.

    Attributes
    ----------
    core : CoreProblem
        The reduced problem.
    stop : Stopper
        Asked between pieces of work of at most some 50 ms.
    options : SearchOptions
        The switches.
    threads : int
        How many threads a tactic may use.
    seed : int
        Seeds whatever is random.
    best : Hyperplane or None
        The best verified answer, free features included if they carry weight.
    bound : int, or infinity
        Proven lower bound on the cost of any answer; infinity once infeasibility is proven.
    infeasible_sets : list of tuples of int
        Core supports proven infeasible that are worth remembering (large ones).
    lock : RLock
        Held while best answer and bound change.
    halt : ndarray of one int64
        What running kernels look at: nonzero asks them to leave the rest undecided.
    workers : Workers or None
        Who judges supports in other processes; None: nobody.
    """

    core: CoreProblem
    stop: Stopper
    options: SearchOptions = field(default_factory=SearchOptions)
    threads: int = 1
    seed: int = 0
    on_progress: Callable[[Progress], None] | None = None
    best: Hyperplane | None = None
    bound: float = 0
    history: list[Progress] = field(default_factory=list)
    infeasible_sets: list[tuple[int, ...]] = field(default_factory=list)
    equals: dict[tuple[int, ...], Hyperplane] = field(default_factory=dict)
    figures: dict[str, Any] = field(default_factory=dict)
    halt: Ints = field(default_factory=lambda: np.zeros(1, dtype=np.int64))
    phase: str = ""
    workers: Workers | None = None
    _oracles: Oracles | None = None
    _sieve: Sieve | None = None
    _hands: Hands | None = None
    lock: threading.RLock = field(default_factory=threading.RLock)

    @cached_property
    def door(self) -> Door:
        """What every set that is ruled out passes."""
        return Door(self.core, self.options.witnesses)

    @cached_property
    def regime(self) -> Regime:
        """What the problem calls for."""
        return regime_of(self.core)

    @cached_property
    def distant_judge(self) -> DistantJudge:
        """What is sent to workers in other processes, once."""
        return DistantJudge.of(self.core, self.options)

    @property
    def cost(self) -> float:
        """Cost of the best answer; infinity without one."""
        return math.inf if self.best is None else self.best.cost

    @property
    def cutoff(self) -> float:
        """Supports that cost more than this need not be looked at."""
        return self.cost - 1

    @property
    def closed(self) -> bool:
        """True if the best answer is proven optimal or infeasibility is proven."""
        return self.bound >= self.cost

    @property
    def oracles(self) -> Oracles:
        """The kernels that judge supports, prepared on first use."""
        with self.lock:
            if self._oracles is None:
                self._oracles = prepare_oracles(self.core, self.regime, self.halt, self.door)
            return self._oracles

    @property
    def sieve(self) -> Sieve | None:
        """What rules supports out by coinciding samples, many at a time; None: unsuitable."""
        with self.lock:
            if self._sieve is None and self.options.sieve and self.options.cells:
                self._sieve = Sieve.of(self.core, self.halt)
            return self._sieve

    @property
    def hands(self) -> Hands:
        """Who opens the boxes of one hard support, whatever thread asks; workers judge, too."""
        with self.lock:
            if self._hands is None and self.workers is not None:
                self._hands = Elsewhere(self.workers, self.stop)
            if self._hands is None:
                self._hands = Threads(self.threads, self.halt, self._look)
            return self._hands

    def dismiss_hands(self) -> None:
        """Let the hands go, at the end of a search."""
        with self.lock:
            if self._hands is not None:
                self._hands.dismiss()

    def _look(self) -> None:
        """Halt the kernels when it is time to stop."""
        if self.stop():
            self.halt_kernels()

    def halt_kernels(self) -> None:
        """Ask running kernels to come to an end."""
        self.halt[0] = 1

    def resume_kernels(self) -> None:
        """Let kernels run again, unless it is time to stop."""
        self.halt[0] = int(self.stop())

    def perform(self, tactic: Tactic) -> None:
        """Run a tactic unless it is switched off, perhaps within another one, and count it."""
        if not self.options.allow(tactic.name):
            return
        before, self.phase = self.phase, tactic.name
        with self.tallied(tactic.name):
            tactic.run(self)
        self.phase = before

    @contextmanager
    def tallied(self, name: str) -> Iterator[None]:
        """Count a run of a tactic or a walk, with the bounds and answers that come of it."""
        started, bound, cost = time.perf_counter(), self.bound, self.cost
        yield
        seconds = time.perf_counter() - started
        self.door.count_run(name, self.bound > bound, self.cost < cost, seconds)

    def finished(self) -> bool:
        """Return True if a tactic has to return now."""
        return self.closed or self.stop()

    def offer(self, direction: NDArray[np.float64], tight: CoreProblem | None = None) -> bool:
        """Offer a direction over the core features; return True if it is a new best answer.

        The hyperplane is made and verified here: a direction that does not meet the budgets is
        ignored. Its support is where it is nonzero. Where it meets tighter budgets, those of
        `tight`, the hyperplane is placed by them: placed by its own it would use them all.
        """
        found = hyperplane_from_direction(self.core if tight is None else tight, direction)
        if found is None:
            return False
        self.door.accept(found.support)
        with self.lock:
            if self.best is None or found.cost <= self.cutoff:
                self.best = found
                self.equals = {found.support: found}
                self._report()
                return True
            if found.cost == self.cost:
                known = self.equals.get(found.support)
                if known is None or found.slack > known.slack:
                    self.equals[found.support] = found
            return False

    def raise_bound(self, bound: float) -> None:
        """Record a proven lower bound on the cost of any answer."""
        self.door.check_bound(min(bound, self.cost), self.phase)
        with self.lock:
            bound = min(bound, self.cost)
            if bound > self.bound:
                self.bound = bound
                self._report()

    def prove_infeasible(self) -> None:
        """Record that no support at all is feasible."""
        self.door.check_bound(math.inf, self.phase)
        with self.lock:
            if self.best is None:
                self.bound = math.inf
                self._report()

    def remember_infeasible(self, support: tuple[int, ...]) -> None:
        """Keep a proven infeasible support for covers and for later searches."""
        with self.lock:
            self.infeasible_sets.append(support)

    def count(self, figure: str, amount: float = 1) -> None:
        """Add to one of the figures reported in the result's details."""
        with self.lock:
            self.figures[figure] = self.figures.get(figure, 0) + amount

    def count_work(self, work: Ints) -> None:
        """Count the nodes and boxes that the kernels opened."""
        for name, amount in zip(("conflict nodes", "boxes"), work, strict=True):
            if amount:
                self.count(name, int(amount))

    def amounts(self) -> tuple[float, float]:
        """Return cost and bound in money; they are equal if and only if the answer is proven.

        The cost is the nearest float, the bound the next one that is not above it.
        """
        core = self.core
        with self.lock:
            if self.best is None:
                return math.inf, core.as_bound(self.bound)
            cost = core.source.costs.cost(self.best.support)
            if self.closed:
                return cost, cost
            return cost, min(core.as_bound(self.bound), math.nextafter(cost, -math.inf))

    def _report(self) -> None:
        cost, bound = self.amounts()
        progress = Progress(self.stop.elapsed, cost, bound, self.phase)
        self.history.append(progress)
        if self.on_progress is not None:
            self.on_progress(progress)
