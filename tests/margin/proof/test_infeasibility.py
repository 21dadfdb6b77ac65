"""Infeasibility is claimed where a ray proves it, and nowhere else."""

from __future__ import annotations

import math
from dataclasses import replace

import numpy as np
import pytest
from numpy.typing import NDArray
from sklearn.datasets import load_breast_cancer
from sklearn.metrics.pairwise import rbf_kernel

from frugalsvm import FrugalSVC, InfeasibleRatesError, RateSVC
from frugalsvm.data.problem import MarginProblem
from frugalsvm.data.result import Status
from frugalsvm.margin import train
from frugalsvm.margin.proof.infeasibility import is_ray
from frugalsvm.margin.rows.reduction import evened, reduce
from frugalsvm.margin.tuning import UNITS
from frugalsvm.runtime.stopping import Stopper
from margin_instances import check_answer, tiny_problem, two_limits
from reference_margin import brute_force

OUTLIER = [[1.0], [2.0], [3.0], [4.0], [1e6]]
LABELS = [0, 0, 1, 1, 1]


def separable(X: NDArray[np.float64], positive: NDArray[np.bool_], C: float = 1.0) -> MarginProblem:
    return MarginProblem(X, None, positive, two_limits(positive, 0, 0), C)


def test_an_outlier_was_a_proof_of_infeasibility() -> None:
    raw = RateSVC(1.0, 1.0, standardize=False).fit(OUTLIER, LABELS)
    assert (raw.status_, raw.objective_) == ("optimal", pytest.approx(4.0))
    scaled = RateSVC(1.0, 1.0).fit(OUTLIER, LABELS)
    assert scaled.status_ == "optimal"
    assert scaled.objective_ == pytest.approx(4.0 * np.var(OUTLIER))
    np.testing.assert_array_equal(scaled.predict(OUTLIER), LABELS)


@pytest.mark.parametrize("outlier", [1e2, 1e4, 1e8, 1e10])
def test_outliers_of_two_features_leave_the_others_their_answer(outlier: float) -> None:
    X = np.array([[0.0, 0.0], [1.0, 2.0], [0.2, 1.0], [2.0, 0.5], [outlier, -1.0], [1.5, 1.0]])
    positive = np.array([False, True, False, True, True, True])
    result = train(separable(X, positive), stop=Stopper())
    check_answer(separable(X, positive), result)
    near = X.copy()
    near[4, 0] = 100.0  # as far on the right side: no sample that decides
    assert result.status is Status.OPTIMAL
    assert result.objective == pytest.approx(brute_force(separable(near, positive)), rel=1e-3)


def test_a_large_C_on_raw_features_was_a_proof_of_infeasibility() -> None:
    X, y = load_breast_cancer(return_X_y=True)
    clf = RateSVC(0.85, 0.85, C=1e5, standardize=False).fit(X[:, :4], y)
    assert clf.status_ == "optimal"
    small = RateSVC(0.85, 0.85, C=1e3, standardize=False).fit(X[:, :4], y)
    assert small.objective_ <= clf.objective_ <= 100 * small.objective_ * 1.001


def test_a_huge_C_failed_its_own_verification() -> None:
    X, y = load_breast_cancer(return_X_y=True)
    clf = FrugalSVC(0.7, 0.7, C=1e12).fit(X, y)
    assert clf.cost_ == clf.bound_ == 1.0
    assert min(clf.train_tpr_, clf.train_tnr_) >= 0.7
    assert math.isfinite(clf.svc_.bound_)


@pytest.mark.parametrize("C", [1e9, 1e11, 1e13])
def test_a_huge_C_changed_which_problems_are_feasible(C: float) -> None:
    infeasible = 0
    for seed in range(4000, 4080):
        problem = tiny_problem(seed)
        feasible = math.isfinite(brute_force(problem))
        infeasible += not feasible
        result = train(replace(problem, C=C), stop=Stopper())
        assert result.has_answer == feasible, seed
        if not feasible:
            assert result.status is Status.INFEASIBLE, seed
    assert infeasible > 10


def test_a_bound_on_slacks_that_is_just_met_was_infeasible() -> None:
    X, y = load_breast_cancer(return_X_y=True)
    X, y = X[:60, :3], y[:60]
    clf = RateSVC(1.0, 0.0, C=1e5, max_slack=2.0).fit(X, y)  # w = 0, b = 1
    assert clf.objective_ == pytest.approx(2e5 * (y == 0).sum(), rel=1e-4)
    positive = y == 1
    without = MarginProblem(np.zeros((60, 1)), None, positive, two_limits(positive, 0, 60), 1.0)
    assert train(replace(without, max_slack=2.0), stop=Stopper()).has_answer
    assert train(replace(without, max_slack=2.0 - 1e-9), stop=Stopper()).status in (
        Status.UNKNOWN,  # nearer to feasible than margins are counted
        Status.OPTIMAL,
    )
    result = train(replace(without, max_slack=1.9), stop=Stopper())
    assert result.status is Status.INFEASIBLE


