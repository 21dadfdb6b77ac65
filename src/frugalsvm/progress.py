"""How far a search is, in words: for the terminal, and for ``verbose=1``."""

from __future__ import annotations

import math
import sys
import threading
import time

from frugalsvm.result import Progress, relative_gap

COMPILING = "compiling"
"""Phase of a search that waits for its kernels: once after an installation."""
EVERY = 1.0
"""Seconds between two lines of a verbose fit."""


def money(value: float) -> str:
    """Return a cost with as many decimals as it needs, at least two unless it is whole.

    Examples
    --------
    >>> money(3.0), money(9.37), money(0.125), money(1e7), money(1/3)
    ('3', '9.37', '0.125', '10000000', '0.3333')
    """
    if float(value).is_integer():
        return str(int(value))
    text = f"{value:.4f}".rstrip("0")
    return text if len(text.split(".")[1]) >= 2 else f"{value:.2f}"


def percent(value: float) -> str:
    """Return a share in percent.

    Examples
    --------
    >>> percent(0.125), percent(0.0), percent(float("inf"))
    ('12.5 %', '0 %', 'unknown')
    """
    return f"{100 * value:.3g} %" if math.isfinite(value) else "unknown"


def describe(progress: Progress) -> str:
    """Return a search's state in words.

    Examples
    --------
    >>> describe(Progress(1.0, 4.0, 3.0))
    'cost 4, proven at least 3 (gap 25 %)'
    >>> describe(Progress(1.0, math.inf, 2.0))
    'nothing found yet, proven at least 2'
    """
    if progress.phase.endswith(COMPILING):
        return "compiling, once after an installation (up to a minute)"
    if progress.phase.startswith("training"):
        gap = relative_gap(progress.cost, progress.bound)
        known = "" if math.isinf(gap) else f", objective {progress.cost:.6g} (gap {percent(gap)})"
        return f"training the classifier{known}"
    if progress.phase.startswith("cross-validated"):
        return f"cost {money(progress.cost)}, {progress.phase}; estimating the rates on new data"
    bound = money(progress.bound) if math.isfinite(progress.bound) else "0"
    if math.isinf(progress.cost):
        return f"nothing found yet, proven at least {bound}"
    gap = relative_gap(progress.cost, progress.bound)
    proof = "proven" if gap == 0 else f"proven at least {bound} (gap {percent(gap)})"
    return f"cost {money(progress.cost)}, {proof}"


class VerboseLines:
    """Writes a line to stdout now and then, as scikit-learn's verbose estimators do.

    Parameters
    ----------
    owner : str
        The estimator, named in front of each line.
    """

    def __init__(self, owner: str) -> None:
        self._owner = owner
        self._last_time = -math.inf
        self._last = ""
        self._lock = threading.Lock()  # kernels may be compiled in another thread

    def __call__(self, progress: Progress) -> None:
        """Tell of a change, unless something was told just now."""
        words, now = describe(progress), time.perf_counter()
        with self._lock:
            settled = words.endswith("proven") or words.startswith("compiling")
            if words == self._last or (now - self._last_time < EVERY and not settled):
                return
            self._last, self._last_time = words, now
            sys.stdout.write(f"[{self._owner}] {progress.seconds:6.1f} s  {words}\n")
            sys.stdout.flush()
