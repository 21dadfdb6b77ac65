"""Sums in twice the precision, and products of rows."""

from __future__ import annotations

from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from frugalsvm.margin.arrays import Floats, Ints
from frugalsvm.margin.solver.dual import Work, make_work
from frugalsvm.margin.solver.value import (
    add_product,
    half_kernel,
    recompute,
    shift,
    shift_precisely,
)
from frugalsvm.runtime.compiled import kernel

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


@kernel
def recomputed(work: Work) -> float:
    return float(recompute(work))


def exact_value(X: np.ndarray, y: np.ndarray, a: np.ndarray) -> Fraction:
    """Return t'a - ||sum a_i x_i||^2 / 4 without a rounding error."""
    parts = [Fraction(float(v)) for v in a]
    value = sum((Fraction(float(t)) * v for t, v in zip(y, parts, strict=True)), Fraction(0))
    for column in X.T:
        total = sum(
            (Fraction(float(x)) * v for x, v in zip(column, parts, strict=True)), Fraction(0)
        )
        value -= total * total / 4
    return value


@pytest.mark.parametrize("size", [1.0, 1e4, 1e8])
@pytest.mark.parametrize("linear", [True, False])
@pytest.mark.parametrize("seed", range(6))
def test_the_value_is_never_above_the_true_one(seed: int, linear: bool, size: float) -> None:
    rng = np.random.default_rng(seed)
    X = np.round(rng.normal(size=(12, 3)), 3)
    y = np.where(np.arange(12) % 2 == 0, 1.0, -1.0)
    a = np.round(size * rng.random(12)) * y
    a[0] -= a.sum()  # whole numbers: the sum is zero without an error
    assert a.sum() == 0.0
    gram = X @ X.T
    Z, K = (X, np.empty((0, 0))) if linear else (np.empty((12, 0)), gram)
    work = make_work(Z, K, y, np.ones(12))
    work.a[:] = a
    value = recomputed(work)
    exact = exact_value(X, y, a)
    allowed = Fraction(1e-9) * abs(exact) + (0 if linear else Fraction(1e-9))
    assert Fraction(value) <= exact + (0 if linear else allowed)  # the matrix is rounded itself
    assert Fraction(value) >= exact - allowed
    np.testing.assert_allclose(work.e, y - 0.5 * gram @ a, rtol=1e-7, atol=1e-9 * size)


@pytest.mark.parametrize("linear", [True, False])
def test_in_twice_the_precision_what_nearly_cancels_keeps_its_digits(linear: bool) -> None:
    rng = np.random.default_rng(1)
    Z = rng.normal(size=(6, 3))
    Z[4] = Z[1] * (1.0 + 1e-10)
    gram = Z @ Z.T
    K = np.empty((0, 0)) if linear else gram
    Zt = np.ascontiguousarray(Z.T) if linear else np.empty((0, 6))
    e, rows, changes = np.ones(6), np.array([1, 4, 2]), np.array([1e10, -1e10, 2.0])
    precisely(Zt, K, e, rows, changes)
    for i in range(6):
        exact = Fraction(1)
        for j, change in zip(rows, changes, strict=True):
            pairs = zip(Z[i], Z[j], strict=True)
            product = sum((Fraction(float(x)) * Fraction(float(z)) for x, z in pairs), Fraction(0))
            product = product if linear else Fraction(float(gram[i, j]))
            exact -= Fraction(float(change)) / 2 * product
        assert abs(Fraction(float(e[i])) - exact) <= Fraction(1e-13)


@kernel
def precisely(Zt: Floats, K: Floats, e: Floats, rows: Ints, changes: Floats) -> None:
    shift_precisely(Zt, K, e, rows, changes)
