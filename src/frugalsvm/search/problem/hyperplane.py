"""From a direction to a verified classifier: the gap that decides everything.

For a direction w, let p be the ``need_pos``-th largest score of the positives and q the
``need_neg``-th smallest of the negatives (original samples counted). Then some intercept and
scale within ``max_weight`` meets the budgets iff p - q >= (2 / max_weight) * max |w_k|.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from frugalsvm.search.problem.reduction import MARGIN_TOLERANCE, CoreProblem

Floats = NDArray[np.float64]

HEADROOM = 1e-6
"""Relative excess of the margins over 1 where ``max_weight`` has room for it."""


@dataclass(frozen=True, eq=False)
class Hyperplane:
    """A verified answer, in the original problem's features.

    Attributes
    ----------
    support : tuple of int
        Original features, included ones too.
    weights : ndarray of shape (n_original_features,)
        At most ``max_weight`` in absolute value.
    intercept : float
        Such that counted samples have margin at least 1.
    cost : int
        Cost of the support, as the reduced problem counts it.
    pos_errors, neg_errors : int
        Samples with a margin below 1.
    slack : tuple of int
        What is left of the budgets: in total, and in the tighter class. Larger is better.
    """

    support: tuple[int, ...]
    weights: Floats
    intercept: float
    cost: int
    pos_errors: int
    neg_errors: int
    slack: tuple[int, int]


def thresholds(core: CoreProblem, scores: Floats) -> tuple[float, float]:
    """Return p and q for the scores of the merged samples; -inf and inf if none is needed."""
    n = core.n_pos
    p = -_weighted_smallest(-scores[:n], core.weight[:n], core.need_pos)
    q = _weighted_smallest(scores[n:], core.weight[n:], core.need_neg)
    if core.need_pos == 0:
        p = math.inf
    if core.need_neg == 0:
        q = -math.inf
    return p, q


def _weighted_smallest(values: Floats, weight: NDArray[np.int64], count: int) -> float:
    """Return the value at which the `count` smallest samples are reached."""
    if count <= 0:
        return -math.inf
    if int(weight.sum()) == len(values):  # each stands for itself
        return float(np.partition(values, count - 1)[count - 1])
    order = np.argsort(values, kind="stable")
    reached = np.searchsorted(np.cumsum(weight[order]), count)
    return float(values[order[reached]])


def gap(core: CoreProblem, direction: Floats) -> float:
    """Return (p - q) / max |w_k|; infinity if one class may be wrong altogether."""
    used = np.flatnonzero(direction)
    scores = direction[used] @ core.columns[used]
    p, q = thresholds(core, scores)
    if math.isinf(p) or math.isinf(q):
        return math.inf
    scale = float(np.max(np.abs(direction[used]))) if len(used) else 0.0
    return (p - q) / scale if scale > 0 else -math.inf


def hyperplane_from_direction(core: CoreProblem, direction: Floats) -> Hyperplane | None:
    """Return the verified classifier of this direction, or None if it misses the budgets."""
    problem = core.source
    weights = np.zeros(problem.n_features)
    if core.need_pos == 0 or core.need_neg == 0:
        return _verified(core, weights, 1.0 if core.need_neg == 0 else -1.0)
    if not np.all(np.isfinite(direction)):
        return None
    used = np.flatnonzero(direction)
    if len(used) == 0:
        return None
    unit = direction[used] / np.max(np.abs(direction[used]))
    p, q = thresholds(core, unit @ core.columns[used])
    if not p - q >= core.floor:
        return None
    scale = min(core.max_weight, 2.0 / (p - q) * (1.0 + HEADROOM))
    weights[core.feature_ids[used]] = np.clip(unit * scale, -core.max_weight, core.max_weight)
    return _verified(core, weights, -0.5 * scale * (p + q))


def _verified(core: CoreProblem, weights: Floats, intercept: float) -> Hyperplane | None:
    """Count the errors anew on the original samples; None if a budget is exceeded."""
    problem = core.source
    used = np.flatnonzero(weights)
    score = problem.X[:, used] @ weights[used] + intercept
    wrong = np.where(problem.positive, score, -score) < 1.0 - MARGIN_TOLERANCE
    pos_errors = int(np.count_nonzero(wrong & problem.positive))
    neg_errors = int(np.count_nonzero(wrong)) - pos_errors
    left = (problem.budget.pos - pos_errors, problem.budget.neg - neg_errors)
    if min(left) < 0:
        return None
    support = tuple(int(k) for k in np.flatnonzero((weights != 0) | problem.include))
    return Hyperplane(
        support=support,
        weights=weights,
        intercept=intercept,
        cost=core.cost(core.core_support(support)),
        pos_errors=pos_errors,
        neg_errors=neg_errors,
        slack=(sum(left), min(left)),
    )
