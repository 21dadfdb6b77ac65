"""What may be given up at a node of the tree of conflicts."""

from __future__ import annotations

import numpy as np

from frugalsvm.search.oracles.conflicts.given_up import FIXED, GONE, OPEN, Samples, droppable


def test_what_may_be_given_up() -> None:
    side, weight = np.array([0, 1, 1, 0]), np.array([1, 1, 3, 1])
    samples = Samples(side, weight, np.array([OPEN, OPEN, OPEN, GONE]), np.array([1, 2]))
    assert [droppable.py_func(samples, j) for j in range(4)] == [True, True, False, False]
    samples.status[0] = FIXED
    assert not droppable.py_func(samples, 0)
