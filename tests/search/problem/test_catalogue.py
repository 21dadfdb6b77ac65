"""The features as walks read them: dear ones first, copies after originals, prices that add up."""

from __future__ import annotations

import math
from dataclasses import replace

import numpy as np
import pytest

from frugalsvm.data.costs import CostModel
from frugalsvm.search.problem.catalogue import catalogue, cheaper_parts, most_affordable
from frugalsvm.search.problem.reduction import reduce_problem
from reference_oracles import all_supports, core_of
from reference_selection import large_budgets


@pytest.mark.parametrize("seed", range(100, 140))
def test_it_holds_the_priced_features_with_all_their_prices(seed: int) -> None:
    core = core_of(seed)
    features = catalogue(core)
    assert sorted(features.features.tolist()) == core.priced.tolist()
    assert features.scale == 1
    for i, k in enumerate(features.features.tolist()):
        assert features.price[i] == core.costs.feature[k]
        assert features.full[i] == core.cost((k,))
        groups = features.groups[features.start[i] : features.start[i + 1]]
        assert tuple(groups.tolist()) == core.costs.groups_of[k]
        repeated = int(core.copy_of[k])
        if features.original[i] >= 0:
            assert features.original[i] < i  # copies come later
            assert features.features[features.original[i]] == repeated
        else:
            assert repeated < 0 or repeated in core.free
    np.testing.assert_array_equal(features.group_price, core.costs.group)
    alone = {core.cost((int(k),)) for k in core.priced}
    grouped = any(core.costs.groups_of[k] for k in core.priced)
    assert features.alike == (len(alone) <= 1 and not grouped)


def test_dear_groups_come_first_then_dear_features() -> None:
    problem = replace(large_budgets(0), costs=CostModel.per_feature(np.arange(1.0, 9.0)))
    features = catalogue(reduce_problem(problem))
    np.testing.assert_array_equal(features.price, np.arange(8.0, 0.0, -1.0))
    groups = ((0,), (1,), (0,), (1,), (), (0,), (1,), ())
    costs = CostModel(np.arange(1.0, 9.0), groups, np.array([2.0, 30.0]))
    grouped = catalogue(reduce_problem(replace(problem, costs=costs)))
    assert grouped.features.tolist() == [6, 3, 1, 5, 2, 0, 7, 4]


@pytest.mark.parametrize("seed", range(100, 140))
def test_no_affordable_support_has_more_features(seed: int) -> None:
    core = core_of(seed)
    features = catalogue(core)
    supports = all_supports(core.priced.tolist())
    for limit in {core.cost(support) for support in supports}:
        most = max(len(s) for s in supports if core.cost(s) <= limit)
        assert most_affordable(features, float(limit)) >= most
        if len(features.groups) == 0:
            assert most_affordable(features, float(limit)) == most


def test_limits_are_counted_in_the_scale_of_the_prices() -> None:
    features = replace(catalogue(reduce_problem(large_budgets(0))), scale=7)
    assert [features.limit(units) for units in (0, 6, 7, 20, math.inf)] == [0, 0, 1, 2, math.inf]


def test_a_ceiling_makes_what_is_dearer_too_dear_and_nothing_else() -> None:
    core = reduce_problem(large_budgets(0))
    plain, cut = catalogue(core), catalogue(core, 9.0)
    np.testing.assert_array_equal(cut.features, plain.features)
    np.testing.assert_array_equal(cut.price, np.minimum(plain.price, 10.0))


@pytest.mark.parametrize("seed", range(100, 130))
def test_parts_that_are_cheaper_cover_all_that_was_cheaper(seed: int) -> None:
    """Whatever is a part of the supports and below the goal is a part of what comes instead."""
    core = core_of(seed)
    features = replace(catalogue(core), scale=2)
    whole = tuple(range(core.n_features))
    cost = core.cost(whole)
    for goal in (1, cost // 2, cost, cost + 1):
        parts = cheaper_parts(core, features, [whole], goal)
        assert all(core.cost(part) < goal for part in parts)
        assert len(set(parts)) == len(parts)
        below = [s for s in all_supports(core.priced.tolist()) if core.cost(s) < goal]
        covered = [set(part) for part in parts]
        for support in below:
            assert any({*support, *core.free.tolist()} <= part for part in covered)
    assert cheaper_parts(core, catalogue(core), [whole], 0) == [whole]  # prices that are exact
