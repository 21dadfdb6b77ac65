"""Wrong usage told to scripts, too: options that do not exist, values that are no numbers."""

from __future__ import annotations

from typing import Any

import typer
from typer.core import TyperGroup

from frugalsvm.cli.console import emit_json
from frugalsvm.cli.exits import ExitCode

# Typer brings a click of its own from some version on: this is the one it raises.
UsageError: Any = typer.BadParameter.__mro__[1]


class TellingGroup(TyperGroup):
    """The commands; with ``--json`` wrong usage is a JSON error on stdout as well."""

    _as_json = False

    def make_context(
        self, info_name: str | None, args: list[str], parent: Any = None, **extra: Any
    ) -> Any:
        """Read the options before the command."""
        self._as_json = "--json" in args
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
            self._tell(error)
            raise

    def _tell(self, error: Any) -> None:
        if self._as_json:
            code = int(ExitCode.BAD_INPUT)
            told = {"type": "UsageError", "message": error.format_message(), "exit_code": code}
            emit_json({"error": told})
