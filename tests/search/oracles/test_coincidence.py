"""Cells and what they must lose, against numpy, a linear program, and all thresholds in turn."""

from __future__ import annotations

import itertools

import numpy as np
import pytest
from scipy.optimize import linprog

from frugalsvm.runtime.compiled import kernel
from frugalsvm.search.oracles.coincidence import (
    assign_cells,
    cells_exceed,
    find_levels,
    thresholds_exceed,
)
from frugalsvm.search.problem.reduction import Floats, Ints
from frugalsvm.search.tuning import MOST_LEVELS
from reference_oracles import core_of


@kernel
def exceed_by_cells(cells: Ints, number: int, n_pos: int, weight: Ints, budgets: Ints) -> bool:
    return bool(cells_exceed(cells, number, n_pos, weight, budgets[0], budgets[1]))


@kernel
def exceed_by_thresholds(
    column: Floats, order: Ints, cells: Ints, number: int, n_pos: int, weight: Ints, budgets: Ints
) -> bool:
    return bool(
        thresholds_exceed(column, order, cells, number, n_pos, weight, budgets[0], budgets[1])
    )


@pytest.mark.parametrize("seed", range(30))
def test_discrete_columns_are_coded_by_their_values(seed: int) -> None:
    core = core_of(seed)
    levels = find_levels(core)
    assert levels.any_discrete == bool((levels.counts > 0).any())
    for k, column in enumerate(core.columns):
        values, codes = np.unique(column, return_inverse=True)
        assert levels.counts[k] == (len(values) if len(values) <= MOST_LEVELS else 0)
        if levels.counts[k]:
            np.testing.assert_array_equal(levels.codes[k], codes)


@pytest.mark.parametrize("levels", [2, 7, 24])
@pytest.mark.parametrize("seed", range(6))
def test_samples_share_a_cell_just_where_they_coincide(seed: int, levels: int) -> None:
    rng = np.random.default_rng(seed)
    n, d = 150, 6
    codes = rng.integers(0, levels, (d, n)).astype(np.int16)
    codes[:, n // 2 :] = codes[:, : n - n // 2][:, rng.permutation(n - n // 2)]
    counts = np.full(d, levels)
    counts[2] = 0  # a continuous one
    for chosen in (np.array([0]), np.array([0, 2]), np.array([4, 1, 2, 0]), np.arange(d)):
        cells, firsts = np.zeros(n, np.int64), np.full(n, -1, np.int64)
        number = assign_cells.py_func(codes, counts, chosen, cells, firsts)
        used = [k for k in chosen if counts[k]]
        _, expected = np.unique(codes[used], axis=1, return_inverse=True)
        assert number == expected.max() + 1
        pairs = set(zip(cells.tolist(), expected.ravel().tolist(), strict=True))
        assert len(pairs) == number  # one name for each, and each for one
        np.testing.assert_array_equal(cells[firsts[:number]], np.arange(number))
        assert all(firsts[c] == np.flatnonzero(cells == c)[0] for c in range(number))


def test_keys_that_are_too_long_give_no_cells() -> None:
    codes, counts = np.zeros((40, 3), np.int16), np.full(40, 3)
    cells = np.zeros(3, np.int64)
    assert assign_cells.py_func(codes, counts, np.arange(39), cells, cells.copy()) == 1
    assert assign_cells.py_func(codes, counts, np.arange(40), cells, cells.copy()) == -1


def least_negatives(pos: np.ndarray, neg: np.ndarray, budget_pos: int) -> float:
    """Return the fewest negatives lost if the choices may be fractions: the relaxed knapsack."""
    solved = linprog(-neg, A_ub=[pos], b_ub=[budget_pos], bounds=(0.0, 1.0))
    return float(neg.sum() + solved.fun)


@pytest.mark.parametrize("seed", range(60))
def test_cells_exceed_the_budgets_just_where_the_relaxed_knapsack_does(seed: int) -> None:
    rng = np.random.default_rng(seed)
    n, n_pos, number = 40, int(rng.integers(1, 40)), int(rng.integers(1, 12))
    cells, weight = rng.integers(0, number, n), rng.integers(1, 4, n)
    positive = np.arange(n) < n_pos
    pos = np.bincount(cells[positive], weight[positive], number)
    neg = np.bincount(cells[~positive], weight[~positive], number)
    mixed = (pos > 0) & (neg > 0)
    for budget_pos in range(0, 30, 3):
        least = least_negatives(pos[mixed], neg[mixed], budget_pos) if mixed.any() else 0.0
        for budget_neg in {0, max(0, int(np.ceil(least)) - 1), int(np.ceil(least))}:
            budgets = np.array([budget_pos, budget_neg])
            found = exceed_by_cells(cells, number, n_pos, weight, budgets)
            assert found == (least > budget_neg + 1e-9), (budget_pos, budget_neg)


def losses(column: np.ndarray, cells: np.ndarray, positive: np.ndarray) -> list[list[tuple]]:
    """Return for each cell what every threshold loses of the positives and of the negatives."""
    found = []
    for c in np.unique(cells):
        own = cells == c
        ends = [*np.unique(column[own]), np.inf]
        below = [own & (column < t) for t in ends]
        found.append(
            [(int((b & positive).sum()), int((own & ~b & ~positive).sum())) for b in below]
        )
    return found


@pytest.mark.parametrize("seed", range(25))
def test_thresholds_exceed_the_budgets_only_where_no_thresholds_fit(seed: int) -> None:
    """And wherever a multiplier on the lost positives shows it, for either sign."""
    rng = np.random.default_rng(seed)
    n, number = 24, int(rng.integers(1, 4))
    column = np.round(rng.standard_normal(n), int(rng.integers(1, 3)))
    cells, positive = rng.integers(0, number, n), np.arange(n) < n // 2
    number = len(np.unique(cells))
    cells = np.unique(cells, return_inverse=True)[1]
    order = np.argsort(column, kind="stable")
    signs = [losses(s * column, cells, positive) for s in (1.0, -1.0)]
    ways = [np.array([[0, 0]]) for _ in signs]  # what is lost by all choices of thresholds
    for k, cells_of in enumerate(signs):
        for choices in cells_of:
            sums = (ways[k][:, None, :] + np.array(choices)[None, :, :]).reshape(-1, 2)
            ways[k] = np.unique(sums, axis=0)
    multipliers = np.geomspace(0.01, 50.0, 400)
    ones = np.ones(n, np.int64)
    exceeded = 0
    for budgets in itertools.product(range(0, 8, 2), repeat=2):
        found = exceed_by_thresholds(column, order, cells, number, n // 2, ones, np.array(budgets))
        fits = [bool(np.any(np.all(way <= budgets, axis=1))) for way in ways]
        assert not (found and any(fits))
        lines = [way[:, 0] * multipliers[:, None] + way[:, 1] for way in ways]
        bounds = [np.max(at.min(axis=1) - multipliers * budgets[0]) for at in lines]
        if min(bounds) > budgets[1] + 0.2:  # far enough for a few multipliers to see
            assert found
        exceeded += found
    assert exceeded >= 1
