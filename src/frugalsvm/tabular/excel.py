"""Reading Excel workbooks (.xlsx): values as they are stored, nothing guessed."""

from __future__ import annotations

import zipfile
from collections.abc import Collection, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import numpy as np

from frugalsvm.data.exceptions import DataError
from frugalsvm.tabular.dialect import Dialect
from frugalsvm.tabular.table import Column, Content, Table, column_of, listed

OLD_FORMATS = (".xls", ".xlsb", ".ods", ".sav", ".dta", ".sas7bdat", ".rds", ".feather")
"""Tables of other programs, which are named rather than read."""


def is_excel(path: Path) -> bool:
    """Return True for a workbook; raise for a table of another program, with what to do."""
    if path.suffix.lower() in OLD_FORMATS:
        raise DataError(
            f"{path}: {path.suffix} files cannot be read. Save the table as CSV, Parquet or .xlsx."
        )
    return path.suffix.lower() in (".xlsx", ".xlsm")


def excel_header(path: Path, dialect: Dialect) -> list[str]:
    """Return the names in the first row of a workbook's sheet."""
    with _sheet(path, dialect) as sheet:
        first = next(sheet.iter_rows(max_row=1, values_only=True), ())
    names = ["" if cell is None else str(cell).strip() for cell in first]
    while names and not names[-1]:
        names.pop()  # cells that were formatted once
    if not names:
        raise DataError(f"{path}: the first row of the sheet must name the columns. It is empty.")
    return names


def read_excel(
    path: Path, columns: Sequence[str], as_text: Collection[str], dialect: Dialect
) -> Table:
    """Read some columns of a workbook's sheet."""
    names = excel_header(path, dialect)
    with _sheet(path, dialect) as sheet:
        rows = list(sheet.iter_rows(min_row=2, max_col=len(names), values_only=True))
    while rows and all(cell is None for cell in rows[-1]):
        rows.pop()
    place = {name: k for k, name in enumerate(names)}
    cells = {name: _cells([row[place[name]] for row in rows], dialect) for name in columns}
    return Table.of(_column(name, cells[name], stay_text=name in as_text) for name in columns)


def _cells(values: list[Any], dialect: Dialect) -> Any:
    """Return the values of a column as objects, None where there is none."""
    cells = np.empty(len(values), dtype=object)
    for k, value in enumerate(values):
        text = value.strip() if isinstance(value, str) else value
        cells[k] = None if isinstance(text, str) and text in dialect.missing else text
    return cells


def _column(name: str, cells: Any, *, stay_text: bool) -> Column:
    column = column_of(name, cells)
    if stay_text and column.content in (Content.NUMBER, Content.BOOLEAN):
        return Column(name, Content.TEXT, column.as_text(), column.missing)
    return column


@contextmanager
def _sheet(path: Path, dialect: Dialect) -> Iterator[Any]:
    try:
        from openpyxl import load_workbook
        from openpyxl.utils.exceptions import InvalidFileException
    except ImportError as error:
        raise DataError(
            f"{path}: reading Excel files needs the package openpyxl. Install it with pip install "
            "'frugalsvm[excel]', or save the table as CSV."
        ) from error
    try:
        book = load_workbook(path, read_only=True, data_only=True)
    except (InvalidFileException, zipfile.BadZipFile, KeyError) as error:
        raise DataError(f"{path} is not an Excel workbook (.xlsx): {error}.") from error
    try:
        yield book[_chosen(path, book.sheetnames, dialect.sheet)]
    finally:
        book.close()


def _chosen(path: Path, sheets: Sequence[str], asked: str | None) -> str:
    if asked is not None:
        if asked not in sheets:
            raise DataError(f"{path} has no sheet {asked!r}. It has {listed(sheets)}.")
        return asked
    if len(sheets) > 1:
        raise DataError(
            f"{path} has {len(sheets)} sheets, {listed(sheets)}: say which with --sheet."
        )
    return sheets[0]
