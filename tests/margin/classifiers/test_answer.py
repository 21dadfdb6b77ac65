"""Classifiers recomputed from the samples."""

from __future__ import annotations

import math

import numpy as np
import pytest

from frugalsvm.data.problem import MarginProblem
from frugalsvm.data.result import Status, StopReason
from frugalsvm.margin.classifiers.answer import expansion, make_result, settled
from margin_instances import two_limits

X = np.array([[-2.0], [-1.0], [1.0], [2.0]])
POSITIVE = np.array([False, False, True, True])


def problem(pos: int, neg: int) -> MarginProblem:
    return MarginProblem(X, None, POSITIVE, two_limits(POSITIVE, pos, neg), 1.0)


def test_margins_that_miss_by_a_little_are_scaled_up() -> None:
    w = np.array([0.999])
    found = settled(problem(0, 0), expansion(problem(0, 0), w, np.zeros(4)), w, 0.0, ~(X[:, 0] < 9))
    assert found is not None
    assert found.objective == pytest.approx(1.0, rel=1e-9)
    assert found.counted.all()
    np.testing.assert_allclose(X.T @ found.dual_coef, found.weights)


def test_a_broken_limit_is_no_classifier() -> None:
    w, wrong = np.array([0.5]), np.array([False, True, True, False])
    assert settled(problem(0, 1), np.zeros(4), w, 0.0, wrong) is None
    found = settled(problem(1, 1), np.zeros(4), w, 0.0, wrong)
    assert found is not None
    assert found.objective == pytest.approx(0.25 + 2 * 0.5)


@pytest.mark.parametrize(
    ("bound", "status"), [(math.inf, Status.INFEASIBLE), (3.0, Status.UNKNOWN)]
)
def test_nothing_found_is_infeasible_only_with_an_infinite_bound(bound, status) -> None:
    result = make_result(
        problem(0, 0),
        None,
        bound=bound,
        tolerance=1e-4,
        seconds=0.0,
        stop_reason=StopReason.COMPLETED,
        history=(),
        details={},
    )
    assert result.status is status
