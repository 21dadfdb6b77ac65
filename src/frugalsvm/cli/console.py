"""Where words go: results to stdout, messages and progress to stderr, JSON for scripts."""

from __future__ import annotations

import json
import math
import sys
import unicodedata
import warnings
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

from rich.console import Console
from rich.text import Text

from frugalsvm.cli.wording import in_options


def out() -> Console:
    """Return the console for results."""
    return Console(highlight=False, emoji=False)


def err() -> Console:
    """Return the console for messages."""
    return Console(stderr=True, highlight=False, emoji=False)


def clean(value: Any) -> str:
    r"""Return text from a file for a terminal: control characters shown, not obeyed.

    Examples
    --------
    >>> print(clean("a\x1b[2Jb"))
    a\x1b[2Jb
    """
    return "".join(
        ascii(letter)[1:-1] if unicodedata.category(letter) in ("Cc", "Cf", "Cs") else letter
        for letter in str(value)
    )


def plain(value: Any, style: str = "") -> Text:
    """Return text from a file for rich: no markup, no control characters."""
    return Text(clean(value), style=style)


def note(message: str, *, quiet: bool = False) -> None:
    """Tell the user something on stderr."""
    if not quiet:
        err().print(plain(message), soft_wrap=not err().is_terminal)


def warn(message: str) -> None:
    """Warn the user on stderr."""
    err().print(Text("Warning: ", style="bold yellow") + plain(message), soft_wrap=_piped())


@contextmanager
def told_warnings(*kinds: type[Warning], quiet: bool = False) -> Iterator[None]:
    """Tell warnings of these kinds on stderr, in the words of the command line."""

    def tell(message: Warning | str, *_: Any, **__: Any) -> None:
        if not quiet:
            warn(in_options(str(message)))

    with warnings.catch_warnings():
        for kind in kinds:
            warnings.simplefilter("always", kind)
        warnings.showwarning = tell
        yield


def fail(message: str) -> None:
    """Say on stderr why the command ends without a result."""
    err().print(Text("Error: ", style="bold red") + plain(message), soft_wrap=_piped())


def _piped() -> bool:
    """Return True where lines should not be broken: nobody reads them at a terminal's width."""
    return not sys.stderr.isatty()


def emit_json(document: dict[str, Any]) -> None:
    """Write one JSON object to stdout."""
    sys.stdout.write(json.dumps(finite(document), indent=2, ensure_ascii=True) + "\n")


def finite(value: Any) -> Any:
    """Return plain data with null where a float is infinite or NaN, which JSON cannot hold."""
    if isinstance(value, dict):
        return {key: finite(entry) for key, entry in value.items()}
    if isinstance(value, (list, tuple)):
        return [finite(entry) for entry in value]
    if isinstance(value, float) and not math.isfinite(value):
        return None
    return value
