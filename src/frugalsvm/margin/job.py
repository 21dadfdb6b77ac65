"""A training as it was asked for: everything but the problem."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass

from frugalsvm.data.result import Progress
from frugalsvm.margin.options import Effort, MarginOptions
from frugalsvm.margin.watch import Watch
from frugalsvm.runtime.stopping import Stopper


@dataclass(frozen=True)
class Job:
    """How to train.

    Attributes
    ----------
    stop : Stopper
        Time limit and interrupt.
    watch : Watch
        Ends compiled work when `stop` says so.
    seed : int
        Seed of the heuristic.
    tolerance : float
        Relative gap at which the answer is optimal.
    effort : Effort
        How much work the answer is worth.
    options : MarginOptions
        Accelerators and budgets.
    on_progress : callable or None
        Called with each new line of the history.
    """

    stop: Stopper
    watch: Watch
    seed: int
    tolerance: float
    effort: Effort
    options: MarginOptions
    on_progress: Callable[[Progress], None] | None = None

    @property
    def most_nodes(self) -> float:
        """Most nodes of the branch and bound."""
        if self.effort is Effort.QUICK:
            return self.options.quick_nodes
        return math.inf if self.options.node_limit is None else self.options.node_limit

    @property
    def most_work(self) -> float:
        """Most work of the branch and bound."""
        return self.options.quick_work if self.effort is Effort.QUICK else math.inf
