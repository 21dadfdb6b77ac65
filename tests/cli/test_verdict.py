"""The terminal says first what new data will miss, and never that unknown rates are missed."""

from __future__ import annotations

from dataclasses import replace

import pytest
from rich.console import Console

from frugalsvm.cli.render import model_json, show_model
from frugalsvm.data.rates import RateCounts
from frugalsvm.saved.model import HeldOutRates, UnseenRates
from model_examples import example_model

NOTHING = RateCounts(0, 0, 0, 0)
GOOD, BAD = RateCounts(90, 91, 69, 69), RateCounts(60, 91, 69, 69)


def shown(unseen: UnseenRates | None, validated: RateCounts | None = None) -> list[str]:
    console = Console(width=200, force_terminal=False)
    with console.capture() as captured:
        show_model(replace(example_model("linear"), unseen=unseen), console, validated)
    return captured.get().splitlines()


def unseen(expected: RateCounts, certified: bool | None = None) -> UnseenRates:
    held_out = None if certified is None else HeldOutRates(certified, 0.95, GOOD, (0, 1))
    return UnseenRates(0.0, 1.0, expected, held_out)


@pytest.mark.parametrize(
    ("rates", "validated", "first"),
    [
        (unseen(GOOD), None, "Panel:"),
        (unseen(BAD), None, "Not expected to reach both targets"),
        (unseen(NOTHING), None, "Not known whether both targets hold"),
        (unseen(BAD, certified=True), None, "Panel:"),
        (unseen(GOOD, certified=False), None, "Not certified"),
        (None, GOOD, "Panel:"),
        (None, BAD, "Not expected to reach both targets"),
        (None, None, "Panel:"),
        (None, NOTHING, "Panel:"),
    ],
)
def test_what_new_data_will_miss_is_said_first(rates, validated, first) -> None:
    lines = shown(rates, validated)
    assert lines[0].startswith(first)
    assert sum(line.startswith("Panel:") for line in lines) == 1
    assert not any("nan" in line for line in lines)


def test_rates_that_were_not_estimated_are_null_in_json() -> None:
    facts = model_json(replace(example_model("linear"), unseen=unseen(NOTHING)))["unseen"]
    assert facts["targets_met"] is None
    assert model_json(replace(example_model("linear"), unseen=unseen(GOOD)))["unseen"][
        "targets_met"
    ]


def test_what_a_truth_value_counts_is_said() -> None:
    assert "smoker: true counts as 1, false as 0." in shown(None)
