"""A quick look before the solver's: a point to start from, and a witness against "infeasible".

Linear programs minimise the hinge loss, dropping each class's worst samples as far as its
budget allows. What they find is only a start for the solver; what they do not find may exist.
But a solver that calls a program infeasible while a witness is at hand is wrong, and a solver
that stops with empty hands has at least the start.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np
import scipy.sparse as sp
from numpy.typing import NDArray
from scipy.optimize import linprog

from frugalsvm.data.costs import CostModel
from frugalsvm.data.problem import MarginProblem, SelectionProblem
from frugalsvm.data.rates import ErrorBudget
from frugalsvm.models.hyperplane import Hyperplane, best_intercept, within_budget
from frugalsvm.runtime.stopping import Stopper

PASSES = 4
"""How often the worst samples are dropped and the hinge loss minimised again."""

CLEARANCE = 1e-5
"""By how much, relatively, a witness must keep inside M2 and M3 to contradict a solver."""

SLIGHT = 1e-4
"""Price of a unit of weight, in units of hinge loss."""

SHARE, LONGEST = 0.2, 10.0
"""Largest share of the time left, and largest number of seconds, that the look may take."""

UNREFUTED = "the solver's word, not refuted by a quick search"


@dataclass(frozen=True)
class FirstLook:
    """A hyperplane that meets the budgets, or none and what that means for "infeasible"."""

    plane: Hyperplane | None
    word: str = UNREFUTED


def look_at_selection(problem: SelectionProblem, m2: float, stop: Stopper) -> FirstLook:
    """Look for a hyperplane on all allowed features that meets the budgets, M2 and M3.

    With both budgets 0 the first linear program decides.
    """
    problem = replace(problem, max_weight=problem.max_weight * (1.0 - CLEARANCE))
    m2 *= 1.0 - CLEARANCE
    brief = stop.within(min(LONGEST, SHARE * stop.remaining))
    dropped = np.zeros(len(problem.positive), dtype=bool)
    for attempt in range(PASSES):
        solved = _least_hinge(problem, m2, dropped, brief)
        if solved is None:
            break
        raw, loss = solved
        plane = best_intercept(problem, raw.weights)
        if plane is not None and _is_witness(problem, plane, m2):
            return FirstLook(_cheaper(problem, plane, m2, brief), "refuted by a hyperplane")
        if attempt == 0 and problem.budget == ErrorBudget(0, 0) and loss > 0:
            return FirstLook(None, "confirmed by a linear program")
        dropped = _worst(problem, raw)
    return FirstLook(None)


def look_at_margin(problem: MarginProblem, m1: float, stop: Stopper) -> FirstLook:
    """Look for a hyperplane that meets all limits of a linear problem.

    A slack of at most M1 is a margin of at least 1 - M1, so this is the look above without a
    box, and with M1 for M2. Limits beyond the two classes' are only checked in the end.
    """
    features = np.asarray(problem.features, dtype=np.float64)
    none = np.zeros(features.shape[1], dtype=bool)
    classes = SelectionProblem(
        X=features,
        positive=problem.positive,
        budget=ErrorBudget(problem.limits[0].max_errors, problem.limits[1].max_errors),
        costs=CostModel.per_feature(np.zeros(features.shape[1])),
        include=none,
        exclude=none,
        max_weight=math.inf,
    )
    look = look_at_selection(classes, m1, stop)
    if look.plane is None:
        return look
    wrong = look.plane.margins(classes) < 1.0
    if all(int(np.sum(limit.members & wrong)) <= limit.max_errors for limit in problem.limits):
        return look
    return FirstLook(None)


def _is_witness(problem: SelectionProblem, plane: Hyperplane, m2: float) -> bool:
    return within_budget(problem, plane) and bool(np.all(plane.margins(problem) >= 1.0 - m2))


def _least_hinge(
    problem: SelectionProblem, m2: float, dropped: NDArray[np.bool_], stop: Stopper
) -> tuple[Hyperplane, float] | None:
    """Return the hyperplane in the box with the least hinge loss but for `dropped`, and the loss.

    Dropped samples are free to be wrong, as far as M2 allows.
    """
    usable, n = np.flatnonzero(~problem.exclude), len(problem.positive)
    size, signed = len(usable), _signed(problem, usable)
    # A slight price on the weights leaves most of thousands at zero; where the loss has to be
    # exact, as it decides, there is none.
    price = 0.0 if problem.budget == ErrorBudget(0, 0) else SLIGHT
    x = _solved(
        np.r_[np.full(2 * size, price), 0.0, ~dropped],
        sp.hstack([signed[:, :-1], -signed[:, :-1], signed[:, -1:], sp.eye_array(n)]),
        np.ones(n),
        [(0.0, problem.max_weight)] * (2 * size) + [(None, None)] + [(0.0, m2)] * n,
        stop,
    )
    if x is None:
        return None
    plane = _plane(problem, usable, x[:size] - x[size : 2 * size], x[2 * size])
    return plane, float(x[2 * size + 1 :] @ ~dropped)


def _cheaper(problem: SelectionProblem, plane: Hyperplane, m2: float, stop: Stopper) -> Hyperplane:
    """Return a hyperplane that counts the same samples with the least total price of weights.

    The 1-norm leaves most weights zero, which makes a start worth having.
    """
    usable = np.flatnonzero(plane.weights)
    signed = _signed(problem, usable)
    price = problem.costs.feature[usable]
    price = price + 1e-3 * (float(np.max(price, initial=0.0)) or 1.0)  # free ones cost a little
    counted = plane.margins(problem) >= 1.0
    x = _solved(
        np.r_[price, price, 0.0],
        sp.hstack([signed[:, :-1], -signed[:, :-1], signed[:, -1:]]),
        np.where(counted, 1.0, 1.0 - m2 if math.isfinite(m2) else -np.inf),
        [(0.0, problem.max_weight)] * (2 * len(usable)) + [(None, None)],
        stop,
    )
    if x is None:
        return plane
    size = len(usable)
    sparse = _plane(problem, usable, x[:size] - x[size : 2 * size], x[-1])
    fitted = best_intercept(problem, sparse.weights)
    return fitted if fitted is not None and _is_witness(problem, fitted, m2) else plane


def _signed(problem: SelectionProblem, usable: NDArray[np.intp]) -> sp.csc_array:
    """Return y (x, 1) of every sample, over the usable features."""
    y = np.where(problem.positive, 1.0, -1.0)
    return sp.csc_array(np.column_stack([y[:, None] * problem.X[:, usable], y]))


def _solved(
    cost: NDArray[np.float64],
    rows: sp.sparray,
    lower: NDArray[np.float64],
    bounds: Sequence[tuple[float | None, float | None]],
    stop: Stopper,
) -> NDArray[np.float64] | None:
    """Return the solution of min cost'x, rows x >= lower, or None if `stop` came first."""
    if stop():
        return None
    asked = np.isfinite(lower)
    answer = linprog(
        cost,
        A_ub=-rows.tocsr()[asked],
        b_ub=-lower[asked],
        bounds=bounds,
        method="highs",
        options={} if math.isinf(stop.remaining) else {"time_limit": stop.remaining},
    )
    return np.asarray(answer.x, dtype=np.float64) if answer.status == 0 else None


def _plane(
    problem: SelectionProblem,
    usable: NDArray[np.intp],
    weights: NDArray[np.float64],
    intercept: float,
) -> Hyperplane:
    """Return the hyperplane over all features, without the weights that are only rounding."""
    spread = np.zeros(problem.n_features)
    spread[usable] = weights
    spread[np.abs(spread) <= 1e-9 * np.max(np.abs(spread), initial=0.0)] = 0.0
    return Hyperplane(spread, float(intercept))


def _worst(problem: SelectionProblem, plane: Hyperplane) -> NDArray[np.bool_]:
    """Return each class's worst samples, as many as its budget allows."""
    dropped = np.zeros(len(problem.positive), dtype=bool)
    margins = plane.margins(problem)
    for members, allowed in (
        (np.flatnonzero(problem.positive), problem.budget.pos),
        (np.flatnonzero(~problem.positive), problem.budget.neg),
    ):
        dropped[members[np.argsort(margins[members], kind="stable")[:allowed]]] = True
    return dropped
