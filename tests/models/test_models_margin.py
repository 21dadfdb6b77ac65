"""CSVM, P2 and P3 against brute force, against each other, and against an ordinary SVM."""

from __future__ import annotations

import itertools
import math
from dataclasses import replace

import clarabel
import numpy as np
import pytest
from model_instances import margin_problem, random_margin
from numpy.typing import NDArray
from scipy import sparse
from sklearn.svm import SVC

from frugalsvm.data.exceptions import SolverError
from frugalsvm.data.problem import CountLimit, MarginProblem
from frugalsvm.data.result import MarginResult, Status, StopReason
from frugalsvm.models import ModelKind, ModelOptions, get_solver
from frugalsvm.models.first_look import look_at_margin
from frugalsvm.models.margin import SAME_OBJECTIVE, build_margin, read_margin
from frugalsvm.models.program import Ending, Outcome
from frugalsvm.runtime.stopping import Stopper
from reference_margin import brute_force

QUADRATIC_SOLVERS = ("scip", "gurobi")
NO_LIMIT = ModelOptions(m1=math.inf)


def solve(
    name: str, problem: MarginProblem, kind: ModelKind, options: ModelOptions = NO_LIMIT
) -> MarginResult:
    result = get_solver(name).solve_margin(problem, kind, stop=Stopper(60.0), options=options)
    assert result.stop_reason is StopReason.COMPLETED
    if result.has_answer:
        check(problem, result)
    return result


def check(problem: MarginProblem, result: MarginResult) -> None:
    """Recompute everything the result says from the problem's data."""
    gram = problem.gram if problem.features is None else problem.features @ problem.features.T
    scores = gram @ result.dual_coef + result.intercept
    margins = problem.y * scores
    if problem.features is not None:
        np.testing.assert_allclose(problem.features.T @ result.dual_coef, result.weights, atol=1e-9)
    assert np.all(margins[result.counted] >= 1.0 - 1e-9)
    for limit in problem.limits:
        assert int(np.sum(limit.members & ~result.counted)) <= limit.max_errors
    slack = np.maximum(0.0, 1.0 - margins).sum()
    norm2 = result.dual_coef @ gram @ result.dual_coef
    assert result.objective == pytest.approx(norm2 + problem.C * slack, rel=1e-9)
    assert result.bound <= result.objective


@pytest.mark.parametrize("name", QUADRATIC_SOLVERS)
@pytest.mark.parametrize("seed", range(12))
def test_p2_equals_brute_force(name: str, seed: int) -> None:
    problem = random_margin(seed)
    expected = brute_force(problem)
    result = solve(name, problem, ModelKind.P2)
    if math.isinf(expected):
        assert result.status is Status.INFEASIBLE
    else:
        assert result.status is Status.OPTIMAL
        assert result.objective == pytest.approx(expected, rel=1e-5)
        assert result.bound == pytest.approx(expected, rel=1e-5)


@pytest.mark.slow
@pytest.mark.parametrize("name", QUADRATIC_SOLVERS)
@pytest.mark.parametrize("seed", range(12, 112))
def test_p2_equals_brute_force_at_length(name: str, seed: int) -> None:
    test_p2_equals_brute_force(name, seed)


@pytest.mark.parametrize("seed", range(6))
def test_p2_with_the_papers_m1_equals_brute_force_with_limited_slack(seed: int) -> None:
    problem = replace(random_margin(seed), max_slack=1.5)
    expected = brute_force(problem)
    for name in QUADRATIC_SOLVERS:
        result = solve(name, problem, ModelKind.P2, ModelOptions(m1=math.inf))
        assert result.details["m1"] == 1.5  # the problem's own limit comes first
        assert result.objective == pytest.approx(expected, rel=1e-5)


def test_m1_comes_from_the_options_where_the_problem_has_none() -> None:
    problem = random_margin(1)
    result = solve("scip", problem, ModelKind.P2, ModelOptions(m1=1.5))
    assert result.details["m1"] == 1.5
    assert result.objective == pytest.approx(brute_force(replace(problem, max_slack=1.5)), rel=1e-5)


def test_a_small_m1_is_not_harmless() -> None:
    """A sample that is allowed to be wrong, but by more than M1: the model has no answer."""
    X = np.array([[-1.0], [1.0], [1.0], [-300.0]])
    problem = margin_problem(np.array([False, True, True, True]), 1, 0, 1.0, features=X)
    assert solve("scip", problem, ModelKind.P2, ModelOptions(m1=100.0)).status is Status.INFEASIBLE
    assert solve("scip", problem, ModelKind.P2).status is Status.OPTIMAL


def test_p2_is_csvm_primal() -> None:
    problem = random_margin(2)
    assert solve("gurobi", problem, ModelKind.P2).objective == pytest.approx(
        solve("gurobi", problem, ModelKind.CSVM_PRIMAL).objective, rel=1e-7
    )


