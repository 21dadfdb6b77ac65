"""P1 as the paper writes it, and how its answer is read back and checked."""

from __future__ import annotations

import math
from dataclasses import dataclass, replace

import numpy as np
import scipy.sparse as sp
from numpy.typing import NDArray

from frugalsvm.data.costs import CostModel
from frugalsvm.data.exceptions import SolverError
from frugalsvm.data.problem import SelectionProblem
from frugalsvm.data.result import SelectionResult, Status, StopReason
from frugalsvm.models.first_look import FirstLook
from frugalsvm.models.hyperplane import Hyperplane, fit_hyperplane
from frugalsvm.models.prices import SAME_COST, PriceUnit, price_unit
from frugalsvm.models.program import Columns, Ending, Outcome, Program, ProgramBuilder
from frugalsvm.models.protocol import ModelOptions

ZERO_WEIGHT = 1e-9
"""A weight this small, relative to the largest, is a zero that a solver wrote as a number."""


@dataclass(frozen=True)
class SelectionModel:
    """P1 of one problem as a program, and where its variables are.

    Excluded features have no variables: `candidates` are the features that have.
    """

    program: Program
    problem: SelectionProblem
    candidates: NDArray[np.intp]
    w: Columns
    z: Columns
    unit: PriceUnit
    exact: bool
    look: FirstLook


def valid_m2(problem: SelectionProblem) -> NDArray[np.float64]:
    """Return for each sample an M2 that cuts off no answer, from the data and M3.

    If a positive and a negative are counted correct, then ``|b| <= M3 R - 1`` with R the largest
    1-norm of a sample, so no margin is below ``1 - M3 (||x_i||_1 + R)``. If one class
    needs no sample right, w = 0 with b = 1 or -1 answers, with margins not below -1.
    """
    norms = np.abs(problem.X[:, ~problem.exclude]).sum(axis=1)
    largest = float(np.max(norms, initial=0.0))
    m2: NDArray[np.float64] = np.maximum(2.0, problem.max_weight * (norms + largest))
    return m2


def build_selection(
    problem: SelectionProblem, options: ModelOptions, look: FirstLook, *, indicators: bool
) -> SelectionModel:
    """Write P1, with budgets as integers and groups paid once.

    M2 is the option's and M3 the problem's ``max_weight``; `look` is where the solver may start,
    and `indicators` says whether it has indicator constraints, for an infinite M2.
    """
    candidates = np.flatnonzero(~problem.exclude)
    n, size = len(problem.positive), len(candidates)
    m3 = problem.max_weight
    unit = price_unit(problem)
    model = ProgramBuilder("P1")
    w = model.columns(size, lower=-m3, upper=m3)
    b = model.columns(1, lower=-np.inf)
    z = model.columns(
        size,
        cost=problem.costs.feature[candidates] / unit.worth,
        lower=problem.include[candidates].astype(float),
        upper=1.0,
        integer=True,
    )
    zeta = model.columns(n, upper=1.0, integer=True)
    u, groups = _add_groups(model, problem.costs, candidates, z, unit)
    eye = sp.eye_array(size)
    model.rows([(w, eye), (z, m3 * eye)], lower=0.0)  # w_k >= -M3 z_k
    model.rows([(w, eye), (z, -m3 * eye)], upper=0.0)  # w_k <= M3 z_k
    for members, allowed in (
        (problem.positive, problem.budget.pos),
        (~problem.positive, problem.budget.neg),
    ):
        required = max(0, int(members.sum()) - allowed)
        model.rows([(zeta, members[None, :].astype(float))], lower=float(required))

    y = np.where(problem.positive, 1.0, -1.0)
    margin = [(w, y[:, None] * problem.X[:, candidates]), (b, y[:, None])]
    enough = valid_m2(problem)
    if math.isinf(options.m2) and indicators:
        model.rows_if(zeta, margin, lower=1.0)
    else:
        m2 = enough if math.isinf(options.m2) else np.full(n, options.m2)
        model.rows([*margin, (zeta, sp.diags_array(-m2))], lower=1.0 - m2)
    program = model.build()
    if look.plane is not None:
        start = np.zeros(program.n_columns)
        start[w], start[b] = look.plane.weights[candidates], look.plane.intercept
        start[z] = (start[w] != 0) | problem.include[candidates]
        start[zeta] = look.plane.margins(problem) >= 1.0
        touched = problem.costs.groups_touched(candidates[start[z] > 0])
        start[u] = [float(g in touched) for g in groups]
        program = replace(program, start=start)
    exact = bool(np.all(options.m2 >= enough))
    return SelectionModel(program, problem, candidates, w, z, unit, exact, look)


