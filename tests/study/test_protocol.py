"""Folds, counts, tuning, thresholds: the pieces of Algorithm 1."""

from __future__ import annotations

import math
import os

import numpy as np
import pytest
from sklearn.metrics.pairwise import rbf_kernel
from sklearn.svm import SVC

from frugalsvm.data.problem import CountLimit, MarginProblem
from frugalsvm.data.rates import ErrorBudget, RateTargets
from frugalsvm.data.verify import counted_correct
from frugalsvm.inputs.standardize import Standardizer
from frugalsvm.margin import train
from frugalsvm.runtime.stopping import Stopper
from frugalsvm.sparse import batch
from frugalsvm.study import StudySettings, load_dataset, rivals
from frugalsvm.study.baseline import linear_svm_path, linear_svm_paths
from frugalsvm.study.counts import Counts, best_index, is_balanced, tuning_score
from frugalsvm.study.datasets.coding import Dataset
from frugalsvm.study.embedding import RadialFeatures
from frugalsvm.study.folds import inner_splits, outer_splits
from frugalsvm.study.plan import tasks_of
from frugalsvm.study.protocol import Fold
from frugalsvm.study.rivals import CHOOSERS, RIVALS, run_rival
from frugalsvm.study.selection import Selected, select, select_inner
from frugalsvm.study.summary import spread, summarize
from frugalsvm.study.thresholds import thresholds
from frugalsvm.study.training import train_fold


def blobs(n: int = 60, d: int = 6, seed: int = 0, flip: float = 0.05) -> Dataset:
    rng = np.random.default_rng(seed)
    y = np.arange(n) % 3 != 0
    X = rng.normal(size=(n, d))
    X[:, 0] += np.where(y, 1.5, -1.5)
    X[:, 1] += np.where(y, 0.8, -0.8)
    y ^= rng.random(n) < flip
    names = tuple(f"f{k}" for k in range(d))
    return Dataset("blobs", X, y, names, names, {}, "p", "n")


def test_outer_and_inner_folds_partition_what_they_split() -> None:
    y = blobs(150).y
    settings = StudySettings()
    outer = outer_splits(y, settings)
    assert len(outer) == 10
    np.testing.assert_array_equal(np.sort(np.concatenate([s.test for s in outer])), np.arange(150))
    inner = inner_splits(y, outer[3], 3, settings)
    assert len(inner) == 10
    np.testing.assert_array_equal(np.sort(np.concatenate([s.test for s in inner])), outer[3].train)
    for split in inner:
        assert not set(split.train) & set(split.test)
        assert not set(split.train) & set(outer[3].test)


def test_small_data_sets_leave_one_out_in_both_loops() -> None:
    y = blobs(99).y
    outer = outer_splits(y, StudySettings())
    assert len(outer) == 99
    assert len(inner_splits(y, outer[0], 0, StudySettings())) == 98
    assert len(outer_splits(blobs(100).y, StudySettings())) == 10


def test_counts_and_rates() -> None:
    counts = Counts.of(np.array([1.0, -1.0, 2.0, -3.0, 0.0]), np.array([1, 1, 1, 0, 0], dtype=bool))
    assert counts == Counts(2, 1, 2, 0)
    assert (counts.accuracy, counts.tnr) == (0.8, 1.0)
    assert math.isnan(Counts(0, 0, 1, 0).tpr)


def test_balanced_data_are_tuned_by_accuracy_and_unbalanced_by_the_geometric_mean() -> None:
    lazy, fair = [Counts(9, 0, 0, 2)], [Counts(6, 3, 2, 0)]
    assert tuning_score(lazy, balanced=True) > tuning_score(fair, balanced=True)
    assert tuning_score(lazy, balanced=False) < tuning_score(fair, balanced=False)
    assert is_balanced(np.arange(9) % 3 == 0)
    assert not is_balanced(np.arange(10) < 3)


