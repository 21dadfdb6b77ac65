"""The frontier as a whole: right costs, honest statuses, shared work, resumed work."""

from __future__ import annotations

import math
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest

from frugalsvm import FrugalSVC, frontier
from frugalsvm.data.exceptions import DataError
from frugalsvm.data.rates import RateTargets
from frugalsvm.data.result import Status
from frugalsvm.engine.dispatch import Engine
from frugalsvm.inputs.formulate import FeatureTerms, feature_table, selection_problem
from frugalsvm.inputs.prices import PriceInputs
from frugalsvm.inputs.standardize import Standardizer
from frugalsvm.tradeoff.points import Frontier
from reference_selection import brute_force

RATES = (0.5, 0.8, 1.0)


def small_data(seed: int, n: int = 26, n_features: int = 5) -> tuple[pd.DataFrame, np.ndarray]:
    rng = np.random.default_rng(seed)
    X = rng.standard_normal((n, n_features)).round(1)
    noisy = X[:, 0] + 0.8 * X[:, 1] - 0.6 * X[:, 2] + rng.normal(0, 0.5, n)
    y = np.where(noisy > np.median(noisy), "ill", "well")
    return pd.DataFrame(X, columns=[f"f{k}" for k in range(n_features)]), y


def costs_of(found: Frontier) -> np.ndarray:
    return np.array([p.cost for p in found.points]).reshape(len(found.min_tprs), -1)


@pytest.fixture(scope="module")
def found() -> Frontier:
    X, y = small_data(0, n=60)
    return frontier(X, y, min_tprs=RATES, min_tnrs=RATES, pos_label="ill", cv=3)


@pytest.mark.parametrize("seed", range(3))
@pytest.mark.parametrize("priced", [False, True])
def test_every_pair_has_the_cost_of_brute_force(seed: int, priced: bool) -> None:
    X, y = small_data(seed, n=14, n_features=4)
    prices: dict[str, Any] = {}
    if priced:
        prices = {
            "feature_costs": [1.0, 2.5, 0.0, 4.0],
            "feature_groups": ["a", "a", None, "b"],
            "group_costs": {"a": 3.0, "b": 0.5},
        }
    found = frontier(X, y, min_tprs=RATES, min_tnrs=RATES, pos_label="ill", cv=None, **prices)
    scaler = Standardizer.fit(X.to_numpy())
    positive = y == "ill"
    terms = FeatureTerms(
        PriceInputs(*(prices.get(k) for k in ("feature_costs", "feature_groups", "group_costs"))),
        None,
        None,
        100.0,
    )
    for point in found.points:
        budget = RateTargets(point.min_tpr, point.min_tnr).budget(
            int(positive.sum()), int((~positive).sum())
        )
        problem = selection_problem(
            X.to_numpy(),
            positive,
            budget,
            scaler=scaler,
            table=feature_table(list(X.columns), 4, "test"),
            terms=terms,
        )
        cost, supports = brute_force(problem)
        assert point.cost == pytest.approx(cost)
        assert point.bound == pytest.approx(cost)
        assert point.status is (Status.INFEASIBLE if math.isinf(cost) else Status.OPTIMAL)
        assert math.isinf(cost) or point.support in supports


def test_costs_rise_with_the_targets(found: Frontier) -> None:
    costs = costs_of(found)
    assert (costs[1:] >= costs[:-1]).all()
    assert (costs[:, 1:] >= costs[:, :-1]).all()


def test_efficient_points_are_those_no_other_matches(found: Frontier) -> None:
    for p in found.points:
        matched = any(
            q is not p and q.cost <= p.cost and q.min_tpr >= p.min_tpr and q.min_tnr >= p.min_tnr
            for q in found.points
        )
        assert p.efficient == (p.has_answer and not matched)


def test_efficient_points_have_rates_that_keep_their_targets(found: Frontier) -> None:
    assert found.efficient
    for p in found.efficient:
        assert p.training is not None
        assert p.training.tpr >= p.min_tpr
        assert p.training.tnr >= p.min_tnr
        assert p.cross_validated is not None
        assert p.cross_validated.n_positive == found.n_positive
        assert p.cross_validated.n_negative == found.n_negative


def test_costs_agree_with_the_estimator(found: Frontier) -> None:
    X, y = small_data(0, n=60)
    clf = FrugalSVC(0.8, 0.8, pos_label="ill").fit(X, y)
    assert found.point(0.8, 0.8).cost == clf.cost_


