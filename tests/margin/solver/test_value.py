"""Sums in twice the precision, and products of rows."""

from __future__ import annotations

from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from frugalsvm.margin.solver.value import add_product, half_kernel, shift

numbers = st.floats(-1e6, 1e6, allow_subnormal=False).filter(lambda x: x == 0.0 or abs(x) > 1e-6)


@given(st.lists(st.tuples(numbers, numbers), max_size=20))
def test_sums_of_products_are_nearly_exact(pairs: list[tuple[float, float]]) -> None:
    total, rest = 0.0, 0.0
    for x, y in pairs:
        total, rest = add_product.py_func(total, rest, x, y)
    exact = sum((Fraction(x) * Fraction(y) for x, y in pairs), Fraction(0))
    size = sum((abs(Fraction(x) * Fraction(y)) for x, y in pairs), Fraction(0))
    # Ogita, Rump and Oishi: an error of the second order, and the last rounding.
    assert abs(Fraction(total) + Fraction(rest) - exact) <= Fraction(1e-28) * size


def test_cancelling_products_keep_their_digits() -> None:
    total, rest = 0.0, 0.0
    for x, y in ((1e16, 1.0), (1.0, 1.0), (-1e16, 1.0)):
        total, rest = add_product.py_func(total, rest, x, y)
    assert total + rest == 1.0


@pytest.mark.parametrize("linear", [True, False])
def test_both_kinds_of_kernels_are_shifted_alike(linear: bool) -> None:
    rng = np.random.default_rng(0)
    Z = rng.normal(size=(7, 3))
    K = np.empty((0, 0)) if linear else Z @ Z.T
    Zt = np.ascontiguousarray(Z.T) if linear else np.empty((0, 7))
    rows, changes = np.array([1, 4]), np.array([0.5, -2.0])
    e = np.zeros(7)
    shift.py_func(Zt, K, e, rows, changes)
    np.testing.assert_allclose(e, -0.5 * (Z @ Z.T)[:, rows] @ changes)
    assert half_kernel.py_func(Zt, K, 2, 5) == pytest.approx(0.5 * Z[2] @ Z[5])
