"""A second opinion on "infeasible": trying to find what the solver says does not exist."""

from __future__ import annotations

import math
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray
from scipy.optimize import linprog

from frugalsvm.costs import CostModel
from frugalsvm.models.hyperplane import Hyperplane, fit_hyperplane
from frugalsvm.problem import MarginProblem, SelectionProblem
from frugalsvm.rates import ErrorBudget

PASSES = 3
"""How often the worst samples are dropped and the hinge loss minimised again."""

CLEARANCE = 1e-5
"""By how much, relatively, an answer must keep inside M2 and M3 to refute a solver's word."""


@dataclass(frozen=True)
class Evidence:
    """What the second opinion found: a hyperplane that refutes the claim, or words for it."""

    plane: Hyperplane | None
    word: str


UNREFUTED = "the solver's word, not refuted by a search"


def find_counterexample(problem: SelectionProblem, m2: float) -> Evidence:
    """Look for a hyperplane on all allowed features that meets the budgets.

    With both budgets 0 one linear program decides. Otherwise a few linear programs that drop
    the worst samples may find one; if they do not, the solver's word stands unrefuted.
    """
    problem = replace(problem, max_weight=problem.max_weight * (1.0 - CLEARANCE))
    lowest = 1.0 - m2 * (1.0 - CLEARANCE)
    usable = ~problem.exclude
    kept = np.ones(len(problem.positive), dtype=bool)
    for _ in range(PASSES):
        solved = _least_hinge(problem, usable, kept)
        if solved is None:
            return Evidence(None, "the solver's word; the second opinion failed")
        weights, intercept = solved
        plane = fit_hyperplane(problem, usable, weights)
        if plane is not None and bool(np.all(plane.margins(problem) >= lowest)):
            return Evidence(plane, "refuted")
        kept = _without_worst(problem, Hyperplane(weights, intercept))
    if problem.budget.pos == 0 and problem.budget.neg == 0:
        return Evidence(None, "confirmed by a linear program")
    return Evidence(None, UNREFUTED)


def find_margin_counterexample(problem: MarginProblem, m1: float) -> Evidence:
    """Look for a hyperplane that meets all limits of a linear problem.

    A slack of at most M1 is a margin of at least 1 - M1, so this is the search above without a
    box, and with M1 for M2. Limits beyond the two classes' are only checked in the end.
    """
    features = np.asarray(problem.features, dtype=np.float64)
    none = np.zeros(features.shape[1], dtype=bool)
    pos, neg = problem.limits[0].max_errors, problem.limits[1].max_errors
    evidence = find_counterexample(
        SelectionProblem(
            X=features,
            positive=problem.positive,
            budget=ErrorBudget(pos, neg),
            costs=CostModel.per_feature(np.zeros(features.shape[1])),
            include=none,
            exclude=none,
            max_weight=math.inf,
        ),
        m1,
    )
    if evidence.plane is None:
        return evidence
    scores = features @ evidence.plane.weights + evidence.plane.intercept
    wrong = problem.y * scores < 1.0
    if all(int(np.sum(limit.members & wrong)) <= limit.max_errors for limit in problem.limits):
        return evidence
    return Evidence(None, UNREFUTED)


def _least_hinge(
    problem: SelectionProblem, usable: NDArray[np.bool_], kept: NDArray[np.bool_]
) -> tuple[NDArray[np.float64], float] | None:
    """Return the weights in the box and the intercept with the least hinge loss on `kept`."""
    y = np.where(problem.positive[kept], 1.0, -1.0)
    n, size = len(y), int(usable.sum())
    A = np.column_stack([-y[:, None] * problem.X[np.ix_(kept, usable)], -y, -np.eye(n)])
    box = (-problem.max_weight, problem.max_weight)
    answer = linprog(
        np.r_[np.zeros(size + 1), np.ones(n)],
        A_ub=A,
        b_ub=-np.ones(n),
        bounds=[box] * size + [(None, None)] + [(0.0, None)] * n,
        method="highs",
    )
    if answer.status != 0:
        return None
    weights = np.zeros(problem.n_features)
    weights[usable] = answer.x[:size]
    return weights, float(answer.x[size])


def _without_worst(problem: SelectionProblem, plane: Hyperplane) -> NDArray[np.bool_]:
    """Return all samples but each class's worst ones, as many as its budget allows."""
    kept = np.ones(len(problem.positive), dtype=bool)
    margins = plane.margins(problem)
    for members, allowed in (
        (np.flatnonzero(problem.positive), problem.budget.pos),
        (np.flatnonzero(~problem.positive), problem.budget.neg),
    ):
        kept[members[np.argsort(margins[members], kind="stable")[:allowed]]] = False
    return kept
