"""What can be had where the budgets cannot both be met, with all allowed features.

For each class in turn the other class's budget is kept and a fixed ladder of budgets is tried
for it by trimmed fits. The directions do not depend on the class's own budget, so a later search
that asks for exactly what was reported comes across the same witness.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

from frugalsvm.data.result import Attainable
from frugalsvm.runtime.stopping import Stopper
from frugalsvm.search.heuristics.tuning import (
    ATTAINABLE_RIDGES,
    ATTAINABLE_ROUNDS,
    ERRORS_TRIED,
)
from frugalsvm.search.problem.fit import Recipe, trimmed_fit
from frugalsvm.search.problem.hyperplane import thresholds
from frugalsvm.search.problem.reduction import CoreProblem, Floats
from frugalsvm.search.problem.telling import telling_features


def best_attainable(core: CoreProblem, stop: Stopper) -> Attainable:
    """Return the fewest errors of each class found with the other's budget kept."""
    pos, neg = int(core.weight[: core.n_pos].sum()), int(core.weight[core.n_pos :].sum())
    for direction in witnesses(core, stop):
        pos = min(pos, errors_left(core, direction, of_positives=True))
        neg = min(neg, errors_left(core, direction, of_positives=False))
    return Attainable(pos_errors=pos, neg_errors=neg)


def witnesses(core: CoreProblem, stop: Stopper) -> Iterator[Floats]:
    """Yield directions that trade the errors of one class against the kept budget of the other."""
    if core.n_features == 0:
        return
    chosen = telling_features(core)
    total_pos = int(core.weight[: core.n_pos].sum())
    total_neg = int(core.weight[core.n_pos :].sum())
    for ridge in ATTAINABLE_RIDGES:
        for step in ERRORS_TRIED:
            if core.need_neg > 0 and step < total_pos and not stop():
                yield _fit(replace(core, need_pos=total_pos - step), chosen, ridge)
            if core.need_pos > 0 and step < total_neg and not stop():
                yield _fit(replace(core, need_neg=total_neg - step), chosen, ridge)


def _fit(core: CoreProblem, chosen: NDArray[np.intp], ridge: float) -> Floats:
    points = np.ascontiguousarray(core.columns[chosen].T)
    w, found = np.zeros(len(chosen) + 1), np.zeros(len(chosen))
    trimmed_fit(
        points,
        core.n_pos,
        core.weight,
        core.needs,
        core.floor,
        Recipe(ATTAINABLE_ROUNDS, ridge),
        w,
        found,
    )
    direction = np.zeros(core.n_features)
    direction[chosen] = found
    return direction


def errors_left(core: CoreProblem, direction: Floats, *, of_positives: bool) -> int:
    """Return the class's errors when the other class just keeps its budget."""
    largest = float(np.max(np.abs(direction), initial=0.0))
    n = core.n_pos
    mine = core.weight[:n] if of_positives else core.weight[n:]
    if largest == 0.0 or not np.isfinite(largest):
        return int(mine.sum())
    scores = (direction / largest) @ core.columns
    p, q = thresholds(core, scores)
    wrong = scores[:n] < q + core.floor if of_positives else scores[n:] > p - core.floor
    return int(mine[wrong].sum())