def literal_dual_by_brute_force(problem: MarginProblem) -> float:
    """Return the optimum of the partial dual form with its box, over all zeta."""
    n, y = len(problem.positive), problem.y
    gram = problem.gram if problem.features is None else problem.features @ problem.features.T
    best = math.inf
    for zeta in itertools.product((False, True), repeat=n):
        counted = np.array(zeta)
        if any(np.sum(m.members & ~counted) > m.max_errors for m in problem.limits):
            continue
        best = min(best, literal_dual_objective(gram, y, problem.C, counted))
    return best


def literal_dual_objective(
    gram: NDArray[np.float64], y: NDArray[np.float64], C: float, counted: NDArray[np.bool_]
) -> float:
    """Minimise the dual form for one zeta with Clarabel: variables alpha, b, xi."""
    n = len(y)
    signed = (y[:, None] * gram) * y[None, :]
    P = sparse.csc_matrix(
        sparse.block_diag([2 * signed + 1e-11 * np.eye(n), np.zeros((n + 1,) * 2)])
    )
    q = np.r_[np.zeros(n + 1), np.full(n, C)]
    eye, zero, none = np.eye(n), np.zeros((n, n)), np.zeros((n, 1))
    rows = [
        (np.r_[y, np.zeros(n + 1)][None, :], np.zeros(1)),  # sum alpha y = 0
        (-np.hstack([signed, y[:, None], eye]), -np.ones(n)),
        (-np.hstack([eye, none, zero]), np.zeros(n)),
        (np.hstack([eye, none, zero]), np.full(n, C / 2)),
        (-np.hstack([zero, none, eye]), np.zeros(n)),
        (np.hstack([zero, none, eye])[counted], np.zeros(int(counted.sum()))),
    ]
    A = sparse.csc_matrix(np.vstack([block for block, _ in rows]))
    rhs = np.concatenate([side for _, side in rows])
    settings = clarabel.DefaultSettings()
    settings.verbose = False
    cones = [clarabel.ZeroConeT(1), clarabel.NonnegativeConeT(len(rhs) - 1)]
    solution = clarabel.DefaultSolver(sparse.triu(P).tocsc(), q, A, rhs, cones, settings).solve()
    return float(solution.obj_val) if "Solved" in str(solution.status) else math.inf


@pytest.mark.parametrize("name", QUADRATIC_SOLVERS)
@pytest.mark.parametrize(("seed", "kernel"), [(s, k) for s in range(3) for k in (False, True)])
def test_p3_equals_brute_force_over_zeta(name: str, seed: int, kernel: bool) -> None:
    problem = random_margin(seed, kernel=kernel)
    expected = literal_dual_by_brute_force(problem)
    result = solve(name, problem, ModelKind.P3)
    if math.isinf(expected):
        assert result.status is Status.INFEASIBLE
    else:
        assert result.status is Status.OPTIMAL
        assert result.objective == pytest.approx(expected, rel=2e-5)
        alpha = problem.y * result.dual_coef
        assert np.all(alpha >= -1e-9)
        assert np.all(alpha <= problem.C / 2 * (1 + 1e-5))
        assert abs(result.dual_coef.sum()) <= 1e-5 * max(1.0, problem.C)


@pytest.mark.parametrize("seed", range(12))
def test_the_dual_form_is_never_better_than_the_primal(seed: int) -> None:
    problem = random_margin(seed)
    primal = solve("gurobi", problem, ModelKind.CSVM_PRIMAL)
    dual = solve("gurobi", problem, ModelKind.CSVM_DUAL)
    assert dual.objective >= primal.objective * (1 - SAME_OBJECTIVE)


@pytest.mark.parametrize("name", QUADRATIC_SOLVERS)
def test_the_two_forms_agree_where_no_limit_binds(name: str) -> None:
    """Without binding limits both are the ordinary SVM, libsvm's with half the C."""
    problem = random_margin(4)
    n = len(problem.positive)
    problem = margin_problem(problem.positive, n, n, 2.0, features=problem.features)
    primal = solve(name, problem, ModelKind.CSVM_PRIMAL)
    dual = solve(name, problem, ModelKind.CSVM_DUAL)
    assert dual.objective == pytest.approx(primal.objective, rel=1e-5)
    svc = SVC(kernel="linear", C=1.0, tol=1e-10).fit(problem.features, problem.positive)
    for result in (primal, dual):
        scores = problem.features @ result.weights + result.intercept
        np.testing.assert_allclose(
            scores, svc.decision_function(problem.features), atol=2e-3, rtol=2e-3
        )


@pytest.mark.parametrize("name", QUADRATIC_SOLVERS)
def test_the_literal_box_can_leave_p3_without_an_answer(name: str) -> None:
    """Samples 1 apart must be correct: that takes alpha = 2, and the box allows C/2."""
    X = np.array([[0.0], [1.0]])
    positive = np.array([False, True])
    tight = margin_problem(positive, 0, 0, 1.0, features=X)
    wide = margin_problem(positive, 0, 0, 8.0, features=X)
    assert solve(name, tight, ModelKind.P2).objective == pytest.approx(4.0, rel=1e-6)
    assert solve(name, tight, ModelKind.P3).status is Status.INFEASIBLE
    assert solve(name, wide, ModelKind.P3).objective == pytest.approx(4.0, rel=1e-6)


