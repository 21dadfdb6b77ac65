"""What can be had where the limits cannot all be kept."""

from __future__ import annotations

from dataclasses import replace

from frugalsvm.data.problem import CountLimit, MarginProblem
from frugalsvm.data.result import Attainable
from frugalsvm.margin.job import Job
from frugalsvm.margin.options import Effort, MarginOptions
from frugalsvm.margin.trainer import train
from frugalsvm.margin.tuning import ATTAINABLE_TOLERANCE
from frugalsvm.margin.watch import Watch
from frugalsvm.runtime.stopping import Stopper


def attainable(problem: MarginProblem, *, stop: Stopper, seed: int, watch: Watch) -> Attainable:
    """Find as :func:`frugalsvm.margin.attainable` says."""
    job = Job(
        stop=stop,
        watch=watch,
        seed=seed,
        tolerance=ATTAINABLE_TOLERANCE,
        effort=Effort.QUICK,
        options=MarginOptions(),
    )
    return Attainable(pos_errors=_fewest(problem, 0, job), neg_errors=_fewest(problem, 1, job))


def _fewest(problem: MarginProblem, which: int, job: Job) -> int:
    """Bisect the errors of one limit, the others kept, with quick training as the judge."""
    most = int(problem.limits[which].members.sum())
    low, high = 0, most  # all members wrong: a classifier that is constant on the others does
    while low < high and not job.stop():
        middle = (low + high) // 2
        if train(_with_errors(problem, which, middle), job).has_answer:
            high = middle
        else:
            low = middle + 1
    return high


def _with_errors(problem: MarginProblem, which: int, errors: int) -> MarginProblem:
    limits = list(problem.limits)
    limits[which] = CountLimit(limits[which].name, limits[which].members, errors)
    return replace(problem, limits=tuple(limits))
