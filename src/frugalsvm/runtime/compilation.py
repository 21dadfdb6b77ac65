"""Compiling kernels, on the first use of an installation, does not count as search time."""

from __future__ import annotations

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


def _pausing_listener(base: type) -> type:
    """Return a listener class; numba is imported by now, and by no import of this file."""

    class Pausing(base):
        def __init__(self, clock: Clock, tell: Callable[[bool], None] | None) -> None:
            self.clock = clock
            self.tell = tell
            self.depth = 0  # a kernel's callees are compiled within it

        def on_start(self, event: Any) -> None:
            self.depth += 1
            self.clock.pause()
            if self.depth == 1 and self.tell is not None:
                self.tell(True)

        def on_end(self, event: Any) -> None:
            self.depth -= 1
            if self.depth == 0:
                self.clock.resume()
                if self.tell is not None:
                    self.tell(False)

    return Pausing
