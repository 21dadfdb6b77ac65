"""Rows by falling values."""

from __future__ import annotations

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from frugalsvm.margin.solver.sorting import falling


@given(st.lists(st.integers(-3, 3), max_size=40))
def test_it_is_numpys_stable_sort(values: list[int]) -> None:
    numbers = np.array(values, dtype=np.float64)
    rows = np.arange(len(values))
    found = falling.py_func(numbers, rows)
    np.testing.assert_array_equal(found, np.argsort(-numbers, kind="stable"))
    np.testing.assert_array_equal(rows, np.arange(len(values)))  # what was given stays
