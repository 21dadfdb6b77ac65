"""Work in a thread of its own: what it returns, raises, and what happens when it does not stop."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable

import pytest

from frugalsvm.runtime.stopping import Allowance, Clock, Stopper
from frugalsvm.runtime.watch import GRACE, LOOK, watched


def nothing() -> None:
    """Nobody needs to be halted."""


def once(stop: Stopper, halted: threading.Event) -> Callable[[], None]:
    """Return what sets the event when it is time to stop."""
    return lambda: halted.set() if stop() else None


def test_patient_work_is_waited_for() -> None:
    assert watched(lambda: time.sleep(1.0) or 5, Stopper(0.1), nothing, patient=True) == 5


def test_what_the_work_raises_is_raised() -> None:
    def fails() -> int:
        raise ZeroDivisionError("here")

    with pytest.raises(ZeroDivisionError, match="here"):
        watched(fails, Stopper(60.0), nothing)


def test_work_that_hears_the_halt_returns_its_answer() -> None:
    halted, stop = threading.Event(), Stopper(0.2)
    started = time.perf_counter()
    assert watched(lambda: halted.wait(30.0), stop, once(stop, halted)) is True
    assert time.perf_counter() - started < 0.2 + GRACE


def test_work_that_hears_nothing_is_left_alone() -> None:
    end = threading.Event()
    started = time.perf_counter()
    assert watched(lambda: end.wait(30.0), Stopper(0.2), nothing) is None
    assert time.perf_counter() - started < 0.2 + GRACE + 4 * LOOK + 0.3
    end.set()


def test_an_interrupt_from_elsewhere_ends_the_work() -> None:
    stop = Stopper()
    threading.Timer(0.2, stop.interrupt).start()
    halted = threading.Event()
    assert watched(lambda: halted.wait(30.0), stop, once(stop, halted)) is True


def test_a_clock_stands_still_only_as_long_as_it_may() -> None:
    allowance = Allowance(0.1)
    clock = Clock(allowance)
    before = clock.now()
    clock.pause()
    time.sleep(0.3)
    passed = clock.now() - before
    clock.resume()
    assert 0.15 <= passed <= 0.28
    assert allowance.left == pytest.approx(0.0)
    assert clock.now() - before >= passed
