"""SCIP: all models, with indicator constraints for infinite M1 and M2."""

from __future__ import annotations

import math
from collections.abc import Iterator
from typing import Any

import numpy as np
import pyscipopt
from numpy.typing import NDArray

from frugalsvm.data.exceptions import SolverError
from frugalsvm.data.result import StopReason
from frugalsvm.models.background import Recorder, left_alone, run_cancellable, shared_workers
from frugalsvm.models.base import ProgramSolver
from frugalsvm.models.program import Ending, Outcome, Program, Rows
from frugalsvm.models.protocol import ModelKind, ModelOptions
from frugalsvm.runtime.stopping import Stopper

FEASIBILITY = 1e-8
"""SCIP's default of 1e-6 lets a weight of 1e-4 through the paper's big-M of 100."""

_STATUS_ENDINGS = {
    "optimal": (Ending.OPTIMAL, StopReason.COMPLETED),
    "infeasible": (Ending.INFEASIBLE, StopReason.COMPLETED),
    # Every objective is bounded from below by 0, so this can only be the former.
    "inforunbd": (Ending.INFEASIBLE, StopReason.COMPLETED),
    "timelimit": (Ending.STOPPED, StopReason.TIME_LIMIT),
    "nodelimit": (Ending.STOPPED, StopReason.NODE_LIMIT),
    "totalnodelimit": (Ending.STOPPED, StopReason.NODE_LIMIT),
    "memlimit": (Ending.STOPPED, StopReason.EFFORT_LIMIT),
}
_INTERRUPTED = ("userinterrupt", "terminate")


class ScipSolver(ProgramSolver):
    """SCIP through PySCIPOpt. It uses one thread, whatever ``threads`` says.

    SCIP's automatic differentiation numbers the threads in which it ever worked and crashes
    beyond 64 or so: all solves share a few threads.
    """

    name = "scip"
    kinds = frozenset(ModelKind)
    has_indicators = True

    def version(self) -> str:
        """Return SCIP's version."""
        scip = pyscipopt.Model()
        return f"{scip.getMajorVersion()}.{scip.getMinorVersion()}.{scip.getTechVersion()}"

    def run(
        self, program: Program, stop: Stopper, options: ModelOptions, recorder: Recorder
    ) -> Outcome:
        """Solve a mixed-integer linear or convex quadratic program."""
        scip = pyscipopt.Model(program.name)
        scip.hideOutput(not options.verbose)
        columns = _translate(scip, program, stop)
        if stop():
            return Outcome(Ending.STOPPED, stop.reason, None, -math.inf)
        scip.setParams(_parameters(program, stop, options))
        watcher = _Watcher(recorder, columns)
        scip.includeEventhdlr(watcher, "frugalsvm", "records the progress")
        ended = run_cancellable(
            lambda: _optimize(scip, watcher),
            scip.interruptSolve,
            stop,
            recorder,
            patient=False,
            workers=shared_workers(self.name),
        )
        if ended is None:
            return left_alone(recorder, stop)
        return _outcome(scip, program, columns, stop)


def _parameters(program: Program, stop: Stopper, options: ModelOptions) -> dict[str, Any]:
    chosen: dict[str, Any] = {
        "misc/catchctrlc": False,  # Ctrl-C is ours: SCIP's handler prints, and takes the signal
        "timing/clocktype": 2,  # wall clock
        "randomization/randomseedshift": options.seed,
        "numerics/feastol": FEASIBILITY,
        # It looks at no clock: on 71 samples of 7000 features it runs for 20 s.
        "presolving/dualsparsify/maxrounds": 0,
    }
    if math.isfinite(stop.remaining):
        chosen["limits/time"] = stop.remaining
    if options.node_limit is not None:
        chosen["limits/totalnodes"] = options.node_limit
    return chosen


def _translate(scip: pyscipopt.Model, program: Program, stop: Stopper) -> list[Any]:
    """Add the program to `scip`, as far as `stop` allows, and return its variables."""
    columns = [
        scip.addVar(
            vtype="B" if integer and (lower, upper) == (0.0, 1.0) else "I" if integer else "C",
            lb=None if np.isneginf(lower) else float(lower),
            ub=None if np.isposinf(upper) else float(upper),
            obj=float(cost),
        )
        for lower, upper, integer, cost in zip(
            program.lower, program.upper, program.integer, program.cost, strict=True
        )
    ]
    for expression, lower, upper, _ in _expressions(program.rows, columns, stop):
        if lower == upper:
            scip.addCons(expression == lower)
        elif math.isfinite(lower) and math.isfinite(upper):
            scip.addCons((lower <= expression) <= upper)
        elif math.isfinite(lower):
            scip.addCons(expression >= lower)
        else:
            scip.addCons(expression <= upper)
    indicators = [
        scip.addConsIndicator(expression >= lower, binvar=columns[switch])
        for expression, lower, _, switch in _expressions(program.conditional, columns, stop)
    ]
    total = None
    if program.is_quadratic:
        # SCIP's objective is linear: minimise t >= the sum of squares instead.
        total = scip.addVar(lb=0.0, obj=1.0)
        squares = (columns[j] * columns[j] for j in np.flatnonzero(program.squared))
        scip.addCons(pyscipopt.quicksum(squares) <= total)
    if program.start is not None and len(indicators) == program.conditional.count:
        _add_start(scip, program, program.start, columns, indicators, total)
    return columns


