"""Answers: what they hold, how they are checked, and what is said when there is none."""

from __future__ import annotations

import dataclasses
import math
import re
import time
from typing import Any

import numpy as np
import pandas as pd
import pytest
from sklearn.datasets import make_classification
from sklearn.exceptions import ConvergenceWarning
from sklearn.metrics.pairwise import rbf_kernel
from sklearn.svm import SVC

import frugalsvm.engine.dispatch
from frugalsvm import (
    FrugalSelector,
    FrugalSVC,
    InfeasibleRatesError,
    NoSolutionError,
    RateSVC,
    VerificationError,
    accuracy,
    recall,
)
from frugalsvm.data.result import SelectionResult, Status, StopReason


@pytest.fixture
def noisy() -> tuple[np.ndarray, np.ndarray]:
    """Two classes that overlap: no hyperplane gets every sample right."""
    return make_classification(
        60, 4, n_informative=3, n_redundant=0, class_sep=0.6, flip_y=0.15, random_state=3
    )


def counted(clf: Any, X: np.ndarray, y: np.ndarray) -> tuple[float, float]:
    margins = np.where(y == 1, 1, -1) * clf.decision_function(X)
    return float(np.mean(margins[y == 1] >= 1 - 1e-6)), float(np.mean(margins[y == 0] >= 1 - 1e-6))


@pytest.mark.parametrize("kernel", ["linear", "rbf", "poly", "laplacian", rbf_kernel])
def test_rates_hold_with_margin_one(kernel: Any, noisy: Any) -> None:
    X, y = noisy
    clf = RateSVC(0.75, 0.7, kernel=kernel, time_limit=3).fit(X, y)
    tpr, tnr = counted(clf, X, y)
    assert tpr >= 0.75
    assert tnr >= 0.7
    assert clf.train_tpr_ == np.mean(clf.predict(X)[y == 1] == 1)
    assert clf.bound_ <= clf.objective_ * (1 + 1e-9)


@pytest.mark.parametrize("kernel", ["linear", "rbf", "poly"])
@pytest.mark.parametrize("C", [0.1, 2.0])
def test_equals_svc_where_the_budgets_do_not_bind(kernel: str, C: float, noisy: Any) -> None:
    X, y = noisy
    ours = RateSVC(0.0, 0.0, kernel=kernel, C=C, standardize=False).fit(X, y)
    theirs = SVC(kernel=kernel, C=C / 2, tol=1e-8).fit(X, y)
    assert ours.decision_function(X) == pytest.approx(theirs.decision_function(X), abs=1e-4)


def test_precomputed_equals_the_kernel_itself(noisy: Any) -> None:
    X, y = noisy
    direct = RateSVC(0.8, 0.7, kernel="rbf", gamma=0.5, standardize=False).fit(X, y)
    K = rbf_kernel(X, gamma=0.5)
    given = RateSVC(0.8, 0.7, kernel="precomputed").fit(K, y)
    assert given.objective_ == pytest.approx(direct.objective_, rel=1e-4)
    assert given.decision_function(K) == pytest.approx(direct.decision_function(X), abs=1e-2)


def test_general_constraints_hold(noisy: Any) -> None:
    X, y = noisy
    young = X[:, 0] < 0
    clf = RateSVC(
        0.6, 0.6, constraints=[accuracy(0.75), recall(0.8, 1, where=lambda X: X[:, 0] < 0)]
    ).fit(X, y)
    right = np.where(y == 1, 1, -1) * clf.decision_function(X) >= 1 - 1e-6
    assert right.mean() >= 0.75
    assert right[young & (y == 1)].mean() >= 0.8


def test_swapping_pos_label_and_rates_gives_the_same_classifier(noisy: Any) -> None:
    X, y = noisy
    a = FrugalSVC(0.75, 0.6, pos_label=1).fit(X, y)
    b = FrugalSVC(0.6, 0.75, pos_label=0).fit(X, y)
    assert a.cost_ == b.cost_
    assert a.svc_.objective_ == pytest.approx(b.svc_.objective_, rel=1e-3)
    assert (a.train_tpr_, a.train_tnr_) == pytest.approx((b.train_tnr_, b.train_tpr_))


def test_result_is_plain_data(noisy: Any) -> None:
    X, y = noisy
    clf = FrugalSVC(0.75, 0.6).fit(X, y)
    result = clf.result_
    assert result.status is Status.OPTIMAL
    assert result.stop_reason is StopReason.COMPLETED
    assert result.gap == 0
    assert result.cost == clf.cost_ == clf.bound_ == len(result.support)
    assert result.solver
    assert result.solver_version
    assert dataclasses.asdict(result)["cost"] == clf.cost_


