"""Compilation does not count against a time limit."""

from __future__ import annotations

import gc
import importlib.util
import threading
import time
from pathlib import Path

import numpy as np
from numba import njit, types
from numba.core import event

from frugalsvm.runtime.compilation import compilation_off_the_clock
from frugalsvm.runtime.compiled import behind_a_pointer
from frugalsvm.runtime.stopping import Clock, Stopper


def test_a_paused_clock_stands_still() -> None:
    clock = Clock()
    clock.pause()
    before = clock.now()
    time.sleep(0.02)
    assert clock.now() == before
    clock.resume()
    time.sleep(0.02)
    assert 0.02 <= clock.now() - before < time.perf_counter()
    clock.resume()  # without a pause: nothing happens
    assert clock.now() - before < 1


def test_compiling_takes_no_time() -> None:
    @njit
    def kernel(values: np.ndarray) -> float:
        total = 0.0
        for value in values:
            total += value * value
        return total

    stop = Stopper(60)
    part = stop.within(30)
    start = time.perf_counter()
    with compilation_off_the_clock(stop):
        kernel(np.arange(4.0))
    compiling = time.perf_counter() - start
    assert compiling > 0.02
    assert stop.elapsed < compiling / 2
    assert part.elapsed < compiling / 2
    time.sleep(0.02)
    assert stop.elapsed >= 0.02


def test_what_another_thread_began_before_ends_nothing_here() -> None:
    """Its end was counted without its beginning: the clock then stood still for good."""
    begun, listened, over = threading.Event(), threading.Event(), threading.Event()

    def elsewhere() -> None:
        with event.trigger_event("numba:compile"):
            begun.set()
            listened.wait(10)
        over.set()

    other = threading.Thread(target=elsewhere)
    other.start()
    begun.wait(10)
    stop = Stopper(60)
    with compilation_off_the_clock(stop):
        listened.set()
        over.wait(10)
        with event.trigger_event("numba:compile"):
            pass
        before = stop.elapsed
        time.sleep(0.05)
        assert stop.elapsed - before >= 0.05
    other.join()


def test_a_pointer_read_from_disk_is_not_called_compiled(tmp_path: Path) -> None:
    (tmp_path / "twice.py").write_text("def twice(x: float) -> float:\n    return 2 * x\n")
    spec = importlib.util.spec_from_file_location("twice", tmp_path / "twice.py")
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    told = []
    for _ in range(2):
        with event.install_recorder("numba:compile") as recorder:
            behind_a_pointer(module.twice, types.float64(types.float64))
        told.append([e.data["dispatcher"].__name__ for _, e in recorder.buffer if e.is_start])
    assert told == [["twice"], []]


def test_no_garbage_is_collected_while_compiling() -> None:
    class Looks(event.Listener):
        def on_start(self, event: event.Event) -> None:
            seen.append(gc.isenabled())

        def on_end(self, event: event.Event) -> None:
            seen.append(gc.isenabled())

    seen: list[bool] = []

    @njit
    def part(x: float) -> float:
        return x + 1.0

    @njit
    def kernel(x: float) -> float:
        return 2.0 * part(x)

    with compilation_off_the_clock(Stopper(60)), event.install_listener("numba:run_pass", Looks()):
        kernel(1.0)
        assert gc.isenabled()
    assert seen
    assert not any(seen)


def test_who_switched_the_garbage_collector_off_finds_it_off() -> None:
    @njit
    def kernel(x: float) -> float:
        return 3.0 * x

    gc.disable()
    try:
        with compilation_off_the_clock(Stopper(60)):
            kernel(1.0)
        assert not gc.isenabled()
    finally:
        gc.enable()
