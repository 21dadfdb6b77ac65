"""The trimmed fit ends when it has settled, and misses nothing by that."""

from __future__ import annotations

import numpy as np
import pytest

from frugalsvm.search.problem.fit import Recipe, trimmed_fit
from frugalsvm.search.problem.reduction import reduce_problem
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
