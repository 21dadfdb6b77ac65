"""Searches in other processes or on other machines, through whatever backend joblib is told to use.

Threads of this process share what is known while they search. Workers elsewhere are given a pair
of targets and the panels known so far, and give back their result; what follows from it for other
pairs is concluded here.
"""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from joblib import Parallel, delayed, effective_n_jobs, parallel_config
from joblib.parallel import get_active_backend
from numpy.typing import NDArray

from frugalsvm.dispatch import Engine
from frugalsvm.problem import SelectionProblem
from frugalsvm.rates import ErrorBudget
from frugalsvm.result import SelectionResult
from frugalsvm.search import Knowledge
from frugalsvm.stopping import Stopper
from frugalsvm.tradeoff.ledger import Cell

HEARING = 0.1  # seconds between looks at the clock, and for Ctrl-C
Support = tuple[int, ...]


@dataclass(frozen=True)
class Task:
    """A pair to search for.

    Attributes
    ----------
    cell : Cell
        Its place in the grid.
    budget : ErrorBudget
        Allowed errors.
    seconds : float
        Time limit.
    seeds : tuple of supports
        Panels worth a look.
    """

    cell: Cell
    budget: ErrorBudget
    seconds: float
    seeds: tuple[Support, ...]


@dataclass(frozen=True)
class Elsewhere:
    """The workers of the backend that ``joblib.parallel_config`` names.

    Attributes
    ----------
    backend : object
        joblib's backend.
    n_workers : int
        How many searches run at a time.
    """

    backend: Any
    n_workers: int

    @classmethod
    def asked_for(cls, n_jobs: int | None) -> Elsewhere | None:
        """Return the workers; None if the work is to be done by threads of this process."""
        backend, configured = get_active_backend(prefer="threads")
        if getattr(backend, "supports_sharedmem", False):
            return None
        if n_jobs is None:
            n_jobs = configured if configured not in (None, 1) else -1
        _never_here(backend)
        return cls(backend, int(effective_n_jobs(n_jobs)))

    def run(
        self,
        problem: SelectionProblem,
        engine: Engine,
        tasks: Iterator[Task],
        record: Callable[[Task, SelectionResult], None],
        stop: Stopper,
    ) -> None:
        """Search for pair after pair; return when there are none, or it is time to stop.

        Searches that are under way then are left to their own time limits.
        """
        engine = replace(engine, on_progress=None)
        rest = replace(problem, X=problem.X[:0], positive=problem.positive[:0])

        def consume() -> None:
            with parallel_config(backend=self.backend, n_jobs=self.n_workers):
                results = Parallel(
                    return_as="generator_unordered", pre_dispatch="n_jobs", batch_size=1
                )(delayed(search_pair)(problem.X, problem.positive, rest, engine, t) for t in tasks)
                for task, result in results:
                    if stop():
                        return
                    record(task, result)

        failure: list[BaseException] = []
        consumer = threading.Thread(target=_keeping_errors(consume, failure), daemon=True)
        consumer.start()
        while consumer.is_alive() and not stop():
            consumer.join(HEARING)
        if failure and not stop():
            raise failure[0]


def search_pair(
    X: NDArray[np.float64],
    positive: NDArray[np.bool_],
    rest: SelectionProblem,
    engine: Engine,
    task: Task,
) -> tuple[Task, SelectionResult]:
    """Search for one pair; the large arrays come by themselves, so that they are sent once."""
    problem = replace(rest, X=np.asarray(X), positive=np.asarray(positive), budget=task.budget)
    knowledge = Knowledge()
    knowledge.seeds.extend(task.seeds)
    return task, engine.select(problem, Stopper(task.seconds), knowledge=knowledge)


def _never_here(backend: Any) -> None:
    """Let joblib count two workers where there is one.

    Of a single job it makes a loop in this process, which would be the wrong one, and is when all
    workers of a cluster but one are lost. So one job more waits for its turn.
    """
    count = backend.effective_n_jobs
    backend.effective_n_jobs = lambda n_jobs: max(2, count(n_jobs))


def _keeping_errors(work: Callable[[], None], failure: list[BaseException]) -> Callable[[], None]:
    def run() -> None:
        try:
            work()
        except BaseException as error:  # noqa: BLE001  # raised again in the waiting thread
            failure.append(error)

    return run
