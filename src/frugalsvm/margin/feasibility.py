"""Any classifier that keeps the limits, or the proof that there is none.

Used where the heuristic has found nothing. Norm and C do not matter to the question, so it is put
in features of unit size that do not correlate: outliers, large scales or a large C, which leave
the trainer's own arithmetic few digits, are of no account here.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np

from frugalsvm.margin.classifiers.answer import Classifier, classifier
from frugalsvm.margin.classifiers.candidates import Candidate, Trainer
from frugalsvm.margin.heuristic.restarts import Heuristic
from frugalsvm.margin.options import Effort, MarginOptions
from frugalsvm.margin.proof.branch_and_bound import Search
from frugalsvm.margin.proof.infeasibility import all_proven
from frugalsvm.margin.rows.reduction import Reduced, evened
from frugalsvm.margin.tuning import FEASIBILITY_C, PROOF_SLICE
from frugalsvm.margin.watch import Watch
from frugalsvm.problem import MarginProblem
from frugalsvm.stopping import Stopper


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


def find_any(
    problem: MarginProblem,
    rows: Reduced,
    options: MarginOptions,
    effort: Effort,
    seed: int,
    stop: Stopper,
    limits: tuple[float, float],
    watch: Watch,
) -> Finding:
    """Look for a classifier that keeps the limits; prove that there is none if so.

    Parameters
    ----------
    problem, rows : MarginProblem, Reduced
        What is asked.
    options, effort, seed
        As in :func:`frugalsvm.margin.train`.
    stop : Stopper
        Time limit and interrupt.
    limits : pair of float
        Most nodes and most work of the branch and bound.
    watch : Watch
        Ends compiled work.
    """
    if stop():
        return Finding(None, False, False, 0, 0)
    trainer = Trainer(evened(rows), FEASIBILITY_C, watch)
    if options.heuristic:
        heuristic = Heuristic(trainer, options, effort)
        answer = _usable(problem, trainer, heuristic.run(np.random.default_rng(seed), stop))
        if answer is not None:
            return Finding(answer, False, True, 0, 0)
    search = Search(trainer, options, math.inf, 0.0, None)
    nodes, work = limits
    end = trainer.effort + work
    while search.open and search.best is None and not stop():
        if search.nodes >= nodes or trainer.effort >= end:
            break
        search.run(stop, nodes, PROOF_SLICE)
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
