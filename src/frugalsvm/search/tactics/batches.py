"""Supports that are judged together, on several threads, and what is made of the verdicts."""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Generator
from concurrent.futures import Future, ThreadPoolExecutor
from contextlib import closing

import numpy as np

from frugalsvm.search.oracles.batch import Judged
from frugalsvm.search.problem.reduction import Ints
from frugalsvm.search.state import SearchState
from frugalsvm.search.tactics.batches_elsewhere import in_order_elsewhere
from frugalsvm.search.tactics.futures import abandon, finished
from frugalsvm.search.tuning import EFFORTS, UNION_BATCH, Effort
from frugalsvm.search.verdict import FEASIBLE, INFEASIBLE


def begin(
    state: SearchState,
    pool: ThreadPoolExecutor,
    effort: Effort,
    rows: Ints,
    sizes: Ints,
    affordable: bool,
) -> Callable[[], Judged]:
    """Begin to judge sets of features, the affordable ones as supports; return how to get on."""
    effort = EFFORTS[0] if affordable else effort
    parts = [slice(first, first + UNION_BATCH) for first in range(0, len(rows), UNION_BATCH)]
    futures = [pool.submit(judge_batch, state, rows[p], sizes[p], effort) for p in parts]

    def whole() -> Judged:
        done = [finished(state, future) for future in futures]
        verdicts = np.concatenate([batch.verdicts for batch in done])
        return Judged(rows, sizes, verdicts, np.concatenate([batch.directions for batch in done]))

    return whole


def from_queue(queue: deque[tuple[int, ...]]) -> tuple[Ints, Ints] | None:
    """Return the next support of a queue; None at the end."""
    if not queue:
        return None
    support = queue.popleft()
    return np.array([support], dtype=np.int64), np.array([len(support)], dtype=np.int64)


def in_order(
    state: SearchState,
    pool: ThreadPoolExecutor,
    source: Callable[[], tuple[Ints, Ints] | None],
    effort: Effort,
    ahead: int = 2,
) -> Generator[Judged, None, None]:
    """Judge batches on the threads, or elsewhere; yield them in the order in which they were drawn.

    The order makes the outcome independent of the threads' timing; `ahead` batches for each
    thread are drawn before the first is needed. When it is time to stop no more are drawn, but
    those that were drawn are still judged and yielded.
    """
    if state.workers is not None:
        yield from in_order_elsewhere(state, state.hands, source, effort)
        return
    waiting: deque[Future[Judged]] = deque()
    drained = False
    try:
        while True:
            while not drained and len(waiting) < ahead * state.threads and not state.stop():
                drawn = source()
                drained = drawn is None
                if drawn is not None and len(drawn[1]):
                    waiting.append(pool.submit(judge_batch, state, *drawn, effort))
            if waiting:
                yield finished(state, waiting.popleft())
            elif drained or state.stop():
                return
    finally:
        abandon(state, waiting)


def judge_batch(state: SearchState, rows: Ints, sizes: Ints, effort: Effort) -> Judged:
    """Judge supports with as much of an effort as is switched on; count the work."""
    verdicts, directions, work = state.oracles.judge(rows, sizes, effort, state.options)
    state.count_work(work)
    return Judged(rows, sizes, verdicts, directions)


def keep_open(
    state: SearchState,
    batches: Generator[Judged, None, None],
    undecided: list[tuple[int, ...]],
) -> bool:
    """Collect the supports left open; True as soon as a feasible one is a new best answer."""
    with closing(batches):
        for batch in batches:
            if offer_feasible(state, batch):
                return True
            for r in np.flatnonzero(batch.verdicts != INFEASIBLE):
                undecided.append(tuple(int(k) for k in batch.rows[r, : batch.sizes[r]]))
    return False


def offer_feasible(state: SearchState, batch: Judged) -> bool:
    """Offer the first feasible support of the batch, if there is one."""
    feasible = np.flatnonzero(batch.verdicts == FEASIBLE)
    if len(feasible) == 0:
        return False
    r = feasible[0]
    direction = np.zeros(state.core.n_features)
    size = batch.sizes[r]
    direction[batch.rows[r, :size]] = batch.directions[r, :size]
    return state.offer(direction)
