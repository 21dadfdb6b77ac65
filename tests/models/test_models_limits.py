"""Time and node limits, seeds, threads, progress, and Ctrl-C."""

from __future__ import annotations

import math
import signal
import subprocess
import sys
import textwrap
import time
from pathlib import Path
from threading import Event

import numpy as np
import pytest
from model_instances import hard_selection, margin_problem, random_selection, standardised

from frugalsvm.data.exceptions import SolverError
from frugalsvm.data.problem import MarginProblem
from frugalsvm.data.result import Progress, Status, StopReason
from frugalsvm.models import SOLVER_NAMES, ModelKind, ModelOptions, get_solver
from frugalsvm.models.background import Recorder, left_alone, run_cancellable
from frugalsvm.models.program import Ending
from frugalsvm.runtime.stopping import Stopper


def hard_margin(n: int = 60) -> MarginProblem:
    rng = np.random.default_rng(3)
    positive = rng.random(n) < 0.5
    X = standardised(rng.normal(size=(n, 4)) + np.where(positive, 0.4, -0.4)[:, None])
    return margin_problem(positive, n // 8, n // 8, 1 / 32, features=X)


@pytest.mark.parametrize("name", SOLVER_NAMES)
def test_the_time_limit_is_kept_and_leaves_incumbent_and_bound(name: str) -> None:
    limit = 2.0
    began = time.perf_counter()
    result = get_solver(name).solve_selection(
        hard_selection(), stop=Stopper(limit), options=ModelOptions()
    )
    assert time.perf_counter() - began <= 1.1 * limit + 1.0
    assert result.stop_reason is StopReason.TIME_LIMIT
    assert result.status is Status.FEASIBLE
    assert 0.0 <= result.bound < result.cost
    assert result.history[-1].cost == result.cost


def test_the_time_limit_of_a_quadratic_model() -> None:
    limit = 2.0
    began = time.perf_counter()
    result = get_solver("scip").solve_margin(
        hard_margin(), ModelKind.P2, stop=Stopper(limit), options=ModelOptions(m1=1000.0)
    )
    assert time.perf_counter() - began <= 1.1 * limit + 1.0
    assert result.stop_reason is StopReason.TIME_LIMIT
    assert result.status is Status.FEASIBLE
    assert 0.0 <= result.bound < result.objective


@pytest.mark.parametrize("name", SOLVER_NAMES)
def test_nothing_found_is_unknown_with_a_bound(name: str) -> None:
    """HiGHS returns zeros here, flagged as no solution only by the side."""
    result = get_solver(name).solve_selection(
        hard_selection(n=800, N=60), stop=Stopper(0.05), options=ModelOptions()
    )
    if result.has_answer:  # a lucky heuristic: then the answer was checked, and is not all zero
        assert result.cost > 0
    else:
        assert (result.status, result.stop_reason) == (Status.UNKNOWN, StopReason.TIME_LIMIT)
        assert math.isinf(result.cost)
        assert result.bound >= 0.0


@pytest.mark.parametrize("name", SOLVER_NAMES)
def test_a_node_limit_repeats_exactly(name: str) -> None:
    problem = hard_selection(n=80, N=12)
    options = ModelOptions(node_limit=10, seed=7)
    one, two = (
        get_solver(name).solve_selection(problem, stop=Stopper(60.0), options=options)
        for _ in range(2)
    )
    assert one.stop_reason is StopReason.NODE_LIMIT
    assert (one.support, one.cost, one.bound) == (two.support, two.cost, two.bound)
    np.testing.assert_array_equal(one.weights, two.weights)
    assert one.details["nodes"] == two.details["nodes"]


@pytest.mark.parametrize("name", SOLVER_NAMES)
def test_threads_may_change_from_solve_to_solve(name: str) -> None:
    """HiGHS answers a changed number of threads with an error and zeros, within one thread."""
    problem = random_selection(1)
    results = [
        get_solver(name).solve_selection(
            problem, stop=Stopper(60.0), options=ModelOptions(threads=threads, m2=math.inf)
        )
        for threads in (1, 2, 1)
    ]
    assert {(result.status, round(result.cost, 9)) for result in results} == {
        (results[0].status, round(results[0].cost, 9))
    }


@pytest.mark.parametrize("name", SOLVER_NAMES)
def test_progress_is_reported_and_kept(name: str) -> None:
    seen: list[Progress] = []
    result = get_solver(name).solve_selection(
        random_selection(5), stop=Stopper(60.0), options=ModelOptions(), on_progress=seen.append
    )
    assert tuple(seen) == result.history
    assert (seen[-1].cost, seen[-1].bound) == (result.cost, result.bound)


@pytest.mark.parametrize("name", SOLVER_NAMES)
def test_an_error_of_the_progress_callback_stops_the_solver(name: str) -> None:
    def fail(_: Progress) -> None:
        raise RuntimeError("no disk left")

    began = time.perf_counter()
    with pytest.raises(RuntimeError, match="no disk left"):
        get_solver(name).solve_selection(
            hard_selection(), stop=Stopper(30.0), options=ModelOptions(), on_progress=fail
        )
    assert time.perf_counter() - began < 15.0


def test_a_solver_that_does_not_listen_is_left_alone() -> None:
    """Parts of HiGHS' and SCIP's presolve look at no clock."""
    recorder = Recorder()
    recorder.keep(np.ones(3))
    recorder.record(4.0, 1.5)
    stop = Stopper(0.2)
    release = Event()
    began = time.perf_counter()
    ended = run_cancellable(release.wait, lambda: None, stop, recorder, patient=False)
    assert ended is None
    assert time.perf_counter() - began < 2.0
    release.set()
    outcome = left_alone(recorder, stop)
    assert (outcome.ending, outcome.reason) == (Ending.STOPPED, StopReason.TIME_LIMIT)
    assert outcome.bound == 1.5
    np.testing.assert_array_equal(outcome.x, np.ones(3))


def test_an_error_in_the_solvers_thread_reaches_the_caller() -> None:
    def fail() -> None:
        raise SolverError("out of memory")

    with pytest.raises(SolverError, match="out of memory"):
        run_cancellable(fail, lambda: None, Stopper(), Recorder())


MANY = """
    import sys
    sys.path.insert(0, {folder!r})
    from model_instances import random_margin
    from frugalsvm.models import ModelKind, ModelOptions, get_solver
    from frugalsvm.runtime.stopping import Stopper

    options = ModelOptions(node_limit=1)
    for _ in range(80):
        get_solver("scip").solve_margin(
            random_margin(0), ModelKind.P2, stop=Stopper(), options=options
        )
"""


def test_scip_survives_more_solves_than_it_can_count_threads() -> None:
    """Quadratic models in ever new threads crashed the process at the 64th or so."""
    code = textwrap.dedent(MANY).format(folder=str(Path(__file__).parent))
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=False)
    assert (done.returncode, done.stderr) == (0, "")


