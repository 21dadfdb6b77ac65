"""What a solver offers, and what it is asked for: the one contract of all back ends."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass
from enum import StrEnum
from typing import Protocol, runtime_checkable

from frugalsvm.data.problem import MarginProblem, SelectionProblem
from frugalsvm.data.result import MarginResult, Progress, SelectionResult
from frugalsvm.runtime.stopping import Stopper

OnProgress = Callable[[Progress], None]


class ModelKind(StrEnum):
    """The paper's models."""

    P1 = "P1"  # cheapest support that meets the budgets: linear
    CSVM_PRIMAL = "CSVM primal"  # rate-constrained SVM in w: quadratic
    CSVM_DUAL = "CSVM dual"  # its partial dual in alpha, any kernel: quadratic
    P2 = "P2"  # CSVM primal on the chosen features
    P3 = "P3"  # CSVM dual on the chosen features

    @property
    def quadratic(self) -> bool:
        """True if the model needs a mixed-integer quadratic solver."""
        return self is not ModelKind.P1

    @property
    def in_alpha(self) -> bool:
        """True for the partial dual form, with its box 0 <= alpha <= C/2."""
        return self in (ModelKind.CSVM_DUAL, ModelKind.P3)


@dataclass(frozen=True)
class ModelOptions:
    """How a model is written and solved. M3 is the problem's ``max_weight``.

    Attributes
    ----------
    m1 : float
        Largest slack xi of a sample that may be wrong (CSVM, P2, P3). A problem's own
        ``max_slack`` takes precedence. ``math.inf``: no limit, an indicator constraint.
    m2 : float
        How wrong a sample may be in P1. ``math.inf``: by any amount, as the selection problem
        is defined; an indicator constraint where the solver has one, otherwise the smallest
        big-M per sample that follows from the data and M3.
    threads : int
        Threads of the solver.
    seed : int
        Seed of the solver's random choices.
    node_limit : int or None
        Largest number of branch-and-bound nodes; with one thread it repeats exactly,
        which a time limit never does.
    verbose : bool
        Let the solver write its log to standard output.
    """

    m1: float = 100.0
    m2: float = 100.0
    threads: int = 1
    seed: int = 0
    node_limit: int | None = None
    verbose: bool = False

    def __post_init__(self) -> None:
        """Refuse values that no solver could use."""
        for name in ("m1", "m2"):
            value = getattr(self, name)
            if math.isnan(value) or value <= 0:
                raise ValueError(f"ModelOptions.{name} must be in (0, inf]. Got {value!r} instead.")
        if self.threads < 1:
            raise ValueError(f"ModelOptions.threads must be at least 1. Got {self.threads!r}.")
        if self.seed < 0:
            raise ValueError(f"ModelOptions.seed must not be negative. Got {self.seed!r}.")
        if self.node_limit is not None and self.node_limit < 1:
            raise ValueError(
                f"ModelOptions.node_limit must be at least 1. Got {self.node_limit!r}."
            )


@runtime_checkable
class ModelSolver(Protocol):
    """A solver for some of the models; :func:`frugalsvm.models.get_solver` returns one."""

    name: str
    kinds: frozenset[ModelKind]

    def version(self) -> str:
        """Return the solver's version."""
        ...

    def solve_selection(
        self,
        problem: SelectionProblem,
        *,
        stop: Stopper,
        options: ModelOptions,
        on_progress: OnProgress | None = None,
    ) -> SelectionResult:
        """Solve P1."""
        ...

    def solve_margin(
        self,
        problem: MarginProblem,
        kind: ModelKind,
        *,
        stop: Stopper,
        options: ModelOptions,
        on_progress: OnProgress | None = None,
    ) -> MarginResult:
        """Solve CSVM in either form, P2 or P3."""
        ...
