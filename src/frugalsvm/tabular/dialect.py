"""How the cells of a file are to be read. Imports nothing, so that ``--help`` need not wait."""

from __future__ import annotations

from dataclasses import dataclass

MISSING_MARKERS = ("", "NA", "N/A", "#N/A", "NaN", "nan", "NULL", "null")
"""Cells that count as missing in a text file; "?" and "None" are levels unless the user says so."""
MAX_LEVELS = 100
"""A text column with more levels than this is taken for an identifier, not for a category."""


@dataclass(frozen=True)
class Dialect:
    """How to read the cells of a CSV file, and which sheet of a workbook.

    Attributes
    ----------
    decimal : str
        The decimal mark, "." or ",".
    missing : tuple of str
        Cells that mean "no value".
    encoding : str
        The file's encoding.
    sheet : str or None
        The sheet of an Excel file; None: its only one.
    """

    decimal: str = "."
    missing: tuple[str, ...] = MISSING_MARKERS
    encoding: str = "utf-8"
    sheet: str | None = None
