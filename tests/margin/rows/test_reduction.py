"""Samples merged into rows, and features of unit size."""

from __future__ import annotations

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from frugalsvm.data.problem import CountLimit, MarginProblem
from frugalsvm.margin.rows.reduction import evened, reduce
from frugalsvm.runtime.stopping import Stopper
from margin_instances import overlapping_problem, tiny_problem, two_limits


@given(st.integers(0, 10_000))
def test_rows_stand_for_all_samples(seed: int) -> None:
    problem = tiny_problem(seed)
    rows = reduce(problem, Stopper())
    assert rows.weight[: rows.n_groups].sum() == len(problem.positive)
    np.testing.assert_array_equal(rows.y[rows.group_of], problem.y)
    for k, limit in enumerate(problem.limits):
        assert rows.use[k].sum() == limit.members.sum()
    assert rows.n_rows == rows.n_groups * (1 if problem.max_slack is None else 2)
    if problem.features is not None:
        same = rows.Z[rows.group_of] + rows.center
        np.testing.assert_allclose(same, problem.features, atol=1e-12)


def test_equal_samples_of_one_class_are_one_row() -> None:
    X = np.array([[0.0], [0.0], [0.0], [1.0], [-0.0]])
    positive = np.array([True, True, False, False, True])
    problem = MarginProblem(X, None, positive, two_limits(positive, 1, 1), 1.0)
    rows = reduce(problem, Stopper())
    assert rows.weight.tolist() == [3.0, 1.0, 1.0]
    assert rows.fixed.tolist() == [True, False, False]  # three wrong are more than one
    assert reduce(problem, Stopper(), merge=False).n_rows == 5


def test_even_features_have_unit_size() -> None:
    rows = reduce(overlapping_problem(0), Stopper())
    even = evened(rows)
    spread = np.linalg.svd(even.Z, compute_uv=False)
    assert spread[0] < 3.0 * spread[-1]


def test_equal_rows_of_a_kernel_matrix_are_one_row_and_others_are_not() -> None:
    X = np.array([[0.0], [2.0], [0.0], [2.0], [2.0]])
    positive = np.array([True, True, True, False, True])
    gram = np.exp(-((X - X.T) ** 2))
    problem = MarginProblem(None, gram, positive, two_limits(positive, 1, 1), 1.0)
    rows = reduce(problem, Stopper())
    assert rows.group_of.tolist() == [0, 1, 0, 2, 1]
    assert rows.first.tolist() == [0, 1, 3]
    np.testing.assert_array_equal(rows.K, gram[np.ix_([0, 1, 3], [0, 1, 3])])
    assert not rows.linear
    other = gram.copy()
    other[0, 1] = other[1, 0] = gram[0, 1] * (1.0 + 1e-15)  # a last digit: another place
    apart = MarginProblem(None, other, positive, problem.limits, 1.0)
    assert reduce(apart, Stopper()).n_rows > 3
    assert reduce(problem, Stopper(0.0)).n_rows == 5  # no time to look: all are their own


def test_boxes_are_as_large_as_the_samples_are_many_and_endless_where_fixed() -> None:
    X = np.array([[0.0], [0.0], [1.0], [3.0]])
    positive = np.array([True, True, True, False])
    problem = MarginProblem(X, None, positive, two_limits(positive, 1, 1), 2.5)
    rows = reduce(problem, Stopper())
    assert rows.soft_box(2.5).tolist() == [np.inf, 2.5, 2.5]  # two wrong are more than one
    roomy = MarginProblem(X, None, positive, two_limits(positive, 2, 1), 2.5)
    assert reduce(roomy, Stopper()).soft_box(2.5).tolist() == [5.0, 2.5, 2.5]


def test_samples_that_a_limit_tells_apart_are_rows_of_their_own() -> None:
    X = np.zeros((3, 1))
    positive = np.array([True, True, False])
    group = CountLimit("group", np.array([True, False, False]), 0)
    problem = MarginProblem(X, None, positive, (*two_limits(positive, 1, 1), group), 1.0)
    rows = reduce(problem, Stopper())
    assert rows.n_rows == 3
    np.testing.assert_array_equal(rows.use, [[1, 1, 0], [0, 0, 1], [1, 0, 0]])
    assert rows.fixed.tolist() == [True, False, False]
