"""What the trainer promises about time, repeatability, statuses and odd data."""

import subprocess
import sys
import time
from dataclasses import replace

import numpy as np
import pytest
from sklearn.metrics.pairwise import rbf_kernel

from frugalsvm.data.problem import CountLimit, MarginProblem
from frugalsvm.data.result import Status, StopReason
from frugalsvm.margin import Effort, MarginOptions, train, train_grid, train_path
from frugalsvm.margin.proof import ladder
from frugalsvm.runtime.stopping import Stopper
from margin_instances import check_answer, overlapping_problem, two_limits, wisconsin


@pytest.fixture(scope="module")
def hard() -> MarginProblem:
    """Return a problem that stays open for long."""
    problem = overlapping_problem(0, n=1200, d=3, budgets=(60, 60), C=0.001)
    train(problem, stop=Stopper(), effort=Effort.QUICK)  # compiles
    return problem


def test_time_limit_is_kept_and_leaves_a_bound(hard: MarginProblem) -> None:
    started = time.perf_counter()
    result = train(hard, stop=Stopper(2.0))
    assert time.perf_counter() - started <= 3.2
    assert result.status is Status.FEASIBLE
    assert result.stop_reason is StopReason.TIME_LIMIT
    assert 0.0 < result.bound < result.objective
    check_answer(hard, result)


