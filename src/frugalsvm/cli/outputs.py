"""Writing results: checked before the work starts, whole or not at all, safe to open."""

from __future__ import annotations

import csv
import io
import os
import re
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import Any

from frugalsvm.data.exceptions import DataError
from frugalsvm.runtime.files import write_whole

_NUMBER = re.compile(r"[+-]?(\d+\.?\d*|\.\d+)([eE][+-]?\d+)?")
_SIGNS = ("+", "-")
_FORMULA_STARTS = ("=", "+", "-", "@", "\t", "\r", "\n")


def check_writable(*paths: Path | None) -> None:
    """Raise before hours of work if a result could not be written where it is asked for."""
    asked = [path for path in paths if path is not None]
    for path in asked:
        folder = path.parent
        if path.is_dir():
            raise DataError(f"{path} is a folder; name a file.")
        if not folder.is_dir():
            raise DataError(f"{path} cannot be written: there is no folder {folder}.")
        if not os.access(folder, os.W_OK):
            raise DataError(f"{path} cannot be written: the folder {folder} is not writable.")
    if len({path.resolve() for path in asked}) < len(asked):
        raise DataError("Two outputs have the same name; name two files.")


def safe_cell(value: Any) -> str:
    """Return a CSV cell that a spreadsheet shows as text instead of running it as a formula.

    Numbers stay numbers, negative ones too, and a sign alone is no formula: classes are called so.

    Examples
    --------
    >>> safe_cell("=1+2"), safe_cell("@cmd"), safe_cell("-1"), safe_cell(-0.5), safe_cell("a=b")
    ("'=1+2", "'@cmd", '-1', '-0.5', 'a=b')
    >>> safe_cell("+"), safe_cell("-")
    ('+', '-')
    """
    if isinstance(value, float):
        return repr(float(value))
    text = str(value)
    harmless = text in _SIGNS or _NUMBER.fullmatch(text)
    if text.lstrip(" ").startswith(_FORMULA_STARTS) and not harmless:
        return "'" + text
    return text


def csv_text(header: Sequence[str], rows: Iterable[Sequence[Any]]) -> str:
    """Return CSV with every cell made safe."""
    stream = io.StringIO()
    writer = csv.writer(stream, lineterminator="\n")
    writer.writerow([safe_cell(name) for name in header])
    for row in rows:
        writer.writerow([safe_cell(cell) for cell in row])
    return stream.getvalue()


def write_csv(path: Path, header: Sequence[str], rows: Iterable[Sequence[Any]]) -> None:
    """Write CSV whole or not at all."""
    write_whole(path, csv_text(header, rows))
