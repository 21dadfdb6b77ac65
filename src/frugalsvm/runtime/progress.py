"""How far a search is, in words: for the terminal, and for ``verbose=1``."""

from __future__ import annotations

import math
import sys
import threading
import time

from frugalsvm.data.result import Progress, relative_gap

COMPILING = "compiling"
"""Phase of a search that waits for its kernels: once after an installation."""
EVERY = 1.0
"""Seconds between two lines of a verbose fit."""
PROVEN = 1e-4
"""Relative gap of a proven training; a selection's is zero."""


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
        return (
            f"nothing found yet, proven at least {bound}" if bound != "0" else "nothing found yet"
        )
    gap = relative_gap(progress.cost, progress.bound)
    proof = "proven" if gap == 0 else f"proven at least {bound} (gap {percent(gap)})"
    return f"cost {money(progress.cost)}, {proof}"


COLUMNS = f"{'seconds':>9} {'cost':>12} {'proven at least':>16} {'gap':>8}  tactic"


def row(progress: Progress) -> str:
    """Return a search's state as a line of a table.

    Examples
    --------
    >>> row(Progress(1.25, 4.0, 3.0, "heuristic"))
    '      1.2            4                3     25 %  heuristic'
    """
    cost = money(progress.cost) if math.isfinite(progress.cost) else "-"
    bound = money(progress.bound) if math.isfinite(progress.bound) else "-"
    gap = percent(relative_gap(progress.cost, progress.bound))
    return f"{progress.seconds:9.1f} {cost:>12} {bound:>16} {gap:>8}  {progress.phase}".rstrip()


class VerboseLines:
    """Writes a table to stdout while a fit runs, as scikit-learn's verbose estimators do.

    Costs and bounds are in columns, with the tactic that moved them; what is not about them is said
    in words between the lines. A line is written where something has moved, one a second at most.

    Parameters
    ----------
    owner : str
        The estimator, named in front of each line.
    """

    def __init__(self, owner: str) -> None:
        self._owner = owner
        self._last_time = -math.inf
        self._last = {True: "", False: ""}  # the last row, and the last words, in words
        self._lock = threading.Lock()  # kernels may be compiled in another thread

    def __call__(self, progress: Progress) -> None:
        """Tell of a change, unless something was told just now."""
        words, now = describe(progress), time.perf_counter()
        in_table = words.startswith(("cost", "nothing")) and ";" not in words
        with self._lock:
            settled = relative_gap(progress.cost, progress.bound) <= PROVEN
            at_once = settled or progress.phase.endswith(COMPILING)
            if words == self._last[in_table] or (now - self._last_time < EVERY and not at_once):
                return
            if in_table and not self._last[True]:
                self._write(COLUMNS)
            self._last[in_table], self._last_time = words, now
            self._write(row(progress) if in_table else f"{progress.seconds:9.1f} {words}")

    def _write(self, line: str) -> None:
        sys.stdout.write(f"[{self._owner}] {line}\n")
        sys.stdout.flush()
