"""From rows back to samples: the result, recomputed from the problem's own data."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from frugalsvm.margin.candidates import Candidate
from frugalsvm.margin.reduction import Reduced
from frugalsvm.problem import MarginProblem
from frugalsvm.result import MarginResult, Progress, Status, StopReason, relative_gap
from frugalsvm.version import VERSION

COUNTED = 1e-6
"""A sample is counted correct if its margin, computed from the data, is at least 1 minus this."""

Vector = NDArray[np.float64]


@dataclass(frozen=True)
class Classifier:
    """A classifier on the samples as given, with everything recomputed from them."""

    dual_coef: Vector
    weights: Vector | None
    intercept: float
    counted: NDArray[np.bool_]
    objective: float


def classifier(problem: MarginProblem, rows: Reduced, candidate: Candidate) -> Classifier | None:
    """Return the candidate on the samples; None if it does not keep the limits there.

    A row's multiplier is shared by its samples. A hard row may miss its margin by a rounding
    error, which a factor just above 1 repairs.
    """
    dual = _sample_multipliers(rows, candidate)
    scores, norm, weights = _scores(problem, dual)
    intercept = candidate.b
    if weights is not None:
        intercept -= float(weights @ rows.center)
    wrong = candidate.wrong[: rows.n_groups][rows.group_of]
    margins = problem.y * (scores + intercept)
    lowest = float(margins[~wrong].min(initial=1.0))
    if lowest < 0.999:
        return None
    scale = 1.0 / min(1.0, lowest)
    margins *= scale
    slack = np.maximum(0.0, 1.0 - margins)
    counted = margins >= 1.0 - COUNTED
    slack[counted] = 0.0
    kept = all((limit.members & ~counted).sum() <= limit.max_errors for limit in problem.limits)
    bounded = problem.max_slack is None or slack.max(initial=0.0) <= problem.max_slack + COUNTED
    if not kept or not bounded:
        return None
    return Classifier(
        dual_coef=scale * dual,
        weights=None if weights is None else scale * weights,
        intercept=scale * intercept,
        counted=counted,
        objective=scale * scale * norm + problem.C * float(slack.sum()),
    )


def _sample_multipliers(rows: Reduced, candidate: Candidate) -> Vector:
    m = rows.n_groups
    a = candidate.a[:m].copy()
    if len(candidate.a) > m:  # the rows that bound the slacks stand for the same samples
        a += candidate.a[m:]
    return np.asarray(0.5 * a[rows.group_of] / rows.weight[rows.group_of])


def _scores(problem: MarginProblem, dual: Vector) -> tuple[Vector, float, Vector | None]:
    if problem.features is not None:
        weights = problem.features.T @ dual
        return problem.features @ weights, float(weights @ weights), weights
    scores = np.asarray(problem.gram) @ dual
    return scores, max(0.0, float(dual @ scores)), None


def make_result(
    problem: MarginProblem,
    found: Classifier | None,
    *,
    bound: float,
    tolerance: float,
    seconds: float,
    stop_reason: StopReason,
    history: tuple[Progress, ...],
    details: dict[str, Any],
) -> MarginResult:
    """Return the result with the status that objective and bound justify."""
    n = len(problem.positive)
    nothing = Classifier(
        dual_coef=np.zeros(n),
        weights=None if problem.features is None else np.zeros(problem.features.shape[1]),
        intercept=0.0,
        counted=np.zeros(n, dtype=bool),
        objective=math.inf,
    )
    shown = nothing if found is None else found
    if found is None:
        status = Status.INFEASIBLE if math.isinf(bound) else Status.UNKNOWN
    else:
        bound = min(bound, found.objective)
        closed = relative_gap(found.objective, bound) <= tolerance
        status = Status.OPTIMAL if closed else Status.FEASIBLE
    return MarginResult(
        status=status,
        dual_coef=shown.dual_coef,
        weights=shown.weights,
        intercept=shown.intercept,
        counted=shown.counted,
        objective=shown.objective,
        bound=bound,
        seconds=seconds,
        solver="frugalsvm",
        solver_version=VERSION,
        stop_reason=stop_reason,
        history=history,
        details=details,
    )
