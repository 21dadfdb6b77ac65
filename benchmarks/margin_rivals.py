"""P2 with indicator constraints, in SCIP and in CPLEX's free edition (1000 variables)."""

from __future__ import annotations

import time
from typing import Any

import numpy as np

from frugalsvm.data.problem import MarginProblem
from frugalsvm.margin.rows.reduction import Reduced, reduce
from frugalsvm.runtime.stopping import Stopper


def scip_p2(problem: MarginProblem, time_limit: float, tolerance: float) -> dict[str, Any]:
    """Solve with SCIP, one thread; identical samples are merged for it as well."""
    from pyscipopt import Model, quicksum

    rows = reduce(problem, Stopper())
    model = Model()
    model.hideOutput()
    w = [model.addVar(lb=None) for _ in range(rows.Z.shape[1])]
    b = model.addVar(lb=None)
    xi = [model.addVar(lb=0.0) for _ in rows.y]
    right = [model.addVar(vtype="B") for _ in rows.y]
    norm = model.addVar(lb=0.0)
    model.addCons(quicksum(v * v for v in w) <= norm)
    for i, label in enumerate(rows.y):
        score = quicksum(float(z) * v for z, v in zip(rows.Z[i], w, strict=True)) + b
        model.addCons(float(label) * score >= 1 - xi[i])
        model.addConsIndicator(xi[i] <= 0, binvar=right[i])
    for use, cap in zip(rows.use, rows.caps, strict=True):
        members = np.flatnonzero(use)
        model.addCons(quicksum(float(use[i]) * (1 - right[i]) for i in members) <= float(cap))
    paid = quicksum(float(weight) * v for weight, v in zip(rows.weight, xi, strict=True))
    model.setObjective(norm + problem.C * paid)
    model.setParam("limits/time", time_limit)
    model.setParam("limits/gap", tolerance)
    started = time.perf_counter()
    model.optimize()
    seconds = time.perf_counter() - started
    value = model.getObjVal() if model.getNSols() else float("inf")
    return _outcome(str(model.getStatus()), value, model.getDualbound(), seconds)


def cplex_p2(problem: MarginProblem, time_limit: float, tolerance: float) -> dict[str, Any]:
    """Solve with CPLEX, one thread, if the model fits its free edition."""
    rows = reduce(problem, Stopper())
    n_variables = rows.Z.shape[1] + 1 + 2 * rows.n_rows
    if n_variables > 1000 or rows.n_rows + len(rows.caps) > 1000:
        return {"status": f"does not fit the free edition ({n_variables} variables)"}
    model = _cplex_model(rows, problem.C)
    model.parameters.timelimit.set(time_limit)
    model.parameters.threads.set(1)
    model.parameters.mip.tolerances.mipgap.set(tolerance)
    started = time.perf_counter()
    model.solve()
    seconds = time.perf_counter() - started
    solution = model.solution
    found = solution.is_primal_feasible()
    value = solution.get_objective_value() if found else float("inf")
    status = solution.get_status_string()
    return _outcome(status, value, solution.MIP.get_best_objective(), seconds)


def _cplex_model(rows: Reduced, C: float) -> Any:
    import cplex

    model = cplex.Cplex()
    for stream in (model.set_log_stream, model.set_results_stream, model.set_warning_stream):
        stream(None)
    d, n = rows.Z.shape[1], rows.n_rows
    model.variables.add(lb=[-cplex.infinity] * (d + 1), ub=[cplex.infinity] * (d + 1))
    model.variables.add(obj=(C * rows.weight).tolist(), lb=[0.0] * n)
    model.variables.add(types=[model.variables.type.binary] * n)  # 1: the row is wrong
    model.objective.set_quadratic([2.0] * d + [0.0] * (1 + 2 * n))
    for i in range(n):
        coefficients = [*(rows.y[i] * rows.Z[i]).tolist(), float(rows.y[i]), 1.0]
        model.linear_constraints.add(
            lin_expr=[[[*range(d + 1), d + 1 + i], coefficients]], senses="G", rhs=[1.0]
        )
        model.indicator_constraints.add(
            indvar=d + 1 + n + i,
            complemented=1,
            lin_expr=[[d + 1 + i], [1.0]],
            sense="L",
            rhs=0.0,
        )
    for use, cap in zip(rows.use, rows.caps, strict=True):
        members = np.flatnonzero(use)
        wrong = (d + 1 + n + members).tolist()
        model.linear_constraints.add(
            lin_expr=[[wrong, use[members].tolist()]], senses="L", rhs=[float(cap)]
        )
    return model


def _outcome(status: str, objective: float, bound: float, seconds: float) -> dict[str, Any]:
    gap = (objective - bound) / abs(objective) if np.isfinite(objective) else float("inf")
    return {
        "status": status,
        "objective": objective,
        "bound": bound,
        "gap": max(0.0, gap),
        "seconds": seconds,
    }