@pytest.mark.parametrize("scale", [1e-60, 1e-8, 1.0, 1e8, 1e60])
def test_the_unit_of_the_features_does_not_matter(scale: float) -> None:
    rng = np.random.default_rng(3)
    X = rng.normal(size=(8, 2))
    positive = X[:, 0] > 0.0
    result = train(separable(scale * X, positive), stop=Stopper())
    same = train(separable(X, positive, C=scale**2), stop=Stopper())
    assert result.status is same.status is Status.OPTIMAL
    assert result.objective * scale**2 == pytest.approx(same.objective, rel=1e-3)
    positive[:4] = ~positive[:4]
    if math.isinf(brute_force(separable(X, positive))):
        result = train(separable(scale * X, positive), stop=Stopper())
        assert result.status is Status.INFEASIBLE


def test_a_radial_kernel_that_hardly_tells_samples_apart_is_not_infeasible() -> None:
    """All samples differ, so that some norm does: no matrix in double precision shows it."""
    X = np.linspace(0.0, 1.0, 12)[:, None]
    positive = np.arange(12) % 2 == 0
    gram = rbf_kernel(X, gamma=1e-3)
    problem = MarginProblem(None, gram, positive, two_limits(positive, 0, 0), 1.0)
    result = train(problem, stop=Stopper(20.0))
    assert result.status is not Status.INFEASIBLE
    assert math.isfinite(result.bound)


def test_what_is_not_proven_is_said_so() -> None:
    X = np.linspace(0.0, 1.0, 12)[:, None]
    y = np.arange(12) % 2
    with pytest.raises(InfeasibleRatesError, match=r"^No SVM .* was found to meet") as unmet:
        RateSVC(1.0, 1.0, kernel="rbf", gamma=1e-4).fit(X, y)
    assert not unmet.value.proven
    with pytest.raises(InfeasibleRatesError, match="It is proven") as unmet:
        RateSVC(1.0, 1.0).fit(X, y)
    assert unmet.value.proven


@pytest.mark.parametrize("offset", [0.0, 1e3])
def test_equal_samples_of_both_classes_are_proven_infeasible_for_a_radial_kernel(
    offset: float,
) -> None:
    rng = np.random.default_rng(0)
    X = np.repeat(rng.normal(size=(10, 3)), 2, axis=0) + offset
    y = np.arange(20) % 2
    with pytest.raises(InfeasibleRatesError) as unmet:
        RateSVC(0.9, 0.9, kernel="rbf", standardize=False).fit(X, y)
    assert unmet.value.proven


LINE = np.array([[0.0, 0.0], [1.0, 1.0], [2.0, 2.0]])
ENDS = np.array([True, False, True])


def line_problem(X: NDArray[np.float64], max_slack: float | None = None) -> MarginProblem:
    return MarginProblem(X, None, ENDS, two_limits(ENDS, 0, 0), 1.0, max_slack)


def test_a_ray_is_made_good_and_then_believed() -> None:
    problem = line_problem(LINE)
    rows = reduce(problem, Stopper())
    assert is_ray(problem, rows, np.array([0.5, -1.0, 0.5]))
    assert is_ray(problem, rows, np.array([0.5001, -1.0, 0.4998]))  # the rows decide, not the guess
    assert not is_ray(problem, rows, np.array([0.5, -0.5, 0.0]))  # two rows that do hold together
    assert not is_ray(problem, rows, np.array([-0.5, 1.0, -0.5]))  # wrong signs


def test_traces_of_rounding_with_a_wrong_sign_hid_a_ray() -> None:
    """Two positives next to nothing, and a negative in the place of a third one."""
    positive = np.array([True, True, True, False])
    X = np.array([[2.0, 0.0], [2.0, 2.0], [1.0, 1.0], [1.0, 1.0]])
    problem = MarginProblem(X, None, positive, two_limits(positive, 0, 0), 1.0)
    rows = reduce(problem, Stopper())
    assert is_ray(problem, rows, np.array([-1e-48, -3e-48, 1.0, -1.0]))
    assert not is_ray(problem, rows, np.array([-1e-3, -3e-3, 1.0, -1.0]))
    assert not is_ray(problem, rows, np.zeros(4))


