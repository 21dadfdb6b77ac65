"""The linear program over thresholds, against HiGHS."""

from __future__ import annotations

import numpy as np
import pytest
from numba import njit
from scipy.optimize import linprog

from frugalsvm.search.cell_tables import Tables, all_places, empty_tables, tabulate
from frugalsvm.search.offset_cuts import Pool, empty_pool
from frugalsvm.search.offset_program import Program, add_row, begin, drop_loose, empty_program
from frugalsvm.search.offset_simplex import EXCEEDED, OPTIMAL, solve

MEMBERS = 6


@njit
def prepare(
    cells: np.ndarray, number: int, scores: np.ndarray, n_pos: int, weight: np.ndarray
) -> tuple[Tables, Pool, Program, np.ndarray]:
    tables = empty_tables(cells, number)
    tabulate(tables, scores, n_pos, weight)
    ranges = np.empty((4, number), np.int64)
    all_places(tables, ranges)
    return tables, empty_pool(MEMBERS), empty_program(number, len(cells)), ranges


@njit
def solve_in_steps(
    tables: Tables,
    pool: Pool,
    program: Program,
    ranges: np.ndarray,
    budgets: np.ndarray,
    multiplier: float,
    step: int,
) -> tuple[int, float]:
    """Solve with more and more of the cuts."""
    if not begin(program, tables, pool, ranges, budgets, multiplier):
        return EXCEEDED, np.inf
    outcome, excess = solve(program, tables, pool, ranges, budgets, -np.inf)
    n_cuts = pool.filled[0]
    for first in range(0, n_cuts, step):
        if outcome != OPTIMAL:
            break
        for k in range(first, min(n_cuts, first + step)):
            add_row(program, tables, pool, k)
        outcome, excess = solve(program, tables, pool, ranges, budgets, excess)
    if outcome == OPTIMAL:
        drop_loose(program, pool)
        outcome, excess = solve(program, tables, pool, ranges, budgets, excess)
    return outcome, excess


def add_random_cuts(
    rng: np.random.Generator, tables: Tables, pool: Pool, program: Program, number: int
) -> None:
    """Fill the pool with thresholds that are asked for at random; they need not be conflicts."""
    half = len(program.elsewhere) // 2
    for k in range(int(rng.integers(1, 25))):
        cells = rng.choice(number, size=min(number, int(rng.integers(1, MEMBERS))), replace=False)
        pool.sizes[k] = len(cells)
        for i, c in enumerate(cells):
            side = int(rng.integers(2))
            place = int(rng.integers(tables.counts[c])) + side
            pool.columns[k, i], pool.places[k, i] = c + side * number, place
            pool.slots[k, i] = tables.first[c] + c + place + side * half
        pool.filled[0] = k + 1


def reference(tables: Tables, pool: Pool, ranges: np.ndarray, budget: int) -> float:
    """Return the least wrong negatives, by a linear program with all choices of every cell."""
    number = len(tables.counts)
    choices = [
        (c, up, low)
        for c in range(number)
        for up in range(ranges[0, c], ranges[1, c] + 1)
        for low in range(ranges[2, c], min(up, ranges[3, c]) + 1)
    ]
    at = [tables.first[c] + c for c in range(number)]
    wrong = [tables.wrong[at[c] + low] for c, _, low in choices]
    lost = [tables.lost[at[c] + up] for c, up, _ in choices]
    cuts = [
        [
            -sum(
                (column == c and up > place) or (column == number + c and low < place)
                for column, place in zip(
                    pool.columns[k, : pool.sizes[k]], pool.places[k, : pool.sizes[k]], strict=True
                )
            )
            for c, up, low in choices
        ]
        for k in range(pool.filled[0])
    ]
    shares = [[float(choice[0] == c) for choice in choices] for c in range(number)]
    solution = linprog(
        wrong,
        A_ub=[lost, *cuts],
        b_ub=[budget, *(-1.0 for _ in cuts)],
        A_eq=shares,
        b_eq=np.ones(number),
    )
    return float(solution.fun) if solution.status == 0 else np.inf


@pytest.mark.parametrize("seed", range(80))
def test_the_bound_is_that_of_the_linear_program(seed: int) -> None:
    rng = np.random.default_rng(seed)
    number, n = int(rng.integers(1, 8)), int(rng.integers(8, 60))
    cells = np.concatenate((np.arange(number), rng.integers(0, number, max(0, n - number))))
    scores = np.round(rng.standard_normal(len(cells)), int(rng.integers(1, 3)))
    n_pos = int(rng.integers(1, len(cells)))
    weight = rng.integers(1, 4, len(cells))
    tables, pool, program, ranges = prepare(cells, number, scores, n_pos, weight)
    add_random_cuts(rng, tables, pool, program, number)
    for c in range(number):
        if rng.random() < 0.3:
            ranges[0, c] = rng.integers(0, tables.counts[c] + 1)
        elif rng.random() < 0.3:
            ranges[3, c] = rng.integers(0, tables.counts[c] + 1)
    budgets = np.array([int(rng.integers(0, weight[:n_pos].sum() + 1)), 10_000])
    multiplier = float(rng.choice([0.0, 0.3, 1.0, 4.0]))
    outcome, excess = solve_in_steps(
        tables, pool, program, ranges, budgets, multiplier, int(rng.integers(1, 6))
    )
    expected = reference(tables, pool, ranges, int(budgets[0]))
    if np.isinf(expected):
        assert outcome != OPTIMAL
    else:
        assert outcome == OPTIMAL
        assert excess == pytest.approx(expected - budgets[1], abs=1e-6)
