"""Features that tell the classes apart, and samples that are hard by them."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from frugalsvm.search.heuristics.newton import newton_fit
from frugalsvm.search.problem import telling
from frugalsvm.search.problem.reduction import reduce_problem
from frugalsvm.search.problem.telling import hardest_first, telling_features
from reference_selection import large_budgets


def test_few_features_are_all_taken() -> None:
    core = reduce_problem(large_budgets(1))
    np.testing.assert_array_equal(telling_features(core), np.arange(core.n_features))


@pytest.mark.parametrize("seed", range(5))
def test_of_many_those_with_the_largest_difference_of_means(
    seed: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    core = reduce_problem(large_budgets(seed))
    heavy = np.random.default_rng(seed).integers(1, 9, core.n_samples)
    core = replace(core, weight=heavy)
    samples = np.repeat(core.columns, heavy, axis=1)
    positive = np.repeat(np.arange(core.n_samples) < core.n_pos, heavy)
    apart = np.abs(samples[:, positive].mean(axis=1) - samples[:, ~positive].mean(axis=1))
    monkeypatch.setattr(telling, "MOST_TELLING", 4)
    assert set(telling_features(core)) == set(np.argsort(-apart)[:4])
    monkeypatch.setattr(telling, "TELLING_WORK", 0.0)  # three are always worth it
    assert set(telling_features(core)) == set(np.argsort(-apart)[:3])


@pytest.mark.parametrize("seed", range(3))
def test_hard_samples_come_first(seed: int) -> None:
    core = reduce_problem(large_budgets(seed))
    order = hardest_first(core)
    assert sorted(order.tolist()) == list(range(core.n_samples))
    start = np.zeros(core.n_features + 1)
    dense = newton_fit(core, core.columns, start, rounds=10, ridge=1e-2, settle=True)
    margin = dense.weights[:-1] @ core.columns + dense.weights[-1]
    margin[core.n_pos :] *= -1.0
    easier = np.argsort(np.argsort(margin[order]))  # the ranks by another way to fit
    assert np.corrcoef(easier, np.arange(core.n_samples))[0, 1] > 0.999
