"""Gurobi: all models, as large as the licence allows; the one that pip installs is small."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

import gurobipy as gp
import numpy as np
from gurobipy import GRB
from numpy.typing import NDArray

from frugalsvm.data.exceptions import SolverError
from frugalsvm.data.result import StopReason
from frugalsvm.models.background import Recorder, run_cancellable
from frugalsvm.models.base import ProgramSolver
from frugalsvm.models.program import Ending, Outcome, Program
from frugalsvm.models.protocol import ModelKind, ModelOptions
from frugalsvm.runtime.stopping import Stopper

FEASIBILITY = 1e-9
"""Gurobi's smallest; its default of 1e-5 for integers lets 1e-3 through a big-M of 100."""

_STATUS_ENDINGS = {
    GRB.OPTIMAL: (Ending.OPTIMAL, StopReason.COMPLETED),
    GRB.INFEASIBLE: (Ending.INFEASIBLE, StopReason.COMPLETED),
    # Every objective is bounded from below by 0, so this can only be the former.
    GRB.INF_OR_UNBD: (Ending.INFEASIBLE, StopReason.COMPLETED),
    GRB.TIME_LIMIT: (Ending.STOPPED, StopReason.TIME_LIMIT),
    GRB.NODE_LIMIT: (Ending.STOPPED, StopReason.NODE_LIMIT),
    GRB.MEM_LIMIT: (Ending.STOPPED, StopReason.EFFORT_LIMIT),
    GRB.SUBOPTIMAL: (Ending.STOPPED, StopReason.UNRESOLVED),
}


class GurobiSolver(ProgramSolver):
    """Gurobi through gurobipy."""

    name = "gurobi"
    kinds = frozenset(ModelKind)
    has_indicators = True

    def version(self) -> str:
        """Return Gurobi's version."""
        return ".".join(str(part) for part in gp.gurobi.version())

    def run(
        self, program: Program, stop: Stopper, options: ModelOptions, recorder: Recorder
    ) -> Outcome:
        """Solve a mixed-integer linear or convex quadratic program."""
        try:
            with (
                gp.Env(params=_parameters(program, stop, options)) as env,
                gp.Model(program.name, env=env) as model,
            ):
                columns = _translate(model, program)
                note = _recording(recorder)
                run_cancellable(lambda: model.optimize(note), model.terminate, stop, recorder)
                return _outcome(model, program, columns, stop)
        except gp.GurobiError as error:
            raise SolverError(_explained(error, program)) from error


def _parameters(program: Program, stop: Stopper, options: ModelOptions) -> dict[str, Any]:
    chosen: dict[str, Any] = {
        "OutputFlag": int(options.verbose),
        "Threads": options.threads,
        "Seed": options.seed,
        "MIPGap": 1e-7 if program.is_quadratic else 0.0,
        "MIPGapAbs": 1e-9,
        "FeasibilityTol": FEASIBILITY,
        "IntFeasTol": FEASIBILITY,
        "OptimalityTol": FEASIBILITY,
    }
    if math.isfinite(stop.remaining):
        chosen["TimeLimit"] = stop.remaining
    if options.node_limit is not None:
        chosen["NodeLimit"] = options.node_limit
    return chosen


def _translate(model: gp.Model, program: Program) -> Any:
    """Add the program to `model` and return its variables."""
    kinds = np.where(program.integer, GRB.INTEGER, GRB.CONTINUOUS)
    kinds[program.integer & (program.lower >= 0) & (program.upper <= 1)] = GRB.BINARY
    x = model.addMVar(program.n_columns, lb=program.lower, ub=program.upper, vtype=kinds)
    objective: Any = program.cost @ x
    if program.is_quadratic:
        squared = x[np.flatnonzero(program.squared).tolist()]
        objective = objective + squared @ squared
    model.setObjective(objective, GRB.MINIMIZE)
    rows = program.rows
    equal = rows.lower == rows.upper
    for which, sense, side in (
        (equal, GRB.EQUAL, rows.lower),
        (~equal & np.isfinite(rows.lower), GRB.GREATER_EQUAL, rows.lower),
        (~equal & np.isfinite(rows.upper), GRB.LESS_EQUAL, rows.upper),
    ):
        if which.any():
            chosen = np.flatnonzero(which)
            model.addMConstr(rows.matrix[chosen], x, sense, side[chosen])
    _add_indicators(model, program, x)
    if program.start is not None:
        x.setAttr("Start", program.start)
    return x


def _add_indicators(model: gp.Model, program: Program, x: Any) -> None:
    rows = program.conditional
    if rows.switch is None or rows.count == 0:
        return
    variables = x.tolist()
    matrix = rows.matrix
    for i, switch in enumerate(rows.switch):
        entries = slice(matrix.indptr[i], matrix.indptr[i + 1])
        row = gp.LinExpr(matrix.data[entries], [variables[j] for j in matrix.indices[entries]])
        model.addGenConstrIndicator(
            variables[switch], True, row, GRB.GREATER_EQUAL, float(rows.lower[i])
        )


def _recording(recorder: Recorder) -> Callable[[gp.Model, int], None]:
    """Return a callback that writes Gurobi's progress into the history."""

    def note(model: gp.Model, where: int) -> None:
        if where == GRB.Callback.MIP:
            bound = _finite(model.cbGet(GRB.Callback.MIP_OBJBND))
            if math.isfinite(bound):
                recorder.record(_finite(model.cbGet(GRB.Callback.MIP_OBJBST)), bound)

    return note


def _outcome(model: gp.Model, program: Program, columns: Any, stop: Stopper) -> Outcome:
    status = model.Status
    if status == GRB.INTERRUPTED:
        if not stop():  # a Ctrl-C that Gurobi took: pass it on
            stop.interrupt()
        ending, reason = Ending.STOPPED, stop.reason
    elif status in _STATUS_ENDINGS:
        ending, reason = _STATUS_ENDINGS[status]
    else:
        raise SolverError(f"Gurobi gave up on {program.name}: status {status}.")
    bound = math.inf if ending is Ending.INFEASIBLE else _finite(model.ObjBound)
    return Outcome(ending, reason, _point(model, columns), bound, int(model.NodeCount))


def _point(model: gp.Model, columns: Any) -> NDArray[np.float64] | None:
    return np.asarray(columns.X, dtype=np.float64) if model.SolCount > 0 else None


def _finite(value: float) -> float:
    """Return `value` with Gurobi's large number for infinity as infinity."""
    return math.copysign(math.inf, value) if abs(value) >= GRB.INFINITY else float(value)


def _explained(error: gp.GurobiError, program: Program) -> str:
    if error.errno == GRB.Error.SIZE_LIMIT_EXCEEDED:
        limit = (
            "200 variables once a model is quadratic"
            if program.is_quadratic
            else "2000 variables and 2000 rows"
        )
        return (
            f"{program.name} has {program.n_columns} variables and {program.n_rows} rows; Gurobi's "
            f"licence from pip allows {limit}. Use solver='auto' or solver='scip' "
            "(pip install 'frugalsvm[scip]'), which are free and have no limit, or install a "
            "full Gurobi licence."
        )
    if error.errno == GRB.Error.NO_LICENSE:
        return (
            f"Gurobi found no valid licence ({error}). Use solver='auto' or solver='scip' "
            "(pip install 'frugalsvm[scip]'), which are free."
        )
    return f"Gurobi failed on {program.name}: {error} (error {error.errno})."