def test_include_and_exclude(noisy: Any) -> None:
    X, y = noisy
    free = FrugalSelector(0.7, 0.6).fit(X, y)
    best = free.result_.support[0]
    without = FrugalSelector(0.7, 0.6, exclude=[best]).fit(X, y)
    assert not without.get_support()[best]
    assert without.cost_ >= free.cost_
    other = next(k for k in range(4) if k not in free.result_.support)
    both = FrugalSelector(0.7, 0.6, include=[other]).fit(X, y)
    assert both.get_support()[other]
    assert free.cost_ <= both.cost_ <= free.cost_ + 1


def test_nothing_needs_no_feature(noisy: Any) -> None:
    X, y = noisy
    clf = FrugalSVC(0.0, 1.0).fit(X, y)
    assert clf.cost_ == clf.bound_ == 0.0
    assert not clf.get_support().any()
    assert (clf.predict(X) == 0).all()


@pytest.mark.parametrize("standardize", [True, False])
def test_training_that_finds_nothing_falls_back_on_the_selection(
    standardize: bool, noisy: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    X, y = noisy
    honest = frugalsvm.engine.dispatch.Engine.train

    def find_nothing(*args: Any, **kwargs: Any) -> Any:
        return dataclasses.replace(
            honest(*args, **kwargs),
            status=Status.UNKNOWN,
            objective=math.inf,
            stop_reason=StopReason.TIME_LIMIT,
        )

    exact = FrugalSVC(0.75, 0.6, standardize=standardize).fit(X, y)
    monkeypatch.setattr(frugalsvm.engine.dispatch.Engine, "train", find_nothing)
    with pytest.warns(ConvergenceWarning, match="training of FrugalSVC did not finish"):
        clf = FrugalSVC(0.75, 0.6, standardize=standardize).fit(X, y)
    assert clf.svc_.status_ == "feasible"
    assert clf.svc_.objective_ > exact.svc_.objective_ > clf.svc_.bound_ - 1e-9
    assert counted(clf, X, y) >= (0.75, 0.6)
    with pytest.raises(NoSolutionError, match="RateSVC"):
        RateSVC(0.75, 0.6).fit(X, y)


def test_infeasible_rates_are_explained_and_the_reported_pairs_succeed(noisy: Any) -> None:
    X, y = noisy
    with pytest.raises(InfeasibleRatesError) as caught:
        FrugalSelector(1.0, 1.0).fit(X, y)
    error = caught.value
    assert error.proven
    assert (error.n_positive, error.n_negative) == (int(y.sum()), int((1 - y).sum()))
    assert f"among {error.n_positive} positives" in str(error)
    assert 0 <= error.best_tpr < 1
    assert 0 <= error.best_tnr < 1
    printed = re.findall(r"\(min_tpr=([\d.]+), min_tnr=([\d.]+)\)", str(error))
    assert len(printed) == 3
    assert error.balanced is not None
    assert min(error.balanced) > max(error.best_tpr, error.best_tnr) - 0.5
    for tpr, tnr in printed:
        FrugalSelector(float(tpr), float(tnr)).fit(X, y)
    assert FrugalSelector(error.best_tpr, 1.0).fit(X, y).train_tnr_ == 1.0
    assert FrugalSelector(1.0, error.best_tnr).fit(X, y).train_tpr_ == 1.0


@pytest.mark.parametrize(("m2", "proven"), [(100.0, False), (math.inf, True)])
def test_a_model_with_finite_m2_proves_nothing(m2: float, proven: bool, noisy: Any) -> None:
    with pytest.raises(InfeasibleRatesError) as caught:
        FrugalSelector(1.0, 1.0, solver="highs", solver_options={"m2": m2}).fit(*noisy)
    assert caught.value.proven is proven


def test_infeasible_rates_with_a_correction_are_in_the_user_s_terms(noisy: Any) -> None:
    X, y = noisy
    with pytest.raises(InfeasibleRatesError) as caught:
        FrugalSVC(0.9, 0.85, correction="hoeffding").fit(X, y)
    error = caught.value
    assert error.min_tpr > 0.9
    FrugalSVC(error.best_tpr, 0.85, correction="hoeffding").fit(X, y)
    FrugalSVC(0.9, error.best_tnr, correction="hoeffding").fit(X, y)


def test_contradicting_duplicates_are_infeasible_for_every_kernel() -> None:
    X = np.repeat([[0.0, 1.0], [1.0, 0.0]], 6, axis=0)
    y = np.array([0, 1] * 6)
    with pytest.raises(InfeasibleRatesError) as caught:
        RateSVC(0.9, 0.9, kernel="rbf").fit(X, y)
    assert caught.value.proven
    RateSVC(caught.value.best_tpr, 0.9, kernel="rbf").fit(X, y)


def test_no_solution_in_time_is_another_error() -> None:
    rng = np.random.default_rng(0)
    X, y = rng.normal(size=(300, 40)), rng.integers(0, 2, size=300)
    with pytest.raises(NoSolutionError, match="whether one exists is not known") as caught:
        FrugalSelector(0.8, 0.8, solver="highs", time_limit=0.2).fit(X, y)
    assert caught.value.bound >= 0
    assert not isinstance(caught.value, ValueError)
    assert "try solver='auto'" in str(caught.value)


def test_no_solution_names_the_rates_reached_and_no_advice_in_use() -> None:
    rng = np.random.default_rng(0)
    X, y = rng.normal(size=(300, 40)), rng.integers(0, 2, size=300)
    begun = time.perf_counter()
    with pytest.raises(NoSolutionError) as caught:
        FrugalSelector(0.8, 0.8, time_limit=0.5).fit(X, y)
    error, elapsed = caught.value, time.perf_counter() - begun
    assert "solver=" not in str(error)
    assert "Give it more time (time_limit), or lower the targets." in str(error)
    assert 0 < error.best_tpr < 0.8
    assert 0 < error.best_tnr < 0.8
    seconds = float(re.search(r"time limit after ([\d.]+) s", str(error))[1])
    assert 0.4 <= seconds <= elapsed + 0.1
    printed = re.findall(r"\(min_tpr=([\d.]+), min_tnr=([\d.]+)\)", str(error))
    assert len(printed) == 2
    for tpr, tnr in printed:
        FrugalSelector(float(tpr), float(tnr), time_limit=5.0).fit(X, y)


def test_hoeffding_failures_say_to_what_the_rates_were_raised(noisy: Any) -> None:
    with pytest.raises(InfeasibleRatesError, match=r"correction raised them from 0\.9 and 0\.85"):
        FrugalSVC(0.9, 0.85, correction="hoeffding").fit(*noisy)


def tampered(change: dict[str, Any]) -> Any:
    honest = frugalsvm.engine.dispatch.Engine.select

    def select(*args: Any, **kwargs: Any) -> SelectionResult:
        result = honest(*args, **kwargs)
        return dataclasses.replace(
            result, **{name: f(getattr(result, name)) for name, f in change.items()}
        )

    return select


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"cost": lambda c: c - 1}, "cost .* reported"),
        ({"bound": lambda b: b + 1}, "bound .* above cost"),
        ({"weights": lambda w: w * 0.5}, "wrong, budget"),
        ({"intercept": lambda b: b + 5}, "wrong, budget"),
        ({"support": lambda s: (*s, 3) if 3 not in s else s[:-1]}, "no weight|outside the support"),
        ({"weights": lambda w: w * 1000}, "exceeds max_weight"),
    ],
)
def test_a_wrong_answer_is_caught_and_filed(
    change: dict[str, Any], message: str, noisy: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(frugalsvm.engine.dispatch.Engine, "select", tampered(change))
    with pytest.raises(VerificationError, match=message) as caught:
        FrugalSelector(0.75, 0.6).fit(*noisy)
    report = caught.value.report
    assert report is not None
    with np.load(report, allow_pickle=False) as filed:
        assert filed["problem.X"].shape == (60, 4)
        assert filed["result.weights"].shape == (4,)
    report.unlink()


def test_a_wrong_trained_answer_is_caught(noisy: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    honest = frugalsvm.engine.dispatch.Engine.train

    def train(*args: Any, **kwargs: Any) -> Any:
        result = honest(*args, **kwargs)
        return dataclasses.replace(result, objective=result.objective * 0.9)

    monkeypatch.setattr(frugalsvm.engine.dispatch.Engine, "train", train)
    with pytest.raises(VerificationError, match=r"objective .* reported") as caught:
        RateSVC(0.75, 0.6).fit(*noisy)
    assert caught.value.report is not None
    caught.value.report.unlink()


def test_progress_is_reported(noisy: Any) -> None:
    seen: list[Any] = []
    clf = FrugalSVC(0.75, 0.6, callback=seen.append).fit(*noisy)
    assert seen
    selection = [p for p in seen if not math.isinf(p.cost)]
    assert selection[0].seconds >= 0
    assert clf.cost_ in {p.cost for p in selection}


def test_alternatives_have_the_same_cost() -> None:
    rng = np.random.default_rng(0)
    a = rng.normal(size=80)
    noise = rng.normal(scale=0.05, size=(80, 2))
    X = pd.DataFrame({"a": a + noise[:, 0], "b": a + noise[:, 1], "c": rng.normal(size=80)})
    clf = FrugalSVC(0.9, 0.9, n_alternatives=5).fit(X, a > 0)
    assert clf.cost_ == 1
    assert [alternative.tolist() for alternative in clf.alternatives_] in ([[1]], [[0]])
