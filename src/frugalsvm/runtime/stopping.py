"""When long work has to stop: at its time limit, or when the user presses Ctrl-C."""

from __future__ import annotations

import math
import signal
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from types import FrameType

from frugalsvm.data.result import StopReason


@dataclass
class Allowance:
    """Seconds for which clocks may stand still."""

    left: float


COMPILATION = Allowance(45.0)
"""What compiling kernels may add to the time limits of a process, all in all."""


@contextmanager
def compilation_at_leisure() -> Iterator[None]:
    """Let compiling add to the time limits whatever it takes, where it is what is wanted."""
    left, COMPILATION.left = COMPILATION.left, math.inf
    try:
        yield
    finally:
        COMPILATION.left = left


class Clock:
    """Wall time that can stand still, for as long as an allowance lasts.

    Parameters
    ----------
    allowance : Allowance
        How long; shared by all clocks that draw on it.
    """

    def __init__(self, allowance: Allowance = COMPILATION) -> None:
        self._allowance = allowance
        self._lost = 0.0
        self._paused_at = math.inf

    def now(self) -> float:
        """Return the seconds that count."""
        now = time.perf_counter()
        return now - self._lost - self._pause(now)

    def pause(self) -> None:
        """Let no time pass until :meth:`resume`."""
        self._paused_at = min(self._paused_at, time.perf_counter())

    def resume(self) -> None:
        """Let time pass again."""
        pause = self._pause(time.perf_counter())
        self._paused_at = math.inf
        self._lost += pause
        self._allowance.left -= pause

    def _pause(self, now: float) -> float:
        """Return for how long time has stood still since the last pause began."""
        return min(max(0.0, now - self._paused_at), max(0.0, self._allowance.left))


class Stopper:
    """Tells long loops whether to go on; one is shared by all stages of a fit.

    Parameters
    ----------
    time_limit : float or None
        Seconds from now; None: no limit.
    clock : Clock or None
        What they are measured with; None: a clock of its own.

    Examples
    --------
    >>> stop = Stopper(60.0)
    >>> stop()
    False
    >>> stop.interrupt()
    >>> stop(), stop.reason
    (True, <StopReason.INTERRUPTED: 'interrupted'>)
    """

    def __init__(self, time_limit: float | None = None, clock: Clock | None = None) -> None:
        self.clock = Clock() if clock is None else clock
        self.started = self.clock.now()
        self.deadline = math.inf if time_limit is None else self.started + time_limit
        self._interrupted = False

    def __call__(self) -> bool:
        """Return True if the work has to stop now."""
        return self._interrupted or self.clock.now() >= self.deadline

    def interrupt(self) -> None:
        """Ask for a stop at the next check."""
        self._interrupted = True

    @property
    def interrupted(self) -> bool:
        """True after :meth:`interrupt`."""
        return self._interrupted

    @property
    def reason(self) -> StopReason:
        """Why the work stopped, as far as this object knows."""
        if self._interrupted:
            return StopReason.INTERRUPTED
        if self.clock.now() >= self.deadline:
            return StopReason.TIME_LIMIT
        return StopReason.COMPLETED

    @property
    def elapsed(self) -> float:
        """Seconds since the start."""
        return self.clock.now() - self.started

    @property
    def remaining(self) -> float:
        """Seconds to the deadline; never negative, infinite without a limit."""
        return max(0.0, self.deadline - self.clock.now())

    def extended(self, seconds: float) -> Stopper:
        """Return a stopper with this one's remaining time, but `seconds` at the least."""
        limit = None if math.isinf(self.deadline) else max(self.remaining, seconds)
        return Stopper(limit, self.clock)

    def within(self, seconds: float, until: Callable[[], bool] | None = None) -> Stopper:
        """Return a stopper for a part of the work: this one's deadline, or `seconds` if sooner.

        If `until` is given, that part also ends as soon as it returns True.
        """
        return _PartialStopper(self, seconds, until)


class _PartialStopper(Stopper):
    """A shorter deadline that still hears the whole's interrupt."""

    def __init__(
        self, whole: Stopper, seconds: float, until: Callable[[], bool] | None = None
    ) -> None:
        super().__init__(min(seconds, whole.remaining), whole.clock)
        self._whole = whole
        self._until = until

    def __call__(self) -> bool:
        over = self._whole() or super().__call__()
        return over or (self._until is not None and self._until())

    def interrupt(self) -> None:
        self._whole.interrupt()

    @property
    def interrupted(self) -> bool:
        return self._whole.interrupted

    @property
    def reason(self) -> StopReason:
        return StopReason.INTERRUPTED if self._whole.interrupted else super().reason


_listening: list[Stopper] = []
"""The stoppers that a Ctrl-C reaches now: those of a fit, and of the fits within it."""


@contextmanager
def interruptible(stop: Stopper) -> Iterator[Stopper]:
    """Turn the first Ctrl-C into ``stop.interrupt()``; a second one raises KeyboardInterrupt.

    May be nested: a Ctrl-C reaches all stoppers at once. Signals reach the main thread only;
    elsewhere, and where the program has a handler of its own, nothing changes.
    """
    before = signal.getsignal(signal.SIGINT)
    if threading.current_thread() is not threading.main_thread() or before not in (
        signal.default_int_handler,
        _hear,
    ):
        yield stop
        return
    _listening.append(stop)
    try:
        signal.signal(signal.SIGINT, _hear)
        yield stop
    finally:
        signal.signal(signal.SIGINT, before)
        _listening.remove(stop)


def _hear(_signal: int, _frame: FrameType | None) -> None:
    if all(stop.interrupted for stop in _listening):
        raise KeyboardInterrupt
    for stop in _listening:
        stop.interrupt()
