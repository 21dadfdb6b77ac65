"""Weighted selection kernels: the value at which enough samples are reached."""

from __future__ import annotations

from frugalsvm.runtime.compiled import helper
from frugalsvm.search.problem.reduction import Floats, Ints


@helper
def kth_smallest(values: Floats, weight: Ints, count: int, need: int) -> float:
    """Return the smallest v such that the first `count` values up to v weigh at least `need`.

    Reorders both arrays (Hoare's selection). `need` must be between 1 and the total weight.
    """
    lo, hi = 0, count - 1
    while lo < hi:
        pivot = values[(lo + hi) >> 1]
        i, j = lo, hi
        while i <= j:
            while values[i] < pivot:
                i += 1
            while values[j] > pivot:
                j -= 1
            if i <= j:
                values[i], values[j] = values[j], values[i]
                weight[i], weight[j] = weight[j], weight[i]
                i += 1
                j -= 1
        below = 0
        for t in range(lo, j + 1):
            below += weight[t]
        if need <= below:
            hi = j
            continue
        need -= below
        middle = 0
        for t in range(j + 1, i):
            middle += weight[t]
        if need <= middle:
            return float(pivot)
        need -= middle
        lo = i
    return float(values[lo])


@helper
def sort_indices(values: Floats, order: Ints, count: int) -> None:
    """Fill in the first `count` indices by ascending value (heapsort; compiles fast)."""
    for i in range(count):
        order[i] = i
    start, end = count // 2, count
    while end > 1:
        if start > 0:
            start -= 1
        else:
            end -= 1
            order[end], order[0] = order[0], order[end]
        root = start
        while True:
            child = 2 * root + 1
            if child >= end:
                break
            if child + 1 < end and values[order[child]] < values[order[child + 1]]:
                child += 1
            if values[order[root]] >= values[order[child]]:
                break
            order[root], order[child] = order[child], order[root]
            root = child
