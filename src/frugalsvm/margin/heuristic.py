"""Good classifiers quickly: trimmed hinge loss, exchanges, and disturbed restarts."""

from __future__ import annotations

import numpy as np

from frugalsvm.margin.candidates import Candidate, Trainer, allowed_wrong
from frugalsvm.margin.conflicts import Flags, certified, read_conflict
from frugalsvm.margin.dual import Floats, Ints, recompute
from frugalsvm.margin.moves import OPTIMAL
from frugalsvm.margin.options import Effort, MarginOptions
from frugalsvm.margin.pool import Pool
from frugalsvm.stopping import Stopper

STARTS = (1.0, 64.0, 8.0, 512.0)
"""First factors on C for the rows that are to be right; each start finds other wrong rows."""

FIRST = 2
"""Starts of the quick search, and of the long one before a short proof is tried."""

STEPS = 6
"""How often the factor is raised before these rows become hard."""

TRIES = 100
"""Exchanges that are tried from one classifier."""

REFILLS = 20
"""Rows of unequal weights that are let go first, the others filled up around them."""

TINY = 1e-12
"""Smallest resistance that a row is taken to meet."""

GAIN = 1e-7
"""Relative improvement of the objective that is worth another round."""


class Heuristic:
    """A search for good sets of wrong rows.

    Attributes
    ----------
    trainer : Trainer
        Solves the SVMs.
    choosable : ndarray of bool of shape (n_rows,)
        The rows that a limit counts and that may be wrong.
    bound : float
        The soft SVM's objective, a lower bound on any classifier's.
    """

    def __init__(self, trainer: Trainer, options: MarginOptions) -> None:
        self.trainer = trainer
        self.options = options
        self.bound = 0.0
        self.choosable = np.asarray(trainer.rows.use.any(axis=0) & ~trainer.rows.fixed)

    def run(
        self, rng: np.random.Generator, stop: Stopper, effort: Effort = Effort.EXACT
    ) -> Candidate | None:
        """Return the best classifier found, None if none keeps the limits."""
        return self.go_on(self.begin(stop, effort), rng, stop, effort)

    def begin(self, stop: Stopper, effort: Effort = Effort.EXACT) -> Candidate | None:
        """Return the soft SVM if it keeps the limits, or the best of the first starts."""
        best = self._soft()
        if best is not None:
            return best
        for start in STARTS[:FIRST]:
            if best is None or self.trainer.effort < self._most(effort):
                best = better(best, self._from_trimmed(start, self._equal(), stop))
        return best

    def go_on(
        self,
        best: Candidate | None,
        rng: np.random.Generator,
        stop: Stopper,
        effort: Effort = Effort.EXACT,
    ) -> Candidate | None:
        """Return the best of what :meth:`begin` found, the other starts and restarts."""
        if best is not None and best.objective <= self.bound * (1.0 + GAIN):
            return best
        quick = effort is Effort.QUICK
        for start in () if quick else STARTS[FIRST:]:
            best = better(best, self._from_trimmed(start, self._equal(), stop))
        for kick in range(self.options.quick_kicks if quick else self.options.kicks):
            if stop() or self.trainer.effort >= self._most(effort):
                break
            if best is not None and kick % 2 == 0:
                best = better(best, self._kick(best, rng, stop))
            else:
                weights = np.exp(0.7 * rng.standard_normal(self.trainer.rows.n_rows))
                start = sorted(STARTS)[(kick // 2) % len(STARTS)]
                best = better(best, self._from_trimmed(start, weights, stop))
        return best

    def _most(self, effort: Effort) -> float:
        return self.options.quick_work if effort is Effort.QUICK else np.inf

    def _equal(self) -> Floats:
        return np.ones(self.trainer.rows.n_rows)

    def _soft(self) -> Candidate | None:
        """Return the soft SVM if it keeps the limits: nothing is better."""
        code = self.trainer.fit(np.zeros(self.trainer.rows.n_rows, dtype=bool))
        self.bound = max(0.0, float(recompute(self.trainer.work)))
        return self.trainer.candidate() if code == OPTIMAL else None

    def improve(self, best: Candidate | None, wrong: Flags, stop: Stopper) -> Candidate | None:
        """Start from other wrong rows; return what that leads to if it is better."""
        cutoff = np.inf if best is None else best.objective
        found = self._train(wrong & self.choosable, cutoff=cutoff)
        if found is None or (best is not None and found.objective >= best.objective):
            return best
        return self._descend(found, stop)

    def _train(
        self, wrong: Flags, start: Floats | None = None, cutoff: float = np.inf
    ) -> Candidate | None:
        """Train with these rows allowed to be wrong."""
        if start is not None:
            self.trainer.work.a[:] = start
        code = self.trainer.fit(self.choosable & ~wrong, cutoff=cutoff)
        return self.trainer.candidate() if code == OPTIMAL else None

    def _from_trimmed(self, factor: float, weights: Floats, stop: Stopper) -> Candidate | None:
        """Let the worst rows be wrong, make the others dearer and dearer, and at last hard."""
        trainer = self.trainer
        wrong = np.zeros(len(weights), dtype=bool)
        none = np.zeros(len(weights), dtype=bool)
        trainer.work.a[:] = 0.0
        for _ in range(STEPS):
            box = np.where(wrong, trainer.box, trainer.box * factor * weights)
            if stop() or trainer.fit(none, box) != OPTIMAL:
                return None
            slack = trainer.slack()
            order = np.argsort(-slack, kind="stable")
            wrong = allowed_wrong(trainer.rows, order[slack[order] > 0.0])
            factor *= 4.0
        found = self._train(wrong)
        return None if found is None else self._descend(found, stop)

    def _kick(self, best: Candidate, rng: np.random.Generator, stop: Stopper) -> Candidate | None:
        """Exchange a few rows at random and descend from there."""
        enter, leave = self._movable(best)
        size = int(rng.integers(2, 6))
        out = rng.permutation(leave)[:size]
        into = rng.permutation(enter)[:size]
        kept = best.wrong & self.choosable
        kept[out] = False
        order = np.concatenate([np.flatnonzero(kept), into, out])
        found = self._train(allowed_wrong(self.trainer.rows, order), best.a)
        return None if found is None else self._descend(found, stop)

    def _descend(self, best: Candidate, stop: Stopper) -> Candidate:
        """Exchange one wrong row for one that pulls harder, while that pays.

        The solver is at the classifier to start from. What fails leaves a conflict: exchanges
        that miss one of them would fail as well.
        """
        trainer, pool = self.trainer, Pool()
        improved = self.options.polish
        while improved and not stop():
            improved = False
            trainer.keep()
            cutoff = best.objective * (1.0 - GAIN)
            for wrong in self._exchanges(best):
                if stop():
                    break
                if pool.missed_by(wrong):
                    continue
                code = trainer.refit(self.choosable & ~wrong, cutoff)
                found = trainer.candidate() if code == OPTIMAL else None
                if found is not None and found.objective < cutoff:
                    best, improved = found, True
                    break
                if certified(trainer.work, code, cutoff):
                    pool.add(read_conflict(trainer.work, trainer.box, self.choosable, code), cutoff)
        return best

    def _movable(self, best: Candidate) -> tuple[Ints, Ints]:
        """Return the rows that had better be wrong, and the wrong rows."""
        box = self.trainer.box
        pull = np.abs(best.a) - box
        enter = np.flatnonzero(self.choosable & ~best.wrong & (pull > 1e-9 * box))
        return enter, np.flatnonzero(self.choosable & best.wrong)

    def _exchanges(self, best: Candidate) -> list[Flags]:
        """Return the neighbours of a set of wrong rows that promise most, best first.

        The promise is the change of the objective if no other row changed its part: a row let
        go frees its multiplier's excess, a row made hard has to be pulled up by its slack.
        """
        rows, trainer = self.trainer.rows, self.trainer
        enter, leave = self._movable(best)
        current = best.wrong & self.choosable
        left = rows.caps - rows.use @ current
        excess = np.abs(best.a[enter]) - trainer.box[enter]
        gain = 0.5 * trainer.stiffness(enter) * excess**2
        stiff = np.maximum(trainer.stiffness(leave), TINY)
        cost = np.concatenate([[0.0], 0.5 * best.slack[leave] ** 2 / stiff])
        room = np.concatenate([left[:, None], left[:, None] + rows.use[:, leave]], axis=1)
        allowed = (rows.use[:, enter, None] <= room[:, None, :]).all(axis=0)
        promise = np.where(allowed, gain[:, None] - cost[None, :], -np.inf)
        order = np.argsort(-promise, axis=None, kind="stable")[:TRIES]
        pairs = zip(*np.unravel_index(order, promise.shape), strict=True)
        exchanged = [
            _exchanged(current, int(enter[i]), int(leave[j - 1]) if j > 0 else None)
            for i, j in pairs
            if promise[i, j] > -np.inf
        ]
        if (rows.weight[: rows.n_groups] == 1.0).all():
            return exchanged
        keep = leave[np.argsort(-cost[1:], kind="stable")]
        wish = enter[np.argsort(-gain, kind="stable")]
        return [
            allowed_wrong(rows, np.concatenate([[i], keep, wish])) for i in wish[:REFILLS]
        ] + exchanged


def better(one: Candidate | None, other: Candidate | None) -> Candidate | None:
    """Return the candidate with the smaller objective."""
    if one is None or other is None:
        return one if other is None else other
    return other if other.objective < one.objective else one


def _exchanged(wrong: Flags, enter: int, leave: int | None) -> Flags:
    changed = wrong.copy()
    changed[enter] = True
    if leave is not None:
        changed[leave] = False
    return changed