def _add_start(
    scip: pyscipopt.Model,
    program: Program,
    start: NDArray[np.float64],
    columns: list[Any],
    indicators: list[Any],
    total: Any | None,
) -> None:
    """Give SCIP the known point, with the variables that only SCIP's form of the program has."""
    solution = scip.createSol()
    for column, value in zip(columns, start, strict=True):
        scip.setSolVal(solution, column, float(value))
    rows = program.conditional
    missing = np.maximum(0.0, rows.lower - rows.matrix @ start)
    for indicator, value in zip(indicators, missing, strict=True):
        scip.setSolVal(solution, scip.getSlackVarIndicator(indicator), float(value))
    if total is not None:
        scip.setSolVal(solution, total, float(np.sum(start[program.squared] ** 2)))
    scip.addSol(solution)


def _expressions(
    rows: Rows, columns: list[Any], stop: Stopper
) -> Iterator[tuple[Any, float, float, int]]:
    """Yield each row as SCIP's expression with its two sides and its switch (-1: none)."""
    matrix = rows.matrix
    switches = np.full(rows.count, -1) if rows.switch is None else rows.switch
    for i in range(rows.count):
        if stop():  # large dense models take seconds to write
            return
        entries = slice(matrix.indptr[i], matrix.indptr[i + 1])
        expression = pyscipopt.quicksum(
            float(value) * columns[j]
            for j, value in zip(matrix.indices[entries], matrix.data[entries], strict=True)
        )
        yield expression, float(rows.lower[i]), float(rows.upper[i]), int(switches[i])


class _Watcher(pyscipopt.Eventhdlr):
    """Writes SCIP's improvements into the history."""

    def __init__(self, recorder: Recorder, columns: list[Any]) -> None:
        self.recorder = recorder
        self.columns = columns

    def eventinit(self) -> None:
        """Subscribe."""
        self.model.catchEvent(pyscipopt.SCIP_EVENTTYPE.BESTSOLFOUND, self)
        self.model.catchEvent(pyscipopt.SCIP_EVENTTYPE.DUALBOUNDIMPROVED, self)

    def eventexec(self, event: Any) -> None:
        """Record the best point, its objective and the bound; nothing while SCIP is freed."""
        if self.model is None:
            return
        if event.getType() == pyscipopt.SCIP_EVENTTYPE.BESTSOLFOUND:
            best = self.model.getBestSol()
            self.recorder.keep(
                np.array([self.model.getSolVal(best, column) for column in self.columns])
            )
        bound = _finite(self.model, self.model.getDualbound())
        if math.isfinite(bound):
            self.recorder.record(_finite(self.model, self.model.getPrimalbound()), bound)


def _optimize(scip: pyscipopt.Model, watcher: _Watcher) -> bool:
    """Run SCIP without Python's lock: ``optimize()`` would keep it, and thus Ctrl-C out."""
    try:
        scip.optimizeNogil()
    except Exception as error:  # PySCIPOpt turns SCIP's error codes into bare Exceptions
        raise SolverError(f"SCIP failed on {scip.getProbName()}: {error}") from error
    finally:
        watcher.model = None  # else only a garbage collection would free SCIP's memory
    return True


def _outcome(scip: pyscipopt.Model, program: Program, columns: list[Any], stop: Stopper) -> Outcome:
    status = scip.getStatus()
    if status in _INTERRUPTED:
        ending, reason = Ending.STOPPED, stop.reason
    elif status in _STATUS_ENDINGS:
        ending, reason = _STATUS_ENDINGS[status]
    else:
        raise SolverError(f"SCIP gave up on {program.name}: {status}.")
    return Outcome(
        ending=ending,
        reason=reason,
        x=_point(scip, columns),
        bound=_finite(scip, scip.getDualbound()),
        nodes=int(scip.getNTotalNodes()),
    )


def _point(scip: pyscipopt.Model, columns: list[Any]) -> NDArray[np.float64] | None:
    if scip.getNSols() == 0:
        return None
    best = scip.getBestSol()
    return np.array([scip.getSolVal(best, column) for column in columns])


def _finite(scip: pyscipopt.Model, value: float) -> float:
    """Return `value` with SCIP's large number for infinity as infinity."""
    return math.copysign(math.inf, value) if scip.isInfinity(abs(value)) else float(value)
