"""The line that shows how far a search is: time, best cost, proven bound."""

from __future__ import annotations

import math
import sys
import threading
import time
from types import TracebackType
from typing import Self

from rich.console import Console
from rich.live import Live
from rich.text import Text

from frugalsvm.cli.console import err
from frugalsvm.data.result import Progress
from frugalsvm.runtime.progress import describe

_PLAIN_EVERY = 1.0
"""Seconds between lines where stderr is a file, at the least..."""
_SILENT_AT_MOST = 4.0
"""...and at the most, even if nothing has changed."""


class ProgressLine:
    """Show progress while a ``with`` block runs; pass it to an estimator as `callback`.

    At a terminal one line is kept up to date; elsewhere a plain line is written now and then,
    also while nothing changes.

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
        self._written = ""
        self._lock = threading.Lock()
        self._over = threading.Event()
        self._heart: threading.Thread | None = None

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
        elif not self._quiet:
            self._heart = threading.Thread(target=self._beat, daemon=True)
            self._heart.start()
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        traceback: TracebackType | None,
    ) -> None:
        if self._live is not None:
            self._live.stop()
        if self._heart is not None:
            self._over.set()
            self._heart.join()

    def __call__(self, progress: Progress) -> None:
        """Take note of a change of cost or bound."""
        self.say(describe(progress))

    def say(self, state: str) -> None:
        """Show `state` from now on."""
        self._state = state
        if not self._quiet and self._live is None:
            self._write_line(_PLAIN_EVERY)

    def _beat(self) -> None:
        """Write a line whenever there was none for a while, sooner where there is news."""
        while not self._over.wait(_PLAIN_EVERY):
            news = self._state != self._written
            self._write_line(_PLAIN_EVERY if news else _SILENT_AT_MOST)

    def _write_line(self, pause: float) -> None:
        """Write the state, unless the last line is younger than `pause` seconds."""
        with self._lock:
            now = time.perf_counter()
            if now - self._last_line >= pause:
                self._last_line = now
                self._written = self._state
                sys.stderr.write(f"{now - self._started:7.1f} s  {self._state or self._what}\n")
                sys.stderr.flush()

    def _render(self) -> Text:
        seconds = time.perf_counter() - self._started
        state = self._state or self._what
        line = Text.assemble(
            (f"{seconds:6.1f} s  ", "cyan"), state, ("   Ctrl-C keeps the best so far", "dim")
        )
        line.truncate(self._console.width - 1, overflow="ellipsis")
        return line
