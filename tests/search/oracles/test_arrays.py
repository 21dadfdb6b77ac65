"""What the kernels read is the problem, in the orders that they rely on."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from frugalsvm.data.rates import ErrorBudget
from frugalsvm.search.door import Door
from frugalsvm.search.oracles.arrays import Arrays
from frugalsvm.search.oracles.batch import prepare_oracles
from frugalsvm.search.problem.reduction import CoreProblem, reduce_problem
from frugalsvm.search.problem.telling import hardest_first
from frugalsvm.search.regime import regime_of
from reference_oracles import core_of
from reference_selection import large_budgets


def arrays_of(core: CoreProblem) -> Arrays:
    return prepare_oracles(core, regime_of(core), np.zeros(1, np.int64), Door(core)).arrays


@pytest.mark.parametrize("seed", range(20))
def test_samples_for_conflicts_are_signed_and_hard_ones_first(seed: int) -> None:
    core = core_of(seed)
    arrays = arrays_of(core)
    hard = hardest_first(core)
    positive = hard < core.n_pos
    np.testing.assert_array_equal(arrays.side, np.where(positive, 0, 1))
    np.testing.assert_array_equal(arrays.mass, core.weight[hard])
    expected = np.where(positive, 1.0, -1.0) * core.columns[:, hard]
    np.testing.assert_array_equal(arrays.signed, expected)
    assert arrays.budgets.tolist() == list(core.budgets)
    assert arrays.needs.tolist() == list(core.needs)
    assert (arrays.floor, arrays.max_weight) == (core.floor, core.max_weight)


@pytest.mark.parametrize("seed", range(20))
def test_columns_are_in_order_where_there_are_discrete_ones(seed: int) -> None:
    core = core_of(seed)
    arrays = arrays_of(core)
    if not arrays.counts.any():
        assert arrays.orders.shape == (core.n_features, 0)
        assert arrays.codes.shape == (core.n_features, 0)
        return
    for column, order in zip(core.columns, arrays.orders, strict=True):
        assert (np.diff(column[order]) >= 0).all()
        assert sorted(order.tolist()) == list(range(core.n_samples))


def test_with_large_budgets_nothing_is_made_for_conflicts() -> None:
    problem = large_budgets(0)
    assert arrays_of(reduce_problem(problem)).signed.shape == (8, 0)
    small = replace(problem, budget=ErrorBudget(20, 20))
    assert arrays_of(reduce_problem(small)).signed.shape == (8, 300)
