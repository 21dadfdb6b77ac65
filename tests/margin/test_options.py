"""Options that change nothing by being there."""

from __future__ import annotations

from frugalsvm.margin.options import Effort, MarginOptions
from frugalsvm.margin.trainer import train
from margin_instances import job, tiny_problem


def test_a_witness_is_no_part_of_what_options_are_equal() -> None:
    result = train(tiny_problem(1), job())
    assert MarginOptions(witness=result) == MarginOptions()
    assert "witness" not in repr(MarginOptions(witness=result))
    assert [str(effort) for effort in Effort] == ["exact", "quick"]
