"""What a direction of the multipliers gains."""

from __future__ import annotations

import numpy as np
import pytest

from frugalsvm.margin.solver.dual import make_work
from frugalsvm.margin.solver.rays import ray_gain, ray_square


def test_gain_and_length_of_a_direction() -> None:
    y = np.array([1.0, -1.0, 1.0])
    Z = np.array([[0.0, 1.0], [1.0, 1.0], [2.5, 1.0]])
    linear = make_work(Z, np.empty((0, 0)), y, np.ones(3))
    other = make_work(np.empty((3, 0)), Z @ Z.T, y, np.ones(3))
    for work in (linear, other):
        work.ray[:] = [0.5, -1.0, 0.5]
        assert ray_gain.py_func(work) == (2.0, 2.0)
        square, whole = ray_square.py_func(work)
        assert square == pytest.approx(0.25**2)
        assert whole > square
        work.ray[:] = [0.5, -1.0, 0.6]  # the sum is not zero: nothing is told
        assert ray_square.py_func(work)[0] == np.inf
