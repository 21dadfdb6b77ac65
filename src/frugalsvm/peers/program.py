"""Cost-based selection as a mixed-integer program: least hinge loss that a budget can buy.

Minimise sum_i xi_i subject to y_i (w'x_i + b) >= 1 - xi_i, |w_k| <= M z_k, the prices of the chosen
features and of the groups that they touch within the budget, z binary.
"""

from __future__ import annotations

import math
from collections.abc import Iterable
from dataclasses import dataclass, replace
from fractions import Fraction

import numpy as np
import scipy.sparse as sp
from numpy.typing import NDArray

from frugalsvm.data.costs import CostModel, exactly
from frugalsvm.data.exceptions import SolverError
from frugalsvm.data.result import StopReason
from frugalsvm.models.background import Recorder
from frugalsvm.models.highs import HighsSolver
from frugalsvm.models.program import Columns, Ending, Outcome, Program, ProgramBuilder
from frugalsvm.models.protocol import ModelOptions
from frugalsvm.runtime.stopping import Stopper

Array = NDArray[np.float64]

LARGEST_COEFFICIENT = 1e6
"""Prices in whole units up to here are given to the solver as they are."""


@dataclass(frozen=True)
class BudgetProblem:
    """What is asked.

    Attributes
    ----------
    Z, signs
        Standardised features, and labels +1 and -1.
    costs : CostModel
        The prices.
    budget : float
        What the features may cost.
    allowed : ndarray of int
        Features that vary and that the budget can pay for.
    max_weight : float
        The greatest weight.
    """

    Z: Array
    signs: Array
    costs: CostModel
    budget: float
    allowed: NDArray[np.intp]
    max_weight: float

    def affordable(self, support: Iterable[int]) -> bool:
        """Return True if the budget pays for these features, exactly."""
        return self.costs.exact.cost(support) <= self.units

    @property
    def units(self) -> int:
        """The budget in whole units of the prices."""
        return budget_units(self.costs, self.budget)


def budget_units(costs: CostModel, budget: float) -> int:
    """Return how many whole units of the prices a budget holds."""
    return math.floor(exactly(budget) / costs.exact.unit)


@dataclass(frozen=True)
class Hyperplane:
    """Weights and intercept for standardised features, and their hinge loss."""

    weights: Array
    intercept: float
    loss: float


def hinge_loss(Z: Array, signs: Array, weights: Array, intercept: float) -> float:
    """Return sum_i max(0, 1 - y_i (w'x_i + b))."""
    return float(np.maximum(0.0, 1.0 - signs * (Z @ weights + intercept)).sum())


def best_hyperplane(
    problem: BudgetProblem, support: NDArray[np.intp], stop: Stopper, seed: int
) -> Hyperplane | None:
    """Return the hyperplane of least hinge loss on a support: a linear program; None if stopped."""
    builder, columns = _loss_part(problem, support)
    outcome = solved(builder.build(), stop, seed)
    if outcome.x is None or outcome.ending is not Ending.OPTIMAL:
        return None
    weights = np.zeros(problem.Z.shape[1])
    limit = problem.max_weight
    weights[support] = np.clip(outcome.x[columns.weights], -limit, limit)
    intercept = best_intercept(problem.signs, problem.Z @ weights)
    loss = hinge_loss(problem.Z, problem.signs, weights, intercept)
    return Hyperplane(weights, intercept, loss)


def best_intercept(signs: Array, scores: Array) -> float:
    """Return the middle of all b of least sum_i max(0, 1 - y_i (s_i + b)).

    Examples
    --------
    >>> best_intercept(np.array([1.0, -1.0]), np.array([4.0, 0.0]))
    -2.0
    """
    kinks = np.sort(signs - scores)
    n_positive = int((signs > 0).sum())
    # The slope is -n_positive before the first kink and rises by 1 at each.
    return float(0.5 * (kinks[n_positive - 1] + kinks[n_positive]))


@dataclass(frozen=True)
class Bought:
    """The features that the solver would buy, its bound on the loss, and why it ended."""

    support: NDArray[np.intp]
    bound: float
    reason: StopReason