CHILD = """
    import sys
    sys.path.insert(0, {folder!r})
    from model_instances import hard_selection
    from frugalsvm.models import ModelOptions, get_solver
    from frugalsvm.runtime.stopping import Stopper, interruptible

    def found(progress):
        if progress.cost < 1e9:
            print("incumbent", flush=True)

    with interruptible(Stopper(60.0)) as stop:
        result = get_solver({name!r}).solve_selection(
            hard_selection(), stop=stop, options=ModelOptions(), on_progress=found
        )
    print("result", result.status, result.stop_reason, result.cost > result.bound, flush=True)
"""


@pytest.mark.parametrize("name", SOLVER_NAMES)
def test_ctrl_c_ends_with_the_incumbent_and_no_traceback(name: str) -> None:
    code = textwrap.dedent(CHILD).format(folder=str(Path(__file__).parent), name=name)
    with subprocess.Popen(
        [sys.executable, "-c", code], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True
    ) as child:
        assert child.stdout is not None
        assert child.stdout.readline().strip() == "incumbent"
        began = time.perf_counter()
        child.send_signal(signal.SIGINT)
        output, errors = child.communicate(timeout=30)
    assert time.perf_counter() - began < 10.0
    lines = [line for line in output.splitlines() if line != "incumbent"]
    assert lines == ["result feasible interrupted True"]  # and no solver's banner
    assert errors == ""
    assert child.returncode == 0