def test_ties_go_to_the_last_as_in_algorithm_1() -> None:
    assert best_index([0.5, 0.9, 0.9, 0.1]) == 2


def test_leave_one_out_rates_are_pooled_and_others_averaged() -> None:
    singles = [{"counts": c} for c in ([1, 0, 0, 0], [0, 1, 0, 0], [0, 0, 1, 0])]
    rates = summarize(singles)
    assert (rates.tpr.mean, rates.tnr.mean) == (0.5, 1.0)
    assert rates.tpr.std == 0.5
    folds = [{"counts": [8, 2, 5, 0]}, {"counts": [6, 4, 5, 0]}]
    assert summarize(folds).tpr.mean == pytest.approx(0.7)
    assert summarize(folds).tpr.std == pytest.approx(np.std([0.8, 0.6], ddof=1))


def test_the_papers_deviations_are_sample_deviations() -> None:
    """10 counts of mean 6.2 have the published deviation 0.919 with n - 1 only."""
    counts = [5.0, 5, 6, 6, 6, 6, 6, 7, 7, 8]
    assert spread(counts).mean == 6.2
    assert spread(counts).std == pytest.approx(0.919, abs=5e-4)


def test_thresholds_are_the_standard_svms_rates_less_a_fortieth() -> None:
    svm = [{"counts": [9, 1, 5, 5]}, {"counts": [10, 0, 6, 4]}]
    plain = thresholds("plain", "votes", svm, 0.272)
    assert plain.min_tpr == pytest.approx(0.925)
    assert plain.min_tnr == pytest.approx(0.525)
    assert plain.correction is None
    careful = thresholds("hoeffding", "votes", svm, 0.272)
    assert (careful.correction, careful.alpha) == ("hoeffding", 0.272)
    assert thresholds("0.85/0.575", "votes", [], 0.272) == RateTargets(0.85, 0.575)


def test_the_papers_thresholds_are_those_of_its_own_standard_svm() -> None:
    """.798 and .912 on Australian in the plain table, for both corrections."""
    plain = thresholds("paper-plain", "australian", [], 0.272)
    careful = thresholds("paper-hoeffding", "australian", [], 0.272)
    for found in (plain, careful):
        assert (found.min_tpr, found.min_tnr) == pytest.approx((0.773, 0.887))
    assert (plain.correction, careful.correction) == (None, "hoeffding")
    assert plain.budget(345, 276) == ErrorBudget(78, 31)
    assert careful.budget(345, 276) == ErrorBudget(63, 17)


@pytest.mark.parametrize("steps", [60, 6])
def test_many_small_svms_at_once_are_those_one_by_one(
    monkeypatch: pytest.MonkeyPatch, steps: int
) -> None:
    """Also where the steps do not suffice and the single solver takes over."""
    monkeypatch.setattr(batch, "MAX_STEPS", steps)
    whole = blobs(41, 3, flip=0.1)
    everyone = np.arange(41)
    sets = [(whole.X[everyone != i], whole.y[everyone != i]) for i in range(0, 41, 8)]
    sets.append((np.full((40, 3), 2.0), sets[0][1]))  # nothing to learn from
    costs = [2.0**-5, 1.0, 2.0**5]
    for (X, y), path in zip(sets, linear_svm_paths(sets, costs), strict=True):
        for plane, single in zip(path, linear_svm_path(X, y, costs), strict=True):
            np.testing.assert_allclose(plane.coef, single.coef, atol=1e-5)
            assert plane.intercept == pytest.approx(single.intercept, abs=1e-5)


@pytest.mark.skipif("FRUGALSVM_DATA" not in os.environ, reason="FRUGALSVM_DATA is not set")
def test_interior_points_do_not_go_round_in_circles() -> None:
    """Mehrotra's correction alone circles at a gap of 1e-4 on three of these training sets."""
    data = load_dataset("leukemia")
    fold = Fold.of(data, StudySettings(), 9)
    X = data.X[:, [2287, 4846]]
    sets = [(X[split.train], data.y[split.train]) for split in fold.inner]
    for (X_one, y), (plane,) in zip(sets, linear_svm_paths(sets, [8.0]), strict=True):
        (single,) = linear_svm_path(X_one, y, [8.0])
        np.testing.assert_allclose(plane.scores(X_one), single.scores(X_one), atol=1e-5)


