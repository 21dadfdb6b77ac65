"""Processes that check seeds: one that hangs is ended, and the others go on."""

from __future__ import annotations

import multiprocessing
import os
import time
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from multiprocessing.connection import Connection, wait
from typing import Any

from fuzz.instances import Failure, Verdict

LONGEST = 240.0
"""Seconds after which an instance is given up: limits are far below."""
WARM_UP = 900.0
"""Seconds for compiling kernels at the start."""
RENEWED = 400
"""Instances after which a process is replaced, so that nothing piles up."""


@dataclass(frozen=True)
class Job:
    """One family of instances: its name, and from a seed to a verdict."""

    name: str
    check: Callable[[int], Verdict]
    warm_up: Callable[[], None]


def in_processes(job: Job, seeds: Iterable[int], number: int) -> Iterator[tuple[int, Verdict]]:
    """Yield the verdicts as they come."""
    waiting = iter(seeds)
    workers = [_Worker(job) for _ in range(number)]
    try:
        while workers:
            for worker in [w for w in workers if w.idle]:
                seed = next(waiting, None)
                if seed is None:
                    workers.remove(worker)
                    worker.end()
                else:
                    worker.give(seed)
            ready = wait([worker.connection for worker in workers], timeout=1.0)
            for worker in workers:
                if worker.connection in ready:
                    yield from worker.take()
                elif worker.late:
                    yield worker.give_up()
    finally:
        for worker in workers:
            worker.kill()


class _Worker:
    def __init__(self, job: Job) -> None:
        self.job = job
        self._start()

    def _start(self) -> None:
        context = multiprocessing.get_context("spawn")
        self.connection, theirs = context.Pipe()
        self.process: Any = context.Process(target=_work, args=(self.job, theirs), daemon=True)
        self.process.start()
        theirs.close()
        self.seed: int | None = None
        self.ready, self.done = False, 0
        self.since = time.perf_counter()

    @property
    def idle(self) -> bool:
        return self.ready and self.seed is None

    @property
    def late(self) -> bool:
        waited = time.perf_counter() - self.since
        return waited > LONGEST if self.ready else waited > WARM_UP

    def give(self, seed: int) -> None:
        """Hand over a seed."""
        if self.done >= RENEWED:
            self.end()
            self._start()
            self.connection.recv()  # it is warm
            self.ready = True
        self.seed, self.since = seed, time.perf_counter()
        self.connection.send(seed)

    def take(self) -> Iterator[tuple[int, Verdict]]:
        """Yield the verdict, if there is one by now."""
        try:
            said = self.connection.recv()
        except EOFError:
            yield self.give_up()
            return
        if said is None:
            self.ready = True
        else:
            seed, self.seed = self.seed, None
            self.done += 1
            yield seed if seed is not None else -1, said

    def give_up(self) -> tuple[int, Verdict]:
        """End the process and start another; return what that means for its seed."""
        seconds = time.perf_counter() - self.since
        hung = self.process.is_alive()
        self.kill()
        seed = self.seed if self.seed is not None else -1
        self._start()
        kind = "hung" if hung else "process died"
        return seed, Verdict(kind, (Failure(kind, f"after {seconds:.0f} s"),))

    def end(self) -> None:
        """Let the process end."""
        self.connection.send(None)
        self.process.join(30)
        self.kill()

    def kill(self) -> None:
        """End the process now."""
        if self.process.is_alive():
            self.process.kill()
        self.process.join()


def _work(job: Job, connection: Connection) -> None:
    os.environ.setdefault("OMP_NUM_THREADS", "1")
    job.warm_up()
    connection.send(None)
    while True:
        seed = connection.recv()
        if seed is None:
            return
        connection.send(job.check(seed))
