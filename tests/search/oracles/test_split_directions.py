"""One hard support by several hands: the same verdict as by one, and in one piece."""

from __future__ import annotations

import numpy as np
import pytest

from frugalsvm.runtime.hands import Threads
from frugalsvm.runtime.stopping import Stopper
from frugalsvm.search import SearchOptions
from frugalsvm.search.oracles import split_directions
from frugalsvm.search.oracles.direction_boxes import open_faces
from frugalsvm.search.oracles.directions import OnSupport
from frugalsvm.search.oracles.ladder import climb
from frugalsvm.search.oracles.split_directions import SplitDirections, dealt_out
from frugalsvm.search.problem.hyperplane import gap
from frugalsvm.search.problem.reduction import reduce_problem
from frugalsvm.search.state import SearchState
from frugalsvm.search.tuning import PARTS, Effort, Rung
from frugalsvm.search.verdict import Verdict
from fuzz.reference.gaps import largest_gap
from reference_selection import is_feasible, random_problem

FAR = 10**9


def overlapping(d: int, need: int, seed: int = 0) -> OnSupport:
    """Two clouds that overlap; so many of the 60 samples of each have to be right."""
    rng = np.random.default_rng(seed)
    points = rng.standard_normal((120, d))
    points[:60] += 0.5
    return OnSupport(points, 60, np.ones(120, np.int64), need, need, 0.02)


def judged(on: OnSupport, threads: int, most: int = FAR) -> tuple[Verdict, int]:
    halt = np.zeros(1, np.int64)
    hands = Threads(threads, halt, lambda: None)
    split = SplitDirections(on)
    try:
        return split.judge(most, hands), split.opened
    finally:
        hands.dismiss()


@pytest.mark.parametrize("need", [44, 46, 48])
def test_the_verdict_does_not_depend_on_the_number_of_hands(need: int) -> None:
    on = overlapping(5, need)
    (one, opened), (two, again), (three, third) = (judged(on, threads) for threads in (1, 2, 3))
    assert one.decided
    assert one.code == two.code == three.code
    assert opened == again == third
    if one.direction is not None:
        assert two.direction is not None
        assert np.array_equal(one.direction, two.direction)


def test_both_verdicts_are_met() -> None:
    assert judged(overlapping(5, 46), 2)[0].feasible
    verdict, opened = judged(overlapping(5, 48), 2)
    assert verdict.infeasible
    assert opened > 10_000


def test_judging_goes_on_where_it_was_left() -> None:
    on = overlapping(5, 48)
    whole, opened = judged(on, 2)
    assert whole.infeasible
    hands = Threads(2, np.zeros(1, np.int64), lambda: None)
    split = SplitDirections(on)
    assert not split.judge(3_000, hands).decided
    assert 0 < split.opened < opened
    assert split.judge(FAR, hands).infeasible
    assert split.opened == opened
    hands.dismiss()


@pytest.mark.parametrize("seed", range(12))
def test_no_box_is_lost_from_round_to_round(monkeypatch: pytest.MonkeyPatch, seed: int) -> None:
    """The floor is just below the widest gap there is: some box holds the only direction."""
    monkeypatch.setattr(split_directions, "FIRST_ROUND", 1)
    monkeypatch.setattr(split_directions, "LONGEST_ROUND", 1)
    monkeypatch.setattr(split_directions, "PARTS", 3)
    points = np.random.default_rng(seed).standard_normal((24, 3))
    points[:12] += 0.7
    widest = largest_gap(points, np.arange(24) < 12, 8, 8)
    assert widest > 0.0
    ones = np.ones(24, np.int64)
    for part, feasible in ((0.999, True), (1.001, False)):
        verdict, _ = judged(OnSupport(points, 12, ones, 8, 8, part * widest), 2)
        assert verdict.decided
        assert verdict.feasible == feasible


def test_halted_it_leaves_the_support_undecided() -> None:
    halt = np.ones(1, np.int64)
    hands = Threads(2, halt, lambda: None)
    assert not SplitDirections(overlapping(5, 48)).judge(FAR, hands).decided
    hands.dismiss()


def test_no_box_is_lost_where_they_are_dealt_out() -> None:
    faces, count = open_faces(30, 0)
    assert count == 60
    parts = list(dealt_out([faces, faces, faces]))
    assert len(parts) == PARTS
    assert sum(len(part.depths) for part in parts) == 3 * 60
    centers = sorted(map(tuple, np.concatenate([part.centers for part in parts])))
    assert centers == sorted(3 * list(map(tuple, faces.centers)))


@pytest.mark.parametrize("seed", range(5_000, 5_030))
def test_boxes_say_what_the_reference_says(seed: int) -> None:
    core = reduce_problem(random_problem(seed))
    if not (core.n_features and core.need_pos and core.need_neg):
        return
    state = SearchState(core, Stopper(60.0), threads=2)
    verdict = climb(state, range(core.n_features), (Rung("boxes", effort=Effort(0, 0, 50_000)),))
    state.dismiss_hands()
    if verdict.decided:
        whole = core.original_support(tuple(range(core.n_features)))
        assert verdict.feasible == is_feasible(core.source, whole)
        assert state.door.tallies["directions"].asked == 1
    if verdict.direction is not None:
        assert gap(core, verdict.direction) >= core.floor


def test_switched_off_directions_open_no_boxes() -> None:
    core = reduce_problem(random_problem(11))
    state = SearchState(core, Stopper(60.0), SearchOptions(directions=False))
    assert not climb(state, (0,), (Rung("boxes", effort=Effort(0, 0, 50_000)),)).decided
    assert state.door.tallies == {}
