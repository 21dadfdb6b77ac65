"""Many supports judged together: each as if it were alone, each as the reference says."""

from __future__ import annotations

import functools

import numpy as np
import pytest

from frugalsvm.search.door import Door
from frugalsvm.search.options import SearchOptions
from frugalsvm.search.oracles.batch import Oracles, Outcome, allowed, prepare_oracles
from frugalsvm.search.problem.hyperplane import gap
from frugalsvm.search.problem.reduction import CoreProblem, reduce_problem
from frugalsvm.search.regime import regime_of
from frugalsvm.search.tuning import Effort
from frugalsvm.search.verdict import FEASIBLE, INFEASIBLE, UNDECIDED
from reference_oracles import all_supports, core_of
from reference_selection import is_feasible, large_budgets

SURE = Effort(2_000, 5_000, 20_000)
ALONE = {
    "cells": Effort(2_000, 0, 0),
    "conflicts": Effort(0, 5_000, 0),
    "directions": Effort(0, 0, 20_000),
}


def oracles_of(core: CoreProblem) -> Oracles:
    return prepare_oracles(core, regime_of(core), np.zeros(1, np.int64), Door(core))


def padded(supports: list[tuple[int, ...]], room: int = 0) -> tuple[np.ndarray, np.ndarray]:
    """Return supports as rows, with room for more features than they have."""
    sizes = np.array([len(support) for support in supports], dtype=np.int64)
    rows = np.zeros((len(supports), int(sizes.max()) + room), np.int64)
    for row, support in zip(rows, supports, strict=True):
        row[: len(support)] = support
    return rows, sizes


@functools.cache
def known(seed: int) -> tuple[CoreProblem, list[tuple[int, ...]], list[bool]]:
    """Return a problem, all of its supports, and which are feasible by the reference."""
    core = core_of(seed)
    supports = all_supports(range(core.n_features))[1:]
    columns = [tuple(core.feature_ids[list(s)].tolist()) for s in supports]
    return core, supports, [is_feasible(core.source, s) for s in columns]


def check(core: CoreProblem, supports: list, feasible: list[bool], judged: Outcome) -> None:
    for support, expected, code, direction in zip(
        supports, feasible, judged.verdicts, judged.directions, strict=True
    ):
        assert code in (UNDECIDED, FEASIBLE if expected else INFEASIBLE), support
        if code == FEASIBLE:
            whole = np.zeros(core.n_features)
            whole[list(support)] = direction[: len(support)]
            assert gap(core, whole) >= core.floor


@pytest.mark.parametrize("oracle", ALONE)
@pytest.mark.parametrize("seed", range(10))
def test_an_oracle_says_what_the_reference_says_or_nothing(seed: int, oracle: str) -> None:
    core, supports, feasible = known(seed)
    oracles = oracles_of(core)
    judged = oracles.judge(*padded(supports), ALONE[oracle])
    check(core, supports, feasible, judged)
    tally = oracles.door.tallies.get(oracle)
    if tally is not None:
        assert tally.asked == len(supports)
        assert tally.ruled_out == np.count_nonzero(judged.verdicts == INFEASIBLE)
        assert tally.found == np.count_nonzero(judged.verdicts == FEASIBLE)
    assert set(oracles.door.tallies) <= {oracle}


@pytest.mark.parametrize("seed", range(10))
def test_all_of_them_together_decide_everything(seed: int) -> None:
    core, supports, feasible = known(seed)
    judged = oracles_of(core).judge(*padded(supports), SURE)
    check(core, supports, feasible, judged)
    assert np.all(judged.verdicts != UNDECIDED)


@pytest.mark.parametrize("seed", range(6))
def test_neither_order_nor_company_nor_room_changes_a_verdict(seed: int) -> None:
    core, supports, _ = known(seed)
    expected = oracles_of(core).judge(*padded(supports), SURE).verdicts
    order = np.random.default_rng(seed).permutation(len(supports))
    shuffled = oracles_of(core).judge(*padded([supports[r] for r in order], room=3), SURE)
    np.testing.assert_array_equal(shuffled.verdicts, expected[order])
    alone = [oracles_of(core).judge(*padded([s]), SURE).verdicts[0] for s in supports]
    np.testing.assert_array_equal(alone, expected)


def test_work_is_counted_and_none_is_done_where_nothing_is_allowed() -> None:
    core = reduce_problem(large_budgets(0))
    rows = padded([(0, 1), (0, 1, 2)])
    judged = oracles_of(core).judge(*rows, Effort(0, 5, 20))
    assert judged.work[0] == 0  # too many errors for conflicts
    assert 0 < judged.work[1] <= 2 * 20
    oracles = oracles_of(core)
    off = SearchOptions(cells=False, conflicts=False, directions=False)
    assert np.all(oracles.judge(*rows, SURE, off).verdicts == UNDECIDED)
    assert oracles.door.tallies == {}
    small = core_of(0)
    whole = padded([tuple(range(small.n_features))])
    assert oracles_of(small).judge(*whole, Effort(0, 5, 0)).work[0] > 0


def test_a_switch_takes_away_its_own_effort_only() -> None:
    for switch, left in (
        ("cells", Effort(0, 2, 3)),
        ("conflicts", Effort(1, 0, 3)),
        ("directions", Effort(1, 2, 0)),
    ):
        assert allowed(Effort(1, 2, 3), SearchOptions(**{switch: False})) == left
    assert allowed(Effort(1, 2, 3), SearchOptions()) == Effort(1, 2, 3)


@pytest.mark.parametrize("seed", range(12))
def test_merged_samples_on_a_support_are_the_samples(seed: int) -> None:
    core = core_of(seed)
    oracles = oracles_of(core)
    chosen = np.arange(min(2, core.n_features))
    for cells in (True, False):
        on = oracles.on_support(chosen, SearchOptions(cells=cells))
        assert on.weight.sum() == core.weight.sum()
        assert on.weight[: on.n_pos].sum() == core.weight[: core.n_pos].sum()
        merged = [(tuple(p), i < on.n_pos) for i, p in enumerate(on.points)]
        counted: dict[object, int] = {}
        for key, weight in zip(merged, on.weight.tolist(), strict=True):
            counted[key] = counted.get(key, 0) + weight
        expected: dict[object, int] = {}
        for i in range(core.n_samples):
            key = tuple(core.columns[chosen, i]), i < core.n_pos
            expected[key] = expected.get(key, 0) + int(core.weight[i])
        assert counted == expected
        discrete = cells and bool(np.all(oracles.arrays.counts[chosen] > 0))
        assert len(on.weight) == (len(expected) if discrete else core.n_samples)
