"""CSVM in both its forms, P2 and P3 as the paper writes them, and their answers checked.

P2 and P3 are CSVM on the chosen features, so there are two models: the primal in w, and the
partial dual in alpha. The dual is written with v = L' (y alpha) for a factor K = L L' of the
kernel's matrix: then both have scores L v + b and the objective v'v + C sum xi, convex also
where rounding gives K a slightly negative eigenvalue.
"""

from __future__ import annotations

import math
from dataclasses import dataclass, replace

import numpy as np
import scipy.sparse as sp
from numpy.typing import NDArray

from frugalsvm.data.exceptions import SolverError, UnsupportedModelError
from frugalsvm.data.problem import MarginProblem
from frugalsvm.data.result import MarginResult, Status, StopReason
from frugalsvm.models.first_look import FirstLook
from frugalsvm.models.program import Columns, Ending, Outcome, Program, ProgramBuilder
from frugalsvm.models.protocol import ModelKind, ModelOptions

SAME_OBJECTIVE = 1e-5
"""A bound this close to an objective, relatively, has met it: the solvers' own precision."""

RANK_TOLERANCE = 1e-10
"""Eigenvalues of the kernel's matrix below this times the largest are rounding errors."""

INDEFINITE = 1e-6
"""Eigenvalues below minus this times the largest are no rounding errors."""

WRONG_BOUND = 1e-4
"""A bound this much above a known objective, relatively, is wrong."""

LEAK = 1e-3
"""How far below 1 a sample counted by the solver may be and still be scaled up to 1."""


@dataclass(frozen=True)
class MarginModel:
    """A margin model as a program, and where its variables are."""

    program: Program
    problem: MarginProblem
    kind: ModelKind
    v: Columns
    b: Columns
    zeta: Columns
    alpha: Columns | None
    m1: float
    look: FirstLook

    @property
    def exact(self) -> bool:
        """True if the model is the problem: no box on alpha, and no M1 but the problem's own."""
        own = self.problem.max_slack
        return self.alpha is None and self.m1 == (math.inf if own is None else own)


def slack_limit(problem: MarginProblem, options: ModelOptions) -> float:
    """Return M1: the problem's own ``max_slack`` if it has one, else the option."""
    return options.m1 if problem.max_slack is None else problem.max_slack


def build_margin(
    problem: MarginProblem, kind: ModelKind, options: ModelOptions, look: FirstLook
) -> MarginModel:
    """Write CSVM primal or P2 (in w), or CSVM dual or P3 (in alpha, with the literal box).

    Raises
    ------
    UnsupportedModelError
        If a model in w is asked for without features, or the kernel's matrix is indefinite.
    """
    factor = _factor(problem, kind)
    y, n = problem.y, len(problem.positive)
    m1 = slack_limit(problem, options)
    model = ProgramBuilder(str(kind))
    v = model.columns(factor.shape[1], lower=-np.inf, squared=True)
    b = model.columns(1, lower=-np.inf)
    xi = model.columns(n, cost=problem.C, upper=m1)
    zeta = model.columns(n, upper=1.0, integer=True)
    eye = sp.eye_array(n)
    model.rows([(v, y[:, None] * factor), (b, y[:, None]), (xi, eye)], lower=1.0)
    if math.isinf(m1):
        model.rows_if(zeta, [(xi, -eye)], lower=0.0)
    else:
        model.rows([(xi, eye), (zeta, m1 * eye)], upper=m1)
    for limit in problem.limits:
        required = max(0, int(limit.members.sum()) - limit.max_errors)
        model.rows([(zeta, limit.members[None, :].astype(float))], lower=float(required))
    alpha = None
    if kind.in_alpha:
        alpha = model.columns(n, upper=problem.C / 2.0)
        link = -(y[:, None] * factor).T
        model.rows([(v, sp.eye_array(len(v))), (alpha, link)], lower=0.0, upper=0.0)
        model.rows([(alpha, y[None, :])], lower=0.0, upper=0.0)
    program = model.build()
    if look.plane is not None and alpha is None:
        start = np.zeros(program.n_columns)
        start[v] = look.plane.weights
        start[b] = look.plane.intercept
        margins = y * (factor @ look.plane.weights + look.plane.intercept)
        start[xi] = np.maximum(0.0, 1.0 - margins)
        start[zeta] = margins >= 1.0
        program = replace(program, start=start)
    return MarginModel(program, problem, kind, v, b, zeta, alpha, m1, look)


def _factor(problem: MarginProblem, kind: ModelKind) -> NDArray[np.float64]:
    """Return L with K = L L': the features themselves, or from the kernel's eigenvalues."""
    if problem.features is not None:
        return problem.features
    if not kind.in_alpha:
        raise UnsupportedModelError(
            f"{kind} is a model of the linear kernel and needs the features; "
            f"for a kernel's matrix use {ModelKind.P3}."
        )
    gram = _gram(problem)
    values, vectors = np.linalg.eigh((gram + gram.T) / 2.0)
    largest = float(np.max(np.abs(values), initial=0.0))
    if float(np.min(values, initial=0.0)) < -INDEFINITE * largest:
        raise UnsupportedModelError(
            f"{kind} needs a positive semidefinite kernel; this one has an eigenvalue of "
            f"{values[0]:.3g} beside a largest of {largest:.3g}."
        )
    keep = values > RANK_TOLERANCE * largest
    return np.asarray(vectors[:, keep] * np.sqrt(values[keep]), dtype=np.float64)


