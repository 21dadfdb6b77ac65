"""The two relaxations of "an SVM with at most r features" that the paper compares with."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from frugalsvm.sparse.active import WorkingSet, null_pull
from frugalsvm.sparse.program import PenalizedSolution

BALANCE_TOLERANCE = 1e-5
MAX_SOLVES = 40
FINEST = 1.01  # ratio of lasso weights that are not told apart
COARSE = 2.0  # ratio of the steps down before the number of features is bracketed
SMALLEST_L1 = 1e-5  # as a fraction of the lasso weight at which all weights are zero


@dataclass(frozen=True)
class Relaxation:
    """Outcome of a relaxation.

    Attributes
    ----------
    weights : ndarray of shape (n_features,)
        The relaxed problem's weights.
    intercept : float
        Its intercept.
    support : ndarray of int
        The features kept, at most r, in ascending order.
    objective : float
        The relaxed objective for "chan", ||w||_2^2 / 2 + C sum xi for "ghaddar".
    """

    weights: NDArray[np.float64]
    intercept: float
    support: NDArray[np.intp]
    objective: float


def chan(X: NDArray[np.float64], y: NDArray[np.float64], C: float, max_features: int) -> Relaxation:
    """Solve Chan, Vasconcelos and Lanckriet's relaxation (QCQP-SSVM, 2007).

    Minimise t / 2 + C sum xi with ||w||_2^2 <= t and ||w||_1^2 <= r t, that is half the greater
    of ||w||_2^2 and ||w||_1^2 / r. For a share s in [0, 1] of the first and 1 - s of the second the
    problem is a penalised SVM, whose optimum is concave in s with derivative half of
    ||w||_2^2 - ||w||_1^2 / r; the share with derivative zero gives the solution. Kept are the r
    features of greatest weight.
    """
    work = WorkingSet(X, y, np.full(len(y), float(C)))
    solution = _balanced(work, max_features)
    weights = solution.weights
    strongest = np.argsort(-np.abs(weights), kind="stable")[:max_features]
    slack = np.maximum(0.0, 1.0 - y * (X @ weights + solution.intercept)).sum()
    size = max(float(weights @ weights), float(np.abs(weights).sum()) ** 2 / max_features)
    return Relaxation(
        weights,
        solution.intercept,
        np.sort(strongest[weights[strongest] != 0]),
        0.5 * size + C * float(slack),
    )


def _balanced(work: WorkingSet, r: int) -> PenalizedSolution:
    """Return the solution at the share where both constraints are tight (or an end of [0, 1])."""

    def at(share: float) -> tuple[float, PenalizedSolution]:
        solution = work.solve(ridge=share, l1_squared=(1.0 - share) / r)
        square = float(solution.weights @ solution.weights)
        excess = square - float(np.abs(solution.weights).sum()) ** 2 / r
        return (excess / square if square > 0 else 0.0), solution

    low, high = 0.0, 1.0
    at_high, solution = at(high)
    if at_high >= 0.0:
        return solution
    at_low, solution = at(low)
    if at_low <= 0.0:
        return solution
    side = 0
    for _ in range(MAX_SOLVES):
        # Regula falsi with Illinois' halving: safe, and much faster than bisection.
        share = (low * at_high - high * at_low) / (at_high - at_low)
        excess, solution = at(share)
        if abs(excess) <= BALANCE_TOLERANCE or high - low <= BALANCE_TOLERANCE:
            break
        if excess > 0:
            low, at_low = share, excess
            at_high = at_high / 2 if side == 1 else at_high
            side = 1
        else:
            high, at_high = share, excess
            at_low = at_low / 2 if side == -1 else at_low
            side = -1
    return solution


def ghaddar(
    X: NDArray[np.float64], y: NDArray[np.float64], C: float, max_features: int
) -> Relaxation:
    """Tighten a bound on ||w||_1 until at most r features remain (Ghaddar, Naoum-Sawaya 2018).

    Every bound corresponds to a weight of the lasso, which is what is searched, from
    the side of no features and then by bisection of its logarithm: it ends at the loosest bound
    found with at most r features, or as soon as r remain.
    """
    work = WorkingSet(X, y, np.full(len(y), float(C)))
    chosen = _loosest(work, max_features, _null_weight(X, y, C))
    weights = chosen.weights
    # Features that enter together, such as copies of one another, may still be too many.
    strongest = np.argsort(-np.abs(weights), kind="stable")[:max_features]
    slack = np.maximum(0.0, 1.0 - y * (X @ weights + chosen.intercept)).sum()
    return Relaxation(
        weights,
        chosen.intercept,
        np.sort(strongest[weights[strongest] != 0]),
        0.5 * float(weights @ weights) + C * float(slack),
    )


def _null_weight(X: NDArray[np.float64], y: NDArray[np.float64], C: float) -> float:
    """Return a weight of the lasso at which all weights are zero.

    They are zero once balanced multipliers pull no feature beyond the slope.
    """
    fewest = min(int((y > 0).sum()), int((y < 0).sum()))
    return C * fewest * float(np.abs(null_pull(y, X)).max(initial=0.0))


def _loosest(work: WorkingSet, r: int, null_weight: float) -> PenalizedSolution:
    """Return the solution with 1 to r features at the smallest lasso weight found."""
    low = high = null_weight
    found: PenalizedSolution | None = None
    dense: PenalizedSolution | None = None
    while dense is None or high > FINEST * low:
        weight = low / COARSE if dense is None else float(np.sqrt(low * high))
        solution = work.solve(ridge=1.0, l1=weight)
        kept = np.count_nonzero(solution.weights)
        if kept > r:
            low, dense = weight, solution
            continue
        high = weight
        low = weight if dense is None else low
        found = solution if kept else found
        if kept == r or weight <= SMALLEST_L1 * null_weight:
            break
    chosen = found or dense
    if chosen is None:  # no feature tells the classes apart: every weight is zero
        chosen = work.solve(ridge=1.0, l1=null_weight)
    return chosen
