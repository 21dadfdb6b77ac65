"""The contract: what the solvers declare, what they refuse, and what is installed."""

from __future__ import annotations

import importlib.metadata
import importlib.util
import math
import subprocess
import sys

import highspy
import numpy as np
import pytest
from model_instances import margin_problem, random_margin, random_selection, selection_problem

from frugalsvm.data.exceptions import SolverError, UnsupportedModelError
from frugalsvm.data.result import Status, StopReason
from frugalsvm.models import (
    SOLVER_NAMES,
    ModelKind,
    ModelOptions,
    ModelSolver,
    get_solver,
    registry,
    require,
)
from frugalsvm.runtime.stopping import Stopper


@pytest.mark.parametrize("package", ["highspy", "pyscipopt", "gurobipy"])
def test_every_solver_that_the_tests_need_is_installed(package: str) -> None:
    assert importlib.util.find_spec(package) is not None, f"{package} is missing: pip install it"


def test_highs_gets_right_what_version_1_14_got_wrong() -> None:
    """min 2x + 3z, x + z >= 4.5, 0 <= x, z <= 10, z integer: 9, where 1.14.0 said 15."""
    highs = highspy.Highs()
    highs.setOptionValue("output_flag", False)
    x = highs.addVariable(0, 10)
    z = highs.addVariable(0, 10, type=highspy.HighsVarType.kInteger)
    highs.addConstr(x + z >= 4.5)
    highs.setObjective(2 * x + 3 * z)
    highs.run()
    assert highs.getInfo().objective_function_value == pytest.approx(9.0)
    installed = tuple(int(part) for part in importlib.metadata.version("highspy").split(".")[:3])
    assert installed >= (1, 15, 1)


@pytest.mark.parametrize("name", SOLVER_NAMES)
def test_solvers_keep_the_protocol(name: str) -> None:
    solver = get_solver(name)
    assert isinstance(solver, ModelSolver)
    assert solver.name == name
    assert ModelKind.P1 in solver.kinds
    assert all(part.isdigit() for part in solver.version().split("."))


def test_importing_the_models_imports_no_solver() -> None:
    code = (
        "import sys, frugalsvm.models\n"
        "found = {'highspy', 'pyscipopt', 'gurobipy'} & set(sys.modules)\n"
        "sys.exit(f'imported: {found}' if found else 0)"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr


@pytest.mark.parametrize("kind", [kind for kind in ModelKind if kind is not ModelKind.P1])
def test_highs_refuses_quadratic_models_before_the_solve(kind: ModelKind) -> None:
    solver = get_solver("highs")
    with pytest.raises(UnsupportedModelError, match=r"solver='scip'.*frugalsvm\[scip\].*'auto'"):
        require(solver, kind)
    with pytest.raises(UnsupportedModelError, match=r"no mixed-integer quadratic solver"):
        solver.solve_margin(random_margin(0), kind, stop=Stopper(1.0), options=ModelOptions())


@pytest.mark.parametrize("name", ["scip", "gurobi"])
def test_the_others_refuse_nothing(name: str) -> None:
    for kind in ModelKind:
        require(get_solver(name), kind)


def test_p1_is_not_a_margin_model() -> None:
    with pytest.raises(UnsupportedModelError, match="solve_selection"):
        get_solver("scip").solve_margin(
            random_margin(0), ModelKind.P1, stop=Stopper(1.0), options=ModelOptions()
        )


def test_models_in_w_need_features() -> None:
    problem = random_margin(0, kernel=True)
    with pytest.raises(UnsupportedModelError, match="use P3"):
        get_solver("scip").solve_margin(
            problem, ModelKind.P2, stop=Stopper(1.0), options=ModelOptions()
        )


def test_an_indefinite_kernel_is_refused() -> None:
    gram = np.array([[1.0, 2.0], [2.0, 1.0]])
    problem = margin_problem(np.array([True, False]), 0, 0, 1.0, gram=gram)
    with pytest.raises(UnsupportedModelError, match=r"positive semidefinite.*eigenvalue of -1"):
        get_solver("scip").solve_margin(
            problem, ModelKind.P3, stop=Stopper(1.0), options=ModelOptions()
        )


def test_unknown_solver() -> None:
    with pytest.raises(SolverError, match=r"one of \['highs', 'scip', 'gurobi'\]. Got 'cbc'"):
        get_solver("cbc")


def test_a_missing_package_names_the_extra(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "pyscipopt", None)
    monkeypatch.delitem(sys.modules, "frugalsvm.models.scip", raising=False)
    with pytest.raises(SolverError, match=r"'pyscipopt'.*pip install 'frugalsvm\[scip\]'"):
        registry.get_solver("scip")


@pytest.mark.parametrize(
    ("bad", "message"),
    [
        ({"m1": 0.0}, "m1 must be in"),
        ({"m2": math.nan}, "m2 must be in"),
        ({"threads": 0}, "threads must be at least 1"),
        ({"seed": -1}, "seed must not be negative"),
        ({"node_limit": 0}, "node_limit must be at least 1"),
    ],
)
def test_options_are_checked(bad: dict[str, float], message: str) -> None:
    with pytest.raises(ValueError, match=message):
        ModelOptions(**bad)


def test_gurobi_names_the_size_limit_of_p1() -> None:
    rng = np.random.default_rng(0)
    X = rng.normal(size=(2000, 2))
    problem = selection_problem(X, X[:, 0] > 0, 0, 0)
    with pytest.raises(SolverError, match=r"2005 variables.*2000 variables and 2000 rows.*'auto'"):
        get_solver("gurobi").solve_selection(problem, stop=Stopper(10.0), options=ModelOptions())


def test_gurobi_names_the_size_limit_of_quadratic_models() -> None:
    rng = np.random.default_rng(0)
    X = rng.normal(size=(120, 2))
    problem = margin_problem(X[:, 0] > 0, 1, 1, 1.0, features=X)
    with pytest.raises(
        SolverError, match=r"243 variables.*200 variables once .* quadratic.*'scip'"
    ):
        get_solver("gurobi").solve_margin(
            problem, ModelKind.P2, stop=Stopper(10.0), options=ModelOptions()
        )


@pytest.mark.parametrize("name", SOLVER_NAMES)
def test_no_time_means_no_answer(name: str) -> None:
    result = get_solver(name).solve_selection(
        random_selection(0), stop=Stopper(0.0), options=ModelOptions()
    )
    assert (result.status, result.stop_reason) == (Status.UNKNOWN, StopReason.TIME_LIMIT)
    assert not result.has_answer
    assert result.bound == 0.0
    assert math.isinf(result.cost)
