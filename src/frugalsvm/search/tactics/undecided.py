"""The supports that the enumeration's kernels left open: in a good order, then one by one."""

from __future__ import annotations

import itertools
from collections import deque
from concurrent.futures import Future, ThreadPoolExecutor
from enum import Enum

import numpy as np

from frugalsvm.search.heuristics.error_line_search import fewest_on
from frugalsvm.search.oracles.ladder import climb
from frugalsvm.search.problem.reduction import Floats
from frugalsvm.search.state import SearchState
from frugalsvm.search.tactics.futures import finished
from frugalsvm.search.tuning import LAST_RESORT
from frugalsvm.search.verdict import Verdict


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
            waiting.append(pool.submit(climb, state, support, LAST_RESORT))
        if not waiting:
            return Outcome.PROVEN
        verdict = finished(state, waiting.popleft())
        if verdict.direction is not None and state.offer(verdict.direction):
            return Outcome.FOUND
        if not verdict.infeasible:
            return Outcome.OPEN
    return Outcome.OPEN
