"""Waiting is explained: verbose lines, and kernels that are being compiled."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from numba import njit
from sklearn.datasets import load_breast_cancer

from frugalsvm import FrugalSelector, FrugalSVC, FrugalSVCCV, RateSVC, frontier, margin
from frugalsvm.data.result import Progress
from frugalsvm.engine.dispatch import _Teller
from frugalsvm.runtime.compilation import compilation_off_the_clock
from frugalsvm.runtime.progress import COMPILING, VerboseLines, describe
from frugalsvm.runtime.stopping import Stopper


def test_compiling_is_told_and_then_taken_back() -> None:
    @njit
    def kernel(values: np.ndarray) -> float:
        return values.sum() * 3.0

    told: list[Progress] = []
    teller = _Teller(told.append)
    teller(Progress(1.0, 4.0, 3.0, "heuristic"))
    with compilation_off_the_clock(Stopper(60), teller.compiling):
        kernel(np.arange(3.0))
    assert [p.phase for p in told] == ["heuristic", COMPILING, "heuristic"]
    assert {(p.cost, p.bound) for p in told} == {(4.0, 3.0)}  # as far as it was
    assert "up to a minute" in describe(told[1])


def compiling_trainer(problem: Any, **options: Any) -> Any:
    """Train as always, after compiling something, as the first training of an installation."""

    @njit
    def kernel(values: np.ndarray) -> float:
        return values.sum() * 5.0

    kernel(np.arange(3.0))
    return margin.train(problem, **options)


def test_compiling_the_training_is_told_where_rates_are_of_new_data(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    X, y = load_breast_cancer(return_X_y=True)
    monkeypatch.setattr("frugalsvm.engine.dispatch.own_trainer", lambda _: compiling_trainer)
    told: list[Progress] = []
    FrugalSVCCV(0.8, 0.8, callback=told.append).fit(X[:, :4], y)
    words = [describe(p) for p in told]
    trained = max(k for k, word in enumerate(words) if word.startswith("compiling"))
    assert words[trained - 1].startswith("cost")  # the panel is known by then
    assert words[trained + 1] == words[trained - 1]  # and is not forgotten


def test_compiling_the_trainings_of_a_trade_off_is_told(monkeypatch: pytest.MonkeyPatch) -> None:
    X, y = load_breast_cancer(return_X_y=True)
    monkeypatch.setattr("frugalsvm.tradeoff.training.train", compiling_trainer)
    told: list[str] = []
    frontier(
        *(X[:, :4], y),
        min_tprs=[0.8],
        min_tnrs=[0.8],
        cv=None,
        callback=lambda progress: told.append(progress.detail),
    )
    assert any(detail.startswith("compiling") for detail in told)


def test_nothing_known_is_not_called_a_bound() -> None:
    assert describe(Progress(1.0, np.inf, 0.0)) == "nothing found yet"


@pytest.mark.parametrize("kind", [FrugalSelector, RateSVC, FrugalSVC])
def test_verbose_tells_how_far_a_fit_is(kind: type, capsys: pytest.CaptureFixture[str]) -> None:
    X, y = load_breast_cancer(return_X_y=True)
    kind(0.9, 0.9).fit(X, y)
    assert capsys.readouterr().out == ""
    seen: list[Progress] = []
    kind(0.9, 0.9, verbose=1, callback=seen.append).fit(X, y)
    lines = capsys.readouterr().out.splitlines()
    assert lines
    assert all(line.startswith(f"[{kind.__name__}]") for line in lines)
    assert seen  # the callback is told, too
    with pytest.raises(ValueError, match=f"'verbose' parameter of {kind.__name__} must be"):
        kind(verbose="yes").fit(X, y)


def test_lines_come_now_and_then(capsys: pytest.CaptureFixture[str]) -> None:
    lines = VerboseLines("fit")
    for k in range(100):
        lines(Progress(k / 1000, 100.0 - k, 0.0))
    lines(Progress(0.1, 1.0, 1.0))
    shown = capsys.readouterr().out.splitlines()
    assert " ".join(shown[0].split()) == "[fit] seconds cost proven at least gap tactic"
    assert [line.split()[2:5] for line in shown[1:]] == [["100", "0", "100"], ["1", "1", "0"]]


def test_words_come_between_the_lines_of_the_table(capsys: pytest.CaptureFixture[str]) -> None:
    lines = VerboseLines("fit")
    lines(Progress(0.0, 2.0, 2.0, "scan"))
    lines(Progress(0.1, 5.0, 4.0, "compiling"))
    lines(Progress(0.2, 3.0, 3.0, "scan"))
    lines(Progress(0.2, 3.0, 3.0, "training"))
    shown = capsys.readouterr().out.splitlines()
    assert [line.split()[1] for line in shown] == ["seconds", "0.0", "0.1", "0.2", "0.2"]
    assert "compiling, once after an installation" in shown[2]
    assert "training the classifier, objective 3 (gap 0 %)" in shown[4]


def test_compiling_is_told_once_and_repeats_no_line(capsys: pytest.CaptureFixture[str]) -> None:
    lines = VerboseLines("fit")
    for _ in range(3):
        lines(Progress(0.1, 5.0, 4.0, "scan"))
        lines(Progress(0.1, 5.0, 4.0, "compiling"))
    assert len(capsys.readouterr().out.splitlines()) == 3


def test_a_training_goes_on_where_the_selection_ended() -> None:
    X, y = load_breast_cancer(return_X_y=True)
    told: list[Progress] = []
    svc = FrugalSVC(0.9, 0.9, callback=told.append).fit(X, y)
    seconds = [progress.seconds for progress in told if progress.phase.startswith("training")]
    assert min(seconds) >= svc.result_.seconds
