"""Weighted selection and sorting, against numpy with every value written down as often as it is."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from frugalsvm.search.problem.order_statistics import kth_smallest, sort_indices

weighted = st.lists(st.tuples(st.integers(-3, 3), st.integers(1, 4)), min_size=1, max_size=12)
numbers = st.lists(st.floats(-5.0, 5.0), max_size=12)


@given(weighted)
def test_selection_by_weight_is_that_of_repeated_values(pairs: list[tuple[int, int]]) -> None:
    values, weight = (np.array(part) for part in zip(*pairs, strict=True))
    repeated = np.sort(np.repeat(values, weight))
    for need in range(1, len(repeated) + 1):
        found = kth_smallest.py_func(values.astype(float), weight.copy(), len(values), need)
        assert found == repeated[need - 1]


@given(weighted, st.integers(0, 3))
def test_what_lies_behind_the_count_is_neither_read_nor_moved(
    pairs: list[tuple[int, int]], more: int
) -> None:
    values, weight = (np.array(part) for part in zip(*pairs, strict=True))
    long = np.concatenate((values.astype(float), np.full(more, -99.0)))
    heavy = np.concatenate((weight, np.full(more, 1_000)))
    found = kth_smallest.py_func(long, heavy, len(values), 1)
    assert found == values.min()
    assert (long[len(values) :] == -99.0).all()
    assert sorted(long[: len(values)]) == sorted(values)


def test_infinite_values_are_ordered_like_others() -> None:
    values, weight = np.array([np.inf, 1.0, -np.inf]), np.ones(3, np.int64)
    found = [kth_smallest.py_func(values.copy(), weight.copy(), 3, need) for need in (1, 2, 3)]
    assert found == [-np.inf, 1.0, np.inf]


@given(numbers, st.integers(0, 12))
def test_the_first_indices_are_sorted_by_value(values: list[float], count: int) -> None:
    known, count = np.array(values), min(count, len(values))
    order = np.full(len(values), -7, np.int64)
    sort_indices.py_func(known, order, count)
    assert sorted(order[:count].tolist()) == list(range(count))
    np.testing.assert_array_equal(known[order[:count]], np.sort(known[:count]))
    assert (order[count:] == -7).all()


@pytest.mark.parametrize("n", [200, 1_000])
def test_many_values_are_sorted_too(n: int) -> None:
    values, order = np.random.default_rng(n).integers(0, 50, n).astype(float), np.zeros(n, int)
    sort_indices.py_func(values, order, n)
    np.testing.assert_array_equal(values[order], np.sort(values))
