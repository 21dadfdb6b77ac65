"""What a direction of the multipliers gains."""

from __future__ import annotations

import numpy as np
import pytest

from frugalsvm.data.problem import MarginProblem
from frugalsvm.margin.solver.dual import Work, make_work
from frugalsvm.margin.solver.rays import ray_gain, ray_square, reaches
from frugalsvm.runtime.compiled import kernel
from reference_margin import svm_objective


def test_gain_and_length_of_a_direction() -> None:
    y = np.array([1.0, -1.0, 1.0])
    Z = np.array([[0.0, 1.0], [1.0, 1.0], [2.5, 1.0]])
    linear = make_work(Z, np.empty((0, 0)), y, np.ones(3))
    other = make_work(np.empty((3, 0)), Z @ Z.T, y, np.ones(3))
    for work in (linear, other):
        work.ray[:] = [0.5, -1.0, 0.5]
        assert ray_gain.py_func(work) == (2.0, 2.0)
        square, whole = ray_square.py_func(work)
        assert square == pytest.approx(0.25**2)
        assert whole > square
        work.ray[:] = [0.5, -1.0, 0.6]  # the sum is not zero: nothing is told
        assert ray_square.py_func(work)[0] == np.inf


@kernel
def reached(work: Work, cutoff: float) -> bool:
    return bool(reaches(work, cutoff))


@pytest.mark.parametrize("linear", [True, False])
@pytest.mark.parametrize("seed", range(25))
def test_a_direction_proves_no_more_than_its_rows_cost(seed: int, linear: bool) -> None:
    """With the rows of the direction hard, Clarabel finds nothing below what is proven."""
    rng = np.random.default_rng(seed)
    n = int(rng.integers(2, 6))
    X = rng.normal(size=(n, 2))
    positive = np.arange(n) % 2 == 0
    y = np.where(positive, 1.0, -1.0)
    gram = None if linear else X @ X.T
    problem = MarginProblem(X if linear else None, gram, positive, (), 1.0)
    Z, K = (X, np.empty((0, 0))) if linear else (np.empty((n, 0)), X @ X.T)
    work = make_work(Z, K, y, np.ones(n))
    ray = rng.uniform(0.1, 1.0, n)
    ray[positive] *= ray[~positive].sum() / ray[positive].sum()
    work.ray[:] = y * ray
    known = (ray.sum() / np.linalg.norm(X.T @ work.ray)) ** 2  # gain^2 / ||s||^2
    least = svm_objective(problem, X, np.zeros(n, dtype=np.bool_))
    assert known <= least * (1 + 1e-5)
    assert reached(work, 0.999 * known)
    assert not reached(work, 1.001 * known)
    assert not reached(work, np.inf)  # s is not zero
    work.ray[:] *= -1.0
    assert not reached(work, 0.999 * known)  # it gains nothing that way
