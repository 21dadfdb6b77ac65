"""One rate-constrained SVM: reduce, find, prove, recompute."""

from __future__ import annotations

import math
from collections.abc import Callable

import numpy as np

from frugalsvm.margin.answer import classifier, make_result
from frugalsvm.margin.branch import Search
from frugalsvm.margin.candidates import Candidate, Trainer
from frugalsvm.margin.heuristic import Heuristic, better
from frugalsvm.margin.ladder import prove
from frugalsvm.margin.options import Effort, MarginOptions
from frugalsvm.margin.reduction import Reduced, reduce
from frugalsvm.problem import MarginProblem
from frugalsvm.result import MarginResult, Progress, StopReason
from frugalsvm.stopping import Stopper

HEURISTIC_SHARE = 0.3
"""Most of the time limit that the heuristic takes."""

EARLY_SHARE = 1.0
"""Work on an early proof, as a multiple of the heuristic's first part."""

ProgressCallback = Callable[[Progress], None]


def train(
    problem: MarginProblem,
    *,
    stop: Stopper,
    seed: int,
    tolerance: float,
    effort: Effort,
    on_progress: ProgressCallback | None,
    options: MarginOptions,
) -> MarginResult:
    """Train as :func:`frugalsvm.margin.train` says."""
    rows = reduce(problem, merge=options.merge)
    return train_rows(
        problem,
        rows,
        stop=stop,
        seed=seed,
        tolerance=tolerance,
        effort=effort,
        on_progress=on_progress,
        options=options,
    )


def train_rows(
    problem: MarginProblem,
    rows: Reduced,
    *,
    stop: Stopper,
    seed: int,
    tolerance: float,
    effort: Effort,
    on_progress: ProgressCallback | None,
    options: MarginOptions,
    best: Candidate | None = None,
) -> MarginResult:
    """Train on rows that were made before."""
    watch = Stopper(clock=stop.clock)
    history: list[Progress] = []

    def report(cost: float, bound: float, phase: str) -> None:
        history.append(Progress(watch.elapsed, cost, bound, phase))
        if on_progress is not None:
            on_progress(history[-1])

    trainer = Trainer(rows, problem.C)
    heuristic = Heuristic(trainer, options, effort) if options.heuristic else None
    share = stop.within(HEURISTIC_SHARE * stop.remaining)
    if heuristic is not None:
        best = better(best, heuristic.begin(share))
    # Half the tolerance for the proof: recomputing the objective may take a little of it.
    slack = 0.5 * tolerance
    proof = _proof(trainer, options, slack, best)
    nodes, work = _limits(effort, options)
    if heuristic is not None and not _proven_early(proof, share, nodes, effort):
        rng = np.random.default_rng(seed)
        best = heuristic.go_on(proof.best, rng, share)
        if best is not proof.best:  # conflicts of a higher cutoff are larger: begin again
            proof = _proof(trainer, options, slack, best)
    soft = 0.0 if heuristic is None else heuristic.bound
    report(math.inf if proof.best is None else proof.best.objective, soft, "heuristic")
    done, bound = prove(proof, options, stop, nodes, work)
    best, bound = proof.best, max(bound, soft)
    answer = None if best is None else classifier(problem, rows, best)
    report(math.inf if answer is None else answer.objective, bound, "branch and bound")
    return make_result(
        problem,
        answer,
        bound=bound,
        tolerance=tolerance,
        seconds=watch.elapsed,
        stop_reason=_reason(stop, done, effort),
        history=tuple(history),
        details={
            "rows": rows.n_rows,
            "nodes": proof.nodes,
            "conflicts": proof.conflicts,
            "pivots": int(trainer.work.counts[2]),
        },
    )


def _proof(
    trainer: Trainer, options: MarginOptions, tolerance: float, best: Candidate | None
) -> Search:
    cutoff = math.inf if best is None else best.objective * (1.0 - tolerance)
    return Search(trainer, options, cutoff, tolerance, best)


def _proven_early(proof: Search, stop: Stopper, nodes: float, effort: Effort) -> bool:
    """Try a proof about as long as the heuristic so far: it may make the rest superfluous."""
    if proof.best is None or effort is Effort.QUICK:
        return False
    return proof.run(stop, nodes, EARLY_SHARE * proof.trainer.effort)


def _limits(effort: Effort, options: MarginOptions) -> tuple[float, float]:
    if effort is Effort.QUICK:
        return options.quick_nodes, options.quick_work
    return (math.inf if options.node_limit is None else options.node_limit), math.inf


def _reason(stop: Stopper, done: bool, effort: Effort) -> StopReason:
    if done:
        return StopReason.COMPLETED
    if stop():
        return stop.reason
    return StopReason.EFFORT_LIMIT if effort is Effort.QUICK else StopReason.NODE_LIMIT
