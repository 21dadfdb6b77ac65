"""The history of a search as a figure: what is drawn is what was told."""

import math

import matplotlib as mpl
import pytest

from frugalsvm.data.result import Progress
from frugalsvm.displays.history import HistoryDisplay

mpl.use("Agg")

HISTORY = (
    Progress(0.1, math.inf, 2.0, "scan"),
    Progress(0.2, 9.0, 2.0, "heuristic"),
    Progress(0.5, 5.0, 2.0, "improvement"),
    Progress(1.5, 5.0, 4.0, "enumeration"),
    Progress(2.0, 4.0, 4.0, "enumeration"),
)


def test_cost_and_bound_are_steps_to_the_end() -> None:
    display = HistoryDisplay(history=HISTORY, seconds=2.5).plot()
    bound, cost = display.ax_.get_lines()
    assert list(cost.get_xdata()) == [0.2, 0.5, 1.5, 2.0, 2.5]
    assert list(cost.get_ydata()) == [9, 5, 5, 4, 4]
    assert list(bound.get_ydata()) == [2, 2, 2, 4, 4, 4]


def test_the_tactics_that_moved_cost_or_bound_are_named() -> None:
    display = HistoryDisplay(history=HISTORY, seconds=2.5).plot()
    texts = {text.get_text() for text in display.ax_.texts}
    lowered = {"heuristic: 9", "improvement: 5", "enumeration: 4"}
    assert texts == lowered | {"scan: at least 2", "enumeration: at least 4"}


@pytest.mark.parametrize("history", [(), HISTORY[:1]])
def test_nothing_found_draws_no_cost(history) -> None:
    display = HistoryDisplay(history=history, seconds=1.0).plot()
    assert len(display.ax_.get_lines()[1].get_xdata()) == 0
