"""Where sums of large numbers cancel, no oracle takes what rounding makes of them for a proof."""

from fractions import Fraction

import numpy as np
from numba import njit

from frugalsvm.runtime.stopping import Stopper
from frugalsvm.search.oracles.conflicts.min_norm_point import hull_of, is_conflict
from frugalsvm.search.oracles.errors.branch_and_cut import EXCESS as MOST
from frugalsvm.search.oracles.errors.branch_and_cut import ErrorProgram
from frugalsvm.search.oracles.thresholds.tables import (
    EXCESS,
    best_multiplier,
    empty_tables,
    tabulate,
)


def exact_size(rows, shares):
    """Return what, times the largest weight, must reach 1 for a conflict to be none."""
    table = [[Fraction(v) for v in row] for row in rows.tolist()]
    shares = [Fraction(v) for v in shares.tolist()]
    *sums, of_labels = [sum(s * v for s, v in zip(shares, row, strict=True)) for row in table]
    reach = max(sum(abs(v) for v in column) for column in zip(*table[:-1], strict=True))
    return (sum(abs(v) for v in sums) + reach * abs(of_labels)) / sum(shares)


def test_a_mean_that_rounding_moves_to_the_origin_is_no_conflict():
    """Far from the origin and with great weights, the last digits of the mean decide."""
    y, said = np.array([1.0, 1.0, -1.0, -1.0]), []
    for seed in range(200):
        rng = np.random.default_rng(seed)
        points = 10 ** rng.uniform(2, 5) + 1e-6 * rng.standard_normal((2, 4))
        shares = np.array([0.3, 0.2, 0.1, 0.4])
        rows = np.vstack((points * y, y))
        just_enough = float(1 / exact_size(rows, shares))
        for part in (1 + 1e-9, 0.99):  # of the weights with which all four can be right
            hull = hull_of.py_func(rows, part * just_enough)
            hull.corral[:4], hull.lam[:4] = np.arange(4), shares
            said.append(is_conflict.py_func(hull, 4))
        assert not said[-2], seed
    assert any(said)


@njit
def excess_at(column, cells, number, n_pos, weight, budgets, multiplier):
    tables = empty_tables(cells, number)
    tabulate(tables, column, n_pos, weight)
    least, places = np.empty(number), np.empty(number, np.int64)
    return best_multiplier(tables, multiplier, budgets, 8, least, places)[0]


def test_thresholds_that_just_fit_fit_heavy_samples_too():
    """Each cell's best threshold is taken at a multiplier: the budgets are what these lose."""
    rng = np.random.default_rng(0)
    for _ in range(60):
        price = Fraction(int(rng.integers(1, 20)), int(rng.choice([3, 7, 11, 13])))
        number, n, n_pos = 40, 240, 120
        column, cells = rng.standard_normal(n), np.arange(n) % 40
        weight = rng.integers(1, 10**9, n)
        budgets = np.zeros(2, np.int64)
        for cell in range(number):
            members = np.flatnonzero(cells == cell)
            members = members[np.argsort(column[members])]
            pos = np.where(members < n_pos, weight[members], 0)
            neg = weight[members] - pos
            lost = np.concatenate(([0], np.cumsum(pos)))
            wrong = neg.sum() - np.concatenate(([0], np.cumsum(neg)))
            pairs = list(zip(lost.tolist(), wrong.tolist(), strict=True))
            budgets += min(pairs, key=lambda pair: price * pair[0] + pair[1])
        found = excess_at(column, cells, number, n_pos, weight, budgets, float(price))
        assert found <= EXCESS


def test_prices_that_cancel_prove_nothing():
    """All are given up, which the budgets just allow: whatever the prices, no bound is above 0."""
    rng = np.random.default_rng(0)
    budgets = np.array([6.0, 6.0])
    program = ErrorProgram(np.ones(12), np.arange(12) // 6, budgets, Stopper())
    program.add([np.array([k]) for k in range(12)])
    limits = np.ones(12), np.ones(12)
    for _ in range(200):
        prices = np.concatenate((rng.random(2), 10 ** rng.uniform(6, 14, 12)))
        assert program._proven(prices, limits) <= MOST
