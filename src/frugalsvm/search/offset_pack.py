"""The bound of a node: the least losses of the cells, and conflicts packed on top of them.

Every conflict raises the bound by the least that moving one of its thresholds away costs, and the
places that the thresholds would move to are charged for it: what was charged once is not charged
again. Conflicts that cost much are packed first.
"""

from __future__ import annotations

import numpy as np

from frugalsvm.compiled import helper
from frugalsvm.search.cell_offsets import Offsets, look, reset
from frugalsvm.search.cell_tables import EXCESS, Tables, least_losses
from frugalsvm.search.directions import INFEASIBLE, UNDECIDED
from frugalsvm.search.offset_exchange import exchange
from frugalsvm.search.offset_pool import Pool, add, dearest, spend, value_all
from frugalsvm.search.reduction import Ints
from frugalsvm.search.wolfe import CONFLICT, SEPARATED

MOST_CONFLICTS = 60  # packed or looked for
FINEST = 0.2  # of a sample: conflicts that cost less than this are looked for all at once
FACTOR = 1.3  # between two multipliers
REALISED = 2  # verdict: all thresholds can be had at once


@helper
def _pack(
    offsets: Offsets, tables: Tables, pool: Pool, ranges: Ints, multiplier: float, budgets: Ints
) -> tuple[int, float]:
    """Pack conflicts; return a verdict, and what the bound is short of the budgets.

    REALISED if there is no conflict among the best thresholds; the hull's point gives them.
    """
    total, _ = least_losses(tables, ranges, multiplier, offsets.least, offsets.places)
    left = multiplier * budgets[0] + budgets[1] - total + 2.0 * EXCESS
    if left <= 0.0:
        return INFEASIBLE, 0.0
    reset(offsets, tables, ranges, multiplier)
    value_all(pool, offsets)
    step, packed, again, m = left, False, False, 0
    for _ in range(MOST_CONFLICTS):
        outcome = CONFLICT
        k = dearest(pool, offsets, step)
        if k < 0:
            outcome, m = look(offsets, tables, ranges, step, again, m)
            again = True
            if outcome == CONFLICT:
                k = add(pool, offsets, tables, m)
        if k >= 0:
            packed = True
            charge = pool.charges[k]
            if charge >= left:
                return INFEASIBLE, 0.0
            spend(pool, offsets, tables, ranges, k, charge)
            left -= charge
            if left < step:
                step, again = left, False
        elif step > 0.0:
            step, again = (0.5 * step if step > FINEST else 0.0), False
        else:
            realised = outcome == SEPARATED and not packed
            return (REALISED if realised else UNDECIDED), left
    return UNDECIDED, left


@helper
def errors(offsets: Offsets, tables: Tables) -> tuple[float, float]:
    """Return the positives lost and the negatives wrong by the thresholds at the hull's point."""
    rows, v = offsets.hull.rows, offsets.hull.v
    if v[0] <= 0.0:
        return np.inf, np.inf
    lost, wrong = 0.0, 0.0
    for c in range(len(offsets.least)):
        offset = 0.0
        for k in range(1, len(v)):
            offset += v[k] * rows[k, c]
        threshold = -offset / v[0] - offsets.middle[c]
        place = 0
        while place < tables.counts[c] and tables.values[tables.first[c] + place] < threshold:
            place += 1
        lost += tables.lost[tables.first[c] + c + place]
        wrong += tables.wrong[tables.first[c] + c + place]
    return lost, wrong


@helper
def keeps(offsets: Offsets, tables: Tables, budgets: Ints) -> bool:
    """Return True if the thresholds at the hull's point keep both budgets, not only their sum."""
    lost, wrong = errors(offsets, tables)
    return bool(lost <= budgets[0] and wrong <= budgets[1])


@helper
def pack_best(
    offsets: Offsets,
    tables: Tables,
    pool: Pool,
    ranges: Ints,
    multiplier: float,
    budgets: Ints,
    trials: int,
) -> tuple[int, float, float]:
    """Pack with some multipliers; return a verdict, what is left open, and the multiplier for it.

    The multiplier that is best for the cells alone is often too small: conflicts cost in lost
    positives, too.
    """
    best, least, factor, turned = multiplier, np.inf, FACTOR, False
    verdict, left = UNDECIDED, np.inf
    for trial in range(trials):
        verdict, left = _pack(offsets, tables, pool, ranges, multiplier, budgets)
        if verdict == INFEASIBLE:
            return INFEASIBLE, 0.0, multiplier
        if verdict == REALISED:
            lost, wrong = errors(offsets, tables)
            if lost <= budgets[0] and wrong <= budgets[1]:
                return REALISED, left, multiplier
            if trial == 0 and lost <= budgets[0]:
                factor = 1.0 / FACTOR
        if left < least:
            best, least = multiplier, left
        elif turned or trial > 1:
            break
        else:
            turned, factor = True, 1.0 / factor
        if trial < trials - 1:
            multiplier = best * factor
    if multiplier != best:
        verdict, left = _pack(offsets, tables, pool, ranges, best, budgets)
    if verdict == UNDECIDED:
        left = exchange(offsets, tables, pool, ranges, left)
        verdict = INFEASIBLE if left <= 0.0 else UNDECIDED
    return verdict, left, best
