"""The workers' conclusions: what was cut short is not given up."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
import pytest

from frugalsvm.data.costs import CostModel
from frugalsvm.data.problem import SelectionProblem
from frugalsvm.data.rates import ErrorBudget
from frugalsvm.data.result import SelectionResult, Status, StopReason
from frugalsvm.engine.dispatch import Engine
from frugalsvm.runtime.stopping import Stopper
from frugalsvm.tradeoff.ledger import Ledger
from frugalsvm.tradeoff.settle import Settlement


@dataclass
class Searches:
    """Stands in for the engine's searches: none of them finds anything."""

    whole: Stopper
    interrupt: bool
    reason: StopReason
    count: int = 0

    def __call__(self, problem: SelectionProblem, stop: Stopper, **_: Any) -> SelectionResult:
        self.count += 1
        if self.interrupt:
            self.whole.interrupt()
        return SelectionResult(
            Status.UNKNOWN, (), np.zeros(1), 0.0, np.inf, 0.0, 0.1, "none", "", self.reason
        )


def settle(
    monkeypatch: pytest.MonkeyPatch, *, interrupt: bool, reason: StopReason
) -> tuple[list[float], Settlement, Searches]:
    none = np.zeros(1, dtype=bool)
    problem = SelectionProblem(
        np.array([[-1.0], [1.0]]),
        np.array([False, True]),
        ErrorBudget(0, 0),
        CostModel.per_feature(np.ones(1)),
        none,
        none,
    )
    whole = Stopper()
    searches = Searches(whole, interrupt, reason)
    monkeypatch.setattr(Engine, "select", lambda _self, *args, **kwargs: searches(*args, **kwargs))
    told: list[float] = []
    settlement = Settlement(
        ledger=Ledger(problem, [0], [0]),
        engine=Engine("auto", 1, 0, {}, None),
        stop=whole,
        time_limit=20.0,
        on_result=lambda _cell, _result, seconds: told.append(seconds),
        on_progress=lambda _cell, _progress: None,
    )
    settlement.run(1)
    return told, settlement, searches


def test_a_pair_gets_a_short_attempt_and_then_its_whole_time(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    told, settlement, _ = settle(monkeypatch, interrupt=False, reason=StopReason.TIME_LIMIT)
    assert told == [2.0, 20.0]
    assert settlement.given_up == {(0, 0): 20.0}


def test_what_time_cannot_resolve_is_not_tried_again(monkeypatch: pytest.MonkeyPatch) -> None:
    told, _, searches = settle(monkeypatch, interrupt=False, reason=StopReason.UNRESOLVED)
    assert told == [2.0]
    assert searches.count == 1


def test_work_that_was_cut_short_is_not_given_up(monkeypatch: pytest.MonkeyPatch) -> None:
    told, settlement, searches = settle(monkeypatch, interrupt=True, reason=StopReason.INTERRUPTED)
    assert told == [0.0]
    assert settlement.given_up == {}
    assert searches.count == 1
