"""Conflicts are proofs: what is called one cannot be got right by any hyperplane in the box."""

from __future__ import annotations

import numpy as np
import pytest
from scipy.optimize import linprog

from frugalsvm.runtime.compiled import kernel
from frugalsvm.search.oracles.conflicts.min_norm_point import (
    BARRED,
    CONFLICT,
    FAILED,
    SEPARATED,
    USABLE,
    Hull,
    find_conflict,
    is_conflict,
)


@kernel
def conflicting(hull: Hull, m: int) -> bool:
    return bool(is_conflict(hull, m))


def hull_over(X: np.ndarray, positive: np.ndarray, max_weight: float) -> Hull:
    """Return the hull of samples, all of them usable."""
    n, d = X.shape
    y = np.where(positive, 1.0, -1.0)
    rows = np.ascontiguousarray((y[:, None] * np.c_[X, np.ones(n)]).T)
    room = d + 4
    return Hull(
        rows=rows,
        units=np.ones(d + 1),
        max_weight=max_weight,
        barred=np.full(n, USABLE),
        corral=np.zeros(room, np.int64),
        lam=np.zeros(room),
        v=np.zeros(d + 1),
        scores=np.empty(n),
        gram=np.empty((room, room)),
        factor=np.empty((room, room)),
        mu=np.empty(room),
        halfway=np.empty(room),
    )


def look_for_conflict(
    X: np.ndarray, positive: np.ndarray, max_weight: float
) -> tuple[int, np.ndarray]:
    hull = hull_over(X, positive, max_weight)
    outcome, m = find_conflict(hull, len(X), 0)
    return outcome, hull.corral[:m]


def can_all_be_right(X: np.ndarray, positive: np.ndarray, max_weight: float) -> bool:
    y = np.where(positive, 1.0, -1.0)
    d = X.shape[1]
    bounds = [(-max_weight, max_weight)] * d + [(None, None)]
    rows = -y[:, None] * np.c_[X, np.ones(len(X))]
    return linprog(np.zeros(d + 1), A_ub=rows, b_ub=-np.ones(len(X)), bounds=bounds).status == 0


@pytest.mark.parametrize("place", [0.0, 0.001])
def test_samples_of_one_class_are_never_in_conflict(place: float) -> None:
    """Next to the origin no weight helps, but the intercept does."""
    outcome, _ = look_for_conflict(np.full((3, 1), place), np.zeros(3, dtype=bool), 10.0)
    assert outcome == SEPARATED


@pytest.mark.parametrize("seed", range(200))
def test_conflicts_cannot_all_be_right(seed: int) -> None:
    rng = np.random.default_rng(seed)
    n, d = int(rng.integers(2, 12)), int(rng.integers(1, 4))
    X = rng.standard_normal((n, d))
    X *= np.where(rng.random((n, 1)) < 0.4, 0.02, 1.0)  # many near the origin
    X[rng.random(n) < 0.2] = 0.0
    positive = rng.random(n) < 0.5
    max_weight = float(rng.choice([2.0, 10.0, 100.0]))
    outcome, members = look_for_conflict(X, positive, max_weight)
    if outcome == CONFLICT:
        assert not can_all_be_right(X[members], positive[members], max_weight)


def clouds(seed: int, n: int = 20, d: int = 3) -> tuple[np.ndarray, np.ndarray]:
    """Return two clouds that overlap or not, now and then on a grid."""
    rng = np.random.default_rng(seed)
    positive = np.arange(n) % 2 == 0
    X = rng.standard_normal((n, d)) + rng.uniform(0, 2) * np.where(positive, 1.0, -1.0)[:, None]
    return (np.round(X) if seed % 3 == 0 else X), positive


