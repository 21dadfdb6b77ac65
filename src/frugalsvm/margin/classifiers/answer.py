"""From rows back to samples: the result, recomputed from the problem's own data."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any

import numpy as np

from frugalsvm.data.losses import total_loss
from frugalsvm.data.problem import MarginProblem
from frugalsvm.data.result import MarginResult, Progress, Status, StopReason, relative_gap
from frugalsvm.margin.arrays import Flags, Floats
from frugalsvm.margin.classifiers.candidates import Candidate
from frugalsvm.margin.classifiers.repair import Metric, by_group, repaired, rounding
from frugalsvm.margin.rows.reduction import Reduced
from frugalsvm.margin.tuning import (
    COUNTED,
    EXPANDED,
    LOWEST,
    ROUNDING,
    SAME_SCORES,
    VAGUE,
    WORTH_A_REPAIR,
)
from frugalsvm.version import VERSION


@dataclass(frozen=True)
class Classifier:
    """A classifier on the samples as given, with everything recomputed from them."""

    dual_coef: Floats
    weights: Floats | None
    intercept: float
    counted: Flags
    objective: float


def classifier(problem: MarginProblem, rows: Reduced, candidate: Candidate) -> Classifier | None:
    """Return the candidate on the samples; None if it does not keep the limits there.

    A hard row may miss its margin by a rounding error, which a factor just above 1 repairs. Where
    large multipliers cancel, the error is no longer small: then the classifier is moved to the
    margins that it ought to have.
    """
    plain = _plain(problem, rows, candidate)
    if plain is not None and (not rows.linear or rounding(rows, candidate) <= WORTH_A_REPAIR):
        return plain
    moved = (_moved(problem, rows, candidate, metric) for metric in Metric)
    found = [c for c in (plain, *moved) if c is not None]
    return min(found, key=lambda c: c.objective, default=None)


def _plain(problem: MarginProblem, rows: Reduced, candidate: Candidate) -> Classifier | None:
    a = by_group(rows, candidate)
    dual = np.asarray(0.5 * a[rows.group_of] / rows.weight[rows.group_of])
    wrong = candidate.wrong[: rows.n_groups][rows.group_of]
    if problem.features is None:
        return settled(problem, dual, None, candidate.b, wrong)
    weights = rows.given_weights(rows.Z[: rows.n_groups].T @ (0.5 * a))
    return _linear(problem, rows, dual, weights, candidate.b, wrong)


def _moved(
    problem: MarginProblem, rows: Reduced, candidate: Candidate, metric: Metric
) -> Classifier | None:
    a, b, weights = repaired(rows, candidate, metric)
    dual = np.zeros(len(rows.group_of))
    dual[rows.first[: rows.n_groups]] = a
    wrong = candidate.wrong[: rows.n_groups][rows.group_of]
    if weights is None:
        return settled(problem, dual, None, b, wrong)
    return _linear(problem, rows, dual, rows.given_weights(weights), b, wrong)


def _linear(
    problem: MarginProblem, rows: Reduced, dual: Floats, weights: Floats, b: float, wrong: Flags
) -> Classifier | None:
    intercept = b - float(weights @ rows.center)
    return settled(problem, expansion(problem, weights, dual), weights, intercept, wrong)


def expansion(problem: MarginProblem, weights: Floats, dual: Floats) -> Floats:
    """Return coefficients of the samples that add up to the weights, if possible the given ones."""
    X = np.asarray(problem.features)
    size = np.abs(X).max(axis=0, initial=0.0)
    allowed = SAME_SCORES * (1.0 + float(np.abs(weights) @ size))
    some = np.unique(np.linspace(0, len(X) - 1, EXPANDED * (1 + X.shape[1])).astype(np.int64))
    for used in (np.flatnonzero(dual), some):
        missing = weights - X.T @ dual
        if float(np.abs(missing) @ size) <= allowed:
            break
        unit = np.where(size > 0.0, size, 1.0)
        dual = np.zeros(len(X))
        dual[used], *_ = np.linalg.lstsq((X[used] / unit).T, weights / unit, rcond=None)
    return dual


def settled(
    problem: MarginProblem, dual: Floats, weights: Floats | None, intercept: float, wrong: Flags
) -> Classifier | None:
    """Return a classifier whose samples have their margins, but for the wrong; None if it fails."""
    margins = problem.y * (_scores(problem, dual, weights) + intercept)
    doubts, norm_doubt = _doubts(problem, dual, weights, intercept)
    if not (np.isfinite(margins).all() and np.isfinite(doubts).all()):
        return None
    lowest = float((margins - doubts)[~wrong].min(initial=1.0))
    if not lowest >= LOWEST:
        return None
    scale = 1.0 / min(1.0, lowest)
    dual, intercept = scale * dual, scale * intercept
    weights = None if weights is None else scale * weights
    scores = _scores(problem, dual, weights)
    norm = _squared_norm(problem, dual, weights)
    margins = problem.y * (scores + intercept)
    slack = np.maximum(0.0, 1.0 - margins)
    counted = margins >= 1.0 - COUNTED
    kept = all((limit.members & ~counted).sum() <= limit.max_errors for limit in problem.limits)
    most = math.inf if problem.max_slack is None else problem.max_slack * (1.0 + 0.5 * COUNTED)
    objective = norm + problem.C * total_loss(problem.loss, margins)
    vague = norm_doubt + problem.C * float(doubts[slack > 0.0].sum()) > VAGUE * objective
    if not kept or slack.max(initial=0.0) > most or vague:
        return None
    return Classifier(dual, weights, intercept, counted, objective)


def _scores(problem: MarginProblem, dual: Floats, weights: Floats | None) -> Floats:
    if weights is None:
        return np.asarray(np.asarray(problem.gram) @ dual)
    return np.asarray(np.asarray(problem.features) @ weights)


def _squared_norm(problem: MarginProblem, dual: Floats, weights: Floats | None) -> float:
    if weights is None:
        return max(0.0, float(dual @ np.asarray(problem.gram) @ dual))
    return float(weights @ weights)


def _doubts(
    problem: MarginProblem, dual: Floats, weights: Floats | None, intercept: float
) -> tuple[Floats, float]:
    """Return how far rounding may have moved the margins, and the norm."""
    if weights is None:
        length = np.sqrt(np.maximum(np.diag(np.asarray(problem.gram)), 0.0))
        reach = float(np.abs(dual) @ length)
        size, unit, norm = length * reach, 2.0 * ROUNDING, reach * reach
    else:
        size = np.abs(np.asarray(problem.features)) @ np.abs(weights)
        unit, norm = (2 + len(weights)) * ROUNDING, 0.0
    return unit * (size + abs(intercept)), ROUNDING * norm


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
