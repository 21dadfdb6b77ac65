"""Running tasks, here or on a cluster, and storing every result as soon as it is known."""

from __future__ import annotations

import platform
import time
from collections import defaultdict
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import AbstractContextManager, ExitStack, contextmanager
from dataclasses import dataclass, field
from functools import cache
from importlib.metadata import version
from typing import Any

import numpy as np
import threadpoolctl  # ships no types
from joblib import Parallel, delayed, parallel_config

from frugalsvm.data.exceptions import FrugalSVMError
from frugalsvm.data.problem import CountLimit, MarginProblem
from frugalsvm.data.rates import RateTargets
from frugalsvm.margin import train
from frugalsvm.runtime.stopping import Stopper
from frugalsvm.study.datasets import Dataset
from frugalsvm.study.errors import StudyError
from frugalsvm.study.selection import select
from frugalsvm.study.settings import StudySettings
from frugalsvm.study.store import Store, StoredResult
from frugalsvm.study.tasks import STAGES, Inputs, Payload, Task, execute
from frugalsvm.study.thresholds import thresholds

CONNECT_TIMEOUT = 10.0  # seconds to find a Dask scheduler
SOFTWARE = ("frugalsvm", "numpy", "scipy", "scikit-learn", "numba", "highspy", "joblib")


@dataclass(frozen=True)
class StudyProgress:
    """How far a run is.

    Attributes
    ----------
    done, total : int
        Tasks finished (earlier runs included) and wanted.
    elapsed : float
        Seconds since the start of this run.
    left : float
        Estimated seconds to its end; NaN as long as nothing is known.
    last : str
        What was finished last.
    """

    done: int
    total: int
    elapsed: float
    left: float
    last: str


OnProgress = Callable[[StudyProgress], None]


@dataclass
class _Clock:
    """Estimates the time left from the mean time of similar tasks."""

    jobs: int
    seconds: dict[tuple[str, str], list[float]] = field(default_factory=lambda: defaultdict(list))

    def note(self, task: Task, seconds: float) -> None:
        self.seconds[task.kind, task.dataset].append(seconds)

    def left(self, pending: Sequence[Task]) -> float:
        known = {pair: sum(times) / len(times) for pair, times in self.seconds.items()}
        if not known:
            return float("nan")
        typical = sum(known.values()) / len(known)
        return sum(known.get((t.kind, t.dataset), typical) for t in pending) / self.jobs


@dataclass(frozen=True)
class Runner:
    """Runs tasks that are not in the store yet.

    Attributes
    ----------
    store : Store
        Where results go; this process is its only writer.
    data : mapping of str to Dataset
        The data sets by name.
    settings : StudySettings
        The settings of the run.
    jobs : int
        Processes on this machine.
    dask : str or None
        Address of a Dask scheduler to run on instead.
    progress : callable or None
        Told about every finished task.
    """

    store: Store
    data: Mapping[str, Dataset]
    settings: StudySettings
    jobs: int = 1
    dask: str | None = None
    progress: OnProgress | None = None

    def run(self, tasks: Sequence[Task]) -> None:
        """Run what is missing, stage by stage."""
        started = time.perf_counter()
        finished = self.store.keys()
        pending = {task.key: task for task in tasks if not _is_done(task, finished)}
        clock = _Clock(self.jobs)
        with ExitStack() as stack:
            parallel = stack.enter_context(self._workers())
            for stage in range(STAGES):
                now = [task for task in pending.values() if task.stage == stage]
                for result in self._finish(parallel, now):
                    self.store.put(result)
                    del pending[result.task.key]
                    clock.note(result.task, result.seconds)
                    self._report(
                        len(tasks), list(pending.values()), started, clock, result.task.key
                    )

    def _report(
        self, total: int, pending: list[Task], started: float, clock: _Clock, last: str
    ) -> None:
        if self.progress is not None:
            elapsed = time.perf_counter() - started
            left = clock.left(pending)
            self.progress(StudyProgress(total - len(pending), total, elapsed, left, last))

    def _finish(self, parallel: Parallel, tasks: list[Task]) -> Iterator[StoredResult]:
        if not tasks:
            return
        # A list: joblib would draw from a generator in threads that may not use the store.
        calls = [
            delayed(run_task)(task, self.data[task.dataset], self.settings, self._inputs(task))
            for task in tasks
        ]
        for task, payload, seconds, made_with in parallel(calls):
            yield StoredResult(task, payload, seconds, made_with)

    def _inputs(self, task: Task) -> Inputs:
        if task.needs_thresholds:
            svm = self.store.find("svm", task.dataset)
            return Inputs(targets=thresholds(task.targets, task.dataset, svm, self.settings.alpha))
        if task.needs_selection:
            found = self.store.get(task.selection)
            if found is None and task.kind == "rival":
                found = self.store.get(task.panel)
            if found is None:
                raise StudyError(f"{task.key} needs {task.selection.key}, which is not stored.")
            twin = None if task.twin is None else self.store.get(task.twin)
            return Inputs(selection=found.payload, twin=None if twin is None else twin.payload)
        return Inputs()

    def _workers(self) -> AbstractContextManager[Parallel]:
        return local_workers(self.jobs) if self.dask is None else dask_workers(self.dask)