def _gram(problem: MarginProblem) -> NDArray[np.float64]:
    if problem.gram is not None:
        return problem.gram
    if problem.features is None:
        raise ValueError("A MarginProblem needs either features or a kernel's matrix.")
    return np.asarray(problem.features @ problem.features.T, dtype=np.float64)


@dataclass(frozen=True)
class _Classifier:
    """f = sum a_j K(x_j, .) + b with its scores and squared norm on the problem's data."""

    dual_coef: NDArray[np.float64]
    weights: NDArray[np.float64] | None
    intercept: float
    margins: NDArray[np.float64]
    norm2: float

    def objective(self, C: float) -> float:
        return self.norm2 + C * float(np.maximum(0.0, 1.0 - self.margins).sum())

    def scaled(self, factor: float) -> _Classifier:
        return _Classifier(
            self.dual_coef * factor,
            None if self.weights is None else self.weights * factor,
            self.intercept * factor,
            self.margins * factor,
            self.norm2 * factor**2,
        )


def read_margin(model: MarginModel, outcome: Outcome, blank: MarginResult) -> MarginResult:
    """Return `blank` completed with the answer, its objective and counts recomputed from the data.

    Samples that the solver counts correct to its tolerance are made so by scaling f up.
    """
    problem = model.problem
    bound = max(0.0, outcome.bound) if not math.isnan(outcome.bound) else 0.0
    blank = replace(blank, bound=bound, stop_reason=outcome.reason)
    if outcome.ending is Ending.INFEASIBLE:
        return _infeasible(model, blank)
    if outcome.ending is Ending.OPTIMAL and outcome.x is None:
        raise SolverError(f"{blank.solver} calls {model.kind} optimal but gives no point.")
    points = (_answer(model, outcome.x), _answer(model, model.program.start))
    answers = [found for found in points if found is not None]
    if not answers:
        unusable = outcome.x is not None
        return replace(blank, stop_reason=StopReason.UNRESOLVED) if unusable else blank
    found = min(answers, key=lambda answer: answer.objective(problem.C))
    objective = found.objective(problem.C)
    if bound > objective + WRONG_BOUND * max(1.0, objective):
        raise SolverError(
            f"{blank.solver} {blank.solver_version} claims that {model.kind} is at least "
            f"{bound:.9g}, but gives a point of {objective:.9g}. Please report it, and use "
            "another solver."
        )
    optimal = bound >= objective - SAME_OBJECTIVE * max(1.0, objective)
    return replace(
        blank,
        status=Status.OPTIMAL if optimal else Status.FEASIBLE,
        dual_coef=found.dual_coef,
        weights=found.weights,
        intercept=found.intercept,
        counted=found.margins >= 1.0,
        objective=objective,
        bound=min(bound, objective),
        stop_reason=_reason(outcome, optimal),
    )


def _reason(outcome: Outcome, optimal: bool) -> StopReason:
    if optimal:
        return StopReason.COMPLETED
    return StopReason.UNRESOLVED if outcome.ending is Ending.OPTIMAL else outcome.reason


def _answer(model: MarginModel, x: NDArray[np.float64] | None) -> _Classifier | None:
    """Return the classifier that a point stands for, if it keeps the limits."""
    if x is None:
        return None
    found = _classifier(model, x)
    lowest = float(np.min(found.margins[x[model.zeta] > 0.5], initial=np.inf))
    if lowest < 1.0 - LEAK:
        return None
    if lowest < 1.0:
        found = found.scaled((1.0 + 1e-12) / lowest)
    wrong = found.margins < 1.0
    limits = model.problem.limits
    kept = all(int(np.sum(limit.members & wrong)) <= limit.max_errors for limit in limits)
    return found if kept else None


def _classifier(model: MarginModel, x: NDArray[np.float64]) -> _Classifier:
    problem = model.problem
    b = float(x[model.b][0])
    if model.alpha is not None:
        a = problem.y * np.clip(x[model.alpha], 0.0, problem.C / 2.0)
    else:
        # The part of w outside the span of the samples changes no score and only costs.
        a = np.linalg.lstsq(np.asarray(problem.features).T, x[model.v], rcond=None)[0]
    if problem.features is not None:
        weights = problem.features.T @ a
        scores, norm2 = problem.features @ weights, float(weights @ weights)
    else:
        weights = None
        scores = _gram(problem) @ a
        norm2 = max(0.0, float(a @ scores))
    return _Classifier(a, weights, b, problem.y * (scores + b), norm2)


def _infeasible(model: MarginModel, blank: MarginResult) -> MarginResult:
    if model.look.plane is not None:
        raise SolverError(
            f"{blank.solver} {blank.solver_version} calls {model.kind} infeasible, but a "
            "hyperplane that meets the limits is known. Please report it, and use another solver."
        )
    details = {**blank.details, "infeasibility": model.look.word}
    return replace(blank, status=Status.INFEASIBLE, bound=math.inf, details=details)
