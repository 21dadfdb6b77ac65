"""Prices as floats that add up exactly.

Whole numbers up to 2^53 are floats, and so are their sums below it: compiled loops and matrix
products of such prices make no rounding errors. Prices that are larger in their unit are counted in
a multiple of it, rounded down. Whatever they add up to is then not above the true cost: a support
that is a little too dear may seem affordable, but no affordable one seems too dear.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from frugalsvm.search.problem.reduction import Floats

MOST_EXACT = 1 << 53  # up to which all whole numbers are floats


class WholePrices(NamedTuple):
    """Prices of features and of groups, whole numbers of `scale` units.

    Attributes
    ----------
    feature, group : ndarray of float
        The prices.
    scale : int
        The units that 1 stands for; 1 unless prices have many digits.
    """

    feature: Floats
    group: Floats
    scale: int


def as_floats(
    feature: Sequence[int], group: Sequence[int], touched: int, ceiling: float
) -> WholePrices:
    """Return prices in units as floats whose sums are exact.

    Prices above the ceiling, which no support may cost, become one that is just above it. Where
    even so the sum of all prices, each group's as often as it is touched, would be too large, they
    are rounded down to multiples of a scale.

    Examples
    --------
    >>> as_floats([3, 10**20], [2], touched=2, ceiling=9)
    WholePrices(feature=array([ 3., 10.]), group=array([2.]), scale=1)
    >>> as_floats([10**16, 10**16 + 1], [], touched=0, ceiling=math.inf).scale
    7
    """
    total = sum(feature) + sum(group)
    top = total if math.isinf(ceiling) else max(0, min(total, int(ceiling)))
    terms = len(feature) + len(group) + touched + 1
    scale = -(-terms * (top + 1) // MOST_EXACT)
    own, shared = (
        np.array([float(min(price, top) // scale + (price > top)) for price in prices])
        for prices in (feature, group)
    )
    return WholePrices(own, shared, int(scale))
