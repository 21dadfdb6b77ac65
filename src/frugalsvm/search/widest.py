"""The widest gap with the same samples right, by a linear program.

Near the margin floor a direction that keeps the budgets may be too narrow although another one,
that gets the same samples right, is not.
"""

from __future__ import annotations

import numpy as np
from scipy.optimize import linprog

from frugalsvm.search.hyperplane import gap, thresholds
from frugalsvm.search.reduction import CoreProblem, Floats


def widest(core: CoreProblem, direction: Floats) -> tuple[float, Floats]:
    """Return the widest gap on the features of a direction, and the direction that has it.

    The samples that have to be right are those that are right with the direction at hand.
    """
    used = np.flatnonzero(direction)
    points = core.columns[used].T
    scores = points @ direction[used]
    p, q = thresholds(core, scores)
    positives = points[: core.n_pos][scores[: core.n_pos] >= p]
    negatives = points[core.n_pos :][scores[core.n_pos :] <= q]
    d = len(used)
    # Maximise p - q, where positives score at least p and negatives at most q.
    above = np.column_stack((-positives, np.ones(len(positives)), np.zeros(len(positives))))
    below = np.column_stack((negatives, np.zeros(len(negatives)), -np.ones(len(negatives))))
    solved = linprog(
        np.concatenate((np.zeros(d), [-1.0, 1.0])),
        A_ub=np.vstack((above, below)),
        b_ub=np.zeros(len(above) + len(below)),
        bounds=[(-1.0, 1.0)] * d + [(None, None)] * 2,
        method="highs-ds",
    )
    best = direction.copy()
    if solved.x is not None:
        best[used] = solved.x[:d]
    if not np.any(best) or gap(core, best) < gap(core, direction):
        best = direction
    return gap(core, best), best
