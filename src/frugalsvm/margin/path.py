"""All values of C for one set of rows, sharing what is found."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import numpy as np

from frugalsvm.data.problem import MarginProblem
from frugalsvm.data.result import MarginResult
from frugalsvm.margin.arrays import Flags
from frugalsvm.margin.classifiers.candidates import Candidate, Trainer
from frugalsvm.margin.heuristic.restarts import Heuristic
from frugalsvm.margin.job import Job
from frugalsvm.margin.rows.kernel_check import check_kernel, without_proof
from frugalsvm.margin.rows.reduction import Reduced, reduce
from frugalsvm.margin.trainer import train_rows
from frugalsvm.runtime.stopping import Stopper


def train_path(problem: MarginProblem, Cs: Sequence[float], job: Job) -> list[MarginResult]:
    """Train as :func:`frugalsvm.margin.train_path` says."""
    checked = problem.gram is None or check_kernel(
        problem.gram, job.stop, semidefinite=problem.semidefinite
    )
    rows = reduce(problem, job.stop, merge=job.options.merge)
    found = _candidates(rows, Cs, job)
    proof_only = replace(job, options=replace(job.options, heuristic=False))
    results = [
        train_rows(replace(problem, C=float(C)), rows, proof_only, candidate)
        for C, candidate in zip(Cs, found, strict=True)
    ]
    return results if checked else [without_proof(result) for result in results]


def _candidates(rows: Reduced, Cs: Sequence[float], job: Job) -> list[Candidate | None]:
    """Search at every C, then try what was found at one C at all the others."""
    if not job.options.heuristic:
        return [None] * len(Cs)
    searches = [Heuristic(Trainer(rows, float(C), job.watch), job.options, job.effort) for C in Cs]
    own = [search.run(np.random.default_rng(job.seed), job.stop) for search in searches]
    sets = _distinct([c.wrong for c in own if c is not None])
    return [_best_of(s, c, sets, job.stop) for s, c in zip(searches, own, strict=True)]


def _distinct(sets: list[Flags]) -> list[Flags]:
    return list({wrong.tobytes(): wrong for wrong in sets}.values())


def _best_of(
    search: Heuristic, best: Candidate | None, sets: list[Flags], stop: Stopper
) -> Candidate | None:
    for wrong in sets:
        if stop():
            break
        best = search.improve(best, wrong, stop)
    return best
