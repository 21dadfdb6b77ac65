"""Work in other processes or on other machines, through whatever backend joblib is told to use.

What a kind of work needs of the data is sent ahead, once for all its pieces, and unpacked once by
each worker. A piece that is lost with its worker is sent again.
"""

from __future__ import annotations

import pickle
import queue
import sys
import threading
import uuid
from collections import OrderedDict
from collections.abc import Callable, Generator, Iterable, Iterator
from contextlib import closing
from dataclasses import dataclass
from itertools import chain
from typing import Any, Generic, TypeVar

import numpy as np
from joblib import Parallel, delayed, effective_n_jobs, parallel_config
from joblib.parallel import get_active_backend
from numpy.typing import NDArray

from frugalsvm.runtime.hands import Halt
from frugalsvm.runtime.stopping import Stopper

HEARING = 0.1
"""Seconds between looks at the clock, and for Ctrl-C."""

PARTING = 0.2
"""Seconds that what is under way has to come to an end."""

MOST_FAILURES = 5
"""How often in a row workers may be lost with no piece done: then the cause is another."""

MOST_UNPACKED = 4
"""Kinds of work that a worker keeps at hand."""

T = TypeVar("T")
R = TypeVar("R")
Work = Callable[[T, Halt], R]


@dataclass(frozen=True)
class Workers:
    """The workers of the backend that ``joblib.parallel_config`` names.

    Attributes
    ----------
    backend : object
        joblib's backend.
    count : int
        How many pieces are done at a time.
    """

    backend: Any
    count: int

    @classmethod
    def asked_for(cls, n_jobs: int | None) -> Workers | None:
        """Return the workers; None if the work is to be done by threads of this process.

        That is so for ``n_jobs=1``, too. A worker does not hand on what it was given.
        """
        backend, configured = get_active_backend(prefer="threads")
        if n_jobs == 1 or shares_memory(backend) or _on_a_worker():
            return None
        if n_jobs is None:
            n_jobs = configured if configured not in (None, 1) else -1
        if not getattr(backend, "two_or_more", False):
            _never_here(backend)
        return cls(backend, int(effective_n_jobs(n_jobs)))


class Elsewhere:
    """Hands that are workers; one kind of work at a time.

    Parameters
    ----------
    workers : Workers
        Who they are.
    stop : Stopper
        Of the whole. Pieces that are under way then are left to their own time limits.
    """

    def __init__(self, workers: Workers, stop: Stopper) -> None:
        self.count = workers.count
        self._backend = workers.backend
        self._stop = stop
        self._turn = threading.Lock()
        self._sending: threading.Thread | None = None
        self._packed: tuple[Any, str, NDArray[np.uint8]] | None = None

    def in_order(self, work: Work[T, R], pieces: Iterable[T]) -> Generator[R | None, None, None]:
        """Do the work on each piece; see :class:`~frugalsvm.runtime.hands.Hands`.

        Both have to be such that they can be pickled.
        """
        feed, done, following, failures = _Feed(pieces), dict[int, R](), 0, 0
        with closing(feed):
            while not feed.complete:
                before = len(done) + following
                try:
                    with closing(self.as_they_come(work, feed)) as outcomes:
                        for number, outcome in outcomes:
                            done[number] = outcome
                            while following in done:
                                feed.forget(following)
                                yield done.pop(following)
                                following += 1
                except Exception:  # whatever a backend raises when workers are lost
                    feed.raise_own()
                    failures = failures + 1 if len(done) + following == before else 0
                    if failures > MOST_FAILURES:
                        raise
                if self._stop():
                    feed.close()
                    yield from (done.get(number) for number in range(following, feed.drawn))
                    return
                feed.send_again(following, done)

    def as_they_come(
        self, work: Work[T, R], numbered: Iterable[tuple[int, T]]
    ) -> Generator[tuple[int, R], None, None]:
        """Yield what comes of numbered pieces, with their numbers, in any order.

        It ends early when it is time to stop, and raises an error when workers are lost.
        """
        with self._turn:
            while self._sending is not None and self._sending.is_alive():
                self._sending.join(HEARING)  # what is not needed any more comes to its end
                if self._stop():
                    return
            errand: _Errand[T, R] = _Errand(self, self._pack(work), numbered, self._stop)
            self._sending = threading.Thread(target=errand.run, daemon=True)
            self._sending.start()
            try:
                yield from errand.outcomes()
            finally:
                errand.over = True

    def send(self, calls: Iterable[Any]) -> Iterator[Any]:
        """Return what comes of delayed calls, in any order."""
        with parallel_config(backend=self._backend, n_jobs=self.count):
            parallel = Parallel(
                return_as="generator_unordered", pre_dispatch="2*n_jobs", batch_size=1
            )
            outcomes: Iterator[Any] = parallel(calls)
            return outcomes

    def _pack(self, work: Work[T, R]) -> tuple[str, NDArray[np.uint8]]:
        """Return a kind of work ready to be sent, with a name by which workers know it again."""
        if self._packed is None or self._packed[0] is not work:
            packed = np.frombuffer(pickle.dumps(work), np.uint8)
            self._packed = work, uuid.uuid4().hex, packed
        return self._packed[1:]

    def dismiss(self) -> None:
        """Let them go; what they have begun ends by itself, and mostly at once."""
        if self._sending is not None:
            self._sending.join(PARTING)


