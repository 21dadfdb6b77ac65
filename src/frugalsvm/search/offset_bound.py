"""A bound from the multipliers of the linear program over thresholds, whatever they are."""

from __future__ import annotations

import numpy as np

from frugalsvm.compiled import helper
from frugalsvm.search.cell_tables import (
    LOWER_LEAST,
    LOWER_MOST,
    UPPER_LEAST,
    UPPER_MOST,
    Tables,
)
from frugalsvm.search.offset_cuts import Pool
from frugalsvm.search.offset_program import Program
from frugalsvm.search.reduction import Floats, Ints

ROUNDING = 1e-13  # of the sum of the multipliers, for every place


@helper
def add_up(program: Program, tables: Tables, pool: Pool, weights: Floats, sums: Floats) -> None:
    """Sum rows with these weights, for all places of upper and lower thresholds."""
    number, half = len(tables.counts), len(sums) // 2
    for j in range(len(sums)):
        sums[j] = 0.0
    for i in range(1, program.size[0]):
        weight, k = weights[i], program.cut[i]
        if weight != 0.0:
            for a in range(pool.sizes[k]):
                slot = pool.slots[k, a]
                sums[slot + 1 if slot < half else slot - 1] -= weight
    for c in range(number):
        at, count = tables.first[c] + c, tables.counts[c]
        total = 0.0
        for j in range(at, at + count + 1):
            total += sums[j]
            sums[j] = total + weights[0] * tables.lost[j]
        total = 0.0
        for j in range(half + at + count, half + at - 1, -1):
            total += sums[j]
            sums[j] = total


@helper
def cost_all(program: Program, tables: Tables, pool: Pool) -> None:
    """Find what all places cost with the multipliers."""
    cost, half = program.cost, len(program.cost) // 2
    add_up(program, tables, pool, program.multiplier, cost)
    for j in range(half):
        cost[half + j] += tables.wrong[j]


@helper
def bound(program: Program, tables: Tables, pool: Pool, ranges: Ints, budgets: Ints) -> float:
    """Return by how much the budgets are exceeded at least, by the multipliers alone."""
    cost, half = program.cost, len(program.cost) // 2
    total, size = -float(budgets[1]), 1.0
    for i in range(program.size[0]):
        program.multiplier[i] = max(0.0, program.multiplier[i])
        total += program.multiplier[i] * (1.0 if i > 0 else -budgets[0])
        size += program.multiplier[i]
    cost_all(program, tables, pool)
    for c in range(len(tables.counts)):
        at = tables.first[c] + c
        least, lower = np.inf, np.inf
        for j in range(tables.counts[c] + 1):
            if ranges[LOWER_LEAST, c] <= j <= ranges[LOWER_MOST, c]:
                lower = min(lower, cost[half + at + j])
            if ranges[UPPER_LEAST, c] <= j <= ranges[UPPER_MOST, c]:
                least = min(least, cost[at + j] + lower)
        total += least
    return total - ROUNDING * size * len(cost)
