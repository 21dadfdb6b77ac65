"""The trimmed fit: the best of its loss, its gap, its pulls; it ends when it has settled."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from scipy.optimize import minimize

from frugalsvm.search.problem.fit import Recipe, pull_of, solve_spd, trimmed_fit
from frugalsvm.search.problem.reduction import CoreProblem, reduce_problem
from reference_oracles import gap_by_counting
from reference_selection import large_budgets


@pytest.mark.parametrize("seed", range(30))
def test_a_settled_fit_is_where_further_steps_lead(seed: int) -> None:
    core = reduce_problem(large_budgets(seed))
    chosen = np.random.default_rng(seed).choice(core.n_features, 2, replace=False)
    points = np.ascontiguousarray(core.columns[chosen].T)

    def run(w: np.ndarray, rounds: int) -> tuple[float, float, int]:
        found = np.zeros(2)
        return trimmed_fit(  # type: ignore[no-any-return]
            points, core.n_pos, core.weight, core.needs, np.inf, Recipe(rounds, 1e-4), w, found
        )

    settled = np.zeros(3)
    gap, loss, steps = run(settled, 100)
    single = settled.copy()
    for _ in range(5):
        run(single, 1)
    assert single == pytest.approx(settled, rel=1e-6, abs=1e-6 * np.abs(settled).max())
    assert steps < 40
    assert np.isfinite(gap)
    assert np.isfinite(loss)


def test_most_fits_settle_within_the_rounds_of_the_heuristics() -> None:
    settled = 0
    for seed in range(30):
        core = reduce_problem(large_budgets(seed))
        points = np.ascontiguousarray(core.columns[:2].T)
        _, _, steps = trimmed_fit(
            points, core.n_pos, core.weight, core.needs, np.inf,
            Recipe(20, 1e-4), np.zeros(3), np.zeros(2),
        )  # fmt: skip
        settled += steps < 20
    assert settled >= 20


def penalised(core: CoreProblem, w: np.ndarray, recipe: Recipe, kept: np.ndarray) -> float:
    """Return the loss that a fit lowers, on the samples kept."""
    side = np.where(np.arange(core.n_samples) < core.n_pos, 1.0, -1.0)
    mass = kept * core.weight * np.where(side > 0, recipe.emphasis, 1.0)
    margin = side * (w[:-1] @ core.columns + w[-1])
    penalty = 0.5 * mass.sum() * (recipe.ridge * w[:-1] @ w[:-1] + 1e-9 * w[-1] ** 2)
    return float(mass @ np.logaddexp(0.0, -margin) + penalty)


@pytest.mark.parametrize("emphasis", [1.0, 0.2])
@pytest.mark.parametrize("seed", range(5))
def test_a_fit_of_all_samples_is_the_best_of_its_loss(seed: int, emphasis: float) -> None:
    core = reduce_problem(large_budgets(seed))
    core = replace(core, weight=np.random.default_rng(seed).integers(1, 4, core.n_samples))
    pos = int(core.weight[: core.n_pos].sum())
    everyone = (pos, int(core.weight.sum()) - pos)
    recipe = Recipe(100, 1e-2, emphasis)
    w, found = np.zeros(core.n_features + 1), np.zeros(core.n_features)
    points = np.ascontiguousarray(core.columns.T)
    _, mean, _ = trimmed_fit(points, core.n_pos, core.weight, everyone, np.inf, recipe, w, found)
    kept = np.ones(core.n_samples)
    best = minimize(lambda w: penalised(core, w, recipe, kept), np.zeros(len(w)))
    loss = penalised(core, w, recipe, kept)
    assert loss == pytest.approx(best.fun, rel=1e-9)
    mass = core.weight * np.where(np.arange(core.n_samples) < core.n_pos, emphasis, 1.0)
    bare = penalised(core, w, Recipe(0, 0.0, emphasis), kept)  # the loss without the penalty
    assert mean * mass.sum() == pytest.approx(bare, rel=1e-3)


@pytest.mark.parametrize("seed", range(5))
def test_the_gap_that_is_returned_is_that_of_the_direction(seed: int) -> None:
    core = reduce_problem(large_budgets(seed))
    points = np.ascontiguousarray(core.columns.T)
    for floor in (np.inf, -0.4):
        w, found = np.zeros(core.n_features + 1), np.zeros(core.n_features)
        gap, _, steps = trimmed_fit(
            points, core.n_pos, core.weight, core.needs, floor, Recipe(30, 1e-4), w, found
        )
        assert gap == pytest.approx(gap_by_counting(core, found))
    assert gap >= floor
    assert steps < 10  # it ends as soon as the gap is wide enough


@pytest.mark.parametrize("seed", range(8))
def test_a_pull_is_minus_the_derivative_of_the_loss_of_those_kept(seed: int) -> None:
    core = reduce_problem(large_budgets(seed))
    rng = np.random.default_rng(seed)
    weight = rng.integers(1, 4, core.n_samples)
    scores = 3.0 * rng.standard_normal(core.n_samples)
    side = np.where(np.arange(core.n_samples) < core.n_pos, 1.0, -1.0)
    needs = [int(0.8 * weight[side == s].sum()) for s in (1.0, -1.0)]
    pull = pull_of(scores, core.n_pos, weight, *needs)
    for s, need in zip((1.0, -1.0), needs, strict=True):
        own = side == s
        order = np.argsort(-s * scores[own])
        last = np.searchsorted(np.cumsum(weight[own][order]), need)
        kept = s * scores[own] >= s * scores[own][order[last]]
        expected = s * weight[own] / (1.0 + np.exp(s * scores[own])) * kept
        np.testing.assert_allclose(pull[own], expected, atol=1e-12)


@pytest.mark.parametrize("n", [1, 2, 5, 9])
def test_positive_definite_systems_are_solved_and_others_are_not(n: int) -> None:
    rng = np.random.default_rng(n)
    root, rhs = rng.standard_normal((n, n + 2)), rng.standard_normal(n)
    matrix = root @ root.T
    expected = np.linalg.solve(matrix, rhs)
    solved = rhs.copy()
    assert solve_spd.py_func(matrix.copy(), solved)
    np.testing.assert_allclose(solved, expected, rtol=1e-8)
    assert not solve_spd.py_func(matrix - 1.01 * np.linalg.eigvalsh(matrix)[0] * np.eye(n), rhs)
