"""Rates become integer budgets once, exactly."""

from __future__ import annotations

import math
from fractions import Fraction

import pytest
from hypothesis import given
from hypothesis import strategies as st

from frugalsvm.data.rates import ErrorBudget, RateTargets, corrected_rate, required_count


@given(st.integers(1, 5000), st.data())
def test_a_rate_of_k_over_n_requires_exactly_k(n: int, data: st.DataObject) -> None:
    k = data.draw(st.integers(0, n))
    assert required_count(k / n, n) == k


@given(st.floats(0, 1), st.integers(1, 5000))
def test_required_count_is_the_least_that_reaches_the_rate(rate: float, n: int) -> None:
    k = required_count(rate, n)
    assert 0 <= k <= n
    assert Fraction(k) >= Fraction(rate) * n - Fraction(2, 10**9)
    assert Fraction(k - 1) < Fraction(rate) * n


@pytest.mark.parametrize(
    ("rates", "sizes", "budget"),
    [
        # The budgets of the paper's instances, as listed in the literature on this problem.
        ((0.967, 0.918), (321, 191), ErrorBudget(10, 15)),
        ((1.0, 0.977), (321, 191), ErrorBudget(0, 4)),
        ((0.99, 0.99), (321, 191), ErrorBudget(3, 1)),
        ((0.93, 0.922), (240, 151), ErrorBudget(16, 11)),
        ((0.773, 0.887), (345, 276), ErrorBudget(78, 31)),
        ((0.0, 1.0), (7, 3), ErrorBudget(7, 0)),
    ],
)
def test_known_budgets(
    rates: tuple[float, float], sizes: tuple[int, int], budget: ErrorBudget
) -> None:
    assert RateTargets(*rates).budget(*sizes) == budget


def test_hoeffding_uses_the_natural_logarithm_and_stops_at_one() -> None:
    assert corrected_rate(0.9, 200, "hoeffding", 0.05) == pytest.approx(
        0.9 + math.sqrt(-math.log(0.05) / 400)
    )
    assert corrected_rate(0.99, 10, "hoeffding", 0.05) == 1.0


def test_hoeffding_never_allows_more_errors() -> None:
    plain = RateTargets(0.8, 0.7).budget(150, 90)
    strict = RateTargets(0.8, 0.7, "hoeffding", 0.1).budget(150, 90)
    assert strict.pos < plain.pos
    assert strict.neg < plain.neg
