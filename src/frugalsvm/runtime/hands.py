"""Who does pieces of work at the same time: threads of this process, or workers elsewhere."""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Generator, Iterable
from concurrent.futures import Future, ThreadPoolExecutor
from typing import Protocol, TypeVar

import numpy as np
from numpy.typing import NDArray

T = TypeVar("T")
R = TypeVar("R")

Halt = NDArray[np.int64]
"""One number that kernels look at while they run: nonzero asks them to end undecided."""


class Hands(Protocol):
    """Several hands, for one kind of work at a time or for many."""

    @property
    def count(self) -> int:
        """How many pieces are done at the same time."""

    def in_order(
        self, work: Callable[[T, Halt], R], pieces: Iterable[T]
    ) -> Generator[R | None, None, None]:
        """Do the work on each piece; yield what comes of it in the order of the pieces.

        Pieces are drawn a few ahead of those that are being worked on. What was not begun when the
        generator is closed is dropped. When it is time to stop the work ends early; None stands
        for a piece that was drawn and that nobody has done.
        """

    def dismiss(self) -> None:
        """Let them go; there is no more work."""


class Threads:
    """Threads of this process, started when there is work.

    Parameters
    ----------
    count : int
        How many.
    halt : ndarray of one int64
        What the work looks at.
    look : callable
        Called while work is waited for; it sets `halt` when it is time to stop.
    """

    def __init__(self, count: int, halt: Halt, look: Callable[[], object]) -> None:
        self.count = count
        self._halt = halt
        self._look = look
        self._pool = ThreadPoolExecutor(count)

    def in_order(
        self, work: Callable[[T, Halt], R], pieces: Iterable[T]
    ) -> Generator[R, None, None]:
        """Do the work on each piece; see :class:`Hands`."""
        waiting: deque[Future[R]] = deque()
        try:
            for piece in pieces:
                waiting.append(self._pool.submit(work, piece, self._halt))
                if len(waiting) >= AHEAD * self.count:
                    yield self._outcome(waiting.popleft())
            while waiting:
                yield self._outcome(waiting.popleft())
        finally:
            for future in waiting:
                future.cancel()

    def dismiss(self) -> None:
        """Let them go; what they do is not waited for."""
        self._pool.shutdown(wait=False, cancel_futures=True)

    def _outcome(self, future: Future[R]) -> R:
        while True:
            try:
                return future.result(timeout=PATIENCE)
            except TimeoutError:
                self._look()


AHEAD = 4
"""Pieces for each of them that are drawn before the first is needed."""

PATIENCE = 0.05
"""Seconds between two looks at the clock."""
