"""The line that shows how far a search is: time, best cost, proven bound."""

from __future__ import annotations

import math
import sys
import time
from types import TracebackType
from typing import Self

from rich.console import Console
from rich.live import Live
from rich.text import Text

from frugalsvm.cli.console import err, money, percent
from frugalsvm.result import Progress, relative_gap

_PLAIN_EVERY = 1.0
"""Seconds between lines where stderr is a file."""


class ProgressLine:
    """Show progress while a ``with`` block runs; pass it to an estimator as `callback`.

    At a terminal one line is kept up to date; elsewhere a plain line is written now and then.

    Parameters
    ----------
    what : str
        What is being done, such as "Searching".
    quiet : bool
        True: show nothing.
    """

    def __init__(self, what: str, *, quiet: bool = False) -> None:
        self._what = what
        self._quiet = quiet
        self._console: Console = err()
        self._live: Live | None = None
        self._started = time.perf_counter()
        self._last_line = -math.inf
        self._state = ""

    def __enter__(self) -> Self:
        self._started = time.perf_counter()
        if not self._quiet and self._console.is_terminal:
            self._live = Live(
                get_renderable=self._render,
                console=self._console,
                refresh_per_second=8,
                transient=True,
                redirect_stdout=False,
                redirect_stderr=False,
            )
            self._live.start()
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        traceback: TracebackType | None,
    ) -> None:
        if self._live is not None:
            self._live.stop()

    def __call__(self, progress: Progress) -> None:
        """Take note of a change of cost or bound."""
        self.say(describe(progress))

    def say(self, state: str) -> None:
        """Show `state` from now on."""
        self._state = state
        now = time.perf_counter()
        if self._quiet or self._live is not None or now - self._last_line < _PLAIN_EVERY:
            return
        self._last_line = now
        sys.stderr.write(f"{now - self._started:7.1f} s  {state}\n")
        sys.stderr.flush()

    def _render(self) -> Text:
        seconds = time.perf_counter() - self._started
        state = self._state or self._what
        line = Text.assemble(
            (f"{seconds:6.1f} s  ", "cyan"), state, ("   Ctrl-C keeps the best so far", "dim")
        )
        line.truncate(self._console.width - 1, overflow="ellipsis")
        return line


def describe(progress: Progress) -> str:
    """Return a search's state in words.

    Examples
    --------
    >>> describe(Progress(1.0, 4.0, 3.0))
    'cost 4, proven at least 3 (gap 25 %)'
    >>> describe(Progress(1.0, math.inf, 2.0))
    'nothing found yet, proven at least 2'
    """
    if progress.phase.startswith("training"):
        gap = relative_gap(progress.cost, progress.bound)
        known = "" if math.isinf(gap) else f", objective {progress.cost:.6g} (gap {percent(gap)})"
        return f"training the classifier{known}"
    bound = money(progress.bound) if math.isfinite(progress.bound) else "0"
    if math.isinf(progress.cost):
        return f"nothing found yet, proven at least {bound}"
    gap = relative_gap(progress.cost, progress.bound)
    proof = "proven" if gap == 0 else f"proven at least {bound} (gap {percent(gap)})"
    return f"cost {money(progress.cost)}, {proof}"
