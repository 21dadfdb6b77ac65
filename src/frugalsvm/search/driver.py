"""The orchestrator: which tactic runs when, and what the caller gets.

First the cheap and exact scan of single features and a short heuristic: many problems are closed
by them. Then the proof, which also finds what the heuristic missed: covers where features have
few values or no errors are allowed, the enumeration of supports by cost everywhere else, and
covers again for what the enumeration leaves open.
"""

from __future__ import annotations

import math
from collections.abc import Iterator

import numpy as np

from frugalsvm.problem import SelectionProblem
from frugalsvm.result import SelectionResult, Status, StopReason
from frugalsvm.search.heuristics.attainable import witnesses
from frugalsvm.search.heuristics.fit_cache import Fitter
from frugalsvm.search.heuristics.heuristic import Heuristic
from frugalsvm.search.knowledge import Knowledge
from frugalsvm.search.oracles.batch import MOST_CONFLICTS
from frugalsvm.search.oracles.ladder import decide
from frugalsvm.search.state import SearchState, Tactic
from frugalsvm.search.tactics.cover.search import Cover, promising
from frugalsvm.search.tactics.enumeration import Enumeration
from frugalsvm.search.tactics.merged_supports import MergedSupports
from frugalsvm.search.tactics.scan import Scan
from frugalsvm.search.tactics.ties import prefer_slack
from frugalsvm.stopping import Stopper
from frugalsvm.version import VERSION

MOST_EFFORT = 3  # on the one support that there is
LARGEST_WHOLE = 300  # features that may be judged all at once
SIFTED_AT_ONCE = 12_000_000  # supports of few-valued features that a sieve takes seconds for


class Seeds:
    """What earlier searches know."""

    name = "knowledge"

    def __init__(self, knowledge: Knowledge) -> None:
        self.knowledge = knowledge

    def run(self, state: SearchState) -> None:
        """Try their supports, take over their proofs."""
        core = state.core
        problem = core.source
        state.raise_bound(core.units_from(self.knowledge.bound_for(problem)))
        fitter = Fitter(state, math.inf)
        for support in self.knowledge.seeds:
            allowed = [k for k in support if k < problem.n_features and not problem.exclude[k]]
            if not state.stop():
                fitter.fit(_priced(state, core.core_support(tuple(allowed))))
        free = set(core.free.tolist())
        for support in self.knowledge.infeasible_for(problem):
            known = set(core.core_support(support))
            if free <= known:
                state.door.rule_out(known, "knowledge")
                state.remember_infeasible(tuple(sorted(known - free)))


class LastResort:
    """Runs if nothing was found: the witnesses of `attainable`, and the whole judged at once."""

    name = "last resort"

    def __init__(self, effort: int = 1) -> None:
        self.effort = effort

    def run(self, state: SearchState) -> None:
        """Find what is reported as attainable, or prove that nothing can be found."""
        core = state.core
        if state.best is not None:
            return
        for direction in witnesses(core, state.stop):
            state.offer(direction)
        for effort in range(1, self.effort + 1):
            if state.best is not None or core.n_features > LARGEST_WHOLE or state.finished():
                return
            verdict = decide(state, tuple(int(k) for k in core.priced), effort)
            if verdict.direction is not None:
                state.offer(verdict.direction)
            elif verdict.infeasible:
                state.prove_infeasible()


def solve(state: SearchState, knowledge: Knowledge | None) -> None:
    """Run the tactics until the answer is proven or the time is over."""
    core = state.core
    if core.need_pos == 0 or core.need_neg == 0:
        state.offer(np.zeros(core.n_features))
        return
    if core.n_features == 0:
        state.prove_infeasible()
    if state.finished():
        return
    for tactic in plan(state, knowledge):
        state.perform(tactic)
        if state.finished():
            return


def plan(state: SearchState, knowledge: Knowledge | None) -> Iterator[Tactic]:
    """Yield the tactics in their order; the later ones are chosen when the first are over."""
    if len(state.core.priced) == 0:  # there is nothing to choose
        yield LastResort(effort=MOST_EFFORT)
        return
    yield Scan()
    if knowledge is not None:
        yield Seeds(knowledge)
    yield Heuristic()
    yield LastResort()
    if state.options.cover and promising(state.core):
        yield from sifting(state)
        yield Cover()
        yield Enumeration()
    else:
        yield Enumeration()
        yield Cover()


def sifting(state: SearchState) -> list[Tactic]:
    """Return what uses the sieve: the enumeration if it can end soon, or better answers.

    Small budgets: the enumeration decides what passes the sieve. Large ones: it could not, and
    covers come first. Where no errors are allowed covers are faster still.
    """
    core = state.core
    errors = core.budget_pos + core.budget_neg
    if errors == 0 or state.sieve is None:
        return []
    if errors > MOST_CONFLICTS:
        return [MergedSupports()]
    return [Enumeration(most=int(SIFTED_AT_ONCE * min(1.0, 400 / core.n_samples)))]


def _priced(state: SearchState, support: tuple[int, ...]) -> tuple[int, ...]:
    free = set(state.core.free.tolist())
    return tuple(k for k in support if k not in free)


def finish(
    state: SearchState, problem: SelectionProblem, n_alternatives: int, knowledge: Knowledge | None
) -> SelectionResult:
    """Settle the ties, return the answer as plain data, and leave the proofs to the next."""
    alternatives = prefer_slack(state, n_alternatives)
    result = result_of(state, problem, alternatives)
    if knowledge is not None:
        free = tuple(state.core.free.tolist())
        sets = [state.core.original_support((*s, *free)) for s in state.infeasible_sets]
        knowledge.learn(problem, result, state.core.money(state.bound), sets)
    return result


def unfinished(
    problem: SelectionProblem, stop: Stopper, begun: list[SearchState]
) -> SelectionResult:
    """Return what is known of a search that did not end when it was time to."""
    if begun:
        begun[0].count("left running")
        return result_of(begun[0], problem, ())
    return SelectionResult(
        status=Status.UNKNOWN,
        support=(),
        weights=np.zeros(problem.n_features),
        intercept=0.0,
        cost=math.inf,
        bound=problem.costs.cost(np.flatnonzero(problem.include)),
        seconds=stop.elapsed,
        solver="frugalsvm",
        solver_version=VERSION,
        stop_reason=stop.reason,
    )


def result_of(
    state: SearchState, problem: SelectionProblem, alternatives: tuple[tuple[int, ...], ...]
) -> SelectionResult:
    """Return the state's answer as plain data."""
    with state.lock:  # a search that was left running goes on
        best, (cost, bound), history = state.best, state.amounts(), tuple(state.history)
        closed = state.closed
    if best is not None:
        status = Status.OPTIMAL if closed else Status.FEASIBLE
    else:
        status = Status.INFEASIBLE if closed else Status.UNKNOWN
    settled = status in (Status.OPTIMAL, Status.INFEASIBLE)
    reason = StopReason.COMPLETED if settled else state.stop.reason
    if not settled and reason is StopReason.COMPLETED:
        reason = StopReason.UNRESOLVED
    return SelectionResult(
        status=status,
        support=best.support if best is not None else (),
        weights=best.weights if best is not None else np.zeros(problem.n_features),
        intercept=best.intercept if best is not None else 0.0,
        cost=cost,
        bound=bound,
        seconds=state.stop.elapsed,
        solver="frugalsvm",
        solver_version=VERSION,
        stop_reason=reason,
        alternatives=alternatives,
        history=history,
        details=dict(state.figures) | state.door.summary(),
    )
