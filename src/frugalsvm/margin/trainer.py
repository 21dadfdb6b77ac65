"""One rate-constrained SVM: reduce, find, prove, recompute."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from frugalsvm.data.problem import MarginProblem
from frugalsvm.data.result import MarginResult, Progress, StopReason
from frugalsvm.margin.classifiers.answer import Classifier, make_result, settled
from frugalsvm.margin.classifiers.candidates import Candidate, Trainer
from frugalsvm.margin.classifiers.shifted import cheap_answer, shifted
from frugalsvm.margin.feasibility import Finding, find_any
from frugalsvm.margin.heuristic.restarts import Heuristic, better
from frugalsvm.margin.job import Job
from frugalsvm.margin.keeper import Keeper
from frugalsvm.margin.options import Effort, MarginOptions
from frugalsvm.margin.proof.branch_and_bound import Goal, Search, Witness
from frugalsvm.margin.proof.door import Door
from frugalsvm.margin.proof.ladder import prove
from frugalsvm.margin.rows.kernel_check import check_kernel, without_proof
from frugalsvm.margin.rows.reduction import Reduced, reduce
from frugalsvm.margin.rows.sample import sampled
from frugalsvm.margin.slots import PIVOTS
from frugalsvm.margin.smoothed import soft_svms
from frugalsvm.margin.tuning import (
    EARLY_SHARE,
    HEURISTIC_SHARE,
    MANY_ROWS,
    MOST_PRODUCTS,
    PROOF_TOLERANCE,
    SAMPLE_SHARE,
    SAMPLE_SIZE,
    SAMPLE_TOLERANCE,
    SOFT_SHARE,
)
from frugalsvm.runtime.single_thread import single_threaded_algebra
from frugalsvm.runtime.stopping import Stopper


def train(problem: MarginProblem, job: Job) -> MarginResult:
    """Train as :func:`frugalsvm.margin.train` says."""
    checked = problem.gram is None or check_kernel(
        problem.gram, job.stop, semidefinite=problem.semidefinite
    )
    rows = reduce(problem, job.stop, merge=job.options.merge)
    result = train_rows(problem, rows, job)
    return result if checked else without_proof(result)


def train_rows(
    problem: MarginProblem, rows: Reduced, job: Job, best: Candidate | None = None
) -> MarginResult:
    """Train on rows that were made before."""
    stop = job.stop
    clock = Stopper(clock=stop.clock)
    history: list[Progress] = []

    def report(cost: float, bound: float, phase: str) -> None:
        history.append(Progress(clock.elapsed, cost, bound, phase))
        if job.on_progress is not None:
            job.on_progress(history[-1])

    keeper = Keeper(problem, rows)
    work = _Work(Trainer(rows, problem.C, job.watch), keeper, job)
    many = job.options.heuristic and rows.n_rows > MANY_ROWS and best is None
    soft = 0.0
    if many:
        with single_threaded_algebra():
            soft = from_soft_svm(problem, keeper, job)
        if soft > 0.0:
            report(keeper.objective, soft, "soft SVM")
        keeper.take(from_sample(problem, job))
    finding = None
    if keeper.answer is None or not stop():
        soft = max(soft, work.find(keeper.checked(best)))
        if keeper.answer is None:
            finding = find_any(problem, rows, job, work.door)
            found = finding.answer
            if found is None and not finding.impossible and not many:
                found = cheap_answer(problem, stop)
            work.adopt(found)
        elif work.proof is None:
            work.adopt(keeper.answer)
    report(keeper.objective, soft, "heuristic")
    done, bound = work.prove()
    bound = math.inf if finding is not None and finding.impossible else max(bound, soft)
    report(keeper.objective, bound, "branch and bound")
    return make_result(
        problem,
        keeper.answer,
        bound=bound,
        tolerance=job.tolerance,
        seconds=clock.elapsed,
        stop_reason=_reason(job, done, finding),
        history=tuple(history),
        details=work.details(finding),
    )


def from_soft_svm(problem: MarginProblem, keeper: Keeper, job: Job) -> float:
    """Keep what the soft SVM of many samples leads to; return the bound that it is."""
    X, bound = problem.features, 0.0
    if X is None or X.shape[1] == 0 or len(X) * X.shape[1] ** 2 > MOST_PRODUCTS:
        return bound
    for soft in soft_svms(
        X, problem.positive, problem.C, job.stop.within(SOFT_SHARE * job.stop.remaining)
    ):
        bound = max(bound, soft.bound)
        dual = 0.5 * soft.alpha * problem.y
        weights = dual @ X
        wrong = problem.y * (X @ weights + soft.intercept) < 1.0
        keeper.take(settled(problem, dual, weights, soft.intercept, wrong))
        keeper.take(shifted(problem, dual, weights))
    return bound


def from_sample(problem: MarginProblem, job: Job) -> Classifier | None:
    """Return a classifier of all samples from the training of a few, or from no training at all."""
    stop = job.stop
    cheap = cheap_answer(problem, stop)
    if stop():
        return cheap
    part, used = sampled(problem, SAMPLE_SIZE, job.seed)
    smaller = Job(
        stop=stop.within(SAMPLE_SHARE * stop.remaining),
        watch=job.watch,
        seed=job.seed,
        tolerance=SAMPLE_TOLERANCE,
        effort=Effort.QUICK,
        options=MarginOptions(),
    )
    result = train(part, smaller)
    if not result.has_answer:
        return cheap
    dual = np.zeros(len(problem.positive))
    dual[used] = result.dual_coef
    found = [c for c in (cheap, shifted(problem, dual, result.weights)) if c is not None]
    return min(found, key=lambda c: c.objective, default=None)


class _Work:
    """What :func:`train_rows` does, step by step."""

    def __init__(self, trainer: Trainer, keeper: Keeper, job: Job) -> None:
        self.trainer, self.keeper, self.job = trainer, keeper, job
        self.tolerance = PROOF_TOLERANCE * job.tolerance
        self.door = Door()
        self.heuristic = None
        if job.options.heuristic:
            self.heuristic = Heuristic(trainer, job.options, job.effort)
        self.proof: Search | None = None

    def find(self, best: Candidate | None) -> float:
        """Look for good classifiers; return the soft SVM's bound."""
        if self.heuristic is None:
            self._set_proof(best)
            return 0.0
        share = self._share()
        self._set_proof(better(best, self.keeper.checked(self.heuristic.begin(share))))
        if not self._proven_early(share):
            best = None if self.proof is None else self.keeper.checked(self.proof.best)
            best = self.heuristic.go_on(best, np.random.default_rng(self.job.seed), share)
            # Conflicts of a higher cutoff are larger: begin again with a lower one.
            if self.proof is None or best is not self.proof.best:
                self._set_proof(self.keeper.checked(best))
        return self.heuristic.bound

    def adopt(self, found: Classifier | None) -> None:
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
            better_one = self.keeper.checked(self.heuristic.improve(None, wrong, self._share()))
            best = best if better_one is None else better(best, better_one) or best
        self._set_proof(best)

    def prove(self) -> tuple[bool, float]:
        """Prove that there is no better classifier; return whether it was done, and the bound."""
        if self.proof is None:
            return False, 0.0
        done, bound = prove(self.proof, self.job)
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
            "rules": self.door.summary(),
        }

    def _share(self) -> Stopper:
        """Return the stopper of the heuristic."""
        return self.job.stop.within(HEURISTIC_SHARE * self.job.stop.remaining)

    def _set_proof(self, best: Candidate | None) -> None:
        self.proof = None
        if best is not None:
            cutoff = best.objective * (1.0 - self.tolerance)
            goal = Goal(cutoff, self.tolerance, best, self._witness())
            self.proof = Search(self.trainer, self.job.options, goal, self.door)

    def _witness(self) -> Witness | None:
        known = self.job.options.witness
        if known is None:
            return None
        return Witness.of(self.trainer.rows, known.counted, known.objective)

    def _proven_early(self, stop: Stopper) -> bool:
        """Try a proof about as long as the heuristic so far: it may make the rest superfluous."""
        if self.proof is None or self.job.effort is Effort.QUICK:
            return False
        return self.proof.run(stop, self.job.most_nodes, EARLY_SHARE * self.trainer.effort)


def _reason(job: Job, done: bool, finding: Finding | None) -> StopReason:
    if done or (finding is not None and finding.impossible):
        return StopReason.COMPLETED
    if finding is not None and finding.finished and finding.answer is None:
        return StopReason.UNRESOLVED
    if job.stop():
        return job.stop.reason
    counted = job.effort is Effort.EXACT and job.options.node_limit is not None
    return StopReason.NODE_LIMIT if counted else StopReason.EFFORT_LIMIT
