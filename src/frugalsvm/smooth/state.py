"""The best classifier so far and the proven bound; whoever is out of time takes them from here."""

from __future__ import annotations

import math
from collections.abc import Callable

import numpy as np
from numpy.typing import NDArray

from frugalsvm.data.problem import MarginProblem
from frugalsvm.data.result import Progress
from frugalsvm.margin.classifiers.answer import Classifier, expansion, settled
from frugalsvm.runtime.stopping import Stopper
from frugalsvm.smooth.solver import Solution
from frugalsvm.smooth.space import Space

Flags = NDArray[np.bool_]
Vector = NDArray[np.float64]

WORTH_TELLING = 1e-3
"""Relative change of the bound that is reported."""


class State:
    """What is known.

    Attributes
    ----------
    answer : Classifier or None
        The best classifier, recomputed from the problem's own data.
    bound : float
        The proven lower bound on every classifier's objective; infinite: there is none.
    history : list of Progress
        How they developed.
    nodes, solved : int
        Finished nodes of the branch and bound, and problems solved.
    rank : int
        Number of explicit features.
    """

    def __init__(
        self,
        problem: MarginProblem,
        stop: Stopper,
        tolerance: float,
        on_progress: Callable[[Progress], None] | None,
    ) -> None:
        self.problem, self.tolerance = problem, tolerance
        self.answer: Classifier | None = None
        self.bound = 0.0
        self.history: list[Progress] = []
        self.nodes = self.solved = self.rank = 0
        self._clock = Stopper(clock=stop.clock)
        self._on_progress = on_progress
        self._left = False

    @property
    def seconds(self) -> float:
        """Seconds since the work began."""
        return self._clock.elapsed

    @property
    def objective(self) -> float:
        """The best classifier's objective, infinite if there is none."""
        return math.inf if self.answer is None else self.answer.objective

    @property
    def cutoff(self) -> float:
        """What has to be proven: no classifier has less."""
        return self.objective * (1.0 - 0.5 * self.tolerance)

    @property
    def closed(self) -> bool:
        """True if nothing is left to prove."""
        return self.bound >= self.cutoff

    def take(self, found: Classifier | None, phase: str) -> bool:
        """Keep a classifier if it is better."""
        if found is None or not found.objective < self.objective:
            return False
        self.answer = found
        self.tell(phase)
        return True

    def raise_bound(self, bound: float, phase: str) -> None:
        """Keep a bound if it is higher."""
        told = self.history[-1].bound if self.history else -math.inf
        self.bound = max(self.bound, bound)
        if self.bound - told > WORTH_TELLING * max(abs(self.bound), 1e-300):
            self.tell(phase)

    def tell(self, phase: str) -> None:
        """Report what is known now."""
        shown = min(self.bound, self.objective)
        self.history.append(Progress(self.seconds, self.objective, shown, phase))
        if self._on_progress is not None and not self._left:
            self._on_progress(self.history[-1])

    def close(self) -> None:
        """Tell nobody any more: the answer has been taken."""
        self._left = True

    def offer(self, space: Space, solution: Solution, wrong: Flags, phase: str) -> bool:
        """Keep a solution whose rows hold, but for the wrong ones, if it is better."""
        found = [c for c in _on_samples(self.problem, space, solution, wrong) if c is not None]
        return self.take(min(found, key=lambda c: c.objective, default=None), phase)


def _on_samples(
    problem: MarginProblem, space: Space, solution: Solution, wrong: Flags
) -> list[Classifier | None]:
    """Return the solution in terms of the samples, in one or two ways."""
    rows = space.rows
    of_sample = wrong[rows.group_of]
    pulled = (0.5 * solution.a * rows.y / rows.weight)[rows.group_of]
    if rows.linear:
        weights = solution.v
        if space.factor is not None:
            weights = rows.Z.T @ space.factor.coefficients(solution.v)
        intercept = solution.b - float(weights @ rows.center)
        dual = expansion(problem, weights, pulled)
        return [settled(problem, dual, weights, intercept, of_sample)]
    if space.factor is None:
        raise TypeError("a kernel's space must have a factor")
    dual = np.zeros(len(of_sample))
    dual[rows.first] = space.factor.coefficients(solution.v)
    return [settled(problem, way, None, solution.b, of_sample) for way in (dual, pulled)]
