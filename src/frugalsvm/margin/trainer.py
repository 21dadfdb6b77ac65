"""One rate-constrained SVM: reduce, find, prove, recompute."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

import numpy as np

from frugalsvm.margin.classifiers.answer import Classifier, make_result
from frugalsvm.margin.classifiers.candidates import Candidate, Trainer
from frugalsvm.margin.classifiers.shifted import cheap_answer, shifted
from frugalsvm.margin.feasibility import Finding, find_any
from frugalsvm.margin.heuristic.restarts import Heuristic, better
from frugalsvm.margin.keeper import Keeper
from frugalsvm.margin.options import Effort, MarginOptions
from frugalsvm.margin.proof.branch_and_bound import Search
from frugalsvm.margin.proof.ladder import prove
from frugalsvm.margin.rows.kernel_check import check_kernel
from frugalsvm.margin.rows.reduction import Reduced, reduce
from frugalsvm.margin.rows.sample import sampled
from frugalsvm.margin.slots import PIVOTS
from frugalsvm.margin.tuning import (
    EARLY_SHARE,
    HEURISTIC_SHARE,
    MANY_ROWS,
    PROOF_TOLERANCE,
    SAMPLE_SHARE,
    SAMPLE_SIZE,
    SAMPLE_TOLERANCE,
)
from frugalsvm.margin.watch import Watch
from frugalsvm.problem import MarginProblem
from frugalsvm.result import MarginResult, Progress, StopReason
from frugalsvm.stopping import Stopper

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
    watch: Watch,
) -> MarginResult:
    """Train as :func:`frugalsvm.margin.train` says."""
    if problem.gram is not None:
        check_kernel(problem.gram, stop, semidefinite=problem.semidefinite)
    rows = reduce(problem, stop, merge=options.merge)
    return train_rows(
        problem,
        rows,
        stop=stop,
        seed=seed,
        tolerance=tolerance,
        effort=effort,
        on_progress=on_progress,
        options=options,
        watch=watch,
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
    watch: Watch,
    best: Candidate | None = None,
) -> MarginResult:
    """Train on rows that were made before."""
    clock = Stopper(clock=stop.clock)
    history: list[Progress] = []

    def report(cost: float, bound: float, phase: str) -> None:
        history.append(Progress(clock.elapsed, cost, bound, phase))
        if on_progress is not None:
            on_progress(history[-1])

    limits = _limits(effort, options)
    keeper = Keeper(problem, rows)
    trainer = Trainer(rows, problem.C, watch)
    work = _Work(trainer, keeper, options, effort, PROOF_TOLERANCE * tolerance, limits)
    many = options.heuristic and rows.n_rows > MANY_ROWS and best is None
    if many:
        keeper.take(from_sample(problem, seed, stop, watch))
    soft = work.find(keeper.checked(best), seed, stop)
    finding = None
    if keeper.answer is None:
        finding = find_any(problem, rows, options, effort, seed, stop, limits, watch)
        found = finding.answer
        if found is None and not finding.impossible and not many:
            found = cheap_answer(problem, stop)
        work.adopt(found, stop)
    elif work.proof is None:
        work.adopt(keeper.answer, stop)
    report(keeper.objective, soft, "heuristic")
    done, bound = work.prove(stop)
    bound = math.inf if finding is not None and finding.impossible else max(bound, soft)
    report(keeper.objective, bound, "branch and bound")
    return make_result(
        problem,
        keeper.answer,
        bound=bound,
        tolerance=tolerance,
        seconds=clock.elapsed,
        stop_reason=_reason(stop, done, effort, finding),
        history=tuple(history),
        details=work.details(finding),
    )


def from_sample(
    problem: MarginProblem, seed: int, stop: Stopper, watch: Watch
) -> Classifier | None:
    """Return a classifier of all samples from the training of a few, or from no training at all."""
    cheap = cheap_answer(problem, stop)
    if stop():
        return cheap
    part, used = sampled(problem, SAMPLE_SIZE, seed)
    result = train(
        part,
        stop=stop.within(SAMPLE_SHARE * stop.remaining),
        seed=seed,
        tolerance=SAMPLE_TOLERANCE,
        effort=Effort.QUICK,
        on_progress=None,
        options=MarginOptions(),
        watch=watch,
    )
    if not result.has_answer:
        return cheap
    dual = np.zeros(len(problem.positive))
    dual[used] = result.dual_coef
    found = [c for c in (cheap, shifted(problem, dual, result.weights)) if c is not None]
    return min(found, key=lambda c: c.objective, default=None)


class _Work:
    """What :func:`train_rows` does, step by step."""

    def __init__(
        self,
        trainer: Trainer,
        keeper: Keeper,
        options: MarginOptions,
        effort: Effort,
        tolerance: float,
        limits: tuple[float, float],
    ) -> None:
        self.trainer, self.keeper = trainer, keeper
        self.options, self.effort = options, effort
        self.tolerance = tolerance
        self.nodes, self.work = limits
        self.heuristic = Heuristic(trainer, options, effort) if options.heuristic else None
        self.proof: Search | None = None

    def find(self, best: Candidate | None, seed: int, stop: Stopper) -> float:
        """Look for good classifiers; return the soft SVM's bound."""
        if self.heuristic is None:
            self._set_proof(best)
            return 0.0
        share = stop.within(HEURISTIC_SHARE * stop.remaining)
        self._set_proof(better(best, self.keeper.checked(self.heuristic.begin(share))))
        if not self._proven_early(share):
            best = None if self.proof is None else self.keeper.checked(self.proof.best)
            best = self.heuristic.go_on(best, np.random.default_rng(seed), share)
            # Conflicts of a higher cutoff are larger: begin again with a lower one.
            if self.proof is None or best is not self.proof.best:
                self._set_proof(self.keeper.checked(best))
        return self.heuristic.bound

    def adopt(self, found: Classifier | None, stop: Stopper) -> None:
        """Begin the proof with a classifier from elsewhere, and with what it leads to."""
        if found is None:
            return
        self.keeper.take(found)
        rows = self.trainer.rows
        wrong = np.ones(rows.n_groups, dtype=np.bool_)
        wrong[rows.group_of[found.counted]] = False
        wrong = np.concatenate([wrong, np.zeros(rows.n_rows - rows.n_groups, dtype=np.bool_)])
        best = Candidate(np.zeros(rows.n_rows), found.intercept, wrong, found.objective)
        if self.heuristic is not None:
            share = stop.within(HEURISTIC_SHARE * stop.remaining)
            better_one = self.keeper.checked(self.heuristic.improve(None, wrong, share))
            best = best if better_one is None else better(best, better_one) or best
        self._set_proof(best)

    def prove(self, stop: Stopper) -> tuple[bool, float]:
        """Prove that there is no better classifier; return whether it was done, and the bound."""
        if self.proof is None:
            return False, 0.0
        done, bound = prove(self.proof, self.options, stop, self.nodes, self.work)
        self.keeper.checked(self.proof.best)
        return done, bound

    def details(self, finding: Finding | None) -> dict[str, Any]:
        """Return figures for the curious."""
        nodes = conflicts = 0
        if finding is not None:
            nodes, conflicts = finding.nodes, finding.conflicts
        if self.proof is not None:
            nodes, conflicts = nodes + self.proof.nodes, conflicts + self.proof.conflicts
        return {
            "rows": self.trainer.rows.n_rows,
            "nodes": nodes,
            "conflicts": conflicts,
            "pivots": int(self.trainer.work.counts[PIVOTS]),
        }

    def _set_proof(self, best: Candidate | None) -> None:
        self.proof = None
        if best is not None:
            cutoff = best.objective * (1.0 - self.tolerance)
            self.proof = Search(self.trainer, self.options, cutoff, self.tolerance, best)

    def _proven_early(self, stop: Stopper) -> bool:
        """Try a proof about as long as the heuristic so far: it may make the rest superfluous."""
        if self.proof is None or self.effort is Effort.QUICK:
            return False
        return self.proof.run(stop, self.nodes, EARLY_SHARE * self.trainer.effort)


def _limits(effort: Effort, options: MarginOptions) -> tuple[float, float]:
    if effort is Effort.QUICK:
        return options.quick_nodes, options.quick_work
    return (math.inf if options.node_limit is None else options.node_limit), math.inf


def _reason(stop: Stopper, done: bool, effort: Effort, finding: Finding | None) -> StopReason:
    if done or (finding is not None and finding.impossible):
        return StopReason.COMPLETED
    if finding is not None and finding.finished and finding.answer is None:
        return StopReason.UNRESOLVED
    if stop():
        return stop.reason
    return StopReason.EFFORT_LIMIT if effort is Effort.QUICK else StopReason.NODE_LIMIT
