"""SparseSVC and the penalised SVM under it, against conic and quadratic solvers of others."""

from __future__ import annotations

import csv
import os
import time
from pathlib import Path

import clarabel
import numpy as np
import pytest
from numpy.typing import NDArray
from scipy import sparse as sp
from sklearn.exceptions import NotFittedError
from sklearn.svm import SVC
from sklearn.utils.estimator_checks import parametrize_with_checks

from frugalsvm.sparse import SparseSVC
from frugalsvm.sparse.active import WorkingSet
from frugalsvm.sparse.program import PenalizedSVM, solve
from frugalsvm.sparse.relaxations import chan, ghaddar

METHODS = ("chan", "ghaddar")
needs_data = pytest.mark.skipif(
    "FRUGALSVM_DATA" not in os.environ, reason="FRUGALSVM_DATA does not name the data folder"
)

Array = NDArray[np.float64]


def sample(seed: int, n: int = 40, d: int = 8) -> tuple[Array, Array]:
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(n, d))
    y = np.where(X[:, 0] - 0.5 * X[:, 1] + rng.normal(scale=0.7, size=n) > 0.2, 1.0, -1.0)
    return X, y


def quiet() -> clarabel.DefaultSettings:
    settings = clarabel.DefaultSettings()
    settings.verbose = False
    settings.tol_gap_abs = settings.tol_gap_rel = settings.tol_feas = 1e-10
    return settings


def clarabel_penalized(problem: PenalizedSVM) -> float:
    """The same problem in variables (u, v, b, xi, S) with S the lasso norm."""
    n, d = problem.X.shape
    size = 2 * d + n + 2
    A = problem.y[:, None] * problem.X
    P = np.zeros((size, size))
    P[:d, :d] = P[d : 2 * d, d : 2 * d] = problem.ridge * np.eye(d)
    P[:d, d : 2 * d] = P[d : 2 * d, :d] = -problem.ridge * np.eye(d)
    P[-1, -1] = problem.l1_squared
    q = np.concatenate([np.zeros(2 * d + 1), problem.costs, [problem.l1]])
    equality = np.concatenate([np.ones(2 * d), np.zeros(n + 1), [-1.0]])[None]
    margins = np.hstack([-A, A, -problem.y[:, None], -np.eye(n), np.zeros((n, 1))])
    signs = -np.eye(size)[[*range(2 * d), *range(2 * d + 1, 2 * d + 1 + n)]]
    rows = np.vstack([equality, margins, signs])
    rhs = np.concatenate([[0.0], -np.ones(n), np.zeros(2 * d + n)])
    cones = [clarabel.ZeroConeT(1), clarabel.NonnegativeConeT(2 * n + 2 * d)]
    solver = clarabel.DefaultSolver(
        sp.csc_matrix(np.triu(P)), q, sp.csc_matrix(rows), rhs, cones, quiet()
    )
    return float(solver.solve().obj_val)


def clarabel_chan(X: Array, y: Array, C: float, r: int) -> float:
    """Chan's relaxation with its two constraints written as rotated second-order cones."""
    n, d = X.shape
    size = 2 * d + n + 2  # w, a >= |w|, b, xi, t
    t = size - 1
    A = y[:, None] * X
    rows: list[Array] = []
    rhs: list[float] = []

    def add(row: Array, value: float) -> None:
        rows.append(row)
        rhs.append(value)

    for i in range(n):
        row = np.zeros(size)
        row[:d], row[2 * d], row[2 * d + 1 + i] = -A[i], -y[i], -1.0
        add(row, -1.0)
    for i in range(n):
        row = np.zeros(size)
        row[2 * d + 1 + i] = -1.0
        add(row, 0.0)
    for k in range(d):
        for sign in (1.0, -1.0):
            row = np.zeros(size)
            row[k], row[d + k] = sign, -1.0
            add(row, 0.0)
    linear = len(rows)
    # ||v||^2 <= t  <=>  ||(2 v, t - 1)|| <= t + 1, for v = w and for v = sum(a) / sqrt(r).
    for parts in (np.eye(size)[:d], np.ones((1, 1)) * _sum_of(d, size) / np.sqrt(r)):
        for shift in (1.0, -1.0):
            row = np.zeros(size)
            row[t] = -1.0
            add(row, shift)
        for part in parts:
            add(-2.0 * part, 0.0)
    q = np.zeros(size)
    q[2 * d + 1 : 2 * d + 1 + n], q[t] = C, 0.5
    cones = [
        clarabel.NonnegativeConeT(linear),
        clarabel.SecondOrderConeT(d + 2),
        clarabel.SecondOrderConeT(3),
    ]
    solver = clarabel.DefaultSolver(
        sp.csc_matrix((size, size)), q, sp.csc_matrix(np.array(rows)), np.array(rhs), cones, quiet()
    )
    return float(solver.solve().obj_val)


