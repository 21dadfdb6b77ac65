"""Waiting is explained: verbose lines, and kernels that are being compiled."""

from __future__ import annotations

import numpy as np
import pytest
from numba import njit
from sklearn.datasets import load_breast_cancer

from frugalsvm import FrugalSelector, FrugalSVC, RateSVC
from frugalsvm.compilation import compilation_off_the_clock
from frugalsvm.dispatch import _Teller
from frugalsvm.progress import COMPILING, VerboseLines, describe
from frugalsvm.result import Progress
from frugalsvm.stopping import Stopper


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
    assert len(shown) == 2
    assert shown[-1].endswith("cost 1, proven")
