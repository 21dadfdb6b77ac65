"""Ints by falling values."""

from __future__ import annotations

import numpy as np

from frugalsvm.margin.arrays import Floats, Ints
from frugalsvm.runtime.compiled import helper


@helper
def falling(values: Floats, rows: Ints) -> Ints:
    """Return the rows by falling values, equal ones in their order (merge sort)."""
    n = len(rows)
    order, other = rows.copy(), np.empty_like(rows)
    width = 1
    while width < n:
        for begin in range(0, n, 2 * width):
            left, right = begin, min(begin + width, n)
            middle, end = right, min(begin + 2 * width, n)
            for k in range(begin, end):
                first = left < middle and (
                    right >= end or not values[order[right]] > values[order[left]]
                )
                if first:
                    other[k] = order[left]
                    left += 1
                else:
                    other[k] = order[right]
                    right += 1
        order, other = other, order
        width *= 2
    return order