def _sum_of(d: int, size: int) -> Array:
    row = np.zeros((1, size))
    row[0, d : 2 * d] = 1.0
    return row


@pytest.mark.parametrize("seed", range(4))
@pytest.mark.parametrize(
    "penalties",
    [
        {"ridge": 1.0},
        {"ridge": 1.0, "l1": 0.7},
        {"ridge": 0.0, "l1": 0.7},
        {"ridge": 0.3, "l1_squared": 0.35},
        {"ridge": 0.0, "l1_squared": 1.0},
    ],
)
@pytest.mark.parametrize("shape", [(40, 8), (15, 30)])
def test_penalized_svm_agrees_with_clarabel(
    seed: int, penalties: dict[str, float], shape: tuple[int, int]
) -> None:
    X, y = sample(seed, *shape)
    costs = np.random.default_rng(seed).uniform(0.1, 3.0, size=len(y))
    problem = PenalizedSVM(X, y, costs, **penalties)
    found = solve(problem)
    ours = problem.objective(found.weights, found.intercept)
    assert ours == pytest.approx(clarabel_penalized(problem), rel=1e-6, abs=1e-7)


@pytest.mark.parametrize("C", [1 / 32, 1.0, 32.0])
def test_ridge_alone_is_scikit_learns_svc(C: float) -> None:
    X, y = sample(5, 120, 6)
    problem = PenalizedSVM(X, y, np.full(len(y), C))
    found = solve(problem)
    theirs = SVC(kernel="linear", C=C, tol=1e-8).fit(X, y)
    np.testing.assert_allclose(found.weights, theirs.coef_[0], rtol=1e-4, atol=1e-6)
    assert problem.objective(found.weights, found.intercept) <= (
        problem.objective(theirs.coef_[0], float(theirs.intercept_[0])) * (1 + 1e-8)
    )


@pytest.mark.parametrize("seed", range(6))
@pytest.mark.parametrize("r", [1, 2, 4, 8])
@pytest.mark.parametrize("C", [1 / 32, 1.0, 32.0])
def test_chan_agrees_with_clarabel(seed: int, r: int, C: float) -> None:
    X, y = sample(seed)
    found = chan(X, y, C, r)
    assert found.objective == pytest.approx(clarabel_chan(X, y, C, r), rel=1e-4)
    assert len(found.support) <= r


@pytest.mark.parametrize("r", [1, 2, 3, 5])
def test_ghaddar_keeps_at_most_r_and_its_weights_are_optimal_for_their_bound(r: int) -> None:
    X, y = sample(7, 60, 10)
    found = ghaddar(X, y, 1.0, r)
    assert 1 <= len(found.support) <= r
    # Among hyperplanes of the same lasso norm none has a lower objective: a lasso weight for
    # which these weights are optimal exists, so that random neighbours cannot be better.
    rng = np.random.default_rng(0)
    bound = np.abs(found.weights).sum()
    plain = PenalizedSVM(X, y, np.ones(len(y)))
    best = plain.objective(found.weights, found.intercept)
    for _ in range(200):
        other = found.weights + rng.normal(scale=0.05, size=X.shape[1])
        other *= bound / np.abs(other).sum()
        intercept = found.intercept + rng.normal(scale=0.05)
        assert plain.objective(other, intercept) >= best - 1e-7


def test_working_set_gives_the_answer_of_the_whole_problem() -> None:
    X, y = sample(3, 30, 400)
    costs = np.ones(len(y))
    work = WorkingSet(X, y, costs)
    for penalties in ({"l1": 2.0}, {"l1": 0.5}, {"l1_squared": 0.3}):
        whole = PenalizedSVM(X, y, costs, ridge=0.5, **penalties)
        part, full = work.solve(ridge=0.5, **penalties), solve(whole)
        assert whole.objective(part.weights, part.intercept) == pytest.approx(
            whole.objective(full.weights, full.intercept), rel=5e-6
        )
        np.testing.assert_array_equal(part.weights != 0, full.weights != 0)


