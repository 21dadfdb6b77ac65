"""The largest gap once more, by linear programs: a second opinion that knows no vertices.

All samples that are not given up must be right. Where the widest gap is too narrow, one of the
samples that hold it (those with a dual multiplier) has to be given up: try each of them.
"""

from __future__ import annotations

import math

import numpy as np
from numpy.typing import NDArray
from scipy.optimize import linprog

Floats = NDArray[np.float64]
Bools = NDArray[np.bool_]


MOST_PROGRAMS = 300
"""Large budgets have too many sets of samples to give up: then there is no second opinion."""


def reaches(
    points: Floats, positive: Bools, spare_pos: int, spare_neg: int, goal: float
) -> bool | None:
    """Return whether some |w_k| <= 1 has p - q >= `goal`; None if no program could tell."""
    return _Tree(points, positive, goal).look(np.ones(len(points), bool), spare_pos, spare_neg, ())


class _Tree:
    def __init__(self, points: Floats, positive: Bools, goal: float) -> None:
        self.points, self.positive, self.goal = points, positive, goal
        self.left = MOST_PROGRAMS

    def look(
        self, kept: Bools, spare_pos: int, spare_neg: int, fixed: tuple[int, ...]
    ) -> bool | None:
        """Return whether the goal is reached; `fixed` samples are not given up any more."""
        self.left -= 1
        gap, holding = self.widest(kept) if self.left >= 0 else (None, [])
        if gap is None:
            return None
        if gap >= self.goal:
            return True
        for i in holding:
            spare = spare_pos if self.positive[i] else spare_neg
            if i in fixed or spare == 0:
                continue
            kept[i] = False
            less = (spare_pos - 1, spare_neg) if self.positive[i] else (spare_pos, spare_neg - 1)
            found = self.look(kept, *less, fixed)
            kept[i] = True
            if found is None or found:
                return found
            fixed = (*fixed, i)
        return False

    def widest(self, kept: Bools) -> tuple[float | None, list[int]]:
        """Return the widest gap with these samples right, and the samples that hold it."""
        pos, neg = np.flatnonzero(kept & self.positive), np.flatnonzero(kept & ~self.positive)
        if len(pos) == 0 or len(neg) == 0:
            return math.inf, []
        d = self.points.shape[1]
        # Maximise p - q with p <= w'x of the positives and q >= w'x of the negatives.
        above = np.hstack((-self.points[pos], np.ones((len(pos), 1)), np.zeros((len(pos), 1))))
        below = np.hstack((self.points[neg], np.zeros((len(neg), 1)), -np.ones((len(neg), 1))))
        answer = linprog(
            np.concatenate((np.zeros(d), [-1.0, 1.0])),
            A_ub=np.vstack((above, below)),
            b_ub=np.zeros(len(pos) + len(neg)),
            bounds=[(-1, 1)] * d + [(None, None)] * 2,
            method="highs-ds",
            options={"primal_feasibility_tolerance": 1e-10, "dual_feasibility_tolerance": 1e-10},
        )
        if answer.status != 0:
            return None, []
        held = np.abs(answer.ineqlin.marginals) > 1e-12
        return -answer.fun, np.concatenate((pos, neg))[held].tolist()
