"""The trainer against scikit-learn's SVC, SCIP, and known optima."""

import math

import numpy as np
import pytest
from sklearn.metrics.pairwise import rbf_kernel
from sklearn.svm import SVC

from frugalsvm.data.problem import MarginProblem
from frugalsvm.data.result import Status
from frugalsvm.margin import train
from frugalsvm.runtime.stopping import Stopper
from margin_instances import check_answer, overlapping_problem, two_limits, wisconsin


@pytest.mark.parametrize("C", [0.05, 1.0, 20.0])
@pytest.mark.parametrize("kernel", ["linear", "rbf"])
def test_equals_svc_where_the_limits_do_not_bind(kernel: str, C: float) -> None:
    free = overlapping_problem(1, n=80, d=3, budgets=(40, 40), C=C)
    X = free.features
    assert X is not None
    gram = rbf_kernel(X, gamma=0.5) if kernel == "rbf" else None
    problem = MarginProblem(X if gram is None else None, gram, free.positive, free.limits, free.C)
    result = train(problem, stop=Stopper())
    check_answer(problem, result)
    assert result.status is Status.OPTIMAL
    svc = SVC(kernel=kernel, gamma=0.5, C=C / 2, tol=1e-8).fit(X, free.positive)
    K = X @ X.T if gram is None else gram
    ours = K @ result.dual_coef + result.intercept
    np.testing.assert_allclose(ours, svc.decision_function(X), atol=1e-4)


def test_intercept_is_libsvms_where_any_of_an_interval_would_do() -> None:
    X = np.array([[-1.0], [1.0]] * 3 + [[1.0]])
    positive = np.array([False, True] * 3 + [True])
    problem = MarginProblem(X, None, positive, two_limits(positive, 7, 7), 0.01)
    svc = SVC(kernel="linear", C=0.005, tol=1e-10).fit(X, positive)
    result = train(problem, stop=Stopper())
    assert result.intercept == pytest.approx(float(svc.intercept_[0]), abs=1e-6)


@pytest.mark.parametrize(("C", "optimum"), [(1 / 32, 231.5634), (1.0, 298.3107), (32.0, 2412.240)])
def test_known_optima_of_wisconsin(C: float, optimum: float) -> None:
    problem = wisconsin([23, 24], (10, 15), C)
    result = train(problem, stop=Stopper())
    check_answer(problem, result)
    assert result.status is Status.OPTIMAL
    assert result.gap <= 1e-4
    assert result.objective == pytest.approx(optimum, rel=2e-6)


@pytest.mark.slow
@pytest.mark.parametrize(
    ("gamma", "C", "optimum"),
    [(1 / 8, 1.0, 813.66), (1 / 8, 32.0, 2608.83), (1.0, 1.0, 160.642), (1.0, 32.0, 1504.962)],
)
def test_known_optima_of_wisconsin_with_a_radial_kernel(
    gamma: float, C: float, optimum: float
) -> None:
    linear = wisconsin([23, 24], (10, 15), C)
    gram = rbf_kernel(linear.features, gamma=gamma)
    problem = MarginProblem(None, gram, linear.positive, linear.limits, C)
    result = train(problem, stop=Stopper(), tolerance=1e-3)
    check_answer(problem, result)
    assert result.status is Status.OPTIMAL
    assert result.objective == pytest.approx(optimum, rel=1e-4)


@pytest.mark.parametrize("seed", range(4))
def test_agrees_with_scip(seed: int) -> None:
    problem = overlapping_problem(seed, n=40, budgets=(4, 4), C=(0.1, 1.0, 1.0, 10.0)[seed])
    result = train(problem, stop=Stopper(), tolerance=1e-6)
    check_answer(problem, result)
    objective = scip_objective(problem)
    assert result.status is Status.OPTIMAL
    assert result.objective == pytest.approx(objective, rel=1e-4)


def scip_objective(problem: MarginProblem) -> float:
    """Return the optimum of the paper's P2 with indicator constraints instead of a big M."""
    pyscipopt = pytest.importorskip("pyscipopt")
    X, y = problem.features, problem.y
    assert X is not None
    model = pyscipopt.Model()
    model.hideOutput()
    w = [model.addVar(lb=None) for _ in range(X.shape[1])]
    b = model.addVar(lb=None)
    xi = [model.addVar(lb=0.0) for _ in y]
    right = [model.addVar(vtype="B") for _ in y]
    norm = model.addVar(lb=0.0)
    model.addCons(pyscipopt.quicksum(v * v for v in w) <= norm)
    for i, label in enumerate(y):
        score = pyscipopt.quicksum(float(x) * v for x, v in zip(X[i], w, strict=True)) + b
        model.addCons(label * score >= 1 - xi[i])
        model.addConsIndicator(xi[i] <= 0, binvar=right[i])
    for limit in problem.limits:
        members = np.flatnonzero(limit.members)
        required = len(members) - limit.max_errors
        model.addCons(pyscipopt.quicksum(right[i] for i in members) >= required)
    model.setObjective(norm + problem.C * pyscipopt.quicksum(xi))
    model.setParam("limits/gap", 1e-6)
    model.optimize()
    assert model.getStatus() in ("optimal", "gaplimit")
    value = float(model.getObjVal())
    assert math.isfinite(value)
    return value
