"""The feasibility of one support as a MILP: the last resort where the other oracles give up."""

from __future__ import annotations

import highspy
import numpy as np

from frugalsvm.search.hyperplane import gap
from frugalsvm.search.reduction import CoreProblem, Floats
from frugalsvm.search.state import INFEASIBLE, UNDECIDED, Feasibility, Verdict
from frugalsvm.stopping import Stopper


def decide_by_milp(core: CoreProblem, chosen: np.ndarray, stop: Stopper, seconds: float) -> Verdict:
    """Maximise the gap over |w_k| <= 1 with at most the budgets' weight of samples wrong.

    A sample that may be wrong is relaxed by a big M that no direction in the box can exceed, so
    the model is exact. The answer counts only if it was proven with room to spare: a bound below
    the floor by more than the solver's tolerance, or a direction that passes our own check.
    """
    model = _model(core, chosen, min(seconds, stop.remaining))
    model.run()
    if model.getModelStatus() == highspy.HighsModelStatus.kInfeasible:
        return UNDECIDED  # the model is always feasible: something went wrong
    info = model.getInfo()
    if info.primal_solution_status == 2:
        direction = np.zeros(core.n_features)
        direction[chosen] = np.asarray(model.getSolution().col_value)[: len(chosen)]
        if np.any(direction) and gap(core, direction) >= core.floor:
            return Verdict(Feasibility.FEASIBLE, direction)
    solved = model.getModelStatus() in (
        highspy.HighsModelStatus.kOptimal,
        highspy.HighsModelStatus.kObjectiveBound,
    )
    bound = float(info.mip_dual_bound)
    if solved and bound < core.floor * (1.0 - 1e-4):
        return INFEASIBLE
    return UNDECIDED


def _model(core: CoreProblem, chosen: np.ndarray, seconds: float) -> highspy.Highs:
    """Variables: w in [-1, 1], p, q, one binary per sample that says it is wrong."""
    points = np.ascontiguousarray(core.columns[chosen].T)
    n, d = points.shape
    reach = np.abs(points).sum(axis=1)
    far = float(reach.max()) if n else 0.0
    model = highspy.Highs()
    for option, value in (
        ("output_flag", False),
        ("threads", 1),
        ("time_limit", max(0.01, seconds)),
        ("mip_rel_gap", 0.0),
        ("mip_abs_gap", core.floor * 1e-3),
        ("mip_feasibility_tolerance", 1e-9),
        ("primal_feasibility_tolerance", 1e-9),
        ("dual_feasibility_tolerance", 1e-9),
        ("random_seed", 0),
    ):
        model.setOptionValue(option, value)
    model.addVars(d, np.full(d, -1.0), np.ones(d))
    model.addVars(2, np.array([-far, -far]), np.array([far, far]))
    model.addVars(n, np.zeros(n), np.ones(n))
    integer = np.arange(d + 2, d + 2 + n, dtype=np.int32)
    kinds = np.full(n, highspy.HighsVarType.kInteger)
    model.changeColsIntegrality(n, integer, kinds)
    _add_rows(model, core, points, reach + far)
    model.changeColCost(d, 1.0)
    model.changeColCost(d + 1, -1.0)
    model.changeObjectiveSense(highspy.ObjSense.kMaximize)
    return model


def _add_rows(model: highspy.Highs, core: CoreProblem, points: Floats, big: Floats) -> None:
    """Score >= p or wrong, for positives; score <= q or wrong, for negatives; two budgets."""
    n, d = points.shape
    columns = np.arange(d, dtype=np.int32)
    infinity = highspy.kHighsInf
    for i in range(n):
        positive = i < core.n_pos
        sign = 1.0 if positive else -1.0
        where = np.append(columns, [d if positive else d + 1, d + 2 + i]).astype(np.int32)
        what = np.concatenate((sign * points[i], [-sign, big[i]]))
        model.addRow(0.0, infinity, d + 2, where, what)
    for first, last, budget in (
        (0, core.n_pos, core.budget_pos),
        (core.n_pos, n, core.budget_neg),
    ):
        where = np.arange(d + 2 + first, d + 2 + last, dtype=np.int32)
        model.addRow(-infinity, float(budget), len(where), where, core.weight[first:last] * 1.0)
