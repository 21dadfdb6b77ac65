"""The widest gap with the same samples right, by a linear program.

Near the margin floor a direction that keeps the budgets may be too narrow although another one,
that gets the same samples right, is not.
"""

from __future__ import annotations

import numpy as np
from scipy.optimize import linprog

from frugalsvm.search.problem.reduction import Bools, CoreProblem, Floats, Ints


def widest_for(core: CoreProblem, used: Ints, right: Bools) -> Floats | None:
    """Return the direction on some features with the widest gap between samples that are right.

    None if the linear program fails or there is no direction but zero.
    """
    points, d = core.columns[used].T, len(used)
    positives = points[: core.n_pos][right[: core.n_pos]]
    negatives = points[core.n_pos :][right[core.n_pos :]]
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
    if solved.x is None or not np.any(solved.x[:d]):
        return None
    best = np.zeros(core.n_features)
    best[used] = solved.x[:d]
    return best
