"""Standardising, labels, constraints, stopping: the small parts on their own."""

from __future__ import annotations

import math
import os
import signal
import threading

import numpy as np
import pytest

from frugalsvm import RateConstraint, accuracy, recall
from frugalsvm.data.rates import RateTargets
from frugalsvm.data.result import StopReason, relative_gap
from frugalsvm.inputs.constraints import count_limits
from frugalsvm.inputs.labels import read_labels
from frugalsvm.inputs.standardize import Standardizer
from frugalsvm.runtime.stopping import Stopper, interruptible


def test_standardised_columns_have_mean_zero_and_deviation_one() -> None:
    X = np.random.default_rng(0).normal(7, [1e-8, 1.0, 1e9], size=(50, 3))
    Z = Standardizer.fit(X).transform(X)
    assert Z.mean(axis=0) == pytest.approx(np.zeros(3), abs=1e-6)
    assert Z.std(axis=0) == pytest.approx(np.ones(3), rel=1e-6)


@pytest.mark.parametrize("value", [0.0, 0.1, -3e200, 1e-300])
def test_constant_columns_become_zero(value: float) -> None:
    X = np.column_stack([np.full(7, value), np.arange(7.0)])
    scaler = Standardizer.fit(X)
    assert scaler.constant.tolist() == [True, False]
    assert not scaler.transform(X + np.array([1.0, 0.0]))[:, 0].any()


def test_rounding_noise_is_constant() -> None:
    column = 1e6 + np.array([0.0, 1e-10, -1e-10, 0.0])
    assert Standardizer.fit(column[:, np.newaxis]).constant.all()


def test_a_column_whose_weights_would_be_lost_in_rounding_is_constant() -> None:
    """A relative spread of 2.4e-14 made an answer in the user's units break its budgets."""
    column = 1.0 + 2.4e-14 * np.array([-1.0, 1.0, -1.0, 1.0, 1.0, -1.0])
    assert Standardizer.fit(column[:, np.newaxis]).constant.all()
    assert not Standardizer.fit(1.0 + 100 * (column[:, np.newaxis] - 1.0)).constant.any()


def test_hyperplane_in_user_units_scores_the_same() -> None:
    X = np.random.default_rng(1).normal([3, -2, 5], [1, 10, 0.1], size=(40, 3))
    scaler = Standardizer.fit(X)
    w, b = np.array([1.0, -2.0, 0.5]), 0.7
    coef, intercept = scaler.to_user_units(w, b)
    assert X @ coef + intercept == pytest.approx(scaler.transform(X) @ w + b)


def test_labels_of_any_kind() -> None:
    y = np.array(["no", "yes", "no"])
    assert read_labels(y, None, "X").positive.tolist() == [False, True, False]
    assert read_labels(y, "no", "X").positive.tolist() == [True, False, True]
    assert read_labels(y, "no", "X").positive_label == "no"


@pytest.mark.parametrize(
    ("y", "pos_label", "message"),
    [
        ([1, 1, 1], None, "FrugalSVC needs samples of 2 classes"),
        (
            [0, 1, 2],
            None,
            "Only binary classification is supported. .* 3 classes, 0, 1, 2. Set one .* .y == 0.;",
        ),
        ([0.5, 1.5, 2.7], None, "Unknown label type: continuous"),
        ([0, 1, 1], 7, "'pos_label' parameter of FrugalSVC must be one of .* 0, 1. Got 7"),
    ],
)
def test_bad_labels_are_named(y: list[float], pos_label: object, message: str) -> None:
    with pytest.raises(ValueError, match=message):
        read_labels(np.array(y), pos_label, "FrugalSVC")


def limits(*constraints: object) -> list[tuple[str, int, int]]:
    y = np.array([1, 1, 1, 1, 0, 0, 0, 0, 0, 0])
    X = np.arange(10.0)[:, np.newaxis]
    labels = read_labels(y, None, "RateSVC")
    found = count_limits(RateTargets(0.75, 0.5), labels, constraints, X, "RateSVC")
    return [(limit.name, int(limit.members.sum()), limit.max_errors) for limit in found]


def test_limits_of_general_constraints() -> None:
    assert limits(accuracy(0.8), recall(0.5, 0, where=lambda X: X[:, 0] >= 7)) == [
        ("sensitivity", 4, 1),
        ("specificity", 6, 3),
        ("accuracy", 10, 2),
        ("recall of 0 in a subgroup", 3, 1),
    ]


@pytest.mark.parametrize(
    ("constraint", "message"),
    [
        (accuracy(1.2), r"min_rate of constraints\[0\] of RateSVC .* Got 1.2"),
        (recall(0.5, label=3), "must be one of the labels in y"),
        (recall(0.5, 1, where=np.ones(3, dtype=bool)), r"one entry per sample, 10. Got shape \(3,"),
        (recall(0.5, 1, where=np.arange(10)), "dtype int64"),
        (RateConstraint(0.5, where=lambda X: X[:, 0] > 99), "must not be none"),
    ],
)
def test_bad_constraints_are_named(constraint: RateConstraint, message: str) -> None:
    with pytest.raises(ValueError, match=message):
        limits(constraint)


def test_things_that_are_no_constraint_are_refused() -> None:
    with pytest.raises(TypeError, match="must hold RateConstraint objects"):
        limits(0.9)


def test_relative_gap() -> None:
    assert relative_gap(math.inf, 3.0) == math.inf
    assert relative_gap(10.0, 9.0) == pytest.approx(0.1)
    assert relative_gap(10.0, 10.0 + 1e-12) == 0.0


def test_stopper_ends_at_its_deadline_and_not_before() -> None:
    assert not Stopper(None)()
    assert not Stopper(100)()
    late = Stopper(1e-9)
    assert late()
    assert late.reason is StopReason.TIME_LIMIT
    assert late.remaining == 0.0


def test_a_part_hears_the_interrupt_of_the_whole() -> None:
    whole = Stopper(100)
    part = whole.within(50)
    assert not part()
    assert part.remaining <= 50
    whole.interrupt()
    assert part()
    assert part.reason is StopReason.INTERRUPTED


def test_first_interrupt_is_a_request_and_the_second_an_exception() -> None:
    before = signal.getsignal(signal.SIGINT)
    with interruptible(Stopper()) as stop:
        os.kill(os.getpid(), signal.SIGINT)
        assert stop()
        with pytest.raises(KeyboardInterrupt):
            os.kill(os.getpid(), signal.SIGINT)
    assert signal.getsignal(signal.SIGINT) is before


def test_an_interrupt_reaches_nested_work() -> None:
    with interruptible(Stopper()) as outer:
        with interruptible(Stopper()) as inner:
            os.kill(os.getpid(), signal.SIGINT)
            assert inner()
        assert outer()
        with interruptible(Stopper()) as later:
            assert not later()
            os.kill(os.getpid(), signal.SIGINT)
            assert later()
            with pytest.raises(KeyboardInterrupt):
                os.kill(os.getpid(), signal.SIGINT)
    assert signal.getsignal(signal.SIGINT) is signal.default_int_handler


def test_interruptible_leaves_other_threads_alone() -> None:
    seen = []

    def work() -> None:
        with interruptible(Stopper()):
            seen.append(signal.getsignal(signal.SIGINT))

    thread = threading.Thread(target=work)
    thread.start()
    thread.join()
    assert seen == [signal.default_int_handler]
