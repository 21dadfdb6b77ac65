"""The orchestrator: which tactic runs when, and what the caller gets."""

from __future__ import annotations

import math

import numpy as np

from frugalsvm.problem import SelectionProblem
from frugalsvm.result import SelectionResult, Status, StopReason
from frugalsvm.search.attain import witnesses
from frugalsvm.search.enumeration import Enumeration
from frugalsvm.search.heuristic import Heuristic
from frugalsvm.search.scan import Scan
from frugalsvm.search.state import SearchState, Tactic


def solve(state: SearchState) -> None:
    """Run the tactics until the answer is proven or the time is over."""
    core = state.core
    if core.need_pos == 0 or core.need_neg == 0:
        state.offer(np.zeros(core.n_features))
        return
    if core.n_features == 0:
        state.prove_infeasible()
        return
    tactics: tuple[Tactic, ...] = (Scan(), Heuristic(), LastResort(), Enumeration())
    for tactic in tactics:
        if state.finished():
            return
        state.phase = tactic.name
        tactic.run(state)


class LastResort:
    """The witnesses behind :func:`frugalsvm.search.attainable`, if nothing else was found."""

    name = "last resort"

    def run(self, state: SearchState) -> None:
        """Offer them, so that what is reported as attainable is found when asked for."""
        if state.best is None:
            for direction in witnesses(state.core, state.stop):
                state.offer(direction)


def result_of(state: SearchState, problem: SelectionProblem, version: str) -> SelectionResult:
    """Return the state's answer as plain data."""
    best = state.best
    if best is not None:
        status = Status.OPTIMAL if state.closed else Status.FEASIBLE
    else:
        status = Status.INFEASIBLE if math.isinf(state.bound) else Status.UNKNOWN
    settled = status in (Status.OPTIMAL, Status.INFEASIBLE)
    reason = StopReason.COMPLETED if settled else state.stop.reason
    if not settled and reason is StopReason.COMPLETED:
        reason = StopReason.UNRESOLVED
    return SelectionResult(
        status=status,
        support=best.support if best is not None else (),
        weights=best.weights if best is not None else np.zeros(problem.n_features),
        intercept=best.intercept if best is not None else 0.0,
        cost=state.cost,
        bound=min(state.bound, state.cost) if best is not None else state.bound,
        seconds=state.stop.elapsed,
        solver="frugalsvm",
        solver_version=version,
        stop_reason=reason,
        history=tuple(state.history),
        details=dict(state.figures),
    )