def test_most_pairs_are_settled_without_a_search() -> None:
    X, y = small_data(0, n=60)
    rates = np.linspace(0.5, 1.0, 8)
    found = frontier(X, y, min_tprs=rates, min_tnrs=rates, cv=None)
    assert 0 < sum(p.searched for p in found.points) < len(found.points) / 2


def test_choose_serves_at_the_same_cost(found: Frontier) -> None:
    for p in found.points:
        served = found.choose(p.min_tpr, p.min_tnr)
        assert served.cost == p.cost
        if p.has_answer:
            assert served.efficient
            assert served.min_tpr >= p.min_tpr
            assert served.min_tnr >= p.min_tnr


def test_point_takes_the_next_targets_of_the_grid(found: Frontier) -> None:
    assert found.point(0.6, 0.5).min_tpr == 0.8
    with pytest.raises(ValueError, match="at most the grid's greatest, 1"):
        found.point(1.1, 0.5)


def test_frame_lists_what_is_worth_choosing(found: Frontier) -> None:
    frame = found.to_frame()
    assert len(frame) == len(found.efficient)
    assert frame["cost"].is_monotonic_increasing
    assert frame["train_tpr"].notna().all()
    whole = found.to_frame(all_points=True)
    assert len(whole) == 9
    assert list(whole.columns) == list(frame.columns)


def test_threads_change_nothing_but_time(found: Frontier) -> None:
    X, y = small_data(0, n=60)
    again = frontier(X, y, min_tprs=RATES, min_tnrs=RATES, pos_label="ill", cv=3, n_jobs=2)
    np.testing.assert_array_equal(costs_of(again), costs_of(found))
    assert all(p.status == q.status for p, q in zip(again.points, found.points, strict=True))


def test_label_swap_exchanges_the_rates(found: Frontier) -> None:
    X, y = small_data(0, n=60)
    swapped = frontier(X, y, min_tprs=RATES, min_tnrs=RATES, pos_label="well", cv=None)
    np.testing.assert_array_equal(costs_of(swapped), costs_of(found).T)


def test_infeasible_pairs_are_proven_so() -> None:
    rng = np.random.default_rng(1)
    X = np.repeat(rng.integers(0, 2, (12, 2)), 2, axis=0).astype(float)
    y = np.tile([0, 1], 12)  # every sample has a twin of the other class
    found = frontier(X, y, min_tprs=[0.0, 1.0], min_tnrs=[0.0, 1.0], cv=None)
    assert [p.status for p in found.points] == [Status.OPTIMAL] * 3 + [Status.INFEASIBLE]
    assert found.points[0].cost == 0.0
    assert math.isinf(found.points[-1].bound)
    assert not found.points[-1].efficient


def test_time_for_nothing_leaves_open_what_no_single_feature_settles() -> None:
    X, y = small_data(0, n=60)
    found = frontier(X, y, min_tprs=RATES, min_tnrs=RATES, total_time_limit=1e-9)
    assert not found.complete
    assert {p.status for p in found.points if p.cost != 1.0} == {Status.UNKNOWN}
    assert not any(p.searched for p in found.points)
    assert all(p.training is None for p in found.points)


def test_other_solvers_and_kernels() -> None:
    X, y = small_data(0, n=30)
    settings = {"min_tprs": [0.6, 0.8], "min_tnrs": [0.7], "pos_label": "ill"}
    own = frontier(X, y, kernel="rbf", cv=2, **settings)
    highs = frontier(X, y, solver="highs", cv=None, **settings)
    np.testing.assert_array_equal(costs_of(own), costs_of(highs))
    for p in own.efficient:
        assert p.training is not None
        assert p.training.tpr >= p.min_tpr


def test_progress_ends_with_all_settled() -> None:
    X, y = small_data(0, n=40)
    seen: list[Any] = []
    found = frontier(X, y, min_tprs=RATES, min_tnrs=RATES, cv=None, callback=seen.append)
    phases = [p.phase for p in seen]
    assert phases == sorted(phases)  # searching, then training
    assert phases.count("training") == len(found.efficient)
    assert seen[-1].settled == seen[-1].total == 9
    assert [p.settled for p in seen] == sorted(p.settled for p in seen)


def no_search(*_args: Any, **_kwargs: Any) -> Any:
    raise RuntimeError("this had been searched for before")


