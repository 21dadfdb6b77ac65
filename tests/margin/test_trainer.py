"""Small random problems against brute force, by hypothesis."""

from __future__ import annotations

import math
from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from frugalsvm.data.problem import MarginProblem
from frugalsvm.data.result import Status
from frugalsvm.margin.trainer import from_sample, train
from margin_instances import check_answer, job, overlapping_problem, two_limits
from reference_margin import brute_force

coordinates = st.integers(-3, 3).map(float)


@st.composite
def problems(draw) -> MarginProblem:
    """Draw up to seven samples on a grid, with coincidences of both classes."""
    n, d = draw(st.integers(2, 7)), draw(st.integers(0, 2))
    X = draw(st.lists(st.lists(coordinates, min_size=d, max_size=d), min_size=n, max_size=n))
    positive = np.array(draw(st.lists(st.booleans(), min_size=n, max_size=n)))
    budgets = draw(st.tuples(st.integers(0, 2), st.integers(0, 2)))
    C = draw(st.sampled_from([0.1, 1.0, 10.0]))
    features = np.array(X, dtype=np.float64).reshape(n, d)
    return MarginProblem(features, None, positive, two_limits(positive, *budgets), C)


@given(problems())
def test_the_optimum_is_that_of_brute_force(problem: MarginProblem) -> None:
    result = train(problem, job())
    optimum = brute_force(problem)
    if math.isinf(optimum):
        assert result.status is Status.INFEASIBLE
        return
    check_answer(problem, result)
    assert result.status is Status.OPTIMAL
    assert result.objective == pytest.approx(optimum, rel=1e-5, abs=1e-5)
    assert result.bound <= optimum + 1e-5 * max(1.0, optimum)


@given(problems(), st.sampled_from([0.5, 2.0]))
def test_a_larger_C_never_costs_less_and_a_looser_limit_never_more(problem, factor) -> None:
    here = train(problem, job()).objective
    other = train(replace(problem, C=factor * problem.C), job()).objective
    low, high = sorted((here, other)) if math.isfinite(here) else (here, other)
    assert (factor > 1.0) == (other >= here) or other == pytest.approx(here, abs=1e-5)
    assert math.isinf(high) or high <= 2.0 * low + 1e-5
    tpr, tnr = problem.limits
    looser = replace(problem, limits=(replace(tpr, max_errors=tpr.max_errors + 1), tnr))
    assert train(looser, job()).objective <= here * (1.0 + 1e-5) + 1e-5


def test_a_sample_gives_a_classifier_of_all() -> None:
    problem = overlapping_problem(0, n=300, budgets=(30, 30))
    found = from_sample(problem, job())
    assert found is not None
    for limit in problem.limits:
        assert (limit.members & ~found.counted).sum() <= limit.max_errors
