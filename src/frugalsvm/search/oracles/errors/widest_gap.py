"""The widest gap with the same samples right, by a linear program.

Near the margin floor a direction that keeps the budgets may be too narrow although another one,
that gets the same samples right, is not. If none is wide enough, the program's prices are a mean of
the positives and one of the negatives that are too close together (see :mod:`.separation`): the
samples that they are made of cannot all be right. On large supports HiGHS settles what rounding
hides from the small simplex method; either outcome is recomputed from the data.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from scipy.optimize import linprog

from frugalsvm.search.oracles.errors.separation import CERTAINTY
from frugalsvm.search.problem.reduction import Bools, CoreProblem, Floats, Ints

LEAST_PRICE = 1e-9  # of a class's prices, whose sum is 1; smaller ones are rounding


class Widest(NamedTuple):
    """What the linear program says; a part is None if the program says nothing of it.

    Attributes
    ----------
    direction : ndarray of shape (n_features,) or None
        With the widest gap.
    conflict : ndarray of int or None
        Samples that cannot all be right.
    """

    direction: Floats | None
    conflict: Ints | None


def widest_for(core: CoreProblem, used: Ints, right: Bools) -> Widest:
    """Return what is known of directions on some features that get some samples right."""
    points, d = core.columns[used].T, len(used)
    of_pos = np.flatnonzero(right[: core.n_pos])
    of_neg = core.n_pos + np.flatnonzero(right[core.n_pos :])
    # Maximise p - q, where positives score at least p and negatives at most q.
    above = np.column_stack((-points[of_pos], np.ones(len(of_pos)), np.zeros(len(of_pos))))
    below = np.column_stack((points[of_neg], np.zeros(len(of_neg)), -np.ones(len(of_neg))))
    solved = linprog(
        np.concatenate((np.zeros(d), [-1.0, 1.0])),
        A_ub=np.vstack((above, below)),
        b_ub=np.zeros(len(above) + len(below)),
        bounds=[(-1.0, 1.0)] * d + [(None, None)] * 2,
        method="highs-ds",
    )
    if solved.x is None:
        return Widest(None, None)
    direction = None
    if np.any(solved.x[:d]):
        direction = np.zeros(core.n_features)
        direction[used] = solved.x[:d]
    prices = np.maximum(0.0, -solved.ineqlin.marginals)
    return Widest(direction, _conflict(core, points, (of_pos, of_neg), prices))


def _conflict(
    core: CoreProblem, points: Floats, classes: tuple[Ints, Ints], prices: Floats
) -> Ints | None:
    """Return the samples of two means that are too close together; None if these are not."""
    members, means = [], []
    shares = np.split(prices, [len(classes[0])])
    for samples, share in zip(classes, shares, strict=True):
        total = share.sum()
        if not total > 0.5:
            return None
        some = share > LEAST_PRICE * total
        members.append(samples[some])
        means.append(share[some] / share[some].sum() @ points[samples[some]])
    together: Ints = np.concatenate(members).astype(np.int64)
    reach = max(1.0, float(np.abs(points[together]).max(initial=0.0)))
    distance = float(np.abs(means[0] - means[1]).sum())
    return together if distance < core.floor - CERTAINTY * reach else None
