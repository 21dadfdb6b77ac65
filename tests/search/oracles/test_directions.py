"""Branch and bound over directions, against the widest gap that the MILP of the reference finds."""

from __future__ import annotations

import functools

import numpy as np
import pytest

from frugalsvm.search.oracles.direction_boxes import Boxes, open_faces
from frugalsvm.search.oracles.directions import MAX_DEPTH, OnSupport, search_boxes
from frugalsvm.search.problem.hyperplane import gap
from frugalsvm.search.problem.reduction import CoreProblem
from frugalsvm.search.verdict import FEASIBLE, INFEASIBLE, UNDECIDED
from reference_oracles import core_of
from reference_selection import largest_gap


def question(core: CoreProblem, chosen: np.ndarray, floor: float) -> OnSupport:
    points = np.ascontiguousarray(core.columns[chosen].T)
    return OnSupport(points, core.n_pos, core.weight, core.need_pos, core.need_neg, floor)


def opened(on: OnSupport) -> tuple[Boxes, int]:
    return open_faces(on.points.shape[1], 2 * MAX_DEPTH)


@functools.cache
def asked(seed: int) -> tuple[CoreProblem, np.ndarray, float]:
    """Return a problem, up to three of its features, and the widest gap on them."""
    core = core_of(seed)
    chosen = np.arange(min(3, core.n_features))
    return core, chosen, largest_gap(core.source, tuple(core.feature_ids[chosen].tolist()))


@pytest.mark.parametrize("seed", range(20))
def test_a_direction_is_found_just_where_one_is_wide_enough(seed: int) -> None:
    core, chosen, reached = asked(seed)
    floors = (0.999 * reached, 1.001 * reached) if reached > 1e-6 else (0.05,)
    for floor in floors:
        on, halt, found = (
            question(core, chosen, floor),
            np.zeros(1, np.int64),
            np.zeros(len(chosen)),
        )
        verdict, _, left, given_up = search_boxes(on, *opened(on), 10**6, halt, found)
        assert verdict == (FEASIBLE if floor < reached else INFEASIBLE)
        if verdict == FEASIBLE:
            direction = np.zeros(core.n_features)
            direction[chosen] = found
            assert gap(core, direction) >= floor
        else:
            assert (left, given_up) == (0, 0)


@pytest.mark.parametrize("seed", range(12))
def test_heavy_samples_are_as_many_as_they_weigh(seed: int) -> None:
    core, chosen, reached = asked(seed)
    rng = np.random.default_rng(seed)
    weight = rng.integers(1, 4, core.n_samples)
    pos, neg = int(weight[: core.n_pos].sum()), int(weight[core.n_pos :].sum())
    points = np.ascontiguousarray(core.columns[chosen].T)
    floor = max(0.05, 0.8 * reached)
    needs = max(1, pos - 2), max(1, neg - 2)
    heavy = OnSupport(points, core.n_pos, weight, *needs, floor)
    ones = np.ones(weight.sum(), np.int64)
    apart = OnSupport(np.repeat(points, weight, axis=0), pos, ones, *needs, floor)
    verdicts = []
    for on in (heavy, apart):
        found = np.zeros(len(chosen))
        verdicts.append(search_boxes(on, *opened(on), 10**6, np.zeros(1, np.int64), found)[0])
    assert verdicts[0] == verdicts[1] != UNDECIDED


@pytest.mark.parametrize("seed", range(8))
def test_a_search_in_pieces_ends_where_a_whole_one_does(seed: int) -> None:
    core, chosen, reached = asked(seed)
    on = question(core, chosen, 1.02 * reached if reached > 1e-6 else 0.01)
    found, halt = np.zeros(len(chosen)), np.zeros(1, np.int64)
    whole, _, _, _ = search_boxes(on, *opened(on), 10**6, halt, found)
    stack, size = opened(on)
    verdict = UNDECIDED
    while verdict == UNDECIDED:
        verdict, more, size, given_up = search_boxes(on, stack, size, 3, halt, found)
        assert more <= 3
        assert given_up == 0
    assert verdict == whole != UNDECIDED


def test_what_is_halted_is_undecided_and_nothing_is_lost() -> None:
    core, chosen, _ = asked(0)
    on = question(core, chosen, 0.01)
    stack, size = opened(on)
    halted = np.ones(1, np.int64)
    verdict = search_boxes(on, stack, size, 10**6, halted, np.zeros(len(chosen)))
    assert verdict == (UNDECIDED, 0, size, 0)
