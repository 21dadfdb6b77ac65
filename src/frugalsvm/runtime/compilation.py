"""Compiling kernels, on the first use of an installation, does not count as search time."""

from __future__ import annotations

import gc
import threading
from collections import Counter
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

from frugalsvm.runtime.stopping import Clock, Stopper


@contextmanager
def compilation_off_the_clock(
    stop: Stopper, tell: Callable[[bool], None] | None = None
) -> Iterator[None]:
    """Let `stop`'s clock stand still while numba compiles.

    If `tell` is given, it is called with True when that begins and with False when it ends.

    Nor does the garbage collector run meanwhile: what the compiler makes is kept, and looking
    through it again and again would take a seventh of the time.

    Compiled kernels are kept on disk, so that only the first fits of an installation compile. A
    time limit that paid for it would cut them short, and their answers would not be repeatable.
    """
    from frugalsvm.runtime.numba_parts import event

    listener = _pausing_listener(event.Listener)(stop.clock, tell)
    event.register("numba:compile", listener)
    try:
        yield
    finally:
        event.unregister("numba:compile", listener)
        stop.clock.resume()
        listener.collect_again()


def _pausing_listener(base: type) -> Any:
    """Return a listener class; numba is imported by now, and by no import of this file."""

    class Pausing(base):
        def __init__(self, clock: Clock, tell: Callable[[bool], None] | None) -> None:
            self.clock = clock
            self.tell = tell
            # A kernel's callees are compiled within it, and threads see each other's events: one
            # may end here that began before anybody listened.
            self.depths: Counter[int] = Counter()
            self.collects = False  # whether the garbage collector is to run again

        def on_start(self, event: Any) -> None:
            self.depths[threading.get_ident()] += 1
            self.clock.pause()
            self.collects |= gc.isenabled()
            gc.disable()
            if self.depths.total() == 1 and self.tell is not None:
                self.tell(True)

        def on_end(self, event: Any) -> None:
            if self.depths[threading.get_ident()] == 0:
                return
            self.depths[threading.get_ident()] -= 1
            if self.depths.total() == 0:
                self.clock.resume()
                self.collect_again()
                if self.tell is not None:
                    self.tell(False)

        def collect_again(self) -> None:
            if self.collects:
                self.collects = False
                gc.enable()

    return Pausing
