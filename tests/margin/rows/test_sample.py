"""A sample of a problem is a problem like it."""

from __future__ import annotations

from frugalsvm.margin.rows.sample import sampled
from margin_instances import overlapping_problem


def test_limits_and_C_keep_their_meaning() -> None:
    problem = overlapping_problem(0, n=200, budgets=(10, 20))
    part, rows = sampled(problem, 100, seed=1)
    assert len(rows) == len(part.positive) == 100
    assert [limit.max_errors for limit in part.limits] == [5, 10]
    assert part.C == 2.0 * problem.C  # the sum of the slacks has half the terms
    assert (part.features == problem.features[rows]).all()
    assert (sampled(problem, 100, seed=1)[1] == rows).all()
