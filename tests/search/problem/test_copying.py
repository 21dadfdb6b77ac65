"""Copying arrays within kernels."""

from __future__ import annotations

import numpy as np

from frugalsvm.search.problem.copying import copy_into


def test_the_first_places_are_written_and_no_others() -> None:
    target = np.full(5, 9.0)
    copy_into.py_func(np.array([1.0, -2.0, 3.0]), target)
    np.testing.assert_array_equal(target, [1.0, -2.0, 3.0, 9.0, 9.0])
    copy_into.py_func(np.zeros(0), target)
    np.testing.assert_array_equal(target, [1.0, -2.0, 3.0, 9.0, 9.0])
