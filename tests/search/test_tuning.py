"""The numbers that decide how much work goes where keep their order."""

from __future__ import annotations

from frugalsvm.search import tuning
from frugalsvm.search.tuning import Effort, Rung


def test_ladders_go_from_cheap_to_sure() -> None:
    ladders = (*tuning.THOROUGH, tuning.LAST_RESORT, tuning.COVER_LOOK, tuning.COVER_SURE)
    for ladder in ladders:
        assert all(isinstance(rung, Rung) for rung in ladder)
        for judge in ("cuts", "errors"):
            nodes = [rung.nodes for rung in ladder if rung.judge == judge]
            assert nodes == sorted(nodes)
            assert all(number > 0 for number in nodes)
        assert any(rung.judge != "guess" for rung in ladder)  # fits alone rule nothing out


def test_efforts_shrink_with_many_samples_but_are_never_made_up() -> None:
    effort = Effort(100, 0, 3_000)
    assert effort.scaled(2_000) == effort
    assert effort.scaled(20_000) == Effort(10, 0, 300)
    assert effort.scaled(10**9) == Effort(10, 0, 20)


def test_efforts_rise_and_free_features_where_they_can_be_paid() -> None:
    for before, after in zip(tuning.EFFORTS[:-1], tuning.EFFORTS[1:], strict=True):
        assert before.cell_boxes < after.cell_boxes
        assert before.conflict_nodes < after.conflict_nodes
        assert before.boxes < after.boxes
    assert tuning.EFFORTS[0].cell_boxes < tuning.FREE_ONE <= tuning.EFFORTS[1].cell_boxes
    assert tuning.EFFORTS[2].cell_boxes >= tuning.FREE_SEVERAL
