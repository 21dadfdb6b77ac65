"""The trimmed fit by dense linear algebra: the same fit as the compiled one, and its model."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from frugalsvm.search.heuristics.newton import newton_fit
from frugalsvm.search.problem.fit import Recipe, trimmed_fit
from frugalsvm.search.problem.reduction import CoreProblem, reduce_problem
from reference_oracles import gap_by_counting
from reference_selection import large_budgets


def weighted(seed: int) -> CoreProblem:
    """Return a problem whose samples weigh one to three, with the rates of the original one."""
    core = reduce_problem(large_budgets(seed))
    weight = np.random.default_rng(seed).integers(1, 4, core.n_samples)
    pos, neg = int(weight[: core.n_pos].sum()), int(weight[core.n_pos :].sum())
    return replace(core, weight=weight, need_pos=int(0.8 * pos), need_neg=int(0.8 * neg))


@pytest.mark.parametrize("seed", range(8))
def test_it_is_the_fit_of_the_compiled_kernel(seed: int) -> None:
    core = weighted(seed)
    start = np.zeros(core.n_features + 1)
    dense = newton_fit(core, core.columns, start, rounds=12, ridge=1e-2, settle=True)
    w, found = start.copy(), np.zeros(core.n_features)
    points = np.ascontiguousarray(core.columns.T)
    gap, _, _ = trimmed_fit(
        points, core.n_pos, core.weight, core.needs, np.inf, Recipe(12, 1e-2), w, found
    )
    assert dense.weights == pytest.approx(w, rel=1e-3, abs=1e-3)
    assert dense.gap == pytest.approx(gap, abs=1e-2)
    assert dense.gap == pytest.approx(gap_by_counting(core, dense.direction))


@pytest.mark.parametrize("seed", range(8))
def test_more_steps_never_lose_a_gap_and_a_wide_one_ends_it(seed: int) -> None:
    core = weighted(seed)
    start = np.zeros(core.n_features + 1)
    gaps = [
        newton_fit(core, core.columns, start, rounds=r, ridge=1e-3, settle=True).gap
        for r in range(6)
    ]
    assert gaps == sorted(gaps)
    assert gaps[0] == -np.inf  # no direction yet
    enough = replace(core, floor=gaps[2])
    assert newton_fit(enough, core.columns, start, rounds=9, ridge=1e-3).steps <= 2


@pytest.mark.parametrize("seed", range(5))
def test_the_model_is_the_quadratic_of_the_loss(seed: int) -> None:
    """Rises and falls are the least of that quadratic without a feature, and with one more."""
    core = weighted(seed)
    ridge = 1e-2
    inside, outside = np.arange(4), np.arange(4, 8)
    columns = core.columns[inside]
    fit = newton_fit(
        core, columns, np.zeros(5), rounds=60, ridge=ridge, settle=True, trim_after=np.inf
    )
    model, penalty = fit.model, ridge * float(core.weight.sum())

    def quadratic(rows: np.ndarray) -> np.ndarray:
        whole = np.vstack((rows, np.ones(core.n_samples)))
        shape = np.diag([penalty] * len(rows) + [0.0])
        return (whole * model.curve) @ whole.T + shape

    hessian = quadratic(columns)
    np.testing.assert_allclose(model.factor @ model.factor.T, hessian, rtol=1e-5, atol=1e-5)
    inverse = np.linalg.inv(hessian)
    rises = 0.5 * model.weights[:-1] ** 2 / np.diag(inverse)[:-1]
    np.testing.assert_allclose(model.rises(), rises, rtol=1e-4)
    falls = model.falls(core.columns, inside, outside, penalty)
    for k, fall in zip(outside, falls, strict=True):
        larger = quadratic(core.columns[[*inside, k]])
        slope = np.zeros(6)
        slope[4] = core.columns[k] @ model.pull  # that of the others is zero at the best weights
        assert fall == pytest.approx(0.5 * slope @ np.linalg.solve(larger, slope), rel=1e-3)


def test_a_table_without_features_has_an_intercept() -> None:
    core = weighted(0)
    fit = newton_fit(core, core.columns[:0], np.zeros(1), rounds=20, ridge=1e-3, settle=True)
    pos = core.weight[: core.n_pos].sum() / core.weight.sum()
    assert fit.weights[-1] == pytest.approx(np.log(pos / (1 - pos)), abs=1e-4)
    assert fit.gap == -np.inf
