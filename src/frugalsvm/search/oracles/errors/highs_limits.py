"""Time limits and interrupts of HiGHS, where the search uses it."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

import highspy

LEAST_SECONDS = 0.01


def limit_time(model: highspy.Highs, seconds: float) -> None:
    """Let the next run take so many seconds at most: HiGHS counts those of all runs together."""
    if math.isfinite(seconds):
        used = float(model.getRunTime())
        model.setOptionValue("time_limit", used + max(LEAST_SECONDS, seconds))


def hear(model: highspy.Highs, stop: Callable[[], bool]) -> None:
    """Let a mixed-integer program end when `stop` says so."""

    def check(event: Any) -> None:
        if stop():
            event.interrupt()

    model.cbMipInterrupt.subscribe(check)
    model.cbSimplexInterrupt.subscribe(check)
