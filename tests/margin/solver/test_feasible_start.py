"""Multipliers made feasible."""

from __future__ import annotations

import numpy as np

from frugalsvm.margin.arrays import Floats
from frugalsvm.margin.slots import VALUE
from frugalsvm.margin.solver.dual import Work, make_work, set_boxes
from frugalsvm.margin.solver.feasible_start import balance
from frugalsvm.runtime.compiled import kernel


@kernel
def balanced(work: Work, box: Floats) -> None:
    set_boxes(work, box, np.zeros(len(box), dtype=np.bool_))
    balance(work)


def test_any_multipliers_are_put_into_their_boxes_with_sum_zero() -> None:
    rng = np.random.default_rng(0)
    y = np.where(rng.random(12) < 0.4, 1.0, -1.0)
    X = rng.normal(size=(12, 2))
    work = make_work(X, np.empty((0, 0)), y, np.ones(12))
    for _ in range(20):
        work.a[:] = 3.0 * rng.normal(size=12)
        balanced(work, np.full(12, 1.0))
        assert (work.lo <= work.a).all()
        assert (work.a <= work.hi).all()
        assert abs(work.a.sum()) <= 1e-12
        value = work.t @ work.a - 0.25 * np.sum((X.T @ work.a) ** 2)
        assert abs(work.numbers[VALUE] - value) <= 1e-9 * (1.0 + abs(value))
