"""The rate-constrained SVM (the paper's CSVM, P2 and P3): trained fast, with a proven bound."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

from frugalsvm.data.problem import MarginProblem
from frugalsvm.data.result import Attainable, MarginResult, Progress
from frugalsvm.margin.job import Job
from frugalsvm.margin.options import Effort, MarginOptions
from frugalsvm.margin.watch import Watch, watched
from frugalsvm.runtime.stopping import Stopper

__all__ = ["Effort", "MarginOptions", "attainable", "train", "train_grid", "train_path"]


def train(
    problem: MarginProblem,
    *,
    stop: Stopper,
    seed: int = 0,
    tolerance: float = 1e-4,
    effort: Effort = Effort.EXACT,
    on_progress: Callable[[Progress], None] | None = None,
    options: MarginOptions = MarginOptions(),  # noqa: B008 (frozen)
) -> MarginResult:
    """Train a rate-constrained SVM and prove how good it is.

    Parameters
    ----------
    problem : MarginProblem
        What to train.
    stop : Stopper
        Time limit and interrupt; the best classifier so far comes back.
    seed : int
        Seed of the heuristic; the same seed gives the same answer unless time runs out.
    tolerance : float
        Relative gap at which the answer is optimal.
    effort : Effort
        EXACT closes the gap; QUICK ends after a fixed amount of work, for inner loops.
    on_progress : callable or None
        Called with each new line of the history.
    options : MarginOptions
        Accelerators and budgets.

    Returns
    -------
    MarginResult
        The classifier, recomputed from the problem's data, its bound and status.

    Raises
    ------
    ValueError
        If the kernel matrix is not symmetric positive semidefinite.
    """
    # Imported late: the solvers are compiled on first use.
    from frugalsvm.margin.trainer import train as run

    def work(watch: Watch) -> MarginResult:
        return run(problem, Job(stop, watch, seed, tolerance, effort, options, on_progress))

    return watched(work, stop)


def train_path(
    problem: MarginProblem,
    Cs: Sequence[float],
    *,
    stop: Stopper,
    seed: int = 0,
    tolerance: float = 1e-4,
    effort: Effort = Effort.QUICK,
    options: MarginOptions = MarginOptions(),  # noqa: B008 (frozen)
) -> list[MarginResult]:
    """Train for every C of a grid; samples that may be wrong at one C are tried at all.

    Parameters
    ----------
    problem : MarginProblem
        What to train; its own C is not used.
    Cs : sequence of float
        The values of C, in any order.
    stop, seed, tolerance, effort, options
        As in :func:`train`; the default effort is that of inner cross-validation.

    Returns
    -------
    list of MarginResult
        One result for each value, in the order given.
    """
    from frugalsvm.margin.path import train_path as run

    def work(watch: Watch) -> list[MarginResult]:
        return run(problem, Cs, Job(stop, watch, seed, tolerance, effort, options))

    return watched(work, stop)


def train_grid(
    problem: MarginProblem,
    grams: Iterable[NDArray[np.float64]],
    Cs: Sequence[float],
    *,
    stop: Stopper,
    seed: int = 0,
    tolerance: float = 1e-4,
    effort: Effort = Effort.QUICK,
    options: MarginOptions = MarginOptions(),  # noqa: B008 (frozen)
) -> Iterator[list[MarginResult]]:
    """Train a path of C for each of several kernel matrices, one matrix in memory at a time.

    Parameters
    ----------
    problem : MarginProblem
        What to train; its own features, kernel matrix and C are not used.
    grams : iterable of ndarray of shape (n_samples, n_samples)
        The kernel matrices, for example one for each gamma of a grid.
    Cs, stop, seed, tolerance, effort, options
        As in :func:`train_path`.

    Yields
    ------
    list of MarginResult
        The path of one kernel matrix.
    """
    for gram in grams:
        yield train_path(
            replace(problem, features=None, gram=gram),
            Cs,
            stop=stop,
            seed=seed,
            tolerance=tolerance,
            effort=effort,
            options=options,
        )


def attainable(problem: MarginProblem, *, stop: Stopper, seed: int = 0) -> Attainable:
    """Find the fewest errors of each of the first two limits with all other limits kept.

    The numbers are what the search found, an upper bound on the fewest; :func:`train` with the
    limit of one class set to its number finds a classifier.

    Parameters
    ----------
    problem : MarginProblem
        A problem whose limits cannot all be kept.
    stop, seed
        As in :func:`train`.

    Returns
    -------
    Attainable
        The two numbers.
    """
    from frugalsvm.margin.attain import attainable as run

    return watched(lambda watch: run(problem, stop=stop, seed=seed, watch=watch), stop)
