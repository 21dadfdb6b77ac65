"""HiGHS: P1 only, of any size. It has neither indicators nor mixed-integer quadratic models."""

from __future__ import annotations

import math
from collections.abc import Mapping
from threading import Event
from typing import Any

import highspy
import numpy as np
from numpy.typing import NDArray

from frugalsvm.data.exceptions import SolverError
from frugalsvm.data.result import StopReason
from frugalsvm.models.background import Recorder, left_alone, run_cancellable
from frugalsvm.models.base import ProgramSolver
from frugalsvm.models.program import Ending, Outcome, Program
from frugalsvm.models.protocol import ModelKind, ModelOptions
from frugalsvm.runtime.stopping import Stopper

FEASIBILITY = 1e-8
"""HiGHS' default of 1e-6 lets a weight of 1e-4 through the paper's big-M of 100."""

MANY_NONZEROS = 100_000
"""From here on HiGHS' feasibility jump takes too long to be run without a clock."""

_STATUS = highspy.HighsModelStatus
_ENDINGS = {
    _STATUS.kOptimal: (Ending.OPTIMAL, StopReason.COMPLETED),
    _STATUS.kInfeasible: (Ending.INFEASIBLE, StopReason.COMPLETED),
    # Costs are not negative, so "unbounded or infeasible" can only be the latter.
    _STATUS.kUnboundedOrInfeasible: (Ending.INFEASIBLE, StopReason.COMPLETED),
    _STATUS.kTimeLimit: (Ending.STOPPED, StopReason.TIME_LIMIT),
    _STATUS.kSolutionLimit: (Ending.STOPPED, StopReason.NODE_LIMIT),
}


class HighsSolver(ProgramSolver):
    """HiGHS through highspy.

    HiGHS fixes its number of threads for as long as the thread that calls it lives; every solve
    here runs in a fresh one, so ``threads`` may differ from solve to solve.
    """

    name = "highs"
    kinds = frozenset({ModelKind.P1})
    has_indicators = False

    def version(self) -> str:
        """Return HiGHS' version."""
        return str(highspy.Highs().version())

    def run(
        self, program: Program, stop: Stopper, options: ModelOptions, recorder: Recorder
    ) -> Outcome:
        """Solve a mixed-integer linear program."""
        highs = highspy.Highs()
        _set_options(highs, _options(program, stop, options))
        _check(highs.passModel(_translated(program)), "passModel")
        if program.start is not None:
            start = highspy.HighsSolution()
            start.col_value = program.start
            _check(highs.setSolution(start), "setSolution")
        cancelled = Event()
        _subscribe(highs, cancelled, recorder)
        status = run_cancellable(highs.run, cancelled.set, stop, recorder, patient=False)
        if status is None:
            return left_alone(recorder, stop)
        if status == highspy.HighsStatus.kError:
            raise SolverError(f"HiGHS failed on {program.name}: {_status_text(highs)}.")
        return _outcome(highs, program, stop)


def _options(program: Program, stop: Stopper, options: ModelOptions) -> dict[str, Any]:
    nonzeros = program.rows.matrix.nnz
    chosen: dict[str, Any] = {
        "output_flag": options.verbose,
        "threads": options.threads,
        "random_seed": options.seed,
        "mip_rel_gap": 0.0,  # the default of 1e-4 is a wrong optimum where costs are large
        "mip_abs_gap": 1e-9,
        "mip_feasibility_tolerance": FEASIBILITY,
        "primal_feasibility_tolerance": FEASIBILITY,
        "dual_feasibility_tolerance": FEASIBILITY,
        # It looks at no clock: on 71 samples of 7000 features it runs for seconds.
        "mip_heuristic_run_feasibility_jump": program.start is None and nonzeros < MANY_NONZEROS,
    }
    if math.isfinite(stop.remaining):
        chosen["time_limit"] = stop.remaining
    if options.node_limit is not None:
        chosen["mip_max_nodes"] = options.node_limit
    return chosen


def _set_options(highs: highspy.Highs, chosen: Mapping[str, Any]) -> None:
    """Set options; HiGHS only returns a code for a name or value that it does not know."""
    for name, value in chosen.items():
        if highs.setOptionValue(name, value) != highspy.HighsStatus.kOk:
            raise SolverError(f"HiGHS refused the option {name} = {value!r}.")


def _check(status: highspy.HighsStatus, call: str) -> None:
    if status == highspy.HighsStatus.kError:
        raise SolverError(f"HiGHS refused the model in {call}.")


def _translated(program: Program) -> highspy.HighsLp:
    if program.is_quadratic or program.conditional.count:
        raise SolverError(f"{program.name} has terms that HiGHS does not know.")
    lp = highspy.HighsLp()
    lp.num_col_ = program.n_columns
    lp.num_row_ = program.rows.count
    lp.col_cost_ = program.cost
    lp.col_lower_ = program.lower
    lp.col_upper_ = program.upper
    lp.row_lower_ = program.rows.lower
    lp.row_upper_ = program.rows.upper
    kinds = highspy.HighsVarType
    lp.integrality_ = [kinds.kInteger if i else kinds.kContinuous for i in program.integer]
    matrix = program.rows.matrix
    lp.a_matrix_.format_ = highspy.MatrixFormat.kRowwise
    lp.a_matrix_.start_ = matrix.indptr
    lp.a_matrix_.index_ = matrix.indices
    lp.a_matrix_.value_ = matrix.data
    return lp


def _subscribe(highs: highspy.Highs, cancelled: Event, recorder: Recorder) -> None:
    """Let HiGHS ask whether to stop, and tell how far it is."""

    def check(event: Any) -> None:
        if cancelled.is_set():
            event.interrupt()

    def note(event: Any) -> None:
        data = event.data_out
        cost, bound = float(data.mip_primal_bound), float(data.mip_dual_bound)
        if math.isfinite(bound):
            recorder.record(cost, bound)
        check(event)

    def keep(event: Any) -> None:
        recorder.keep(np.array(event.data_out.mip_solution, dtype=np.float64))
        note(event)

    highs.cbMipImprovingSolution.subscribe(keep)
    highs.cbMipInterrupt.subscribe(note)
    highs.cbSimplexInterrupt.subscribe(check)
    highs.cbIpmInterrupt.subscribe(check)


def _outcome(highs: highspy.Highs, program: Program, stop: Stopper) -> Outcome:
    model_status = highs.getModelStatus()
    interrupted = model_status == _STATUS.kInterrupt
    if not interrupted and model_status not in _ENDINGS:
        raise SolverError(f"HiGHS gave up on {program.name}: {_status_text(highs)}.")
    ending, reason = (Ending.STOPPED, stop.reason) if interrupted else _ENDINGS[model_status]
    info = highs.getInfo()
    return Outcome(
        ending=ending,
        reason=reason,
        x=_point(highs, program),
        bound=float(info.mip_dual_bound),
        nodes=int(info.mip_node_count),
    )


def _point(highs: highspy.Highs, program: Program) -> NDArray[np.float64] | None:
    """Return the best point; without one HiGHS gives zeros, told apart by two flags only."""
    solution = highs.getSolution()
    feasible = highspy.SolutionStatus.kSolutionStatusFeasible
    if not solution.value_valid or highs.getInfo().primal_solution_status != int(feasible):
        return None
    x = np.asarray(solution.col_value, dtype=np.float64)
    return x if len(x) == program.n_columns and bool(np.all(np.isfinite(x))) else None


def _status_text(highs: highspy.Highs) -> str:
    return str(highs.modelStatusToString(highs.getModelStatus()))