def test_stored_work_is_not_done_again(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    X, y = small_data(0, n=40)
    settings = {"min_tprs": RATES, "min_tnrs": RATES, "cv": None, "store": tmp_path / "work.jsonl"}
    first = frontier(X, y, **settings)
    monkeypatch.setattr(Engine, "select", no_search)
    second = frontier(X, y, **settings)
    assert [(p.cost, p.bound, p.support) for p in first.points] == [
        (p.cost, p.bound, p.support) for p in second.points
    ]


def test_work_goes_on_after_a_crash(tmp_path: Path) -> None:
    X, y = small_data(0, n=40)
    store = tmp_path / "work.jsonl"
    settings = {"min_tprs": RATES, "min_tnrs": RATES, "cv": None, "store": store}
    whole = frontier(X, y, **settings)
    lines = store.read_bytes().splitlines(keepends=True)
    store.write_bytes(b"".join(lines[:2]) + lines[2][:20])  # cut off while writing
    again = frontier(X, y, **settings)
    np.testing.assert_array_equal(costs_of(again), costs_of(whole))
    assert frontier(X, y, **settings).complete


def test_a_larger_grid_uses_a_store_too(tmp_path: Path) -> None:
    X, y = small_data(0, n=40)
    store = tmp_path / "work.jsonl"
    frontier(X, y, min_tprs=[0.8], min_tnrs=[0.8], cv=None, store=store)
    more = frontier(X, y, min_tprs=RATES, min_tnrs=RATES, cv=None, store=store)
    fresh = frontier(X, y, min_tprs=RATES, min_tnrs=RATES, cv=None)
    np.testing.assert_array_equal(costs_of(more), costs_of(fresh))


def test_a_store_of_other_work_is_refused(tmp_path: Path) -> None:
    X, y = small_data(0, n=40)
    store = tmp_path / "work.jsonl"
    settings = {"min_tprs": [0.8], "min_tnrs": [0.8], "cv": None, "store": store}
    frontier(X, y, **settings)
    with pytest.raises(DataError, match="belongs to other data, prices or settings"):
        frontier(X, y, feature_costs=2.0, **settings)
    with pytest.raises(DataError, match="belongs to other data"):
        frontier(X + 1.5 * X**2, y, **settings)


@pytest.mark.parametrize(
    ("damage", "message"),
    [
        (b"not json\n", "is damaged|is no store"),
        (b"[1]\n", "is damaged"),
        (b'{"format": "other"}\n', "is no store"),
        (b"{" * 10_000 + b"\n", "is damaged"),
    ],
)
def test_a_file_that_is_no_store_is_refused(tmp_path: Path, damage: bytes, message: str) -> None:
    X, y = small_data(0, n=40)
    store = tmp_path / "work.jsonl"
    store.write_bytes(damage)
    with pytest.raises(DataError, match=message):
        frontier(X, y, min_tprs=[0.8], min_tnrs=[0.8], store=store)
    assert store.read_bytes() == damage


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"cost": 0.25}, "costs of its panels are others"),
        ({"bound": "much"}, "Line 2 of .* is damaged"),
        ({"weights": {"99": 1.0}}, "Line 2 of .* is damaged"),
        ({"status": "splendid"}, "Line 2 of .* is damaged"),
    ],
)
def test_a_changed_store_is_refused(tmp_path: Path, change: dict[str, Any], message: str) -> None:
    import json

    X, y = small_data(0, n=40)
    store = tmp_path / "work.jsonl"
    settings = {"min_tprs": [0.8], "min_tnrs": [0.8], "cv": None, "store": store}
    frontier(X, y, **settings)
    header, line = store.read_text().splitlines()
    store.write_text(header + "\n" + json.dumps(json.loads(line) | change) + "\n")
    with pytest.raises(DataError, match=message):
        frontier(X, y, **settings)


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"min_tprs": [0.9, 1.2]}, "'min_tprs' parameter of frontier must hold rates"),
        ({"min_tnrs": []}, "'min_tnrs' parameter of frontier must hold a rate"),
        ({"C": -1}, "'C' parameter of frontier must be a float in the range"),
        ({"cv": 1}, "'cv' parameter of frontier must be None, a splitter"),
        ({"kernel": "precomputed"}, "'kernel' parameter of frontier must be computable"),
        ({"time_limit": 0}, "'time_limit' parameter of frontier"),
        ({"include": ["none"]}, "'include' parameter of frontier must name features"),
        ({"solver_options": {"m2": 5}}, "'solver_options' parameter of frontier"),
    ],
)
def test_what_cannot_be_meant_is_refused(change: dict[str, Any], message: str) -> None:
    X, y = small_data(0)
    with pytest.raises(ValueError, match=message):
        frontier(X, y, **change)