def test_a_proof_out_of_reach_is_given_up_before_the_limit(
    hard: MarginProblem, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A gap of 92 % used up whatever time there was, and left none to the rest of a report."""
    monkeypatch.setattr(ladder, "FIRST_TURN", 300_000)  # about a third of a second
    result = train(hard, stop=Stopper(600.0))
    assert result.seconds < 300.0
    assert result.stop_reason is StopReason.EFFORT_LIMIT
    assert result.status is Status.FEASIBLE
    assert result.bound < 0.4 * result.objective
    check_answer(hard, result)


def test_interrupt_returns_the_best_so_far(hard: MarginProblem) -> None:
    stop = Stopper()
    result = train(hard, stop=stop, on_progress=lambda _: stop.interrupt())
    assert result.stop_reason is StopReason.INTERRUPTED
    assert result.status is Status.FEASIBLE
    check_answer(hard, result)


def test_no_time_at_all_is_not_taken_for_infeasible() -> None:
    problem = overlapping_problem(3)
    result = train(problem, stop=Stopper(0.0))
    assert result.status is Status.FEASIBLE  # a discriminant, shifted: it costs next to nothing
    assert result.stop_reason is StopReason.TIME_LIMIT
    check_answer(problem, result)
    strict = replace(problem, limits=two_limits(problem.positive, 0, 0))
    result = train(strict, stop=Stopper(0.0))
    assert result.status is Status.UNKNOWN
    assert result.bound < np.inf


def test_node_limit_is_reported(hard: MarginProblem) -> None:
    result = train(hard, stop=Stopper(), options=MarginOptions(node_limit=3))
    assert result.stop_reason is StopReason.NODE_LIMIT
    assert result.details["nodes"] <= 3


def test_same_seed_same_answer(hard: MarginProblem) -> None:
    first, second = (
        train(hard, stop=Stopper(), seed=5, options=MarginOptions(node_limit=20)) for _ in range(2)
    )
    np.testing.assert_array_equal(first.dual_coef, second.dual_coef)
    assert (first.objective, first.bound) == (second.objective, second.bound)


def test_quick_effort_repeats_and_is_labelled(hard: MarginProblem) -> None:
    first, second = (train(hard, stop=Stopper(), effort=Effort.QUICK) for _ in range(2))
    assert first.objective == second.objective
    assert first.stop_reason is StopReason.EFFORT_LIMIT
    check_answer(hard, first)


def test_progress_is_told(hard: MarginProblem) -> None:
    told = []
    result = train(
        hard, stop=Stopper(), on_progress=told.append, options=MarginOptions(node_limit=5)
    )
    assert tuple(told) == result.history
    assert told[-1].cost == pytest.approx(result.objective)


def test_row_order_does_not_matter() -> None:
    problem = overlapping_problem(11, n=60)
    order = np.random.default_rng(0).permutation(60)
    shuffled = MarginProblem(
        problem.features[order],
        None,
        problem.positive[order],
        tuple(replace(limit, members=limit.members[order]) for limit in problem.limits),
        problem.C,
    )
    one, other = (train(p, stop=Stopper(), tolerance=1e-6) for p in (problem, shuffled))
    assert one.objective == pytest.approx(other.objective, rel=3e-6)


def test_swapped_labels_give_the_mirror_image() -> None:
    problem = overlapping_problem(12, n=50, budgets=(1, 4))
    mirrored = MarginProblem(
        problem.features, None, ~problem.positive, two_limits(~problem.positive, 4, 1), problem.C
    )
    one, other = (train(p, stop=Stopper(), tolerance=1e-6) for p in (problem, mirrored))
    assert one.objective == pytest.approx(other.objective, rel=3e-6)


def test_far_away_data_do_not_matter() -> None:
    problem = overlapping_problem(13, n=50)
    moved = replace(problem, features=problem.features + 1e3)
    one, other = (train(p, stop=Stopper(), tolerance=1e-6) for p in (problem, moved))
    check_answer(moved, other)
    assert one.objective == pytest.approx(other.objective, rel=1e-5)


def test_without_features_the_classifier_is_constant() -> None:
    positive = np.arange(10) < 7
    for features in (np.zeros((10, 3)), np.zeros((10, 0))):
        problem = MarginProblem(features, None, positive, two_limits(positive, 0, 3), 2.0)
        result = train(problem, stop=Stopper())
        check_answer(problem, result)
        assert result.objective == pytest.approx(2.0 * 2.0 * 3)
        tight = replace(problem, limits=two_limits(positive, 0, 2))
        assert train(tight, stop=Stopper()).status is Status.INFEASIBLE


def test_duplicates_with_both_labels_are_proven_infeasible() -> None:
    X = np.repeat(np.random.default_rng(0).normal(size=(10, 2)), 2, axis=0)
    positive = np.arange(20) % 2 == 0
    problem = MarginProblem(X, None, positive, two_limits(positive, 4, 5), 1.0)
    result = train(problem, stop=Stopper())
    assert result.status is Status.INFEASIBLE
    assert np.isinf(result.bound)


def test_one_class_only() -> None:
    positive = np.ones(6, dtype=bool)
    X = np.random.default_rng(0).normal(size=(6, 2))
    problem = MarginProblem(X, None, positive, (CountLimit("tpr", positive, 0),), 1.0)
    result = train(problem, stop=Stopper())
    assert result.status is Status.OPTIMAL
    assert result.objective == pytest.approx(0.0, abs=1e-9)


def test_indefinite_kernels_are_refused() -> None:
    positive = np.array([True, True, False, False])
    limits = two_limits(positive, 1, 1)
    indefinite = np.array(
        [[1.0, 2.0, 0, 0], [2.0, 1.0, 0, 0], [0, 0, 1.0, 0], [0, 0, 0, 1.0]], dtype=float
    )
    with pytest.raises(ValueError, match="not positive semidefinite"):
        train(MarginProblem(None, indefinite, positive, limits, 1.0), stop=Stopper())
    lopsided = np.eye(4)
    lopsided[0, 1] = 0.5
    with pytest.raises(ValueError, match="not symmetric"):
        train(MarginProblem(None, lopsided, positive, limits, 1.0), stop=Stopper())
    missing = np.full((4, 4), np.nan)
    with pytest.raises(ValueError, match="NaN"):
        train(MarginProblem(None, missing, positive, limits, 1.0), stop=Stopper())


def test_path_is_nondecreasing_and_as_good_as_alone() -> None:
    problem = wisconsin([23, 24], (10, 15), 1.0)
    Cs = [2.0**k for k in range(-5, 6)]
    path = train_path(problem, Cs, stop=Stopper())
    objectives = [result.objective for result in path]
    assert objectives == sorted(objectives)
    for C, result in zip(Cs, path, strict=True):
        check_answer(replace(problem, C=C), result)
    for k, optimum in ((0, 231.5634), (5, 298.3107), (10, 2412.240)):
        assert objectives[k] <= optimum * 1.001


@pytest.mark.parametrize("gamma", [None, 0.5])
def test_a_certified_path_equals_single_trainings(gamma: float | None) -> None:
    problem = overlapping_problem(21, n=60, budgets=(5, 4))
    if gamma is not None:
        problem = replace(problem, features=None, gram=rbf_kernel(problem.features, gamma=gamma))
    Cs = [8.0, 0.05, 0.5]
    path = train_path(problem, Cs, stop=Stopper(), tolerance=1e-6, effort=Effort.EXACT)
    for C, result in zip(Cs, path, strict=True):
        alone = train(replace(problem, C=C), stop=Stopper(), tolerance=1e-6)
        check_answer(replace(problem, C=C), result)
        assert result.status is Status.OPTIMAL
        assert alone.status is Status.OPTIMAL
        assert result.objective == pytest.approx(alone.objective, rel=2e-6)


def test_a_grid_is_a_path_for_each_kernel() -> None:
    problem = overlapping_problem(2, n=30)
    grams = [rbf_kernel(problem.features, gamma=gamma) for gamma in (0.5, 2.0)]
    grid = list(train_grid(problem, iter(grams), [0.5, 2.0], stop=Stopper()))
    for gram, path in zip(grams, grid, strict=True):
        kernel = replace(problem, features=None, gram=gram)
        alone = train_path(kernel, [0.5, 2.0], stop=Stopper())
        assert [r.objective for r in path] == [r.objective for r in alone]


def test_importing_the_package_does_not_import_numba() -> None:
    code = "import sys, frugalsvm.margin; sys.exit('numba' in sys.modules)"
    assert subprocess.run([sys.executable, "-c", code], check=False).returncode == 0


def test_intermixed_samples_and_a_radial_kernel_raise_no_warning() -> None:
    """Nearly dependent rows once let the promise of an exchange overflow."""
    linear = wisconsin([13, 18], (20, 11), 1.0)
    gram = rbf_kernel(linear.features, gamma=2.0)
    problem = replace(linear, features=None, gram=gram)
    result = train(problem, stop=Stopper(), effort=Effort.QUICK)
    if result.has_answer:
        check_answer(problem, result)
    assert result.status is not Status.INFEASIBLE  # all samples differ: some norm suffices
