"""All panels of the least cost: complete where it says so."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from sklearn.datasets import load_breast_cancer

from frugalsvm import FrugalSelector
from frugalsvm.engine.equal_panels import paid_for
from frugalsvm.inputs.labels import read_labels
from reference_selection import brute_force


@pytest.fixture(autouse=True)
def _enough_time(monkeypatch: pytest.MonkeyPatch) -> None:
    """A first use compiles in the background while the enumeration's clock runs."""
    monkeypatch.setattr("frugalsvm.engine.equal_panels.LEAST_SECONDS", 300.0)


def test_seven_panels_of_two_features_are_all_listed() -> None:
    """`n_alternatives=50` listed two of the six others."""
    X, y = load_breast_cancer(return_X_y=True)
    found = FrugalSelector(0.967, 0.918, n_alternatives=50, time_limit=None).fit(X, y)
    panels = {found.result_.support, *(tuple(a.tolist()) for a in found.alternatives_)}
    assert panels == {(6, 23), (20, 24), (20, 27), (21, 22), (22, 24), (23, 24), (23, 27)}
    assert found.alternatives_complete_
    few = FrugalSelector(0.967, 0.918, n_alternatives=2).fit(X, y)
    assert len(few.alternatives_) == 2
    assert not few.alternatives_complete_


PRICES: list[dict[str, Any]] = [
    {},
    {"feature_costs": [1.0, 2.0, 1.0, 3.0, 2.0, 1.0]},
    {
        "feature_costs": [1.0, 1.0, 0.0, 2.0, 0.0, 1.0],
        "feature_groups": ["a", "a", None, "b", "b", None],
        "group_costs": {"a": 1.0, "b": 2.0},
    },
]


@pytest.mark.parametrize("seed", range(4))
@pytest.mark.parametrize("prices", PRICES)
def test_the_list_is_that_of_brute_force(prices: dict[str, Any], seed: int) -> None:
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(16, 6)).round(1)
    y = (X[:, 0] + X[:, 1] + 0.8 * X[:, 2] + rng.normal(0, 0.8, 16) > 0).astype(int)
    selector = FrugalSelector(0.75, 0.75, n_alternatives=60, time_limit=None, **prices).fit(X, y)
    problem, _ = selector._problem(X, read_labels(y, None, "test"))
    cost, supports = brute_force(problem)
    assert selector.cost_ == pytest.approx(cost)
    assert selector.alternatives_complete_
    listed = [selector.result_.support, *(tuple(a.tolist()) for a in selector.alternatives_)]
    paid = [paid_for(problem, support) for support in listed]
    assert len(set(paid)) == len(paid)
    assert set(paid) == {paid_for(problem, tuple(support)) for support in supports}
