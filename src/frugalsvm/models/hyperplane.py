"""Whether a support really carries a hyperplane that meets the budgets, from the data alone.

For weights w the best intercept needs no solver: with kp and kn the numbers of positives and
negatives that must be right, it exists if and only if the kp-th largest score of the positives
exceeds the kn-th smallest of the negatives by at least 2.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from scipy.optimize import linprog

from frugalsvm.data.problem import SelectionProblem

MARGIN_TOLERANCE = 1e-7
"""How far below 1 a counted margin may be where M3 leaves no room to scale the weights up."""


@dataclass(frozen=True)
class Hyperplane:
    """Weights over all features, and the intercept."""

    weights: NDArray[np.float64]
    intercept: float

    def margins(self, problem: SelectionProblem) -> NDArray[np.float64]:
        """Return y (w'x + b) of every sample."""
        scores = problem.X @ self.weights + self.intercept
        return np.where(problem.positive, scores, -scores)


def within_budget(problem: SelectionProblem, plane: Hyperplane) -> bool:
    """Return whether `plane` keeps both budgets and the box, up to the tolerance."""
    wrong = plane.margins(problem) < 1.0 - MARGIN_TOLERANCE
    return (
        int(np.sum(wrong & problem.positive)) <= problem.budget.pos
        and int(np.sum(wrong & ~problem.positive)) <= problem.budget.neg
        and float(np.max(np.abs(plane.weights), initial=0.0)) <= problem.max_weight
    )


def fit_hyperplane(
    problem: SelectionProblem, support: NDArray[np.bool_], weights: NDArray[np.float64]
) -> Hyperplane | None:
    """Return a hyperplane on `support` that meets the budgets, found from near `weights`; or None.

    None means that these weights do not lead to one, not that the support has none.
    """
    w = np.where(support, np.clip(weights, -problem.max_weight, problem.max_weight), 0.0)
    plane = best_intercept(problem, w)
    if plane is not None and within_budget(problem, plane):
        return plane
    plane = _widest_margin(problem, support, w)
    return plane if plane is not None and within_budget(problem, plane) else None


def _required(problem: SelectionProblem) -> tuple[int, int]:
    """Return how many positives and negatives must be right."""
    return (
        max(0, problem.n_positive - problem.budget.pos),
        max(0, problem.n_negative - problem.budget.neg),
    )


def best_intercept(problem: SelectionProblem, w: NDArray[np.float64]) -> Hyperplane | None:
    """Return the weights with their best intercept, scaled up as needed and as the box allows.

    None if these weights do not separate enough samples by anything at all. The margins are 1
    or more unless the box is in the way: check with :func:`within_budget`.
    """
    kp, kn = _required(problem)
    if kp == 0 or kn == 0:  # a constant answer does
        return Hyperplane(np.zeros_like(w), 1.0 if kn == 0 else -1.0)
    scores = problem.X @ w
    high = np.sort(scores[problem.positive])[::-1][kp - 1]
    low = np.sort(scores[~problem.positive])[kn - 1]
    gap = float(high - low)
    if gap <= 0:
        return None
    # A little more than needed, for the rounding of the scores; never beyond the box.
    scale = max(1.0, 2.0 / gap * (1.0 + 1e-12))
    largest = float(np.max(np.abs(w), initial=0.0))
    scale = min(scale, problem.max_weight / largest)
    return Hyperplane(
        np.clip(w * scale, -problem.max_weight, problem.max_weight),
        -scale * float(high + low) / 2.0,
    )


def _widest_margin(
    problem: SelectionProblem, support: NDArray[np.bool_], w: NDArray[np.float64]
) -> Hyperplane | None:
    """Return the hyperplane in the box with the widest margin for the samples `w` gets right."""
    kp, kn = _required(problem)
    scores = problem.X @ w
    pos, neg = np.flatnonzero(problem.positive), np.flatnonzero(~problem.positive)
    counted = np.concatenate(
        [
            pos[np.argsort(-scores[pos], kind="stable")[:kp]],
            neg[np.argsort(scores[neg], kind="stable")[:kn]],
        ]
    )
    y = np.where(problem.positive[counted], 1.0, -1.0)
    A = np.column_stack([-y[:, None] * problem.X[np.ix_(counted, support)], -y, np.ones(len(y))])
    box = (-problem.max_weight, problem.max_weight)
    size = int(support.sum())
    answer = linprog(
        np.r_[np.zeros(size + 1), -1.0],
        A_ub=A,
        b_ub=np.zeros(len(y)),
        bounds=[box] * size + [(None, None), (None, 2.0)],
        method="highs",
    )
    if answer.status != 0:
        return None
    widest = np.zeros(problem.n_features)
    widest[support] = answer.x[:size]
    return best_intercept(problem, widest)