def solve_budget(problem: BudgetProblem, start: Hyperplane, stop: Stopper, seed: int) -> Bought:
    """Solve the program with HiGHS, from a known answer."""
    program, chosen = _program(problem, start)
    outcome = solved(program, stop, seed)
    if outcome.ending is Ending.INFEASIBLE:
        raise SolverError(f"HiGHS calls {program.name} infeasible, but an answer is known.")
    x = program.start if outcome.x is None else outcome.x
    if x is None:
        raise TypeError("the program has no start")
    return Bought(problem.allowed[x[chosen] > 0.5], outcome.bound, outcome.reason)


def solved(program: Program, stop: Stopper, seed: int) -> Outcome:
    """Solve a linear or mixed-integer program with HiGHS."""
    return HighsSolver().run(program, stop, ModelOptions(seed=seed), Recorder())


@dataclass(frozen=True)
class _LossColumns:
    weights: Columns
    intercept: Columns
    slack: Columns


def _loss_part(
    problem: BudgetProblem, support: NDArray[np.intp]
) -> tuple[ProgramBuilder, _LossColumns]:
    """Return the hinge loss over weights on a support; equal samples are one with a weight."""
    table = np.column_stack([problem.Z[:, support], problem.signs])
    rows, counts = np.unique(table, axis=0, return_counts=True)
    X, signs = rows[:, :-1], rows[:, -1]
    builder = ProgramBuilder("least hinge loss within a budget")
    limit = problem.max_weight
    columns = _LossColumns(
        builder.columns(len(support), lower=-limit, upper=limit),
        builder.columns(1, lower=-np.inf),
        builder.columns(len(X), cost=counts.astype(np.float64)),
    )
    builder.rows(
        [
            (columns.weights, signs[:, np.newaxis] * X),
            (columns.intercept, signs[:, np.newaxis]),
            (columns.slack, sp.eye_array(len(X), format="csr")),
        ],
        lower=1.0,
    )
    return builder, columns


def _program(problem: BudgetProblem, start: Hyperplane) -> tuple[Program, Columns]:
    """Return the mixed-integer program over the allowed features, and its binary columns."""
    allowed = problem.allowed
    builder, loss = _loss_part(problem, allowed)
    chosen = builder.columns(len(allowed), upper=1.0, integer=True)
    one = sp.eye_array(len(allowed), format="csr")
    for sign in (1.0, -1.0):
        builder.rows([(loss.weights, sign * one), (chosen, -problem.max_weight * one)], upper=0.0)
    groups = sorted(problem.costs.groups_touched(allowed.tolist()))
    paid = builder.columns(len(groups), upper=1.0)
    _pay_groups(builder, problem, groups, chosen, paid)
    _keep_budget(builder, problem, groups, np.concatenate([chosen, paid]))
    program = builder.build()

    support = np.flatnonzero(start.weights)
    x = np.zeros(program.n_columns)
    x[loss.weights], x[loss.intercept] = start.weights[allowed], start.intercept
    margins = program.rows.matrix[: len(loss.slack)] @ x
    x[loss.slack] = np.maximum(0.0, 1.0 - margins)
    x[chosen] = np.isin(allowed, support)
    x[paid] = np.isin(groups, list(problem.costs.groups_touched(support.tolist())))
    return replace(program, start=x), chosen


def _pay_groups(
    builder: ProgramBuilder,
    problem: BudgetProblem,
    groups: list[int],
    chosen: Columns,
    paid: Columns,
) -> None:
    """Let a chosen feature pay for each of its groups."""
    place = {group: position for position, group in enumerate(groups)}
    touched = [
        (k, place[g]) for k, f in enumerate(problem.allowed) for g in problem.costs.groups_of[f]
    ]
    if not touched:
        return
    features, columns = (np.array(part) for part in zip(*touched, strict=True))
    one = sp.eye_array(len(touched), format="csr")
    builder.rows([(chosen[features], one), (paid[columns], -one)], upper=0.0)


def _keep_budget(
    builder: ProgramBuilder, problem: BudgetProblem, groups: list[int], bought: Columns
) -> None:
    """Let features and groups cost no more than the budget, in whole units if these are small."""
    exact, units = problem.costs.exact, problem.units
    prices = [exact.feature[k] for k in problem.allowed] + [exact.group[g] for g in groups]
    scale = max(units, 1) if max(*prices, units) > LARGEST_COEFFICIENT else 1
    amounts = np.array([float(Fraction(price, scale)) for price in prices])
    builder.rows([(bought, amounts[np.newaxis])], upper=float(Fraction(units, scale)))
