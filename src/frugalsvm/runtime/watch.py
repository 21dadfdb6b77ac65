"""Long work in a thread of its own, so that limits and Ctrl-C hold whatever it is doing.

Signals reach Python's main thread only, and only between two steps of Python code: in the middle of
a compiled kernel or a solver nobody hears them. So the work runs elsewhere, and the thread that
asked for it waits in Python, hears Ctrl-C, and tells the work to stop. Work that does not stop soon
is left alone: whoever asked for it takes what there is.
"""

from __future__ import annotations

import threading
import time
from collections.abc import Callable
from typing import Generic, TypeVar

from frugalsvm.runtime.stopping import Stopper

T = TypeVar("T")

LOOK = 0.02
"""Seconds between two looks at the clock."""

GRACE = 0.5
"""Seconds that work has to come to an end when it is time to stop."""


class _Work(threading.Thread, Generic[T]):
    """A thread that keeps what the work returned or raised; it does not keep the process alive."""

    def __init__(self, work: Callable[[], T]) -> None:
        super().__init__(name="frugalsvm-work", daemon=True)
        self._work = work
        self.outcome: T | None = None
        self.error: BaseException | None = None

    def run(self) -> None:
        try:
            self.outcome = self._work()
        except BaseException as error:  # noqa: BLE001  # handed on to the thread that waits
            self.error = error


def watched(
    work: Callable[[], T], stop: Stopper, look: Callable[[], None], *, patient: bool = False
) -> T | None:
    """Return ``work()``, or None if it had not ended by some time after `stop` said so.

    Parameters
    ----------
    work : callable
        The work; it returns something other than None, and soon after `stop` says so.
    stop : Stopper
        Time limit and interrupt.
    look : callable
        Called again and again; it asks compiled code to end once it is time to stop.
    patient : bool
        Wait for the work whatever it takes.

    Examples
    --------
    >>> watched(lambda: 42, Stopper(60.0), look=lambda: None)
    42
    """
    thread = _Work(work)
    thread.start()
    give_up = None
    try:
        while thread.is_alive():
            thread.join(LOOK)
            look()
            if stop() and thread.is_alive() and not patient:
                now = time.perf_counter()
                give_up = now + GRACE if give_up is None else give_up
                if now >= give_up:
                    return None
    except BaseException:  # a second Ctrl-C, say: nobody waits for the work any more
        stop.interrupt()
        look()
        raise
    if thread.error is not None:
        raise thread.error
    return thread.outcome
