"""What users may say about costs, and what they are told when it makes no sense."""

from __future__ import annotations

from typing import Any

import numpy as np
import pandas as pd
import pytest

from frugalsvm.data.costs import CostModel
from frugalsvm.inputs.derived import raw_names, sources
from frugalsvm.inputs.prices import FeatureTable, PriceInputs, feature_mask

TABLE = FeatureTable(("age", "chol", "sex"), "FrugalSVC")


def resolve(*args: Any, table: FeatureTable = TABLE, **kwargs: Any) -> CostModel:
    return PriceInputs(*args, **kwargs).resolve(table)


@pytest.mark.parametrize(
    "given",
    [
        [1.0, 7.27, 2.0],
        np.array([1.0, 7.27, 2.0]),
        {"sex": 2, "age": 1.0, "chol": 7.27},
        {0: 1.0, 1: 7.27, 2: 2.0},
        pd.Series({"chol": 7.27, "age": 1.0, "sex": 2.0}),
    ],
)
def test_costs_by_position_and_by_name_agree(given: Any) -> None:
    assert resolve(given).feature.tolist() == [1.0, 7.27, 2.0]


def test_default_and_scalar_costs() -> None:
    assert resolve().feature.tolist() == [1.0, 1.0, 1.0]
    assert resolve(0.5).feature.tolist() == [0.5, 0.5, 0.5]


def test_group_costs_are_paid_once() -> None:
    costs = resolve([1, 2, 4], ["blood", "blood", None], {"blood": 10})
    assert [costs.cost(s) for s in ([0], [0, 1], [2], [0, 1, 2])] == [11, 13, 4, 17]


def test_a_feature_may_touch_several_groups() -> None:
    costs = resolve(0, {"age": ("a", "b"), "chol": "b"}, {"a": 1, "b": 10})
    assert [costs.cost(s) for s in ([0], [1], [0, 1], [2])] == [11, 10, 11, 0]


def test_nan_group_of_a_series_is_no_group() -> None:
    costs = resolve(None, pd.Series({"age": "g", "chol": np.nan}), 3)
    assert costs.groups_of == ((0,), (), ())


@pytest.mark.parametrize("seed", range(20))
def test_what_a_feature_adds_is_the_difference_of_two_costs(seed: int) -> None:
    rng = np.random.default_rng(seed)
    touched = tuple(tuple(np.flatnonzero(rng.random(3) < 0.4).tolist()) for _ in range(6))
    costs = CostModel(rng.uniform(0, 5, 6), touched, rng.uniform(0, 9, 3))
    others = [int(k) for k in rng.choice(np.arange(1, 6), int(rng.integers(6)), replace=False)]
    exact = costs.exact
    assert exact.added(0, others) == exact.cost([0, *others]) - exact.cost(others)


def test_cost_of_many_small_prices_is_correctly_rounded() -> None:
    assert CostModel.per_feature(np.full(10, 0.1)).cost(range(10)) == 1.0


def test_derived_features_pay_for_their_raw_features_once() -> None:
    table = FeatureTable(("1", "age", "chol", "age^2", "age chol", "chol^2"), "FrugalSVC")
    costs = resolve({"age": 1.0, "chol": 7.0}, "derived", table=table)
    assert costs.cost([1, 3]) == 1.0
    assert costs.cost([4]) == 8.0
    assert costs.cost([1, 2, 3, 4, 5]) == 8.0
    assert resolve(None, "derived", table=table).cost([4, 5]) == 2.0


def test_raw_names_with_blanks_are_recognised() -> None:
    columns = ["worst area", "mean area", "worst area^2", "worst area mean area"]
    assert raw_names(columns) == ["worst area", "mean area"]
    assert sources("worst area^2 mean area", columns[:2]) == {"worst area", "mean area"}


@pytest.mark.parametrize(
    ("inputs", "message"),
    [
        ({"feature_costs": [1, 2]}, r"one cost per feature, 3. Got shape \(2,\)"),
        ({"feature_costs": [1, -2, 3]}, "finite numbers >= 0 .*. Got -2 for 'chol'"),
        ({"feature_costs": [1, np.nan, 3]}, "Got nan for 'chol'"),
        ({"feature_costs": [1, np.inf, 3]}, "Got inf for 'chol'"),
        ({"feature_costs": [1, "2", 3]}, "Got '.*' for '.*'"),
        ({"feature_costs": -1.0}, "Got -1.0 for 'all features'"),
        ({"feature_costs": {"age": 1, "chol": 1}}, "1 have none: 'sex'"),
        ({"feature_costs": {"age": 1, "weight": 1}}, "must name features of X. Got 'weight'"),
        ({"feature_costs": {"age": 1, 7: 1}}, "Got 7; X has 3 features"),
        ({"group_costs": {"a": 1}}, "needs 'feature_groups'"),
        ({"feature_groups": ["a", "a", "b"]}, "needs 'group_costs'"),
        (
            {"feature_groups": ["a", "b"], "group_costs": 1},
            "one group per feature .* Got 2",
        ),
        ({"feature_groups": {"weight": "a"}, "group_costs": 1}, "Got 'weight'"),
        ({"feature_groups": {"age": "a"}, "group_costs": {"b": 1}}, r"\('a'\). Got 'b'"),
        ({"feature_groups": {"age": "a"}, "group_costs": {}}, "1 have none: 'a'"),
        ({"feature_groups": {"age": "a"}, "group_costs": {"a": -1}}, "Got -1 for 'a'"),
        ({"feature_groups": {"age": "a"}, "group_costs": [1]}, "must be a dict or Series"),
        ({"feature_groups": "panels", "group_costs": 1}, "or 'derived'"),
    ],
)
def test_bad_prices_are_named(inputs: dict[str, Any], message: str) -> None:
    with pytest.raises(ValueError, match=message):
        resolve(**inputs)


def test_costs_given_twice_are_refused() -> None:
    with pytest.raises(ValueError, match=r"each entry once. Got several for 'age'"):
        resolve(pd.Series([1.0, 2.0, 1.0, 1.0], index=["age", "age", "chol", "sex"]))


def test_derived_columns_without_a_raw_feature_are_named() -> None:
    with pytest.raises(ValueError, match="1 columns fit no raw feature: 'chol'"):
        resolve({"age": 1.0}, "derived", table=FeatureTable(("age", "chol"), "FrugalSVC"))


@pytest.mark.parametrize("keys", [["age", 2], (0, "sex"), np.array([True, False, True])])
def test_masks(keys: Any) -> None:
    assert feature_mask(keys, TABLE, "include").tolist() == [True, False, True]


def test_one_name_is_one_feature() -> None:
    assert feature_mask("chol", TABLE, "include").tolist() == [False, True, False]
    assert not feature_mask(None, TABLE, "include").any()


@pytest.mark.parametrize("keys", [["weight"], [3], [-1], [True, False]])
def test_bad_masks(keys: Any) -> None:
    with pytest.raises(ValueError, match="'exclude' parameter of FrugalSVC"):
        feature_mask(keys, TABLE, "exclude")
