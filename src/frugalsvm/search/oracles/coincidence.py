"""Bounds from samples that coincide on a support and must therefore be classified alike.

The samples fall into cells by their values on the support's discrete features. Without a
continuous feature, every cell loses its positives or its negatives. With one, every cell may
have a threshold of its own on it, which is more than a hyperplane can do. Either way a
multiplier on the lost positives bounds what must be lost (a two-budget knapsack, relaxed), and
if that exceeds the budgets no classifier whatsoever meets them on this support.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from frugalsvm.runtime.compiled import helper
from frugalsvm.search.problem.order_statistics import sort_indices
from frugalsvm.search.problem.reduction import CoreProblem, Floats, Ints
from frugalsvm.search.tuning import MOST_LEVELS

MULTIPLIER_STEPS = 14


@dataclass(frozen=True, eq=False)
class Levels:
    """The discrete columns as codes.

    Attributes
    ----------
    codes : ndarray of int16 of shape (n_features, n_samples)
        The level of each sample; zero for continuous columns.
    counts : ndarray of int64 of shape (n_features,)
        The number of levels; 0 for a continuous column.
    """

    codes: NDArray[np.int16]
    counts: Ints

    @property
    def any_discrete(self) -> bool:
        """True if there is a discrete column."""
        return bool(np.any(self.counts > 0))


def find_levels(core: CoreProblem) -> Levels:
    """Code the columns with few values."""
    counts = np.zeros(core.n_features, dtype=np.int64)
    found = {}
    for k in range(core.n_features):
        column = core.columns[k]
        if len(np.unique(column[: 4 * MOST_LEVELS])) <= MOST_LEVELS:
            values, codes = np.unique(column, return_inverse=True)
            if len(values) <= MOST_LEVELS:
                counts[k] = len(values)
                found[k] = codes.astype(np.int16)
    coded = np.zeros(core.columns.shape if found else (core.n_features, 0), dtype=np.int16)
    for k, column_codes in found.items():
        coded[k] = column_codes
    return Levels(coded, counts)


@helper
def assign_cells(
    codes: NDArray[np.int16], counts: Ints, chosen: Ints, cells: Ints, firsts: Ints
) -> int:
    """Give numbers to the cells of the chosen discrete features; return how many there are.

    Parameters
    ----------
    cells : ndarray of int64 of shape (n_samples,)
        Receives the cell of each sample.
    firsts : ndarray of int64 of shape (n_samples,)
        Receives the first sample of each cell.

    Returns
    -------
    int
        The number of cells; -1 if their keys would not fit 62 bits.
    """
    n = len(cells)
    radix = 1
    for i in range(n):
        cells[i] = 0
    for k in chosen:
        levels = counts[k]
        if levels == 0:
            continue
        if radix > (1 << 62) // levels:
            return -1
        column = codes[k]
        for i in range(n):
            cells[i] += radix * column[i]
        radix *= levels
    size = 1
    while size < 2 * n and size < radix:
        size *= 2
    size = max(size, 2)
    table = np.full(size, -1, np.int64)
    keys = np.empty(n, np.int64)
    number = 0
    for i in range(n):
        key = cells[i]
        place = (key ^ (key >> 17) ^ (key >> 31)) & (size - 1) if radix > size else key
        while table[place] >= 0 and keys[table[place]] != key:
            place = (place + 1) & (size - 1)
        if table[place] < 0:
            table[place] = number
            keys[number] = key
            firsts[number] = i
            number += 1
        cells[i] = table[place]
    return number


@helper
def cells_exceed(
    cells: Ints, number: int, n_pos: int, weight: Ints, budget_pos: int, budget_neg: int
) -> bool:
    """Return True if no choice of a class for each cell fits both budgets."""
    pos, neg = np.zeros(number, np.int64), np.zeros(number, np.int64)
    for i in range(len(cells)):
        if i < n_pos:
            pos[cells[i]] += weight[i]
        else:
            neg[cells[i]] += weight[i]
    lost, mixed = 0, 0
    ratio, who = np.empty(number), np.empty(number, np.int64)
    for c in range(number):
        if pos[c] > 0 and neg[c] > 0:
            lost += neg[c]
            ratio[mixed] = -neg[c] / pos[c]
            who[mixed] = c
            mixed += 1
    if lost <= budget_neg:
        return False
    # Give up positives where that saves most negatives each (the relaxed knapsack). What rounding
    # takes from a part of a cell is left in the room, and spent on the next.
    room, saved = float(budget_pos), 0.0
    order = np.empty(mixed, np.int64)
    sort_indices(ratio, order, mixed)
    for place in order:
        c = who[place]
        part = min(1.0, room / pos[c])
        saved += part * neg[c]
        room -= part * pos[c]
        if room <= 0.0:
            break
    return lost - saved > budget_neg + 1e-9


class _Sweep(NamedTuple):
    """What a visit of the samples in order keeps for each cell.

    Attributes
    ----------
    running, best : ndarray of float
        The loss with the threshold here, and the least so far.
    pos_below, best_pos : ndarray of int64
        The positives lost with either.
    last : ndarray of float
        The value of the sample visited last.
    """

    running: Floats
    best: Floats
    pos_below: Ints
    best_pos: Ints
    last: Floats


@helper
def _least_loss(
    column: Floats,
    order: Ints,
    sign: int,
    cells: Ints,
    n_pos: int,
    weight: Ints,
    multiplier: float,
    sweep: _Sweep,
) -> tuple[float, int]:
    """Return sum over the cells of min over t of multiplier * FN + FP, less all negatives; FN.

    The samples are visited by ascending sign * value; those below t are called negative.
    """
    running, best, last = sweep.running, sweep.best, sweep.last
    pos_below, best_pos = sweep.pos_below, sweep.best_pos
    number = len(running)
    for c in range(number):
        running[c], best[c], best_pos[c], pos_below[c], last[c] = 0.0, 0.0, 0, 0, np.nan
    n = len(order)
    for a in range(n):
        i = order[a] if sign > 0 else order[n - 1 - a]
        c = cells[i]
        if column[i] != last[c]:
            if running[c] < best[c]:
                best[c], best_pos[c] = running[c], pos_below[c]
            last[c] = column[i]
        if i < n_pos:
            running[c] += multiplier * weight[i]
            pos_below[c] += weight[i]
        else:
            running[c] -= weight[i]
    total, lost = 0.0, 0
    for c in range(number):
        if running[c] < best[c]:
            best[c], best_pos[c] = running[c], pos_below[c]
        total += best[c]
        lost += best_pos[c]
    return total, lost


@helper
def thresholds_exceed(
    column: Floats,
    order: Ints,
    cells: Ints,
    number: int,
    n_pos: int,
    weight: Ints,
    budget_pos: int,
    budget_neg: int,
) -> bool:
    """Return True if no thresholds on the column, one a cell and one sign for all, fit."""
    sweep = _Sweep(
        np.empty(number), np.empty(number), np.empty(number, np.int64),
        np.empty(number, np.int64), np.empty(number),
    )  # fmt: skip
    negatives = 0
    for i in range(n_pos, len(weight)):
        negatives += weight[i]
    for sign in (1, -1):
        low, high, exceeded = 0.0, np.inf, False
        multiplier = 0.5
        for _ in range(MULTIPLIER_STEPS):
            total, lost = _least_loss(column, order, sign, cells, n_pos, weight, multiplier, sweep)
            # Halved and doubled multipliers have few binary digits: nothing here is rounded.
            if negatives + total - multiplier * budget_pos > budget_neg + 1e-9:
                exceeded = True
                break
            # The bound is concave in the multiplier, with slope lost - budget_pos.
            if lost > budget_pos:
                low = multiplier
            else:
                high = multiplier
            multiplier = 2.0 * multiplier if np.isinf(high) else 0.5 * (low + high)
        if not exceeded:
            return False
    return True