def test_the_literal_box_can_make_p3_worse() -> None:
    """Two close samples must be correct; with the box others have to help, at a price."""
    X = np.array([[0.0], [1.0], [4.0], [-4.0]])
    positive = np.array([False, True, True, False])
    problem = margin_problem(positive, 0, 0, 1.0, features=X)
    primal = solve("scip", problem, ModelKind.P2)
    dual = solve("scip", problem, ModelKind.P3)
    assert primal.objective == pytest.approx(4.0, rel=1e-6)
    assert dual.has_answer
    assert dual.objective >= primal.objective - 1e-6
    assert dual.objective == pytest.approx(literal_dual_by_brute_force(problem), rel=1e-5)


def test_a_kernel_matrix_that_is_semidefinite_only_up_to_rounding() -> None:
    """Duplicated samples give a singular matrix, with eigenvalues of about -1e-16."""
    rng = np.random.default_rng(0)
    X = np.repeat(rng.normal(size=(4, 2)), 3, axis=0)
    positive = np.repeat([True, False, True, False], 3)
    gram = np.exp(-((X[:, None] - X[None]) ** 2).sum(axis=2))
    assert np.linalg.eigvalsh(gram)[0] < 0
    problem = margin_problem(positive, 1, 1, 10.0, gram=gram)
    one, two = (solve(name, problem, ModelKind.P3) for name in QUADRATIC_SOLVERS)
    assert one.status is two.status is Status.OPTIMAL
    assert one.objective == pytest.approx(two.objective, rel=1e-5)


def test_further_limits_bind() -> None:
    rng = np.random.default_rng(1)
    X = rng.normal(size=(9, 2))
    positive = X[:, 0] + 0.8 * rng.normal(size=9) > 0
    free = margin_problem(positive, 9, 9, 1.0, features=X)
    everyone = CountLimit("accuracy", np.ones(9, dtype=bool), 1)
    bound = margin_problem(positive, 9, 9, 1.0, features=X, further=(everyone,))
    with_limit = solve("scip", bound, ModelKind.P2)
    assert int((~with_limit.counted).sum()) <= 1
    assert with_limit.objective > solve("scip", free, ModelKind.P2).objective
    assert with_limit.objective == pytest.approx(brute_force(bound), rel=1e-5)


def blank_result(problem: MarginProblem) -> MarginResult:
    n = len(problem.positive)
    return MarginResult(
        Status.UNKNOWN,
        np.zeros(n),
        None,
        0.0,
        np.zeros(n, dtype=bool),
        math.inf,
        0.0,
        0.0,
        "stub",
        "1",
        StopReason.COMPLETED,
    )


def test_a_point_that_breaks_a_limit_is_not_an_answer() -> None:
    problem = margin_problem(np.array([False, True]), 0, 0, 1.0, features=np.array([[0.0], [1.0]]))
    look = look_at_margin(problem, 100.0, Stopper())
    model = build_margin(problem, ModelKind.P2, ModelOptions(), look)
    x = np.zeros(model.program.n_columns)
    x[model.zeta] = 1.0  # "both correct", with w = 0
    outcome = Outcome(Ending.OPTIMAL, StopReason.COMPLETED, x, 0.0)
    unstarted = replace(model, program=replace(model.program, start=None))
    result = read_margin(unstarted, outcome, blank_result(problem))
    assert (result.status, result.stop_reason) == (Status.UNKNOWN, StopReason.UNRESOLVED)


def test_a_bound_above_a_known_objective_is_caught() -> None:
    problem = margin_problem(np.array([False, True]), 0, 0, 1.0, features=np.array([[0.0], [1.0]]))
    look = look_at_margin(problem, 100.0, Stopper())
    model = build_margin(problem, ModelKind.P2, ModelOptions(), look)
    outcome = Outcome(Ending.OPTIMAL, StopReason.COMPLETED, model.program.start, 99.0)
    with pytest.raises(SolverError, match="is at least 99, but gives a point of 4"):
        read_margin(model, outcome, blank_result(problem))


def test_a_false_infeasibility_is_caught() -> None:
    problem = margin_problem(np.array([False, True]), 0, 0, 1.0, features=np.array([[0.0], [1.0]]))
    look = look_at_margin(problem, 100.0, Stopper())
    model = build_margin(problem, ModelKind.P2, ModelOptions(), look)
    outcome = Outcome(Ending.INFEASIBLE, StopReason.COMPLETED, None, math.inf)
    with pytest.raises(SolverError, match="calls P2 infeasible, but a hyperplane"):
        read_margin(model, outcome, blank_result(problem))


def test_a_solver_that_stops_with_empty_hands_has_the_start() -> None:
    problem = margin_problem(np.array([False, True]), 0, 0, 1.0, features=np.array([[0.0], [1.0]]))
    look = look_at_margin(problem, 100.0, Stopper())
    model = build_margin(problem, ModelKind.P2, ModelOptions(), look)
    outcome = Outcome(Ending.STOPPED, StopReason.TIME_LIMIT, None, 0.0)
    result = read_margin(model, outcome, blank_result(problem))
    assert result.status is Status.FEASIBLE
    check(problem, replace(result, weights=result.weights))
