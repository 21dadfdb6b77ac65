"""Samples that coincide, from the ranks of their values."""

from __future__ import annotations

import numpy as np
import pytest

from frugalsvm.search.oracles.errors.search import ConflictOracle
from frugalsvm.search.problem import coinciding
from frugalsvm.search.problem.coinciding import Ranks
from frugalsvm.search.problem.reduction import reduce_problem
from reference_selection import large_budgets


@pytest.mark.parametrize("largest_key", [1, 7, 1 << 40])
@pytest.mark.parametrize("seed", range(10))
def test_keys_group_and_order_the_samples_as_their_values_do(
    seed: int, largest_key: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(coinciding, "LARGEST_KEY", largest_key)
    rng = np.random.default_rng(seed)
    columns = np.round(rng.standard_normal((5, 40)), int(rng.integers(2)))
    support = rng.choice(5, int(rng.integers(1, 5)), replace=False)
    keys = Ranks(columns).keys(support)
    _, expected = np.unique(columns[support], axis=1, return_inverse=True)
    _, found = np.unique(keys, return_inverse=True)
    assert np.array_equal(found, expected.ravel())


@pytest.mark.parametrize("seed", range(10))
def test_the_oracle_on_a_support_has_its_distinct_samples_with_their_weights(seed: int) -> None:
    core = reduce_problem(large_budgets(seed))
    support = np.sort(np.random.default_rng(seed).choice(core.n_features, 2, replace=False))
    merged = ConflictOracle.of(core).on(support)
    bounds = ((0, core.n_pos, 0, merged.points.n_pos),)
    bounds += ((core.n_pos, core.n_samples, merged.points.n_pos, len(merged.weight)),)
    for begin, end, first, last in bounds:
        distinct, which = np.unique(core.columns[support, begin:end], axis=1, return_inverse=True)
        assert np.array_equal(merged.points.columns[:, first:last], distinct)
        mass = np.bincount(which.ravel(), core.weight[begin:end])
        assert np.array_equal(merged.weight[first:last], mass)
