"""What must not change the answer, and which way it may change."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from frugalsvm import FrugalSelector, InfeasibleRatesError


@st.composite
def instances(draw: st.DrawFn) -> dict[str, Any]:
    """Draw a small data set, mixed continuous and binary, with ties and groups, and targets."""
    rng = np.random.default_rng(draw(st.integers(0, 2**32 - 1)))
    n, N = draw(st.integers(8, 30)), draw(st.integers(1, 5))
    X = rng.normal(size=(n, N))
    for k in range(N):
        if draw(st.booleans()):
            X[:, k] = np.round(X[:, k])
    y = (X @ rng.normal(size=N) + rng.normal(scale=0.7, size=n) > 0).astype(int)
    y[:2] = 0, 1
    return {
        "X": X,
        "y": y,
        "min_tpr": draw(st.sampled_from([0.5, 0.7, 0.8, 0.9, 1.0])),
        "min_tnr": draw(st.sampled_from([0.5, 0.7, 0.8, 0.9, 1.0])),
        "feature_costs": rng.integers(0, 8, size=N).astype(float),
        "feature_groups": rng.integers(0, 2, size=N),
        "group_costs": float(draw(st.integers(0, 5))),
    }


def cheapest(instance: dict[str, Any], **changes: Any) -> float:
    """Return the certified cost; infinity if the rates cannot be met."""
    terms = instance | changes
    X, y = terms.pop("X"), terms.pop("y")
    try:
        selector = FrugalSelector(**terms, time_limit=30).fit(X, y)
    except InfeasibleRatesError as error:
        proven = error.proven
    else:
        assert selector.status_ == "optimal"
        return selector.cost_
    assert proven
    return np.inf


@given(instances(), st.randoms(use_true_random=False))
def test_order_of_rows_does_not_matter(instance: dict[str, Any], random: Any) -> None:
    rows = list(range(len(instance["y"])))
    random.shuffle(rows)
    shuffled = cheapest(instance, X=instance["X"][rows], y=instance["y"][rows])
    assert shuffled == cheapest(instance)


@given(instances(), st.randoms(use_true_random=False))
def test_order_of_columns_does_not_matter(instance: dict[str, Any], random: Any) -> None:
    columns = list(range(instance["X"].shape[1]))
    random.shuffle(columns)
    shuffled = cheapest(
        instance,
        X=instance["X"][:, columns],
        feature_costs=instance["feature_costs"][columns],
        feature_groups=instance["feature_groups"][columns],
    )
    assert shuffled == cheapest(instance)


@given(instances(), st.sampled_from([0.01, 0.3, 7.0, 1000.0]))
def test_cost_scales_with_the_prices(instance: dict[str, Any], factor: float) -> None:
    scaled = cheapest(
        instance,
        feature_costs=instance["feature_costs"] * factor,
        group_costs=instance["group_costs"] * factor,
    )
    assert scaled == pytest.approx(cheapest(instance) * factor)


@given(instances(), st.integers(-3, 3), st.sampled_from([-8.0, -0.5, 0.25, 4.0]))
def test_units_of_a_feature_do_not_matter(
    instance: dict[str, Any], shift: int, factor: float
) -> None:
    # Powers of two and whole numbers, so that no rounding moves a support across the margin floor.
    X = instance["X"].copy()
    X[:, 0] = X[:, 0] * factor + shift
    assert cheapest(instance, X=X) == cheapest(instance)


@given(instances())
def test_swapping_labels_swaps_the_rates(instance: dict[str, Any]) -> None:
    swapped = cheapest(
        instance,
        y=1 - instance["y"],
        min_tpr=instance["min_tnr"],
        min_tnr=instance["min_tpr"],
    )
    assert swapped == cheapest(instance)


@given(instances(), st.sampled_from(["constant", "copy"]))
def test_a_useless_column_is_not_bought(instance: dict[str, Any], kind: str) -> None:
    X, costs = instance["X"], instance["feature_costs"]
    column = np.full(len(X), 3.0) if kind == "constant" else X[:, 0]
    price = 0.0 if kind == "constant" else costs[0] + 1
    extended = cheapest(
        instance,
        X=np.column_stack([X, column]),
        feature_costs=np.append(costs, price),
        feature_groups=np.append(instance["feature_groups"], instance["feature_groups"][0]),
    )
    assert extended == cheapest(instance)


@given(instances(), st.sampled_from(["min_tpr", "min_tnr"]))
def test_a_tighter_target_is_never_cheaper(instance: dict[str, Any], rate: str) -> None:
    tighter = cheapest(instance, **{rate: min(1.0, instance[rate] + 0.15)})
    assert tighter >= cheapest(instance)


@given(instances(), st.integers(0, 4))
@settings(max_examples=25)
def test_forbidding_and_forcing_a_feature_never_pays(instance: dict[str, Any], k: int) -> None:
    k %= instance["X"].shape[1]
    free = cheapest(instance)
    forbidden = cheapest(instance, exclude=[k])
    forced = cheapest(instance, include=[k])
    assert min(forbidden, forced) == free
