"""The data of a solver: boxes, and room for states."""

from __future__ import annotations

import numpy as np

from frugalsvm.margin.slots import LARGEST
from frugalsvm.margin.solver.dual import harden, make_state, make_work, set_boxes


def test_boxes_have_the_sign_of_the_label() -> None:
    y = np.array([1.0, -1.0, 1.0, -1.0])
    work = make_work(np.eye(4), np.empty((0, 0)), y, np.ones(4))
    set_boxes.py_func(work, np.full(4, 2.0), np.array([False, False, True, True]))
    np.testing.assert_array_equal(work.lo, [0.0, -2.0, 0.0, -np.inf])
    np.testing.assert_array_equal(work.hi, [2.0, 0.0, np.inf, 0.0])
    harden.py_func(work, 0)
    harden.py_func(work, 1)
    assert work.hi[0] == np.inf == -work.lo[1]


def test_the_largest_row_is_known_and_states_have_their_room() -> None:
    Z = np.array([[3.0, 4.0], [1.0, 0.0]])
    work = make_work(Z, np.empty((0, 0)), np.array([1.0, -1.0]), np.ones(2))
    kernel = make_work(np.empty((2, 0)), Z @ Z.T, np.array([1.0, -1.0]), np.ones(2))
    assert work.numbers[LARGEST] == kernel.numbers[LARGEST] == 25.0
    np.testing.assert_allclose(work.length, [5.0, 1.0])
    for name, array in make_state(work)._asdict().items():
        assert array.shape == getattr(work, name).shape
