"""The gap of a direction: order statistics, hyperplanes, reductions, fits, guesses."""

from __future__ import annotations

import numpy as np
import pytest

from frugalsvm.search.problem.copying import copy_into
from frugalsvm.search.problem.guess import guessed
from frugalsvm.search.problem.hyperplane import gap, hyperplane_from_direction, thresholds
from frugalsvm.search.problem.order_statistics import kth_smallest, sort_indices
from frugalsvm.search.problem.reduction import reduce_problem
from frugalsvm.search.problem.telling import hardest_first, telling_features
from frugalsvm.search.problem.whole_prices import MOST_EXACT, as_floats
from reference_selection import is_feasible, large_budgets, largest_gap, random_problem


@pytest.mark.parametrize("seed", range(30))
def test_selection_by_weight_is_that_of_repeated_values(seed: int) -> None:
    rng = np.random.default_rng(seed)
    values = np.round(rng.standard_normal(12), 1)
    weight = rng.integers(1, 4, 12)
    repeated = np.sort(np.repeat(values, weight))
    for need in range(1, len(repeated) + 1):
        found = kth_smallest.py_func(values.copy(), weight.copy(), 12, need)
        assert found == repeated[need - 1]


def test_sorting_indices_sorts() -> None:
    values, order = np.array([3.0, -1.0, 2.0, 2.0, 0.0]), np.zeros(5, np.int64)
    sort_indices.py_func(values, order, 5)
    np.testing.assert_array_equal(values[order], np.sort(values))
    target = np.zeros(7)
    copy_into.py_func(values, target)
    np.testing.assert_array_equal(target, [3.0, -1.0, 2.0, 2.0, 0.0, 0.0, 0.0])


@pytest.mark.parametrize("seed", range(40))
def test_merged_samples_have_the_gap_of_the_original_ones(seed: int) -> None:
    problem = random_problem(seed)
    core = reduce_problem(problem)
    if core.n_features == 0 or core.need_pos == 0 or core.need_neg == 0:
        return
    assert core.weight.sum() == len(problem.X)
    direction = np.random.default_rng(seed).standard_normal(core.n_features)
    direction /= np.abs(direction).max()
    scores = problem.X[:, core.feature_ids] @ direction
    p = np.sort(scores[problem.positive])[-core.need_pos]
    q = np.sort(scores[~problem.positive])[core.need_neg - 1]
    assert gap(core, direction) == pytest.approx(p - q)
    assert thresholds(core, direction @ core.columns) == pytest.approx((p, q))
    answer = hyperplane_from_direction(core, direction)
    assert (answer is not None) == (p - q >= core.floor)
    if answer is not None:
        assert largest_gap(problem, answer.support) >= p - q - 1e-9


@pytest.mark.parametrize("seed", range(20))
def test_a_guess_is_an_answer(seed: int) -> None:
    core = reduce_problem(random_problem(seed))
    if core.n_features == 0 or core.need_pos == 0 or core.need_neg == 0:
        return
    chosen = np.arange(core.n_features)
    direction = guessed(core, chosen)
    if direction is not None:
        assert gap(core, direction) >= core.floor
        assert is_feasible(core.source, core.original_support(tuple(chosen.tolist())))


def test_hard_samples_come_first_and_telling_features_are_kept() -> None:
    core = reduce_problem(large_budgets(1))
    order = hardest_first(core)
    assert sorted(order.tolist()) == list(range(core.n_samples))
    np.testing.assert_array_equal(telling_features(core), np.arange(core.n_features))
    difference = core.columns[:, : core.n_pos].mean() - core.columns[:, core.n_pos :].mean()
    margin = np.where(np.arange(core.n_samples) < core.n_pos, 1, -1) * core.columns.sum(axis=0)
    assert difference > 0  # all features speak for the positives, so their sum is a fit
    assert margin[order[:50]].mean() < margin[order[-50:]].mean()


@pytest.mark.parametrize("seed", range(20))
def test_prices_as_floats_add_up_and_are_never_above_the_true_ones(seed: int) -> None:
    rng = np.random.default_rng(seed)
    exact = [int(rng.integers(1, 10**9)) ** int(rng.integers(1, 4)) for _ in range(6)]
    prices = as_floats(exact, [], touched=0, ceiling=np.inf)
    assert prices.feature.sum() < MOST_EXACT
    assert all(
        int(p) * prices.scale <= units for p, units in zip(prices.feature, exact, strict=True)
    )
    if prices.scale == 1:
        assert prices.feature.tolist() == exact
