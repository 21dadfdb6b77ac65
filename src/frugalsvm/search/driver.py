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

from frugalsvm.data.costs import rounded_down
from frugalsvm.data.problem import SelectionProblem
from frugalsvm.data.result import SelectionResult, Status, StopReason
from frugalsvm.runtime.stopping import Stopper
from frugalsvm.search.heuristics.heuristic import Heuristic
from frugalsvm.search.heuristics.improvement import Improvement
from frugalsvm.search.knowledge import Knowledge
from frugalsvm.search.state import SearchState, Tactic
from frugalsvm.search.tactics.cover.search import Cover
from frugalsvm.search.tactics.enumeration import Enumeration
from frugalsvm.search.tactics.last_resort import LastResort
from frugalsvm.search.tactics.merged_supports import MergedSupports
from frugalsvm.search.tactics.scan import Scan
from frugalsvm.search.tactics.seeds import Seeds
from frugalsvm.search.tactics.ties import prefer_slack
from frugalsvm.search.tuning import SIFTED_AT_ONCE, THOROUGH
from frugalsvm.version import VERSION


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
        yield LastResort(THOROUGH)
        return
    yield Scan()
    if knowledge is not None:
        yield Seeds(knowledge)
    yield Heuristic()
    yield Improvement()
    yield LastResort()
    if state.options.cover and state.regime.covers_first:
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
    if state.regime.errors == 0 or state.sieve is None:
        return []
    if not state.regime.packs_conflicts:
        return [MergedSupports()]
    return [Enumeration(most=int(SIFTED_AT_ONCE * min(1.0, 400 / state.core.n_samples)))]


def finish(
    state: SearchState, problem: SelectionProblem, n_alternatives: int, knowledge: Knowledge | None
) -> SelectionResult:
    """Settle the ties, return the answer as plain data, and leave the proofs to the next."""
    with state.tallied("ties"):
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
        bound=rounded_down(problem.costs.amount(np.flatnonzero(problem.include))),
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