@parametrize_with_checks([SparseSVC(2, method=method) for method in METHODS])
def test_scikit_learn_estimator(estimator: SparseSVC, check: object) -> None:
    check(estimator)  # type: ignore[operator]  # scikit-learn's checks are untyped


@pytest.mark.parametrize("method", METHODS)
def test_selector_and_classifier_tell_the_same(method: str) -> None:
    X, y = sample(1, 80, 12)
    clf = SparseSVC(3, method=method).fit(X, y)
    support = clf.get_support(indices=True)
    assert len(support) <= 3
    np.testing.assert_array_equal(np.flatnonzero(clf.coef_[0]), support)
    np.testing.assert_array_equal(clf.transform(X), X[:, support])
    np.testing.assert_array_equal(clf.predict(X), np.where(clf.decision_function(X) > 0, 1, -1))


@pytest.mark.parametrize("method", METHODS)
def test_coefficients_are_in_the_users_units(method: str) -> None:
    X, y = sample(2, 80, 5)
    scale = np.array([1.0, 1e3, 1e-3, 7.0, 50.0])
    plain, scaled = SparseSVC(2, method=method), SparseSVC(2, method=method)
    plain.fit(X, y)
    scaled.fit(X * scale + 3.0, y)
    np.testing.assert_allclose(scaled.coef_[0] * scale, plain.coef_[0], rtol=1e-4, atol=1e-7)


@pytest.mark.parametrize("method", METHODS)
def test_copies_and_constant_columns(method: str) -> None:
    X, y = sample(4, 60, 3)
    wide = np.column_stack([X[:, 0], X[:, 0], np.full(len(y), 5.0), X[:, 1]])
    clf = SparseSVC(1, method=method).fit(wide, y)
    assert clf.get_support().sum() == 1
    assert not clf.get_support()[2]


@pytest.mark.parametrize(
    ("parameters", "message"),
    [
        ({"max_features": 0}, "'max_features' parameter of SparseSVC must be an int"),
        ({"max_features": 1.5}, "'max_features' parameter of SparseSVC must be an int"),
        ({"C": 0.0}, "'C' parameter of SparseSVC must be a float"),
        ({"method": "lasso"}, "'method' parameter of SparseSVC must be one of 'chan', 'ghaddar'"),
    ],
)
def test_bad_parameters_are_named(parameters: dict[str, object], message: str) -> None:
    X, y = sample(0)
    with pytest.raises(ValueError, match=message):
        SparseSVC(**parameters).fit(X, y)  # type: ignore[arg-type]  # wrong on purpose


def test_unfitted() -> None:
    with pytest.raises(NotFittedError):
        SparseSVC().get_support()


@needs_data
@pytest.mark.parametrize("method", METHODS)
def test_seven_thousand_features_take_seconds(method: str) -> None:
    from frugalsvm.study import load_dataset

    data = load_dataset("leukemia")
    started = time.perf_counter()
    clf = SparseSVC(5, method=method).fit(data.X, data.y)
    assert time.perf_counter() - started < 30
    assert clf.score(data.X, data.y) > 0.9


@needs_data
@pytest.mark.slow
@pytest.mark.parametrize("method", METHODS)
def test_australian_by_cardinality_is_near_the_papers(method: str) -> None:
    """Ten folds at a few cardinalities: accuracy within the spread of ten folds' means."""
    from sklearn.model_selection import StratifiedKFold, cross_val_score

    from frugalsvm.study import load_dataset

    paper = Path(os.environ["FRUGALSVM_DATA"]).parent / "paper" / "australian_by_cardinality.csv"
    if not paper.exists():
        pytest.skip("the paper's figures are not beside the data folder")
    with paper.open() as file:
        accuracy = {int(row["max_features"]): float(row["acc"]) for row in csv.DictReader(file)}
    data = load_dataset("australian")
    folds = StratifiedKFold(10, shuffle=True, random_state=0)
    for r in (1, 4, 11, 22, 34):
        scores = cross_val_score(SparseSVC(r, method=method), data.X, data.y, cv=folds)
        assert scores.mean() == pytest.approx(accuracy[r], abs=0.017)  # 0.054 / sqrt(10)