def test_what_the_solver_left_is_a_proof_however_it_ended() -> None:
    """It stalled on a conflict of two samples in one place, and nothing was said."""
    assert train(tiny_problem(10419), stop=Stopper()).status is Status.INFEASIBLE


@pytest.mark.parametrize(("units", "proven"), [(0.2, True), (20.0, False), (1e6, False)])
def test_a_ray_has_a_margin_of_a_few_units_in_the_last_place(units: float, proven: bool) -> None:
    moved = LINE.copy()
    moved[1, 1] += units * UNITS
    problem = line_problem(moved)
    assert is_ray(problem, reduce(problem, Stopper()), np.array([0.5, -1.0, 0.5])) == proven


def test_a_gain_of_rounding_size_is_no_ray() -> None:
    """Targets 1 and 1 - M cancel at M = 2: the sum of multipliers times targets is a rounding."""
    X = np.zeros((2, 1))
    positive = np.array([True, False])
    for max_slack, proven in ((1.9, True), (2.0 - 1e-7, False), (2.0, False), (2.1, False)):
        limits = two_limits(positive, 0, 1)
        problem = MarginProblem(X, None, positive, limits, 1.0, max_slack)
        rows = reduce(problem, Stopper())  # the positive is hard, the negative bounded
        guess = np.array([1.0, 0.0, 0.0, -1.0])
        assert is_ray(problem, rows, guess) == proven


def test_a_kernels_ray_has_to_be_exact() -> None:
    gram = LINE @ LINE.T
    limits = two_limits(ENDS, 0, 0)
    exact = MarginProblem(None, gram, ENDS, limits, 1.0)
    assert is_ray(exact, reduce(exact, Stopper()), np.array([0.5, -1.0, 0.5]))
    rounded = MarginProblem(None, gram * (1.0 + 1e-15 * np.eye(3)), ENDS, limits, 1.0)
    assert not is_ray(rounded, reduce(rounded, Stopper()), np.array([0.5, -1.0, 0.5]))


def test_a_kernels_ray_has_to_hold_in_every_row() -> None:
    """By their own entries two samples coincide; a third tells them apart."""
    gram = np.array([[1.0, 1.0, 0.5], [1.0, 1.0, 0.5 - 1e-9], [0.5, 0.5 - 1e-9, 1.0]])
    positive = np.array([True, False, True])
    problem = MarginProblem(None, gram, positive, two_limits(positive, 0, 0), 1.0)
    assert not is_ray(problem, reduce(problem, Stopper()), np.array([1.0, -1.0, 0.0]))
    gram[1, 2] = gram[2, 1] = 0.5
    assert is_ray(problem, reduce(problem, Stopper()), np.array([1.0, -1.0, 0.0]))


def test_samples_that_a_kernel_hardly_tells_apart_were_merged() -> None:
    """Merged samples are wrong together: a bound that rests on it was wrong."""
    X = np.arange(8.0)[:, None]
    gram = np.exp(-1e-14 * np.abs(X - X.T))
    positive = np.arange(8) < 4
    problem = MarginProblem(None, gram, positive, two_limits(positive, 1, 1), 1.0)
    assert reduce(problem, Stopper()).n_groups == 8


def test_an_outlier_of_a_million_millions_led_beyond_an_array() -> None:
    X = np.array(
        [
            [1.32287517e-04, -2.01579042e04],
            [2.72901340e-05, -1.25870487e04],
            [-9.21160475e-05, 1.52027299e02],
            [1.06471176e-04, -1.27254238e04],
            [4.50701179e-05, -1.97059430e12],
            [-5.21713727e-06, -1.68411649e04],
            [8.73529943e-05, 2.07579910e02],
        ]
    )
    positive = np.array([True, False, True, True, True, True, False])
    result = train(separable(X, positive, C=680.0), stop=Stopper())
    assert not result.has_answer  # the optimum of exact arithmetic is infinite
    assert math.isinf(
        brute_force(separable(X[[0, 1, 2, 3, 5, 6]] / [1e-4, 1e4], positive[[0, 1, 2, 3, 5, 6]]))
    )


def test_even_features_keep_what_can_hold_and_give_the_weights_back() -> None:
    rng = np.random.default_rng(0)
    X = rng.normal(size=(30, 3)) * [1e6, 1.0, 1e-6]
    X[:, 2] += 1e-12 * X[:, 0]
    positive = X[:, 1] > 0.0
    rows = reduce(separable(X, positive), Stopper())
    even = evened(rows)
    spread = np.linalg.svd(even.Z, compute_uv=False)
    assert spread[0] < 10 * spread[-1]
    weights = rng.normal(size=3)
    np.testing.assert_allclose(rows.Z @ even.given_weights(weights), even.Z @ weights)
