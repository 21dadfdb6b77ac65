"""HOSVM against a plain, slow reimplementation on scikit-learn's SVC."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray
from sklearn.datasets import make_classification
from sklearn.metrics.pairwise import pairwise_kernels
from sklearn.svm import SVC

from frugalsvm.inputs.svm_kernels import Kernel
from frugalsvm.peers import HoldOutSVC
from frugalsvm.peers.elimination import scores_without, split

Matrix = NDArray[np.float64]


def instance(seed: int, n: int = 60, d: int = 7) -> tuple[Matrix, NDArray[np.int64]]:
    X, y = make_classification(
        n, d, n_informative=3, n_redundant=1, flip_y=0.1, class_sep=0.8, random_state=seed
    )
    return (X - X.mean(axis=0)) / X.std(axis=0), y


def plain_hosvm(
    X: Matrix, y: NDArray[np.int64], kernel: str, parameters: dict[str, float], most: int, seed: int
) -> list[int]:
    """Eliminate features one by one, with kernels computed anew without each of them."""
    rng = np.random.default_rng(seed)
    left = list(range(X.shape[1]))
    while len(left) > 1:
        held: list[int] = []
        for label in (0, 1):
            members = [int(i) for i in rng.permutation(np.flatnonzero(y == label))]
            held += members[: max(1, round(0.3 * len(members)))]
        train = [i for i in range(len(y)) if i not in held]
        svc = SVC(kernel=kernel, **parameters).fit(X[np.ix_(train, left)], y[train])
        truth = 2 * y[held] - 1

        def judged(scores: Matrix, truth: Any = truth) -> tuple[int, float]:
            wrong = int((np.where(scores > 0, 1, -1) != truth).sum())
            return wrong, float(np.maximum(0, 1 - truth * scores).sum())

        base, _ = judged(svc.decision_function(X[np.ix_(held, left)]))
        ranking = []
        for p in left:
            rest = [k for k in left if k != p]
            K = pairwise_kernels(
                X[np.ix_(held, rest)],
                X[np.ix_([train[i] for i in svc.support_], rest)],
                metric=kernel,
                filter_params=True,
                **parameters,
            )
            ranking.append((*judged(K @ svc.dual_coef_[0] + svc.intercept_[0]), p))
        fewest, _, worst = min(ranking)
        if len(left) <= most and fewest > base:
            break
        left.remove(worst)
    return left


@pytest.mark.parametrize(
    ("kernel", "parameters"),
    [
        ("linear", {}),
        ("rbf", {"gamma": 0.2}),
        ("poly", {"gamma": 0.5, "degree": 2, "coef0": 1.0}),
    ],
)
@pytest.mark.parametrize("most", [None, 3])
def test_the_same_features_as_a_plain_reimplementation(
    kernel: str, parameters: dict[str, Any], most: int | None
) -> None:
    sizes = set()
    for seed in range(8):
        X, y = instance(seed)
        clf = HoldOutSVC(
            most, kernel=kernel, **parameters, standardize=False, random_state=seed
        ).fit(X, y)
        expected = plain_hosvm(X, y, kernel, parameters, most or X.shape[1], seed)
        assert np.flatnonzero(clf.get_support()).tolist() == expected
        svc = SVC(kernel=kernel, **parameters).fit(X[:, expected], y)
        np.testing.assert_allclose(
            clf.decision_function(X), svc.decision_function(X[:, expected]), atol=1e-8
        )
        assert clf.stop_reason_ == "completed"
        sizes.add(len(expected))
    assert len(sizes) > 1  # the errors decide, not a fixed number


@pytest.mark.parametrize("kind", ["linear", "rbf", "laplacian"])
def test_scores_without_a_feature_are_those_of_the_shorter_kernel(kind: str) -> None:
    X, y = instance(1)
    kernel = Kernel(kind, 0.3, degree=3, coef0=0.0)
    svc = SVC(kernel=kernel.matrix).fit(X[:40], y[:40])
    scores = scores_without(svc, kernel, X[:40], X[40:])
    for p in range(X.shape[1]):
        rest = [k for k in range(X.shape[1]) if k != p]
        K = kernel.matrix(X[40:][:, rest], X[:40][svc.support_][:, rest])
        np.testing.assert_allclose(scores[:, p], K @ svc.dual_coef_[0] + svc.intercept_[0])


def test_every_class_keeps_a_sample_to_train_on() -> None:
    signs = np.array([1.0, -1.0, -1.0, -1.0])
    train, held = split(signs, np.arange(4), 0.9, np.random.default_rng(0))
    assert 0 in train
    assert len(held) == 2
    assert sorted([*train, *held]) == [0, 1, 2, 3]


def test_at_most_so_many_features_also_with_large_steps_and_no_time() -> None:
    X, y = instance(3, n=80, d=40)
    for step in (1, 7, 0.5):
        assert HoldOutSVC(4, step=step).fit(X, y).get_support().sum() <= 4
    assert HoldOutSVC(2).fit(X[[0, 1]], [0, 1]).get_support().sum() == 2  # none can be held out
    wide = np.random.default_rng(0).normal(size=(60, 4000))
    wide[:, 0] += 2 * (y[:60] > 0)
    hurried = HoldOutSVC(5, time_limit=0.5).fit(wide, y[:60])
    assert hurried.stop_reason_ == "time limit"
    assert hurried.get_support().sum() == 5


def test_rounds_say_why_it_ended() -> None:
    X, y = instance(0)
    clf = HoldOutSVC().fit(X, y)
    sizes = [seen.n_features for seen in clf.rounds_]
    assert sizes == sorted(sizes, reverse=True)
    assert all(seen.errors_without <= seen.errors for seen in clf.rounds_[:-1])
    last = clf.rounds_[-1]
    assert last.errors_without > last.errors or last.n_features == 2
