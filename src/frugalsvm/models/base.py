"""What all back ends share: from a problem to a program, from its outcome to a checked result."""

from __future__ import annotations

import math
from abc import ABC, abstractmethod
from dataclasses import replace

import numpy as np

from frugalsvm.data.exceptions import UnsupportedModelError
from frugalsvm.data.problem import MarginProblem, SelectionProblem
from frugalsvm.data.result import MarginResult, SelectionResult, Status
from frugalsvm.models.background import Recorder
from frugalsvm.models.first_look import FirstLook, look_at_margin, look_at_selection
from frugalsvm.models.margin import build_margin, read_margin, slack_limit
from frugalsvm.models.program import Ending, Outcome, Program
from frugalsvm.models.protocol import ModelKind, ModelOptions, OnProgress
from frugalsvm.models.registry import require
from frugalsvm.models.selection import build_selection, read_selection
from frugalsvm.runtime.stopping import Stopper


class ProgramSolver(ABC):
    """A :class:`~frugalsvm.models.ModelSolver` made of one method, :meth:`run`.

    A back end translates a program into the solver's terms, runs it, and reports what it says;
    the models, the checks and the results are here and in the modules this one calls.
    """

    name: str
    kinds: frozenset[ModelKind]
    has_indicators: bool

    @abstractmethod
    def version(self) -> str:
        """Return the solver's version."""

    @abstractmethod
    def run(
        self, program: Program, stop: Stopper, options: ModelOptions, recorder: Recorder
    ) -> Outcome:
        """Solve `program` until done or `stop` says so; never print unless ``verbose``."""

    def solve_selection(
        self,
        problem: SelectionProblem,
        *,
        stop: Stopper,
        options: ModelOptions,
        on_progress: OnProgress | None = None,
    ) -> SelectionResult:
        """Solve P1 as written.

        The result's status, bound and infeasibility are those of the model with its M2. A
        finite M2 forbids answers that are very wrong on some sample, so neither the bound nor
        infeasibility need hold for the problem itself unless ``details["exact"]`` is true.
        """
        require(self, ModelKind.P1)
        recorder = Recorder(on_progress)
        look = look_at_selection(problem, options.m2, stop)
        model = build_selection(problem, options, look, indicators=self.has_indicators)
        recorder.worth = model.unit.worth
        outcome = self._run_unless_stopped(model.program, stop, options, recorder)
        blank = SelectionResult(
            status=Status.UNKNOWN,
            support=(),
            weights=np.zeros(problem.n_features),
            intercept=0.0,
            cost=math.inf,
            bound=0.0,
            seconds=0.0,
            solver=self.name,
            solver_version=self.version(),
            stop_reason=outcome.reason,
            details={
                "model": str(ModelKind.P1),
                "m2": options.m2,
                "exact": model.exact,
                "m3": problem.max_weight,
                "nodes": outcome.nodes,
            },
        )
        result = read_selection(model, outcome, blank)
        history = recorder.close(result.cost, result.bound)
        return replace(result, seconds=recorder.seconds, history=history)

    def solve_margin(
        self,
        problem: MarginProblem,
        kind: ModelKind,
        *,
        stop: Stopper,
        options: ModelOptions,
        on_progress: OnProgress | None = None,
    ) -> MarginResult:
        """Solve CSVM, P2 or P3 as written.

        Status, bound and infeasibility are those of the model: with its M1, and for the dual
        forms with the box 0 <= alpha <= C/2 that the paper keeps also for samples that must be
        correct. The problem itself may have a better answer, or one where the model has none,
        unless ``details["exact"]`` is true.
        """
        if kind is ModelKind.P1:
            raise UnsupportedModelError("P1 is a selection model; use solve_selection.")
        require(self, kind)
        recorder = Recorder(on_progress)
        look = FirstLook(None)  # alpha's box is too particular for a quick look
        if not kind.in_alpha and problem.features is not None:
            look = look_at_margin(problem, slack_limit(problem, options), stop)
        model = build_margin(problem, kind, options, look)
        outcome = self._run_unless_stopped(model.program, stop, options, recorder)
        blank = MarginResult(
            status=Status.UNKNOWN,
            dual_coef=np.zeros(len(problem.positive)),
            weights=None if problem.features is None else np.zeros(problem.features.shape[1]),
            intercept=0.0,
            counted=np.zeros(len(problem.positive), dtype=bool),
            objective=math.inf,
            bound=0.0,
            seconds=0.0,
            solver=self.name,
            solver_version=self.version(),
            stop_reason=outcome.reason,
            details={
                "model": str(kind),
                "m1": model.m1,
                "exact": model.exact,
                "box": problem.C / 2.0 if kind.in_alpha else math.inf,
                "nodes": outcome.nodes,
            },
        )
        result = read_margin(model, outcome, blank)
        history = recorder.close(result.objective, result.bound)
        return replace(result, seconds=recorder.seconds, history=history)

    def _run_unless_stopped(
        self, program: Program, stop: Stopper, options: ModelOptions, recorder: Recorder
    ) -> Outcome:
        if stop():
            return Outcome(Ending.STOPPED, stop.reason, None, -math.inf)
        return self.run(program, stop, options, recorder)
