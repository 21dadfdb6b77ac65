"""The small simplex method: its bases, its certificates, and what they say, against HiGHS."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from frugalsvm.search.oracles.errors.separation import (
    CONFLICT,
    GO_ON,
    OPEN,
    SEPARATED,
    Points,
    Tableau,
    append,
    conflict_of,
    new_tableau,
    points_of,
    separate,
    start,
)
from frugalsvm.search.problem.reduction import CoreProblem, reduce_problem
from reference_oracles import widest_gap
from reference_selection import large_budgets


def samples(seed: int) -> CoreProblem:
    """Return thirty samples whose classes overlap more or less; every third time on a grid."""
    rng = np.random.default_rng(seed)
    y = np.where(np.arange(30) < 14, 1.0, -1.0)
    columns = rng.standard_normal((8, 30)) + rng.uniform(0, 0.8) * y
    columns = np.round(columns) if seed % 3 == 0 else columns
    return replace(reduce_problem(large_budgets(0)), columns=columns, n_pos=14, floor=0.02)


def reached(core: CoreProblem, chosen: np.ndarray, active: np.ndarray) -> float:
    """Return the widest gap of the active samples on some features."""
    positive = np.arange(core.columns.shape[1]) < core.n_pos
    return widest_gap(core.columns[chosen][:, active].T, positive[active])


def begun(core: CoreProblem, chosen: np.ndarray, active: np.ndarray) -> tuple[Points, Tableau]:
    points = points_of(core)
    tableau = new_tableau(core.columns.shape[1], core.n_features)
    assert start(points, chosen, len(chosen), active, tableau)
    return points, tableau


def matrix_of(points: Points, chosen: np.ndarray, tableau: Tableau) -> np.ndarray:
    """Return the columns of the basis as the linear program has them."""
    d, n = len(chosen), points.columns.shape[1]
    columns = np.zeros((d + 2, d + 2))
    for a, j in enumerate(tableau.basis[: d + 2]):
        if j < n:
            sign = 1.0 if j < points.n_pos else -1.0
            columns[:d, a] = sign * points.columns[chosen, j]
            columns[d if j < points.n_pos else d + 1, a] = 1.0
        else:
            columns[(j - n) // 2, a] = -1.0 if (j - n) % 2 == 0 else 1.0
    return columns


def check_basis(points: Points, chosen: np.ndarray, tableau: Tableau) -> None:
    m = len(chosen) + 2
    columns = matrix_of(points, chosen, tableau)
    np.testing.assert_allclose(tableau.inverse[:m, :m] @ columns, np.eye(m), atol=1e-7)
    rhs = np.concatenate((points.shift[: m - 2], [1.0, 1.0]))
    np.testing.assert_allclose(columns @ tableau.value[:m], rhs, atol=1e-9)
    assert tableau.value[:m].min() >= -1e-9
    assert len(set(tableau.basis[:m].tolist())) == m


@pytest.mark.parametrize("seed", range(30))
def test_samples_are_separated_just_where_the_gap_reaches_the_floor(seed: int) -> None:
    core = samples(seed)
    rng = np.random.default_rng(seed)
    chosen = np.sort(rng.choice(core.n_features, int(rng.integers(1, 6)), replace=False))
    active = rng.random(30) < 0.8
    active[[0, -1]] = True
    points, tableau = begun(core, chosen, active)
    check_basis(points, chosen, tableau)
    status = separate(points, chosen, len(chosen), active, tableau, 1_000)
    check_basis(points, chosen, tableau)
    wide = reached(core, chosen, active)
    assert status == (SEPARATED if wide >= core.floor else CONFLICT)
    if status == SEPARATED:
        w = -tableau.price[: len(chosen)]
        scores = w @ core.columns[chosen]
        gap = scores[: core.n_pos][active[: core.n_pos]].min()
        gap -= scores[core.n_pos :][active[core.n_pos :]].max()
        assert core.floor <= gap / np.abs(w).max() <= wide + 1e-9
        return
    members = np.zeros(core.n_features + 2, np.int64)
    count = conflict_of(points, chosen, len(chosen), active, tableau, members)
    assert 2 <= count <= len(chosen) + 2
    assert active[members[:count]].all()
    assert reached(core, chosen, np.isin(np.arange(30), members[:count])) < core.floor


@pytest.mark.parametrize("seed", range(20))
def test_a_feature_that_joins_leaves_a_right_basis(seed: int) -> None:
    core = samples(seed)
    rng = np.random.default_rng(seed)
    active = np.ones(30, np.bool_)
    order = rng.permutation(core.n_features)
    chosen = np.zeros(core.n_features, np.int64)
    chosen[0] = order[0]
    points, tableau = begun(core, chosen[:1], active)
    for d, k in enumerate(order[1:5].tolist(), start=1):
        separate(points, chosen, d, active, tableau, int(rng.integers(1, 50)))
        append(points, chosen, d, k, tableau)
        assert chosen[d] == k
        check_basis(points, chosen[: d + 1], tableau)
    status = separate(points, chosen, 5, active, tableau, 1_000)
    wide = reached(core, chosen[:5], active)
    assert status == (SEPARATED if wide >= core.floor else CONFLICT)


@pytest.mark.parametrize("seed", range(20))
def test_samples_that_are_switched_off_later_leave_the_basis(seed: int) -> None:
    core = samples(seed)
    rng = np.random.default_rng(seed)
    active, chosen = np.ones(30, np.bool_), np.arange(4)
    points, tableau = begun(core, chosen, active)
    for _ in range(3):
        status = separate(points, chosen, 4, active, tableau, 1_000)
        if status != CONFLICT:
            break
        members = np.zeros(core.n_features + 2, np.int64)
        count = conflict_of(points, chosen, 4, active, tableau, members)
        active[rng.choice(members[:count])] = False
        if not (active[: core.n_pos].any() and active[core.n_pos :].any()):
            return
        status = separate(points, chosen, 4, active, tableau, 1_000)
        wide = reached(core, chosen, active)
        assert status == (SEPARATED if wide >= core.floor else CONFLICT)
    check_basis(points, chosen, tableau)


def test_a_class_without_samples_has_nothing_to_separate() -> None:
    core = samples(0)
    for gone in (slice(0, core.n_pos), slice(core.n_pos, None)):
        active = np.ones(30, np.bool_)
        active[gone] = False
        tableau = new_tableau(30, core.n_features)
        assert not start(points_of(core), np.arange(3), 3, active, tableau)


def test_too_few_pivots_say_nothing_and_are_gone_on_with() -> None:
    waited = 0
    for seed in range(8):
        core = replace(samples(seed), floor=0.5)
        chosen, active = np.arange(3), np.ones(30, np.bool_)
        points, whole = begun(core, chosen, active)
        _, tableau = begun(core, chosen, active)
        expected = separate(points, chosen, 3, active, whole, 1_000)
        status = separate(points, chosen, 3, active, tableau, 1)
        while status == GO_ON:
            waited += 1
            status = separate(points, chosen, 3, active, tableau, 1)
        assert status == expected != OPEN
    assert waited >= 8


@pytest.mark.parametrize("seed", range(10))
def test_a_conflict_that_the_data_do_not_confirm_is_none(seed: int) -> None:
    """The basis is only believed as far as the means computed from it are close together."""
    core = samples(seed)
    chosen, active = np.arange(4), np.ones(30, np.bool_)
    points, tableau = begun(core, chosen, active)
    if separate(points, chosen, 4, active, tableau, 1_000) != CONFLICT:
        return
    members = np.zeros(core.n_features + 2, np.int64)
    m = 6
    assert conflict_of(points, chosen, 4, active, tableau, members) > 0
    tighter = points._replace(floor=1e-12)
    assert conflict_of(tighter, chosen, 4, active, tableau, members) == -1
    kept = tableau.value.copy()
    samples_in = np.flatnonzero(tableau.basis[:m] < 30)
    tableau.value[samples_in[tableau.basis[samples_in] < core.n_pos]] = 0.0
    assert conflict_of(points, chosen, 4, active, tableau, members) == -1  # one class alone
    tableau.value[:] = kept
    largest = samples_in[np.argmax(kept[samples_in])]
    active[tableau.basis[largest]] = False  # it does not count any more
    count = conflict_of(points, chosen, 4, active, tableau, members)
    assert count == -1 or tableau.basis[largest] not in members[:count]
