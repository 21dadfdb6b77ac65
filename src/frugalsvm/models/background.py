"""Running a native solver so that limits, Ctrl-C and progress reach it at once.

The solver works in a thread of its own, without Python's lock; the caller's thread stays in
Python, where signals are delivered, and tells the solver to stop when it must.
"""

from __future__ import annotations

import math
import os
import signal
import threading
import time
from collections.abc import Callable
from concurrent.futures import Future, ThreadPoolExecutor, wait
from dataclasses import dataclass, field
from typing import TypeVar

import numpy as np
from numpy.typing import NDArray

from frugalsvm.data.result import Progress
from frugalsvm.models.program import Ending, Outcome
from frugalsvm.models.protocol import OnProgress
from frugalsvm.runtime.stopping import Stopper

T = TypeVar("T")

POLL_SECONDS = 0.05

SHARED_THREADS = 16
"""Most threads in which a solver that counts its threads works at a time."""

GRACE, SHARE = 0.4, 0.04
"""Seconds, and share of the time so far, that a solver has to end when it is asked to."""


@dataclass
class Recorder:
    """The history of a solve: written by the solver's thread, reported by the caller's.

    `worth` is what one unit of the solver's objective is in the user's terms.
    """

    on_progress: OnProgress | None = None
    worth: float = 1.0
    started: float = field(default_factory=time.perf_counter)
    history: list[Progress] = field(default_factory=list)
    incumbent: NDArray[np.float64] | None = None
    bound: float = -math.inf
    _reported: int = 0

    def keep(self, x: NDArray[np.float64]) -> None:
        """Keep the solver's best point, for the case that it never comes back."""
        self.incumbent = x

    def record(self, cost: float, bound: float) -> None:
        """Note the solver's best objective and bound, if either has moved."""
        self.bound = bound
        cost, bound = cost * self.worth, bound * self.worth
        if self.history and (self.history[-1].cost, self.history[-1].bound) == (cost, bound):
            return
        self.history.append(Progress(self.seconds, cost, bound))

    def close(self, cost: float, bound: float) -> tuple[Progress, ...]:
        """Return the history, ended by the checked answer in the user's terms."""
        self.worth = 1.0
        self.record(cost, bound)
        self.report()
        return tuple(self.history)

    def report(self) -> None:
        """Hand what is new to the user's callback."""
        while self._reported < len(self.history):
            if self.on_progress is not None:
                self.on_progress(self.history[self._reported])
            self._reported += 1

    @property
    def seconds(self) -> float:
        """Seconds since the solve began."""
        return time.perf_counter() - self.started


def run_cancellable(
    work: Callable[[], T],
    cancel: Callable[[], None],
    stop: Stopper,
    recorder: Recorder,
    *,
    patient: bool = True,
    workers: ThreadPoolExecutor | None = None,
) -> T | None:
    """Return ``work()``, run in a thread of `workers`; `cancel` is called when `stop` says so.

    `cancel` may be called several times and must only ask the solver to end. An exception here
    (a second Ctrl-C, an error of the progress callback) also cancels, waits, and goes on up.

    Some parts of a solver look at no clock. Unless `patient`, one that does not end soon after
    it was asked to is left to end by itself, and the return value is None. Without `workers`
    the thread is a fresh one.
    """
    pool = ThreadPoolExecutor(1, "frugalsvm-solver") if workers is None else workers
    future = pool.submit(work)
    if workers is None:
        pool.shutdown(wait=False)  # the one task still runs to its end
    try:
        if not _watched(future, cancel, stop, recorder, patient=patient):
            return None
    except BaseException:
        while not future.done():
            cancel()
            wait([future], POLL_SECONDS)
        raise
    recorder.report()
    return future.result()


def _watched(
    future: Future[T],
    cancel: Callable[[], None],
    stop: Stopper,
    recorder: Recorder,
    *,
    patient: bool,
) -> bool:
    """Watch over a solver until it ends; False if it would not."""
    in_main_thread = threading.current_thread() is threading.main_thread()
    give_up = math.inf
    while not future.done():
        wait([future], POLL_SECONDS)
        if in_main_thread:
            _take_back_ctrl_c()
        recorder.report()
        if stop():
            cancel()
            give_up = min(give_up, time.perf_counter() + GRACE + SHARE * stop.elapsed)
            if not patient and time.perf_counter() >= give_up and not future.done():
                return False
    return True


_shared: dict[tuple[int, str], ThreadPoolExecutor] = {}


def shared_workers(name: str) -> ThreadPoolExecutor:
    """Return threads that are used again and again, for solvers that count the threads they see.

    A forked process has its own: threads do not survive a fork.
    """
    key = (os.getpid(), name)
    if key not in _shared:
        _shared[key] = ThreadPoolExecutor(SHARED_THREADS, f"frugalsvm-{name}")
    return _shared[key]


def left_alone(recorder: Recorder, stop: Stopper) -> Outcome:
    """Return the outcome of a solver that did not end when asked: what it had told by then."""
    return Outcome(Ending.STOPPED, stop.reason, recorder.incumbent, recorder.bound)


def _take_back_ctrl_c() -> None:
    """Point Ctrl-C at Python again: Gurobi takes it while it works, and prints."""
    handler = signal.getsignal(signal.SIGINT)
    if handler is not None:  # None: installed by something other than Python, and not ours
        signal.signal(signal.SIGINT, handler)
