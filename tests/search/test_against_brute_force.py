"""The search finds what brute force finds, on every kind of small instance."""

from __future__ import annotations

import math

import numpy as np
import pytest

from frugalsvm.data.problem import SelectionProblem
from frugalsvm.data.result import SelectionResult, Status
from frugalsvm.runtime.stopping import Stopper
from frugalsvm.search import search
from reference_selection import brute_force, random_problem


def check(problem: SelectionProblem, result: SelectionResult, seed: int) -> None:
    cost, optimal = brute_force(problem)
    if math.isinf(cost):
        assert result.status is Status.INFEASIBLE, seed
        return
    assert result.status is Status.OPTIMAL, seed
    assert result.cost == pytest.approx(cost, abs=1e-9), seed
    assert result.bound == pytest.approx(cost, abs=1e-9), seed
    assert result.support in optimal, seed
    check_answer(problem, result)


def check_answer(problem: SelectionProblem, result: SelectionResult) -> None:
    y = np.where(problem.positive, 1.0, -1.0)
    margins = y * (problem.X @ result.weights + result.intercept)
    wrong = margins < 1 - 1e-6
    assert np.count_nonzero(wrong & problem.positive) <= problem.budget.pos
    assert np.count_nonzero(wrong & ~problem.positive) <= problem.budget.neg
    assert np.max(np.abs(result.weights), initial=0) <= problem.max_weight
    carried = set(np.flatnonzero(result.weights).tolist())
    assert carried | set(np.flatnonzero(problem.include).tolist()) == set(result.support)
    assert result.cost == pytest.approx(problem.costs.cost(result.support))


@pytest.mark.parametrize("first", range(0, 300, 50))
def test_optimum_of_random_instances(first: int) -> None:
    for seed in range(first, first + 50):
        problem = random_problem(seed)
        check(problem, search(problem, stop=Stopper(60.0)), seed)


@pytest.mark.slow
@pytest.mark.parametrize("first", range(1000, 5000, 200))
def test_optimum_of_many_random_instances(first: int) -> None:
    for seed in range(first, first + 200):
        problem = random_problem(seed)
        check(problem, search(problem, stop=Stopper(60.0)), seed)
