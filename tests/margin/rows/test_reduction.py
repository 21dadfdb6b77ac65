"""Samples merged into rows, and features of unit size."""

from __future__ import annotations

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from frugalsvm.data.problem import MarginProblem
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
