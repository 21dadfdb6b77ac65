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
    watch = Stopper()
    history: list[Progress] = []

    def report(cost: float, bound: float, phase: str) -> None:
        history.append(Progress(watch.elapsed, cost, bound, phase))
        if on_progress is not None:
            on_progress(history[-1])

    trainer = Trainer(rows, problem.C)
    soft = 0.0
    if options.heuristic:
        heuristic = Heuristic(trainer, options)
        share = stop.within(HEURISTIC_SHARE * stop.remaining)
        best = better(best, heuristic.run(np.random.default_rng(seed), share, effort))
        soft = heuristic.bound
        report(math.inf if best is None else best.objective, soft, "heuristic")
    # Half the tolerance for the proof: recomputing the objective may take a little of it.
    slack = 0.5 * tolerance
    cutoff = math.inf if best is None else best.objective * (1.0 - slack)
    proof = Search(trainer, options, cutoff, slack, best)
    done, bound = prove(proof, options, stop, *_limits(effort, options))
    best, bound = proof.best, max(bound, soft)
    found = None if best is None else classifier(problem, rows, best)
    report(math.inf if found is None else found.objective, bound, "branch and bound")
    return make_result(
        problem,
        found,
        bound=bound,
        tolerance=tolerance,
        seconds=watch.elapsed,
        stop_reason=_reason(stop, done, effort),
        history=tuple(history),
        details={
            "rows": rows.n_rows,
            "nodes": proof.nodes,
            "conflicts": len(proof.pool),
            "pivots": int(trainer.work.counts[2]),
        },
    )


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