@pytest.mark.parametrize("shape", [(80, 6), (30, 200)])
def test_standard_svm_is_libsvms_with_half_the_papers_c(shape: tuple[int, int]) -> None:
    data = blobs(*shape, flip=0.1)
    planes = linear_svm_path(data.X, data.y, [0.25, 4.0])
    Z = Standardizer.fit(data.X).transform(data.X)
    for C, plane in zip([0.25, 4.0], planes, strict=True):
        theirs = SVC(kernel="linear", C=C / 2, tol=1e-8).fit(Z, data.y)
        np.testing.assert_allclose(
            plane.scores(data.X), theirs.decision_function(Z), rtol=1e-3, atol=2e-3
        )


def test_separable_data_need_one_solution_for_all_greater_c() -> None:
    data = blobs(30, 60, flip=0.0)
    costs = [8.0, 0.03, 64.0]
    together = linear_svm_path(data.X, data.y, costs)
    assert together[0] is together[2]
    for C, plane in zip(costs, together, strict=True):
        (alone,) = linear_svm_path(data.X, data.y, [C])
        np.testing.assert_allclose(plane.coef, alone.coef, rtol=1e-4, atol=1e-6)


def test_selection_and_training_keep_the_budgets(tiny: StudySettings) -> None:
    data = blobs(90)
    fold = Fold.of(data, tiny, 0)
    targets = RateTargets(0.8, 0.8)
    X, y = fold.training(fold.outer)
    outer = select(X, y, targets, time_limit=20.0, seed=0)
    assert outer.attainable
    assert outer.status == "optimal"
    assert Selected.from_dict(outer.as_dict()) == outer
    inner = [
        select_inner(*fold.training(s), targets, time_limit=20.0, seed=0, outer=outer, reuse=False)
        for s in fold.inner
    ]
    trained = train_fold(fold, outer, inner, "linear")
    assert trained.as_dict()["status"] == "optimal"
    assert sum(trained.counts.as_list()) == len(fold.outer.test)
    radial = train_fold(fold, outer, inner, "radial")
    assert radial.point.gamma in tiny.gammas


def test_targets_out_of_reach_are_solved_at_the_nearest_attainable() -> None:
    data = blobs(90, d=3, flip=0.2)
    found = select(data.X, data.y, RateTargets(1.0, 1.0), time_limit=20.0, seed=0)
    assert not found.attainable
    assert found.asked_budget == (0, 0)
    assert found.status == "optimal"


def test_no_fold_is_dropped_when_time_is_too_short() -> None:
    data = blobs(90, d=3, flip=0.2)
    found = select(data.X, data.y, RateTargets(1.0, 1.0), time_limit=1e-9, seed=0)
    wrong = ~counted_correct(found.plane(3).scores(data.X), data.y)
    assert (wrong[data.y].sum(), wrong[~data.y].sum()) <= found.budget
    assert found.asked_budget == (0, 0)
    assert 1 <= found.cost == len(found.support)
    assert found.bound <= found.cost


def test_inner_selection_reuses_the_outer_support_where_it_fits() -> None:
    data = blobs(60, flip=0.0)
    targets = RateTargets(0.93, 0.93)
    assert targets.budget(40, 20) == targets.budget(40, 19)
    outer = select(data.X, data.y, targets, time_limit=20.0, seed=0)
    inner = select_inner(
        data.X[1:], data.y[1:], targets, time_limit=20.0, seed=0, outer=outer, reuse=True
    )
    assert len(inner.support) <= len(outer.support)