@pytest.mark.parametrize("seed", range(40))
def test_separated_samples_are_and_others_are_in_conflict(seed: int) -> None:
    X, positive = clouds(seed)
    outcome, members = look_for_conflict(X, positive, 1e4)
    assert outcome != FAILED
    assert (outcome == SEPARATED) == can_all_be_right(X, positive, 1e4)
    if outcome == CONFLICT:
        assert len(members) <= X.shape[1] + 2
        assert len(set(members.tolist())) == len(members)


@pytest.mark.parametrize("seed", range(30))
def test_the_point_is_the_nearest_of_the_hull(seed: int) -> None:
    X, positive = clouds(seed, n=16)
    hull = hull_over(X, positive, 1e4)
    outcome, m = find_conflict(hull, len(X), 0)
    if outcome != SEPARATED:
        return
    weights = np.zeros(len(X))
    weights[hull.corral[:m]] = hull.lam[:m]
    assert weights.min() >= 0.0
    assert weights.sum() == pytest.approx(1.0)
    np.testing.assert_allclose(hull.rows @ weights, hull.v, atol=1e-12)
    # v is the nearest point just where no sample lies on its near side.
    assert (hull.v @ hull.rows).min() >= hull.v @ hull.v * (1.0 - 1e-9)


@pytest.mark.parametrize("seed", range(20))
def test_barred_samples_are_not_there(seed: int) -> None:
    X, positive = clouds(seed)
    barred = np.random.default_rng(seed).random(len(X)) < 0.4
    hull = hull_over(X, positive, 1e4)
    find_conflict(hull, len(X), 0)
    hull.barred[barred] = BARRED
    outcome, m = find_conflict(hull, len(X), 0)
    assert not barred[hull.corral[:m]].any()
    fresh, _ = look_for_conflict(X[~barred], positive[~barred], 1e4)
    assert outcome == fresh
    hull.barred[:] = BARRED
    assert find_conflict(hull, len(X), 3) == (SEPARATED, 0)


@pytest.mark.parametrize("seed", range(20))
def test_a_start_from_another_corral_ends_with_the_same_word(seed: int) -> None:
    X, positive = clouds(seed)
    rng = np.random.default_rng(seed)
    hull = hull_over(X, positive, 1e4)
    expected, _ = find_conflict(hull, len(X), 0)
    size = int(rng.integers(1, 5))
    hull.corral[:size] = rng.choice(len(X), size, replace=False)
    hull.lam[:size] = rng.dirichlet(np.ones(size))
    outcome, _ = find_conflict(hull, len(X), size)
    assert outcome in (expected, FAILED)


@pytest.mark.parametrize("seed", range(150))
def test_no_weights_of_samples_prove_what_is_not_so(seed: int) -> None:
    """Whatever point of the hull is looked at: a conflict is one by a linear program, too."""
    rng = np.random.default_rng(seed)
    d = int(rng.integers(1, 4))
    size = int(rng.integers(1, d + 3))
    X = rng.choice([1.0, 0.05]) * rng.standard_normal((size, d))
    positive = rng.random(size) < 0.5
    lam = rng.dirichlet(np.ones(size))
    for max_weight in (0.1, 1.0, 10.0):
        hull = hull_over(X, positive, max_weight)
        hull.corral[:size], hull.lam[:size] = np.arange(size), lam
        if conflicting(hull, size):
            assert not can_all_be_right(X, positive, max_weight)


@pytest.mark.parametrize("x", [0.3, 2.0])
def test_two_samples_are_in_conflict_up_to_the_weight_that_tells_them_apart(x: float) -> None:
    """One at x and one at -x: the weight 1/x has both of them right."""
    X, positive = np.array([[x], [-x]]), np.array([True, False])
    for max_weight, outcome in ((0.99 / x, CONFLICT), (1.01 / x, SEPARATED)):
        hull = hull_over(X, positive, max_weight)
        hull.corral[:2], hull.lam[:2] = [0, 1], [0.5, 0.5]
        assert conflicting(hull, 2) == (outcome == CONFLICT)
        assert can_all_be_right(X, positive, max_weight) == (outcome == SEPARATED)
