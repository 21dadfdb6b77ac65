"""Sets that coinciding samples rule out: infeasible for any classifier, and as large as can be."""

from __future__ import annotations

import numpy as np
import pytest

from frugalsvm.search.oracles.coinciding_sets import MANY_LEVELS, grow_by_cells, value_codes
from frugalsvm.search.problem.reduction import CoreProblem
from reference_oracles import core_of, fits_by_cells


def grown_from(core: CoreProblem, order: np.ndarray, fixed: int) -> list[int] | None:
    """Return the set that grows from the first features of an order, None if there is none."""
    codes, levels = value_codes(core)
    grown = np.full(core.n_features, -1, np.int64)
    size = grow_by_cells(codes, levels, core.n_pos, core.weight, core.budgets, order, fixed, grown)
    return None if size < 0 else grown[:size].tolist()


@pytest.mark.parametrize("seed", range(60))
def test_a_set_is_infeasible_and_nothing_can_join_it(seed: int) -> None:
    core = core_of(seed)
    rng = np.random.default_rng(seed)
    order = rng.permutation(core.n_features)
    for fixed in range(core.n_features + 1):
        found = grown_from(core, order, fixed)
        if found is None:
            assert fits_by_cells(core, order[:fixed])
            continue
        assert found[:fixed] == order[:fixed].tolist()
        assert not fits_by_cells(core, found)
        for k in set(order.tolist()) - set(found):
            assert fits_by_cells(core, [*found, k])


def test_several_sets_do_grow() -> None:
    sizes = []
    for seed in range(60):
        core = core_of(seed)
        found = grown_from(core, np.arange(core.n_features), 0)
        sizes.append(-1 if found is None else len(found))
    assert sizes.count(-1) < 50
    assert sum(size >= 2 for size in sizes) >= 5


def test_features_with_many_values_do_not_join() -> None:
    core = core_of(4)
    codes, levels = value_codes(core)
    many = levels.copy()
    many[0] = MANY_LEVELS + 1
    grown, order = np.zeros(core.n_features, np.int64), np.arange(core.n_features)
    arguments = (core.n_pos, core.weight, (0, 0), order)
    assert grow_by_cells(codes, many, *arguments, 1, grown) == -1
    size = grow_by_cells(codes, many, *arguments, 0, grown)
    assert size >= 0
    assert 0 not in grown[:size]


@pytest.mark.parametrize("seed", range(10))
def test_codes_are_the_places_of_the_values(seed: int) -> None:
    core = core_of(seed)
    codes, levels = value_codes(core)
    for k, column in enumerate(core.columns):
        values = np.unique(column)
        assert levels[k] == len(values)
        np.testing.assert_array_equal(values[codes[k]], column)
