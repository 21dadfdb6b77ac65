"""What the tactics share: the best answer, the proven bound, and how one support is judged.

A tactic is any object with a ``name`` and ``run(state)``. It reads `state.core`, offers answers
through :meth:`SearchState.offer`, raises the bound through :meth:`SearchState.raise_bound`, and
returns when it is done, when ``state.stop()`` says so, or when ``state.closed`` is true.
"""

from __future__ import annotations

import math
import threading
from collections.abc import Callable
from dataclasses import dataclass, field
from enum import Enum
from typing import Protocol

import numpy as np
from numpy.typing import NDArray

from frugalsvm.result import Progress
from frugalsvm.search.hyperplane import Hyperplane, hyperplane_from_direction
from frugalsvm.search.options import SearchOptions
from frugalsvm.search.oracles import Oracles, prepare_oracles
from frugalsvm.search.reduction import CoreProblem
from frugalsvm.search.sieve import Sieve
from frugalsvm.stopping import Stopper

COST_TOLERANCE = 1e-9
"""Relative difference below which two costs are the same."""


class Feasibility(Enum):
    """What an oracle knows about a support."""

    FEASIBLE = 1
    INFEASIBLE = -1
    UNDECIDED = 0


@dataclass(frozen=True, eq=False)
class Verdict:
    """An oracle's word on a support; a feasible one comes with its direction.

    Attributes
    ----------
    feasibility : Feasibility
        What is known.
    direction : ndarray of shape (n_core_features,) or None
        For a feasible support: any w with gap(w) >= floor * max |w_k|, zero outside of it.
    """

    feasibility: Feasibility
    direction: NDArray[np.float64] | None = None

    @property
    def infeasible(self) -> bool:
        """True if no hyperplane on the support meets the budgets."""
        return self.feasibility is Feasibility.INFEASIBLE

    @property
    def feasible(self) -> bool:
        """True if a hyperplane on the support meets the budgets."""
        return self.feasibility is Feasibility.FEASIBLE


INFEASIBLE = Verdict(Feasibility.INFEASIBLE)
UNDECIDED = Verdict(Feasibility.UNDECIDED)


class Tactic(Protocol):
    """One way to improve the answer or the bound."""

    name: str

    def run(self, state: SearchState) -> None:
        """Work on the state until done, stopped, or closed."""


def strictly_below(cost: float) -> float:
    """Return the largest number that counts as cheaper than `cost`."""
    if math.isinf(cost):
        return cost
    return cost - COST_TOLERANCE * max(1.0, abs(cost))


@dataclass(eq=False)
class SearchState:
    """The search's memory; safe to use from several threads.

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
    bound : float
        Proven lower bound on the cost of any answer; infinity once infeasibility is proven.
    infeasible_sets : list of tuples of int
        Core supports proven infeasible that are worth remembering (large ones).
    """

    core: CoreProblem
    stop: Stopper
    options: SearchOptions = field(default_factory=SearchOptions)
    threads: int = 1
    seed: int = 0
    on_progress: Callable[[Progress], None] | None = None
    best: Hyperplane | None = None
    bound: float = 0.0
    history: list[Progress] = field(default_factory=list)
    infeasible_sets: list[tuple[int, ...]] = field(default_factory=list)
    equals: dict[tuple[int, ...], Hyperplane] = field(default_factory=dict)
    figures: dict[str, float] = field(default_factory=dict)
    phase: str = ""
    _oracles: Oracles | None = None
    _sieve: Sieve | None = None
    _lock: threading.RLock = field(default_factory=threading.RLock)

    def __post_init__(self) -> None:
        self.bound = max(self.bound, self.core.base_cost)

    @property
    def cost(self) -> float:
        """Cost of the best answer; infinity without one."""
        return math.inf if self.best is None else self.best.cost

    @property
    def cutoff(self) -> float:
        """Supports that cost more than this need not be looked at."""
        return strictly_below(self.cost)

    @property
    def closed(self) -> bool:
        """True if the best answer is proven optimal or infeasibility is proven."""
        return self.bound > self.cutoff or math.isinf(self.bound)

    @property
    def oracles(self) -> Oracles:
        """The kernels that judge supports, prepared on first use."""
        with self._lock:
            if self._oracles is None:
                self._oracles = prepare_oracles(self.core, self.stop)
            return self._oracles

    @property
    def sieve(self) -> Sieve | None:
        """What rules supports out by coinciding samples, many at a time; None: unsuitable."""
        with self._lock:
            if self._sieve is None and self.options.sieve and self.options.cells:
                self._sieve = Sieve.of(self.core)
            return self._sieve

    def finished(self) -> bool:
        """Return True if a tactic has to return now."""
        return self.closed or self.stop()

    def offer(self, direction: NDArray[np.float64]) -> bool:
        """Offer a direction over the core features; return True if it is a new best answer.

        The hyperplane is made and verified here: a direction that does not meet the budgets is
        ignored. Its support is where it is nonzero.
        """
        found = hyperplane_from_direction(self.core, direction)
        if found is None:
            return False
        with self._lock:
            if self.best is None or found.cost <= self.cutoff:
                self.best = found
                self.equals = {found.support: found}
                self._report()
                return True
            if self.best is not None and found.cost <= self.cost:
                known = self.equals.get(found.support)
                if known is None or found.slack > known.slack:
                    self.equals[found.support] = found
            return False

    def raise_bound(self, bound: float) -> None:
        """Record a proven lower bound on the cost of any answer (original prices)."""
        with self._lock:
            bound = min(bound, self.cost)
            if bound > self.bound:
                self.bound = bound
                self._report()

    def prove_infeasible(self) -> None:
        """Record that no support at all is feasible."""
        with self._lock:
            if self.best is None:
                self.bound = math.inf
                self._report()

    def remember_infeasible(self, support: tuple[int, ...]) -> None:
        """Keep a proven infeasible support for covers and for later searches."""
        with self._lock:
            self.infeasible_sets.append(support)

    def count(self, figure: str, amount: float = 1) -> None:
        """Add to one of the figures reported in the result's details."""
        with self._lock:
            self.figures[figure] = self.figures.get(figure, 0) + amount

    def _report(self) -> None:
        progress = Progress(self.stop.elapsed, self.cost, self.bound, self.phase)
        self.history.append(progress)
        if self.on_progress is not None:
            self.on_progress(progress)
