"""Solving with many features by way of the few that matter.

A feature whose pull |x_k'(alpha y)| stays below the slope of the lasso has weight zero. So the
problem is solved on a working set, every other feature is checked, and those that pull too much
join, until none does: the answer is the answer of the whole problem.
"""

from __future__ import annotations

from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

from frugalsvm.sparse.program import PenalizedSolution, PenalizedSVM, solve

SMALL = 200  # features below which a working set saves nothing
FIRST = 60
SLACK = 1e-7  # how far beyond the slope a pull must be to count


class WorkingSet:
    """Solves problems that differ in their penalties only, each starting where the last ended.

    Parameters
    ----------
    X, y, costs
        As in :class:`PenalizedSVM`.
    """

    def __init__(
        self,
        X: NDArray[np.float64],
        y: NDArray[np.float64],
        costs: NDArray[np.float64],
    ) -> None:
        self._whole = PenalizedSVM(X, y, costs)
        self._columns: NDArray[np.intp] = np.argsort(-np.abs(null_pull(y, X)), kind="stable")[
            :FIRST
        ]

    def solve(self, *, ridge: float, l1: float = 0.0, l1_squared: float = 0.0) -> PenalizedSolution:
        """Solve with these penalties."""
        problem = replace(self._whole, ridge=ridge, l1=l1, l1_squared=l1_squared)
        d = problem.X.shape[1]
        if d <= SMALL or l1 + l1_squared == 0.0:
            return solve(problem)
        while 2 * len(self._columns) < d:
            part = solve(replace(problem, X=np.ascontiguousarray(problem.X[:, self._columns])))
            joining = self._violators(problem, part)
            if not len(joining):
                weights = np.zeros(d)
                weights[self._columns] = part.weights
                return replace(part, weights=weights)
            self._columns = np.concatenate([self._columns, joining])
        return solve(problem)

    def _violators(self, problem: PenalizedSVM, part: PenalizedSolution) -> NDArray[np.intp]:
        slope = problem.l1 + problem.l1_squared * float(np.abs(part.weights).sum())
        pull = np.abs((part.alpha * problem.y) @ problem.X)
        pull[self._columns] = 0.0
        order = np.argsort(-pull, kind="stable")[: max(FIRST, len(self._columns))]
        found: NDArray[np.intp] = order[pull[order] > slope * (1 + SLACK)]
        return found


def null_pull(y: NDArray[np.float64], X: NDArray[np.float64]) -> NDArray[np.float64]:
    """Return x_k'(alpha y) for multipliers that balance the classes and sum to 1 in each."""
    positive = y > 0
    return np.asarray(X[positive].mean(axis=0) - X[~positive].mean(axis=0))