def _add_groups(
    model: ProgramBuilder,
    costs: CostModel,
    candidates: NDArray[np.intp],
    z: Columns,
    unit: PriceUnit,
) -> tuple[Columns, list[int]]:
    """Add u_g >= z_k for every feature k of a priced group g; the cost drives u_g to max z_k.

    Return the columns of u and the groups that they stand for.
    """
    pairs = [
        (z[position], g)
        for position, k in enumerate(candidates)
        for g in costs.groups_of[k]
        if costs.group[g] > 0
    ]
    groups = sorted({g for _, g in pairs})
    u = model.columns(len(groups), cost=costs.group[groups] / unit.worth, upper=1.0)
    if pairs:
        eye = sp.eye_array(len(pairs))
        members = np.array([column for column, _ in pairs])
        owners = u[[groups.index(g) for _, g in pairs]]
        model.rows([(owners, eye), (members, -eye)], lower=0.0)
    return u, groups


def read_selection(
    model: SelectionModel, outcome: Outcome, blank: SelectionResult
) -> SelectionResult:
    """Return `blank` completed with the answer, recomputed from the problem's data.

    A support counts only if a hyperplane on it meets the budgets. If the solver's z is not
    enough (a weight leaked through the big-M of a feature it left out), the support is what w
    uses; its cost is then no longer the solver's, and neither is the status.
    """
    costs = model.problem.costs
    included = costs.cost(np.flatnonzero(model.problem.include))
    bound = model.unit.bound(outcome.bound, floor=included)
    blank = replace(blank, bound=bound, stop_reason=outcome.reason)
    if outcome.ending is Ending.INFEASIBLE:
        return _infeasible(model, blank)
    if outcome.ending is Ending.OPTIMAL and outcome.x is None:
        raise SolverError(f"{blank.solver} calls P1 optimal but gives no point.")
    start = _answer(model, model.program.start)
    answers = [found for found in (_answer(model, outcome.x), start) if found is not None]
    if not answers:
        unusable = outcome.x is not None
        return replace(blank, stop_reason=StopReason.UNRESOLVED) if unusable else blank
    if start is not None:
        _check_bound(model, costs.cost(start[0]), blank)
    support, plane = min(answers, key=lambda found: costs.cost(found[0]))
    cost = costs.cost(support)
    optimal = bound >= cost - SAME_COST * max(model.unit.worth, cost)
    return replace(
        blank,
        status=Status.OPTIMAL if optimal else Status.FEASIBLE,
        support=support,
        weights=plane.weights,
        intercept=plane.intercept,
        cost=cost,
        bound=cost if optimal else bound,
        stop_reason=_reason(outcome, optimal),
    )


def _reason(outcome: Outcome, optimal: bool) -> StopReason:
    if optimal:
        return StopReason.COMPLETED
    return StopReason.UNRESOLVED if outcome.ending is Ending.OPTIMAL else outcome.reason


def _check_bound(model: SelectionModel, known: float, blank: SelectionResult) -> None:
    """Raise an error if the solver's bound is above the cost of the start, which is feasible."""
    if blank.bound > known + SAME_COST * max(model.unit.worth, known):
        raise SolverError(
            f"{blank.solver} {blank.solver_version} claims that P1 costs at least "
            f"{blank.bound:g}, but a support of cost {known:g} is known. Please report it, and "
            "use another solver."
        )


def _answer(
    model: SelectionModel, x: NDArray[np.float64] | None
) -> tuple[tuple[int, ...], Hyperplane] | None:
    """Return the support that a point stands for and a hyperplane on it, if there is one."""
    if x is None:
        return None
    problem = model.problem
    weights = np.zeros(problem.n_features)
    weights[model.candidates] = x[model.w]
    chosen = np.zeros(problem.n_features, dtype=bool)
    chosen[model.candidates] = x[model.z] > 0.5
    used = np.abs(weights) > ZERO_WEIGHT * float(np.max(np.abs(weights), initial=0.0))
    for support in (used & chosen, used):
        plane = fit_hyperplane(problem, support, weights)
        if plane is not None:
            paid = (plane.weights != 0) | problem.include
            return tuple(int(k) for k in np.flatnonzero(paid)), plane
    return None


def _infeasible(model: SelectionModel, blank: SelectionResult) -> SelectionResult:
    if model.look.plane is not None:
        raise SolverError(
            f"{blank.solver} {blank.solver_version} calls P1 infeasible, but a hyperplane that "
            "meets the budgets is known. Please report it, and use another solver."
        )
    details = {**blank.details, "infeasibility": model.look.word}
    return replace(blank, status=Status.INFEASIBLE, bound=math.inf, details=details)
