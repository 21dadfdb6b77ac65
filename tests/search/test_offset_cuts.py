"""Cuts that were found for one box of directions and taken over to another are conflicts there."""

from __future__ import annotations

import numpy as np
from numba import njit
from scipy.optimize import linprog

from frugalsvm.search.cell_directions import _optimistic, _range
from frugalsvm.search.cell_offsets import Offsets, offsets_of, set_box
from frugalsvm.search.cell_origins import set_medians
from frugalsvm.search.cell_tables import Tables, all_places, empty_tables, tabulate
from frugalsvm.search.offset_cuts import Pool, adapt, empty_pool
from frugalsvm.search.offset_program import Program, begin, empty_program
from frugalsvm.search.offset_separation import separate
from frugalsvm.search.offset_simplex import solve

FLOOR, SHARE, FREE = 0.01, 0.5, 2
MARGIN = 0.02  # by which thresholds in conflict may still be had


@njit
def room_for(
    points: np.ndarray, values: np.ndarray, cells: np.ndarray
) -> tuple[Offsets, Tables, Pool, Program, np.ndarray]:
    number = len(values)
    least, places = np.empty(number), np.empty(number, np.int64)
    offsets = offsets_of(values, FREE, _range(points, FLOOR), FLOOR, SHARE, False, least, places)
    pool = empty_pool(len(offsets.hull.corral))
    tables, origins = empty_tables(cells, number), np.empty((number, points.shape[1]))
    set_medians(points, tables, origins)
    return offsets, tables, pool, empty_program(number, len(cells)), origins


@njit
def cut_in(
    offsets: Offsets,
    tables: Tables,
    pool: Pool,
    program: Program,
    origins: np.ndarray,
    points: np.ndarray,
    cells: np.ndarray,
    n_pos: int,
    center: np.ndarray,
    radius: np.ndarray,
    budgets: np.ndarray,
) -> bool:
    """Adapt the cuts to a box and look for more there; False if it needs none."""
    scores = np.empty(len(points))
    _optimistic(points, cells, origins, n_pos, center, radius, FLOOR * SHARE, scores)
    tabulate(tables, scores, n_pos, np.ones(len(points), np.int64))
    set_box(offsets, origins, center, radius, FREE)
    ranges = np.empty((4, len(origins)), np.int64)
    all_places(tables, ranges)
    if not begin(program, tables, pool, ranges, budgets, 1.0):
        return False
    outcome, _ = solve(program, tables, pool, ranges, budgets, -np.inf)
    if outcome != 1:
        return False
    adapt(pool, offsets, tables, program.elsewhere)
    return True


@njit
def look(
    offsets: Offsets, tables: Tables, pool: Pool, program: Program, budgets: np.ndarray
) -> None:
    """Look for cuts, and call all of them of use."""
    ranges = np.empty((4, len(tables.counts)), np.int64)
    all_places(tables, ranges)
    separate(offsets, tables, pool, ranges, budgets, program.elsewhere)
    for k in range(pool.filled[0]):
        pool.used[k] = True


def slack(
    pool: Pool,
    k: int,
    values: np.ndarray,
    origins: np.ndarray,
    center: np.ndarray,
    radius: np.ndarray,
) -> float:
    """Return by how much the thresholds of a cut can be had at once, for a direction in the box."""
    number, d = values.shape
    rows, bounds = [], []
    for i in range(pool.sizes[k]):
        column = pool.columns[k, i]
        c, sign = (column, 1.0) if column < number else (column - number, -1.0)
        # The threshold of cell c is -(mean'direction + values'weights + b).
        rows.append(np.concatenate((-sign * origins[c], -sign * values[c], [-sign, 1.0])))
        bounds.append(sign * pool.values[k, i])
    box = [(m - r, m + r) for m, r in zip(center, radius, strict=True)]
    solution = linprog(
        np.eye(FREE + d + 2)[-1] * -1.0,
        A_ub=rows,
        b_ub=bounds,
        bounds=[*box, *[(-1e4, 1e4)] * (d + 1), (-1e3, 1.0)],
    )
    return float(solution.x[-1])


def test_adapted_cuts_are_conflicts() -> None:
    checked = 0
    for seed in range(150):
        rng = np.random.default_rng(seed)
        n, d = 120, int(rng.integers(2, 4))
        X = rng.standard_normal((n, FREE))
        codes = rng.integers(0, 2, (n, d)).astype(float)
        values, cells = np.unique(codes, axis=0, return_inverse=True)
        positive = X[:, 0] + codes.sum(axis=1) + 2.0 * codes.prod(axis=1) > 1.0
        order = np.argsort(~positive, kind="stable")
        points = np.ascontiguousarray(X[order])
        cells = cells.ravel()[order].astype(np.int64)
        n_pos = int(positive.sum())
        parts = room_for(points, np.ascontiguousarray(values), cells)
        offsets, tables, pool, program, origins = parts
        budgets = np.array([int(rng.integers(0, 6)), int(rng.integers(0, 6))])
        tilt = rng.uniform(-0.5, 0.5)
        for shift in (0.0, 0.15, -0.4, 0.6):
            center, radius = np.array([1.0, tilt + shift]), np.array([0.0, 0.05])
            box = (origins, points, cells, n_pos, center, radius, budgets)
            if not cut_in(offsets, tables, pool, program, *box):
                continue
            for k in range(pool.filled[0]):
                assert slack(pool, k, values, origins, center, radius) < MARGIN, (seed, shift, k)
                checked += 1
            look(offsets, tables, pool, program, budgets)
    assert checked > 100
