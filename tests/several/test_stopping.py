"""Time limits and Ctrl-C hold with several targets too, and keep the best panel so far."""

from __future__ import annotations

import os
import signal
import threading
import time
import warnings
from typing import Any

import numpy as np
import pytest
from sklearn.datasets import load_digits, load_wine

from frugalsvm import FrugalSelector, FrugalSVC
from frugalsvm.data.result import Progress, StopReason


@pytest.fixture(scope="module")
def digits() -> tuple[np.ndarray, np.ndarray]:
    """Return five digits, for which a proof takes minutes; what is compiled, is by now."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        FrugalSVC(min_recall=0.95, min_tnr=0.95).fit(*load_wine(return_X_y=True))
    X, y = load_digits(n_class=5, return_X_y=True)
    return X, y


def test_a_fit_honours_its_time_limit(digits: Any) -> None:
    limit = 3.0
    start = time.perf_counter()
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        clf = FrugalSVC(min_recall=0.97, min_tnr=0.97, time_limit=limit).fit(*digits)
    assert time.perf_counter() - start <= 1.1 * limit + 1
    assert clf.status_ == "feasible"
    assert 0 < clf.bound_ < clf.cost_
    assert clf.result_.stop_reason is StopReason.TIME_LIMIT
    assert (clf.train_tpr_ >= 0.97).all()
    assert (clf.train_tnr_ >= 0.97).all()


def test_ctrl_c_keeps_the_best_panel(digits: Any) -> None:
    pressed: list[float] = []

    def press_soon(progress: Progress) -> None:
        if progress.cost < np.inf and not pressed:
            pressed.append(time.perf_counter())
            threading.Timer(0.3, os.kill, (os.getpid(), signal.SIGINT)).start()

    selector = FrugalSelector(min_recall=0.97, min_tnr=0.97, callback=press_soon)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        selector.fit(*digits)
    assert time.perf_counter() - pressed[0] < 3.0
    assert selector.result_.stop_reason is StopReason.INTERRUPTED
    assert (selector.train_tpr_ >= 0.97).all()