class _Feed(Generic[T]):
    """Pieces with their numbers, as joblib's threads draw them; those that are lost come again."""

    def __init__(self, pieces: Iterable[T]) -> None:
        self.drawn = 0
        self.complete = False
        self._sent: dict[int, T] = {}
        self._pieces = iter(pieces)
        self._again: list[int] = []
        self._lock = threading.Lock()
        self._error: BaseException | None = None
        self._over = False

    def __iter__(self) -> Iterator[tuple[int, T]]:
        again, self._again = self._again, []
        return chain(((number, self._sent[number]) for number in again), self._draw())

    def _draw(self) -> Iterator[tuple[int, T]]:
        while True:
            with self._lock:
                if self._over:
                    return
                try:
                    piece = next(self._pieces)
                except StopIteration:
                    self._over = True
                    return
                except BaseException as error:
                    self._error = error
                    raise
                number = self.drawn
                self._sent[number] = piece
                self.drawn += 1
            yield number, piece

    def forget(self, number: int) -> None:
        """Keep a piece that is done no longer."""
        with self._lock:
            del self._sent[number]

    def send_again(self, following: int, done: dict[int, Any]) -> None:
        """Let what was drawn, is not done, and follows what is, come again."""
        with self._lock:
            self._sent = {number: self._sent[number] for number in range(following, self.drawn)}
            self._again = [number for number in self._sent if number not in done]
            self.complete = self._over and not self._again

    def close(self) -> None:
        """Let no more pieces be drawn: nobody would hear of them."""
        with self._lock:
            self._over = True

    def raise_own(self) -> None:
        """Raise the error of whoever makes the pieces, if there is one."""
        if self._error is not None:
            raise self._error


class _Errand(Generic[T, R]):
    """Pieces on their way: sent and received by a thread of its own."""

    def __init__(
        self,
        elsewhere: Elsewhere,
        packed: tuple[str, NDArray[np.uint8]],
        numbered: Iterable[tuple[int, T]],
        stop: Stopper,
    ) -> None:
        self.over = False
        self._elsewhere = elsewhere
        self._packed = packed
        self._numbered = numbered
        self._stop = stop
        self._queue: queue.SimpleQueue[tuple[int, R] | BaseException | None] = queue.SimpleQueue()

    def run(self) -> None:
        """Send the pieces, and take what comes of them."""
        try:
            for outcome in self._elsewhere.send(self._calls()):
                self._queue.put(outcome)
            self._queue.put(None)
        except BaseException as error:  # noqa: BLE001  # raised again by whoever waits
            self._queue.put(error)

    def _calls(self) -> Iterator[Any]:
        for number, piece in self._numbered:
            if self.over or self._stop():
                return
            yield delayed(perform)(*self._packed, number, piece, self._stop.remaining)

    def outcomes(self) -> Iterator[tuple[int, R]]:
        """Yield the outcomes until the last, or until it is time to stop."""
        while True:
            try:
                outcome = self._queue.get(timeout=HEARING)
            except queue.Empty:
                if self._stop():
                    return
                continue
            if isinstance(outcome, BaseException):
                raise outcome
            if outcome is None:
                return
            yield outcome


_unpacked: OrderedDict[str, Work[Any, Any]] = OrderedDict()
_unpacking = threading.Lock()


def perform(
    key: str, packed: NDArray[np.uint8], number: int, piece: Any, seconds: float
) -> tuple[int, Any]:
    """Do a piece of work in a worker, for so many seconds at most; return its number, too."""
    with _unpacking:
        if key not in _unpacked:
            _unpacked[key] = pickle.loads(packed.tobytes())  # packed above
            while len(_unpacked) > MOST_UNPACKED:
                _unpacked.popitem(last=False)
        work = _unpacked[key]
    halt = np.zeros(1, np.int64)
    timer = threading.Timer(min(seconds, threading.TIMEOUT_MAX), halt.fill, (1,))
    timer.daemon = True
    timer.start()
    try:
        return number, work(piece, halt)
    finally:
        timer.cancel()


def shares_memory(backend: Any) -> bool:
    """Return True if the workers of joblib's backend are threads of this process."""
    return bool(getattr(backend, "supports_sharedmem", False))


def _on_a_worker() -> bool:
    """Return True within a task of Dask."""
    distributed = sys.modules.get("distributed")
    if distributed is None:
        return False
    try:
        distributed.get_worker()
    except ValueError:
        return False
    return True


def _never_here(backend: Any) -> None:
    """Let joblib count two workers where there is one.

    Of a single job it makes a loop in this process, which would be the wrong one, and is when all
    workers of a cluster but one are lost. So one job more waits for its turn.
    """
    count = backend.effective_n_jobs
    backend.effective_n_jobs = lambda n_jobs: max(2, count(n_jobs))
    backend.two_or_more = True
