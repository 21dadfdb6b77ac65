"""The supports that the enumeration's kernels left open, one by one."""

from __future__ import annotations

import itertools
from collections import deque
from concurrent.futures import Future, ThreadPoolExecutor
from enum import Enum

from frugalsvm.search.oracles.ladder import climb
from frugalsvm.search.state import SearchState
from frugalsvm.search.tactics.futures import finished
from frugalsvm.search.tuning import LAST_RESORT
from frugalsvm.search.verdict import Verdict


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
