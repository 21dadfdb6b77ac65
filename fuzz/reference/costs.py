"""What a set of features costs, exactly: a price is the decimal number that it is written as."""

from __future__ import annotations

import math
from collections.abc import Iterable
from fractions import Fraction

from fuzz.instances import SelectionInstance


def price(written: float) -> Fraction:
    """Return a price: 2.1 is 21/10, and 0.1 + 0.2 is 0.30000000000000004."""
    return Fraction(repr(float(written)))


def cost(instance: SelectionInstance, support: Iterable[int]) -> Fraction:
    """Return the exact cost of a support."""
    chosen = set(support)
    touched = {g for k in chosen for g in instance.groups_of[k]}
    return sum((price(instance.feature_costs[k]) for k in chosen), Fraction(0)) + sum(
        (price(instance.group_costs[g]) for g in touched), Fraction(0)
    )


def as_float(exact: Fraction) -> float:
    """Return the nearest float; infinity beyond them."""
    try:
        return float(exact)
    except OverflowError:
        return math.inf


def is_at_most(bound: float, exact: Fraction) -> bool:
    """Return True if a bound is at most a cost, or that cost rounded."""
    return bound == as_float(exact) or (math.isfinite(bound) and Fraction(bound) <= exact)
