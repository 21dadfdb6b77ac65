"""Large sets of features on which coinciding samples alone exceed the budgets.

Samples that coincide on a set of features are classified alike: a cell that holds both classes
loses its positives or its negatives. If no choice fits both budgets, the set is infeasible for
any classifier. Features join the set one by one as long as that stays true; each one splits
the cells further.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from frugalsvm.runtime.compiled import helper, kernel
from frugalsvm.search.problem.reduction import CoreProblem, Ints

MANY_LEVELS = 64  # a feature with more values leaves too few samples that coincide


def value_codes(core: CoreProblem) -> tuple[Ints, Ints]:
    """Return the features' values as codes 0, 1, ... (a row a feature), and how many there are.

    Values that differ by less than rounding in a standardisation would be different codes,
    which only weakens the bound.
    """
    codes = np.zeros(core.columns.shape, np.int64)
    levels = np.zeros(core.n_features, np.int64)
    for k, column in enumerate(core.columns):
        values, codes[k] = np.unique(column, return_inverse=True)
        levels[k] = len(values)
    return codes, levels


class _Counts(NamedTuple):
    """Room for the samples of both classes in each cell, and for what they lose at least."""

    pos: Ints
    neg: Ints
    fewest: Ints


@helper
def _too_many_errors(
    cell: Ints,
    n_cells: int,
    n_pos: int,
    weight: Ints,
    budgets: tuple[int, int],
    counts: _Counts,
) -> bool:
    """Return True if every choice of what the mixed cells lose exceeds a budget."""
    pos, neg, fewest = counts.pos, counts.neg, counts.fewest
    budget_pos, budget_neg = budgets
    for c in range(n_cells):
        pos[c] = 0
        neg[c] = 0
    for i in range(n_pos):
        pos[cell[i]] += weight[i]
    for i in range(n_pos, len(cell)):
        neg[cell[i]] += weight[i]
    least = 0
    for c in range(n_cells):
        least += min(pos[c], neg[c])
    if least > budget_pos + budget_neg:
        return True
    # fewest[j]: positives lost by the cells so far if they lose at most j negatives
    for j in range(budget_neg + 1):
        fewest[j] = 0
    for c in range(n_cells):
        if pos[c] > 0 and neg[c] > 0:
            for j in range(budget_neg, -1, -1):
                lost = fewest[j] + pos[c]
                if j >= neg[c]:
                    lost = min(lost, fewest[j - neg[c]])
                fewest[j] = lost
            if fewest[budget_neg] > budget_pos:
                return True
    return False


@kernel
def grow_by_cells(
    codes: Ints,
    levels: Ints,
    n_pos: int,
    weight: Ints,
    budgets: tuple[int, int],
    order: Ints,
    fixed: int,
    grown: Ints,
) -> int:
    """Write a set that coinciding samples prove infeasible; return its size, -1 if there is none.

    The first `fixed` features of the order are in it; the others join if they can.
    """
    n = codes.shape[1]
    cell, split = np.zeros(n, np.int64), np.zeros(n, np.int64)
    names = np.zeros(n * MANY_LEVELS, np.int64)
    counts = _Counts(
        np.zeros(n + 1, np.int64), np.zeros(n + 1, np.int64), np.zeros(budgets[1] + 1, np.int64)
    )
    n_cells, size = 1, 0
    for position in range(-1, len(order)):
        new_cells = 1
        if position >= 0:
            k = order[position]
            if levels[k] > MANY_LEVELS:
                if position < fixed:
                    return -1
                continue
            for c in range(n_cells * levels[k]):
                names[c] = -1
            new_cells = 0
            for i in range(n):
                c = cell[i] * levels[k] + codes[k, i]
                if names[c] < 0:
                    names[c] = new_cells
                    new_cells += 1
                split[i] = names[c]
        if position >= fixed - 1:
            fails = _too_many_errors(split, new_cells, n_pos, weight, budgets, counts)
            if not fails and position < fixed:
                return -1
            if not fails:
                continue
        if position >= 0:
            cell, split = split, cell
            n_cells = new_cells
            grown[size] = order[position]
            size += 1
    return size
