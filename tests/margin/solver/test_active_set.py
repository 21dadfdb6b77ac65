"""Which row is brought to optimality next."""

from __future__ import annotations

import numpy as np

from frugalsvm.margin.slots import INTERCEPT
from frugalsvm.margin.solver.active_set import price
from frugalsvm.margin.solver.dual import make_work, set_boxes


def test_the_largest_violation_with_room_is_next() -> None:
    y = np.array([1.0, -1.0, 1.0])
    work = make_work(np.eye(3), np.empty((0, 0)), y, np.ones(3))
    set_boxes.py_func(work, np.array([0.0, 2.0, 1.0]), np.zeros(3, dtype=np.bool_))
    work.e[:] = [5.0, -3.0, 1.0]
    work.numbers[INTERCEPT] = 0.5
    row, violation, gain = price.py_func(work)
    assert (row, violation) == (1, -3.5)  # the first violates more, but has no room
    assert gain == 3.5 * 2.0 + 0.5 * 1.0  # what a step of each to its end would gain at most
