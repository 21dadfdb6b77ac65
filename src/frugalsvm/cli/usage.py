"""Wrong usage told to scripts, too: options that do not exist, values that are no numbers."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Any

import typer
from typer.core import TyperGroup

from frugalsvm.cli.console import emit_json
from frugalsvm.cli.exits import ExitCode

# Typer brings a click of its own from some version on: this is the one it raises.
UsageError: Any = typer.BadParameter.__mro__[1]

_NO_NUMBER = re.compile(r"valid (number|float|integer)")
_CHECKED_TYPE = re.compile(r"(Value error, |Input should be )")
_PERCENT = re.compile(r"(\d+(?:[.,]\d+)?) ?%")


class TellingGroup(TyperGroup):
    """The commands; with ``--json`` wrong usage is a JSON error on stdout as well."""

    _as_json = False
    _words: Sequence[str] = ()

    def make_context(
        self, info_name: str | None, args: list[str], parent: Any = None, **extra: Any
    ) -> Any:
        """Read the options before the command."""
        self._as_json, self._words = "--json" in args, tuple(args)
        try:
            return super().make_context(info_name, args, parent, **extra)
        except UsageError as error:
            self._tell(error)
            raise

    def invoke(self, ctx: Any) -> Any:
        """Read the command's options and run it."""
        try:
            return super().invoke(ctx)
        except UsageError as error:
            _tell_plainly(error, self._words)
            self._tell(error)
            raise

    def _tell(self, error: Any) -> None:
        if self._as_json:
            code = int(ExitCode.BAD_INPUT)
            told = {"type": "UsageError", "message": error.format_message(), "exit_code": code}
            emit_json({"error": told})


def _tell_plainly(error: Any, words: Sequence[str]) -> None:
    """Let an error about an option's value say the value, whatever typer's version says.

    `words` are those of the command line.
    """
    if getattr(error, "param", None) is None:
        return
    value = given(error.param.opts, words)
    message = error.message
    if value is not None and (what := _NO_NUMBER.search(message)):
        kind = "whole number" if what[1] == "integer" else "number"
        error.message = f"must be a {kind}. Got {value!r}.{number_advice(value)}"
    elif _CHECKED_TYPE.match(message):
        rule = _CHECKED_TYPE.sub("", message).rstrip(".")
        compared = message.startswith("Input") and value is not None
        error.message = f"must be {rule}. Got {value!r}." if compared else f"{rule}."


def given(names: Sequence[str], words: Sequence[str]) -> str | None:
    """Return the value that an option was given last; None if it was given none.

    Examples
    --------
    >>> given(["--min-tpr"], ["fit", "a.csv", "--min-tpr", "95%"])
    '95%'
    >>> given(["-C", "--C"], ["fit", "--C=x"])
    'x'
    """
    for k in range(len(words) - 1, -1, -1):
        name, equals, value = words[k].partition("=")
        if name in names:
            return value if equals else "".join(words[k + 1 : k + 2])
    return None


def number_advice(text: str) -> str:
    """Return how a number would have to be written.

    Examples
    --------
    >>> number_advice("95%"), number_advice("0,95"), number_advice("much")
    (' Write 0.95 for 95%.', ' Write 0.95, with a decimal point.', '')
    """
    percent = _PERCENT.fullmatch(text)
    if percent:
        return f" Write {float(percent[1].replace(',', '.')) / 100:g} for {text}."
    if re.fullmatch(r"[+-]?\d*,\d+", text):
        return f" Write {text.replace(',', '.')}, with a decimal point."
    return ""