def _is_done(task: Task, finished: set[str]) -> bool:
    """Return True if a task is stored, or a selection that holds what it would find."""
    return task.key in finished or (task.kind == "panel" and task.selection.key in finished)


@contextmanager
def local_workers(jobs: int) -> Iterator[Parallel]:
    """Use processes on this machine, one thread each."""
    with parallel_config(backend="loky", n_jobs=jobs, inner_max_num_threads=1):
        yield Parallel(return_as="generator_unordered", batch_size=1, pre_dispatch="2*n_jobs")


@contextmanager
def dask_workers(address: str) -> Iterator[Parallel]:
    """Use a Dask cluster; what a lost worker had begun, another one does again."""
    try:
        from distributed import Client
    except ImportError as error:
        raise StudyError("Dask is not installed: pip install 'frugalsvm[dask]'.") from error
    try:
        client = Client(address, timeout=CONNECT_TIMEOUT)
    except (OSError, TimeoutError, ValueError) as error:
        raise StudyError(f"Cannot reach a Dask scheduler at {address}: {error}") from error
    with client, parallel_config(backend="dask"):
        yield Parallel(return_as="generator_unordered", batch_size=1)


def run_task(
    task: Task, data: Dataset, settings: StudySettings, inputs: Inputs
) -> tuple[Task, Payload, float, dict[str, Any]]:
    """Do a task's work in a worker, with one thread; return it with its time and versions."""
    warm_up()
    started = time.perf_counter()
    try:
        with threadpoolctl.threadpool_limits(1):
            payload = execute(task, data, settings, inputs)
    except FrugalSVMError as error:
        # A plain message crosses between processes; errors with attributes may not.
        raise StudyError(f"{task.key}: {error}") from None
    return task, payload, time.perf_counter() - started, made_with()


@cache
def warm_up() -> None:
    """Solve two toy problems, once a process, so that no time limit pays for compilation."""
    rng = np.random.default_rng(0)
    X = rng.normal(size=(60, 6))
    y = X[:, :3].sum(axis=1) + 0.5 * rng.normal(size=60) > 0
    found = select(X, y, RateTargets(0.9, 0.9), time_limit=600.0, seed=0)
    support = list(found.support)
    limits = (
        CountLimit("TPR", y, found.budget[0]),
        CountLimit("TNR", ~y, found.budget[1]),
    )
    train(MarginProblem(X[:, support], None, y, limits, 1.0), stop=Stopper(600.0))
    train(MarginProblem(None, X @ X.T, y, limits, 1.0), stop=Stopper(600.0))


def made_with() -> dict[str, Any]:
    """Return the versions of everything that made a number."""
    return {
        "python": platform.python_version(),
        "machine": platform.machine(),
        **{name: version(name) for name in SOFTWARE},
    }
