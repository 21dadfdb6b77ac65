"""Descents that count errors, against a count of their own."""

from __future__ import annotations

import numpy as np
import pytest

from frugalsvm.search.heuristics.error_line_search import fewest_errors, fewest_on
from frugalsvm.search.problem.hyperplane import gap
from frugalsvm.search.problem.reduction import CoreProblem, reduce_problem
from reference_selection import large_budgets, random_problem


def core_of(seed: int) -> CoreProblem:
    return reduce_problem(large_budgets(seed))


def excess_of(core: CoreProblem, columns: np.ndarray, w: np.ndarray) -> float:
    """Return by how much errors exceed the budgets, with the classes' prices."""
    scores = w[:-1] @ columns + w[-1]
    sign = np.where(np.arange(core.n_samples) < core.n_pos, 1.0, -1.0)
    wrong = np.where(sign * scores < 0.5 * core.floor, core.weight, 0)
    budgets = np.array([core.budget_pos, core.budget_neg])
    errors = np.array([wrong[: core.n_pos].sum(), wrong[core.n_pos :].sum()])
    prices = np.sqrt((budgets.max() + 1) / (budgets + 1))
    return float(prices @ np.maximum(0, errors - budgets))


@pytest.mark.parametrize("seed", range(20))
def test_the_excess_is_that_of_the_direction(seed: int) -> None:
    core = core_of(seed) if seed % 2 else reduce_problem(random_problem(seed))
    if core.need_pos == 0 or core.need_neg == 0 or core.n_features == 0:
        pytest.skip("nothing to separate")
    w = np.append(np.full(core.n_features, 0.3), 0.1)
    before = excess_of(core, core.columns, w)
    budgets = np.array([core.budget_pos, core.budget_neg], dtype=np.int64)
    reached = fewest_errors(
        core.columns, core.n_pos, core.weight, core.floor, budgets, 3, 20, seed, w
    )
    assert reached == pytest.approx(excess_of(core, core.columns, w), abs=1e-9)
    assert reached <= before + 1e-9
    assert np.max(np.abs(w[:-1])) <= 1.0 + 1e-12


def test_without_excess_the_direction_meets_the_budgets() -> None:
    met = 0
    for seed in range(12):
        core = core_of(seed)
        excess, direction = fewest_on(core, np.arange(core.n_features), 6, 30)
        if excess == 0.0:
            met += 1
            assert gap(core, direction) >= core.floor
    assert met > 3


def test_the_same_seed_gives_the_same_direction() -> None:
    core = core_of(0)
    chosen = np.arange(core.n_features)
    first, second = fewest_on(core, chosen, seed=5), fewest_on(core, chosen, seed=5)
    assert first[0] == second[0]
    assert np.array_equal(first[1], second[1])
