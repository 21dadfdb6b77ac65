"""The supports that the enumeration's kernels left open: in a good order, then one by one."""

from __future__ import annotations

import itertools
from collections import deque
from collections.abc import Iterable
from concurrent.futures import Future, ThreadPoolExecutor, wait
from enum import Enum
from typing import TypeVar

import numpy as np

from frugalsvm.search.heuristics.error_line_search import fewest_on
from frugalsvm.search.oracles.batch import MOST_CONFLICTS
from frugalsvm.search.oracles.errors.search import ConflictOracle
from frugalsvm.search.oracles.ladder import decide
from frugalsvm.search.problem.reduction import Floats
from frugalsvm.search.state import SearchState
from frugalsvm.search.verdict import UNDECIDED, Verdict

ERROR_NODES = 1_000  # of the search over errors
PATIENCE = 0.05  # seconds between two looks at the clock

T = TypeVar("T")


def finished(state: SearchState, future: Future[T]) -> T:
    """Wait for an outcome; when it is time to stop, ask the kernels to leave the rest undecided."""
    while True:
        try:
            return future.result(timeout=PATIENCE)
        except TimeoutError:
            if state.stop():
                state.halt_kernels()


def abandon(state: SearchState, futures: Iterable[Future[T]]) -> None:
    """Drop what was begun and is not needed any more."""
    running = [future for future in futures if not future.cancel()]
    if running:
        state.halt_kernels()
        wait(running)
        state.resume_kernels()


def likeliest_first(
    state: SearchState, supports: list[tuple[int, ...]], pool: ThreadPoolExecutor
) -> tuple[bool, list[tuple[int, ...]]]:
    """Sort supports by how near a descent comes to the budgets; True if one meets them.

    An answer among them then comes early, and the rest of the stage need not be decided.
    """

    def judge(support: tuple[int, ...]) -> tuple[float, Floats | None]:
        if state.stop():
            return np.inf, None
        excess, direction = fewest_on(state.core, state.core.with_free(support))
        return excess, direction if excess == 0.0 else None

    with state.tallied("descent"):
        judged = list(pool.map(judge, supports))
        met = [direction for _, direction in judged if direction is not None]
        found = [state.offer(direction) for direction in met]
    order = np.argsort([excess for excess, _ in judged], kind="stable")
    return any(found), [supports[i] for i in order]


class Outcome(Enum):
    """What became of the supports that were left open."""

    FOUND = "one of them is a new best answer; the others were not all judged"
    PROVEN = "none of them is feasible"
    OPEN = "some stay open"


def settle(
    state: SearchState, undecided: list[tuple[int, ...]], pool: ThreadPoolExecutor
) -> Outcome:
    """Give what the kernels left open to the last resort."""
    if not undecided:
        return Outcome.PROVEN  # also when it is time to stop
    waiting: deque[Future[Verdict]] = deque()
    rest = iter(undecided)
    while not state.stop():
        for support in itertools.islice(rest, state.threads - len(waiting)):
            waiting.append(pool.submit(last_resort, state, support))
        if not waiting:
            return Outcome.PROVEN
        verdict = finished(state, waiting.popleft())
        if verdict.direction is not None and state.offer(verdict.direction):
            return Outcome.FOUND
        if not verdict.infeasible:
            return Outcome.OPEN
    return Outcome.OPEN


def last_resort(state: SearchState, support: tuple[int, ...]) -> Verdict:
    """Judge a support with all that there is."""
    verdict = judged_by_errors(state, support)
    if verdict.decided:
        return verdict
    return decide(state, support, effort=2)


def judged_by_errors(state: SearchState, support: tuple[int, ...]) -> Verdict:
    """Judge a support by which samples to give up, on what its samples merge to."""
    core = state.core
    wanted = state.options.conflicts and state.options.errors
    if not wanted or core.budget_pos + core.budget_neg > MOST_CONFLICTS:
        return UNDECIDED
    merged = ConflictOracle.of(core, state.stop).on(np.asarray(support, dtype=np.int64))
    every = np.arange(len(support))
    verdict = state.door.ask("errors", support, lambda: merged.judge(every, ERROR_NODES))
    if verdict.direction is None:
        return verdict
    direction = np.zeros(core.n_features)
    direction[list(support)] = verdict.direction
    return Verdict(verdict.feasibility, direction)
