"""Any classifier that keeps the limits, or the proof that there is none.

Used where the heuristic has found nothing. Norm and C do not matter to the question, so it is put
in features of unit size that do not correlate: outliers, large scales or a large C, which leave
the trainer's own arithmetic few digits, are of no account here.
"""

from __future__ import annotations

import math
import sys
from dataclasses import dataclass

import numpy as np

from frugalsvm.data.problem import MarginProblem
from frugalsvm.margin.classifiers.answer import Classifier, classifier
from frugalsvm.margin.classifiers.candidates import Candidate, Trainer
from frugalsvm.margin.heuristic.restarts import Heuristic
from frugalsvm.margin.job import Job
from frugalsvm.margin.proof.branch_and_bound import Goal, Search, Witness
from frugalsvm.margin.proof.door import Door
from frugalsvm.margin.proof.infeasibility import all_proven
from frugalsvm.margin.rows.reduction import Reduced, evened
from frugalsvm.margin.tuning import FEASIBILITY_C, PROOF_SLICE


@dataclass(frozen=True)
class Finding:
    """What is known about the question.

    Attributes
    ----------
    answer : Classifier or None
        A classifier that keeps the limits.
    impossible : bool
        Whether it is proven that there is none.
    finished : bool
        Whether nothing cut the search short.
    nodes, conflicts : int
        How much work it was.
    """

    answer: Classifier | None
    impossible: bool
    finished: bool
    nodes: int
    conflicts: int


def find_any(problem: MarginProblem, rows: Reduced, job: Job, door: Door) -> Finding:
    """Look for a classifier that keeps the limits; prove that there is none if so.

    Parameters
    ----------
    problem, rows : MarginProblem, Reduced
        What is asked.
    job : Job
        How to train.
    door : Door
        Counts by which rules nodes are closed.
    """
    stop = job.stop
    if stop():
        return Finding(None, False, False, 0, 0)
    trainer = Trainer(evened(rows), FEASIBILITY_C, job.watch)
    if job.options.heuristic:
        heuristic = Heuristic(trainer, job.options, job.effort)
        answer = _usable(problem, trainer, heuristic.run(np.random.default_rng(job.seed), stop))
        if answer is not None:
            return Finding(answer, False, True, 0, 0)
    search = Search(trainer, job.options, Goal(math.inf, 0.0, None, _witness(rows, job)), door)
    end = trainer.effort + job.most_work
    while search.open and search.best is None and not stop():
        if search.nodes >= job.most_nodes or trainer.effort >= end:
            break
        search.run(stop, job.most_nodes, PROOF_SLICE)
    answer = _usable(problem, trainer, search.best)
    finished = not search.open
    impossible = (
        finished
        and search.best is None
        and math.isinf(search.bound)
        and all_proven(problem, search, stop)
    )
    return Finding(answer, impossible, finished, search.nodes, search.conflicts)


def _usable(
    problem: MarginProblem, trainer: Trainer, candidate: Candidate | None
) -> Classifier | None:
    return None if candidate is None else classifier(problem, trainer.rows, candidate)


def _witness(rows: Reduced, job: Job) -> Witness | None:
    """Return the known answer; its objective does not matter, infinity alone is above it."""
    if job.options.witness is None:
        return None
    return Witness.of(rows, job.options.witness.counted, sys.float_info.max)
