"""Good classifiers quickly: trimmed hinge loss, exchanges, and disturbed restarts."""

from __future__ import annotations

import numpy as np

from frugalsvm.margin.active_set import OPTIMAL, Floats
from frugalsvm.margin.candidates import Candidate, Trainer, allowed_wrong
from frugalsvm.margin.conflicts import Flags
from frugalsvm.margin.options import MarginOptions
from frugalsvm.stopping import Stopper

PENALTIES = (1.0, 2.0, 4.0, 8.0, 32.0, 128.0, 1024.0)
"""Factors on C for the rows that are to be right, before they become hard."""


def evaluate(trainer: Trainer, wrong: Flags, cutoff: float = np.inf) -> Candidate | None:
    """Train with exactly these choosable rows allowed to be wrong."""
    code = trainer.fit(choosable(trainer) & ~wrong, cutoff=cutoff)
    return trainer.candidate() if code == OPTIMAL else None


def choosable(trainer: Trainer) -> Flags:
    """Return the rows that a limit counts and that may be wrong."""
    return np.asarray(trainer.rows.use.any(axis=0) & ~trainer.rows.fixed)


def search(
    trainer: Trainer,
    options: MarginOptions,
    rng: np.random.Generator,
    stop: Stopper,
    best: Candidate | None = None,
) -> Candidate | None:
    """Return the best classifier found, None if none keeps the limits."""
    best = better(best, trimmed(trainer, np.ones(trainer.rows.n_rows), stop))
    if options.polish and best is not None:
        best = polish(trainer, best, stop)
    for _ in range(options.kicks):
        if stop():
            break
        weights = np.exp(0.7 * rng.standard_normal(trainer.rows.n_rows))
        found = trimmed(trainer, weights, stop)
        if options.polish and found is not None:
            found = polish(trainer, found, stop)
        best = better(best, found)
    return best


def better(one: Candidate | None, other: Candidate | None) -> Candidate | None:
    """Return the candidate with the smaller objective."""
    if one is None or other is None:
        return one if other is None else other
    return other if other.objective < one.objective else one


def trimmed(trainer: Trainer, weights: Floats, stop: Stopper) -> Candidate | None:
    """Let the worst rows be wrong, make the others dearer and dearer, and at last hard."""
    rows = trainer.rows
    wrong = np.zeros(rows.n_rows, dtype=bool)
    trainer.work.a[:] = 0.0
    none = np.zeros(rows.n_rows, dtype=bool)
    for penalty in PENALTIES:
        if stop():
            return None
        box = np.where(wrong, trainer.box, trainer.box * penalty * weights)
        if trainer.fit(none, box) != OPTIMAL:
            return None
        wrong = worst_rows(trainer)
    return evaluate(trainer, wrong)


def worst_rows(trainer: Trainer) -> Flags:
    """Return the rows with the largest slacks that may be wrong together."""
    slack = trainer.slack()
    order = np.argsort(-slack, kind="stable")
    return allowed_wrong(trainer.rows, order[slack[order] > 0.0])


def polish(trainer: Trainer, best: Candidate, stop: Stopper) -> Candidate:
    """Exchange one wrong row for one that pulls harder than a slack would cost, while it pays."""
    improved = True
    while improved and not stop():
        improved = False
        for wrong in exchanges(trainer, best):
            if stop():
                break
            trainer.work.a[:] = best.a
            found = evaluate(trainer, wrong, cutoff=best.objective * (1.0 - 1e-7))
            if found is not None and found.objective < best.objective * (1.0 - 1e-7):
                best, improved = found, True
                break
    return best


def exchanges(trainer: Trainer, best: Candidate) -> list[Flags]:
    """Return the neighbours of a set of wrong rows, the most promising first."""
    rows = trainer.rows
    pull = np.abs(best.a) - trainer.box
    hard = choosable(trainer) & ~best.wrong & (pull > 1e-9 * trainer.box)
    enter = np.flatnonzero(hard)
    enter = enter[np.argsort(-pull[enter], kind="stable")]
    trainer.work.a[:] = best.a
    slack = np.where(best.wrong, trainer.box, np.inf)
    leave = np.flatnonzero(best.wrong & choosable(trainer))
    leave = leave[np.argsort(slack[leave], kind="stable")]
    left = rows.caps - rows.use @ best.wrong
    found = []
    for i in enter:
        if (rows.use[:, i] <= left).all():
            found.append(_exchanged(best.wrong, int(i), -1))
            continue
        for j in leave:
            if (rows.use[:, i] <= left + rows.use[:, j]).all():
                found.append(_exchanged(best.wrong, int(i), int(j)))
    return found


def _exchanged(wrong: Flags, enter: int, leave: int) -> Flags:
    changed = wrong.copy()
    changed[enter] = True
    if leave >= 0:
        changed[leave] = False
    return changed
