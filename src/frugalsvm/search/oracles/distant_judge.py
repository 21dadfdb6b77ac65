"""The oracles of a problem in another process: what they say comes back with the door's minutes."""

from __future__ import annotations

import time
from dataclasses import dataclass, replace
from functools import cached_property

import numpy as np

from frugalsvm.runtime.hands import Halt
from frugalsvm.search.door import DistantDoor, Minutes
from frugalsvm.search.options import SearchOptions
from frugalsvm.search.oracles.arrays import Arrays
from frugalsvm.search.oracles.batch import Oracles, Outcome, prepare_oracles
from frugalsvm.search.problem.reduction import CoreProblem, Ints
from frugalsvm.search.regime import regime_of
from frugalsvm.search.tuning import Effort

Batch = tuple[Ints, Ints]
"""Supports as rows of core features, and their sizes."""


@dataclass(frozen=True)
class Report:
    """What a worker says of some batches: outcomes, what the door has to know, and seconds."""

    outcomes: list[tuple[Outcome, Minutes]]
    seconds: float


@dataclass(frozen=True)
class DistantJudge:
    """A problem's oracles, to be sent to workers.

    Attributes
    ----------
    core : CoreProblem
        The problem, without the data that answers are verified by.
    options : SearchOptions
        The switches.
    """

    core: CoreProblem
    options: SearchOptions

    @classmethod
    def of(cls, core: CoreProblem, options: SearchOptions) -> DistantJudge:
        """Return the judge of a problem."""
        source = core.source
        bare = replace(source, X=source.X[:0], positive=source.positive[:0])
        return cls(replace(core, source=bare), replace(options, witnesses=None))

    @cached_property
    def _arrays(self) -> Arrays:
        halt, door = np.zeros(1, np.int64), DistantDoor(self.core)
        return prepare_oracles(self.core, regime_of(self.core), halt, door).arrays

    def __call__(self, errand: tuple[Effort, list[Batch]], halt: Halt) -> Report:
        """Judge batches of supports with so much effort."""
        started = time.perf_counter()
        effort, batches = errand
        outcomes = []
        for rows, sizes in batches:
            door = DistantDoor(self.core)
            oracles = Oracles(self.core, self._arrays._replace(halt=halt), door)
            outcomes.append((oracles.judge(rows, sizes, effort, self.options), door.minutes))
        return Report(outcomes, time.perf_counter() - started)
