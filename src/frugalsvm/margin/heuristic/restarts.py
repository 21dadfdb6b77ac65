"""Good classifiers quickly: trimmed hinge loss, exchanges, and disturbed restarts."""

from __future__ import annotations

import math

import numpy as np

from frugalsvm.margin.arrays import Flags, Floats
from frugalsvm.margin.classifiers.candidates import Candidate, Trainer
from frugalsvm.margin.classifiers.drafts import make_draft, take_in_order
from frugalsvm.margin.conflicts import make_pool
from frugalsvm.margin.heuristic.local_search import NOTHING, Plan, local_search
from frugalsvm.margin.options import Effort, MarginOptions
from frugalsvm.margin.slots import STEPS_LEFT, VALUE
from frugalsvm.margin.solver.codes import PAUSED
from frugalsvm.margin.tuning import (
    DISTURBANCE,
    FIRST_STARTS,
    KICK_SIZES,
    OUTSIDE_ITS_BOX,
    QUICK_TRIES,
    REFILLS,
    SEARCH_POOL,
    SEARCH_SLICE,
    STARTS,
    STEPS,
    TRIES,
    WORTH_A_ROUND,
)
from frugalsvm.runtime.stopping import Stopper


class Heuristic:
    """A search for good sets of wrong rows.

    Attributes
    ----------
    trainer : Trainer
        Solves the SVMs.
    bound : float
        The soft SVM's objective, a lower bound on any classifier's.
    """

    def __init__(self, trainer: Trainer, options: MarginOptions, effort: Effort) -> None:
        self.trainer = trainer
        self.quick = effort is Effort.QUICK
        self.kicks = options.quick_kicks if self.quick else options.kicks
        self.most_work = options.quick_work if self.quick else math.inf
        self.polish = options.polish
        self.bound = 0.0
        rows = trainer.rows
        self.draft = make_draft(rows.n_rows)
        self.equal = np.ones(rows.n_rows)
        self.refills = 0 if (rows.weight[: rows.n_groups] == 1.0).all() else REFILLS

    def run(self, rng: np.random.Generator, stop: Stopper) -> Candidate | None:
        """Return the best classifier found, None if none keeps the limits."""
        return self.go_on(self.begin(stop), rng, stop)

    def begin(self, stop: Stopper) -> Candidate | None:
        """Return the soft SVM if it keeps the limits, or the best of the first starts."""
        best = self._soft(stop)
        if best is not None:
            return best
        for start in STARTS[:FIRST_STARTS]:
            if best is None or self.trainer.effort < self.most_work:
                best = better(best, self._from_trimmed(start, self.equal, stop))
        return best

    def go_on(
        self, best: Candidate | None, rng: np.random.Generator, stop: Stopper
    ) -> Candidate | None:
        """Return the best of what :meth:`begin` found, the other starts and restarts."""
        if best is not None and best.objective <= self.bound * (1.0 + WORTH_A_ROUND):
            return best
        for start in () if self.quick else STARTS[FIRST_STARTS:]:
            best = better(best, self._from_trimmed(start, self.equal, stop))
        for kick in range(self.kicks):
            if stop() or self.trainer.effort >= self.most_work:
                break
            if best is not None and kick % 2 == 0:
                best = better(best, self._kick(best, rng, stop))
            else:
                weights = np.exp(DISTURBANCE * rng.standard_normal(self.trainer.rows.n_rows))
                start = sorted(STARTS)[(kick // 2) % len(STARTS)]
                best = better(best, self._from_trimmed(start, weights, stop))
        return best

    def improve(self, best: Candidate | None, wrong: Flags, stop: Stopper) -> Candidate | None:
        """Start from other wrong rows; return what that leads to if it is better."""
        self.draft.wrong[:] = wrong
        cutoff = math.inf if best is None else best.objective
        return better(best, self._search(stop, cutoff=cutoff))

    def _soft(self, stop: Stopper) -> Candidate | None:
        """Return the soft SVM if it keeps the limits: nothing is better."""
        self.draft.wrong[:] = True
        found = self._search(stop, polish=False)
        self.bound = max(0.0, float(self.trainer.work.numbers[VALUE]))
        return found

    def _from_trimmed(self, factor: float, weights: Floats, stop: Stopper) -> Candidate | None:
        """Let the worst rows be wrong, make the others dearer and dearer, and at last hard."""
        self.draft.wrong[:] = False
        self.trainer.work.a[:] = 0.0
        return self._search(stop, steps=STEPS, factor=factor, weights=weights)

    def _kick(self, best: Candidate, rng: np.random.Generator, stop: Stopper) -> Candidate | None:
        """Exchange a few rows at random and descend from there."""
        limits = self.trainer.limits
        pulling = np.abs(best.a) > limits.box * OUTSIDE_ITS_BOX
        enter = np.flatnonzero(limits.choosable & ~best.wrong & pulling)
        leave = np.flatnonzero(limits.choosable & best.wrong)
        size = int(rng.integers(*KICK_SIZES))
        out = rng.permutation(leave)[:size]
        into = rng.permutation(enter)[:size]
        kept = best.wrong & limits.choosable
        kept[out] = False
        order = np.concatenate([np.flatnonzero(kept), into, out])
        take_in_order(limits, order, self.draft.wrong)
        self.trainer.work.a[:] = best.a
        return self._search(stop)

    def _search(
        self,
        stop: Stopper,
        *,
        steps: int = 0,
        factor: float = 1.0,
        weights: Floats | None = None,
        cutoff: float = math.inf,
        polish: bool = True,
    ) -> Candidate | None:
        """Search from the rows that the draft marks as wrong."""
        trainer = self.trainer
        tries = (QUICK_TRIES if self.quick else TRIES) if self.polish and polish else 0
        plan = Plan(
            state=np.array([steps, factor, cutoff]),
            weights=self.equal if weights is None else weights,
            tries=tries,
            refills=self.refills,
            max_pivots=trainer.max_pivots,
        )
        pool = make_pool(*SEARCH_POOL)
        size, code = SEARCH_SLICE, PAUSED
        while code == PAUSED and not stop():
            trainer.watch.obey(stop)
            code = local_search(
                trainer.solver, trainer.bench, self.draft, pool, plan, trainer.effort + size
            )
            size *= 2
        found = code != NOTHING and plan.state[STEPS_LEFT] < 0
        return Candidate.of(self.draft) if found else None


def better(one: Candidate | None, other: Candidate | None) -> Candidate | None:
    """Return the candidate with the smaller objective."""
    if one is None or other is None:
        return one if other is None else other
    return other if other.objective < one.objective else one
