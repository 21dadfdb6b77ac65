"""Waiting for work on other threads, and dropping it."""

from __future__ import annotations

from collections.abc import Iterable
from concurrent.futures import Future, wait
from typing import TypeVar

from frugalsvm.search.state import SearchState

PATIENCE = 0.05  # seconds between two looks at the clock

T = TypeVar("T")


def finished(state: SearchState, future: Future[T]) -> T:
    """Wait for an outcome; when it is time to stop, ask the kernels to leave the rest undecided."""
    while True:
        try:
            return future.result(timeout=PATIENCE)
        except TimeoutError:
            if state.stop():
                state.halt_kernels()


def abandon(state: SearchState, futures: Iterable[Future[T]]) -> None:
    """Drop what was begun and is not needed any more."""
    running = [future for future in futures if not future.cancel()]
    if running:
        state.halt_kernels()
        wait(running)
        state.resume_kernels()
