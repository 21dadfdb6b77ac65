"""A direction, placed so that the limits hold."""

from __future__ import annotations

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from frugalsvm.margin.classifiers.shifted import cheap_answer, place
from frugalsvm.runtime.stopping import Stopper
from margin_instances import overlapping_problem, tiny_problem


@given(st.integers(0, 10_000))
def test_what_is_placed_keeps_both_classes_limits(seed: int) -> None:
    problem = tiny_problem(seed)
    scores = np.random.default_rng(seed).normal(size=len(problem.positive))
    found = place(problem, scores)
    if found is None:
        return
    scale, intercept = found
    wrong = problem.y * (scale * scores + intercept) < 1.0 - 1e-9
    for limit in problem.limits[:2]:
        assert (wrong & limit.members).sum() <= limit.max_errors


def test_two_clouds_need_no_training() -> None:
    problem = overlapping_problem(3)
    found = cheap_answer(problem, Stopper(0.0))
    assert found is not None
    for limit in problem.limits:
        assert (limit.members & ~found.counted).sum() <= limit.max_errors