def test_inner_selection_takes_a_single_feature_where_one_is_enough() -> None:
    """Without its one hard sample, a training set that needs two features needs one."""
    y = np.arange(40) % 2 == 0
    X = np.column_stack([np.where(y, 1.0, -1.0), np.zeros(40), np.linspace(-1, 1, 40)])
    X[0, :2] = -1.0, 5.0
    targets = RateTargets(1.0, 1.0)
    outer = select(X, y, targets, time_limit=20.0, seed=0)
    assert len(outer.support) == 2
    inner = select_inner(X[1:], y[1:], targets, time_limit=20.0, seed=0, outer=outer, reuse=True)
    assert inner.support == (0,)
    kept = select_inner(X[:-1], y[:-1], targets, time_limit=20.0, seed=0, outer=outer, reuse=True)
    assert kept.support == outer.support
    assert kept.attainable


def test_inner_targets_out_of_reach_borrow_the_outer_support_at_its_errors() -> None:
    data = blobs(60, flip=0.2)
    loose, tight = RateTargets(0.7, 0.7), RateTargets(1.0, 1.0)
    outer = select(data.X, data.y, loose, time_limit=20.0, seed=0)
    inner = select_inner(
        data.X[1:], data.y[1:], tight, time_limit=20.0, seed=0, outer=outer, reuse=True
    )
    wrong = ~counted_correct(outer.plane(6).scores(data.X[1:]), data.y[1:])
    assert inner.support == outer.support
    assert inner.budget == (wrong[data.y[1:]].sum(), wrong[~data.y[1:]].sum())
    assert inner.asked_budget == (0, 0)


def test_the_papers_rival_runs_before_the_others() -> None:
    folds = {"votes": 10, "careval": 10}
    tasks = tasks_of(["compare_plain"], ["votes", "careval"], folds, StudySettings())
    methods = [task.method for task in tasks if task.kind == "rival"]
    assert methods == [method for method in RIVALS for _ in range(20)]
    assert [task.stage for task in tasks] == sorted(task.stage for task in tasks)


def test_radial_features_give_the_kernels_classifier() -> None:
    rng = np.random.default_rng(0)
    Z = rng.integers(0, 2, size=(60, 3)).astype(float)
    positive = (Z @ [1.0, 1.0, -1.0] + rng.normal(scale=0.6, size=60)) > 0.5
    embedded = RadialFeatures.of(Z, 0.7)
    assert embedded is not None
    gram = rbf_kernel(Z, gamma=0.7)
    np.testing.assert_allclose(embedded.transform(Z) @ embedded.transform(Z).T, gram, atol=1e-9)
    limits = (CountLimit("TPR", positive, 9), CountLimit("TNR", ~positive, 9))
    by_gram = train(MarginProblem(None, gram, positive, limits, 2.0), stop=Stopper(20))
    by_features = train(
        MarginProblem(embedded.transform(Z), None, positive, limits, 2.0), stop=Stopper(20)
    )
    assert by_features.objective == pytest.approx(by_gram.objective, rel=1e-3)
    assert RadialFeatures.of(rng.normal(size=(60, 3)), 0.7) is None


@pytest.mark.parametrize("method", RIVALS)
def test_rivals_use_at_most_the_features_they_may(method: str, tiny: StudySettings) -> None:
    fold = Fold.of(blobs(90), tiny, 0)
    C, support, counts = run_rival(fold, method, 2)
    assert C in tiny.costs
    assert 1 <= len(support) <= 2
    assert 0 in support
    assert counts.accuracy > 0.6


@pytest.mark.parametrize("method", CHOOSERS)
def test_rivals_bear_constant_columns_and_many_features(
    method: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(rivals, "SHORTLIST", 8)
    data = blobs(60, d=210, flip=0.0)
    data.X[:, 5] = 3.0
    Z = Standardizer.fit(data.X).transform(data.X)
    support = CHOOSERS[method](Z, data.y, 3, 0)
    assert len(support) <= 3
    assert 5 not in support
