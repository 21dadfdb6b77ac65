"""Reading CSV files with Python's own parser: numbers first, the columns that are none as text.

A file is read in batches of rows. The first pass keeps numbers only, eight bytes a cell; columns
with a cell that is no number are read once more, as text.
"""

from __future__ import annotations

import csv
import gzip
import io
import itertools
from collections.abc import Collection, Iterator, Sequence
from pathlib import Path
from typing import Any, TextIO

import numpy as np
from numpy.typing import NDArray

from frugalsvm.data.exceptions import DataError
from frugalsvm.tabular.dialect import Dialect
from frugalsvm.tabular.table import Column, Content, Table
from frugalsvm.tabular.variables import POINT_GROUPS

DELIMITERS = (",", ";", "\t", "|")
_HEADER_LIMIT = 16 * 2**20
_BATCH = 8192

Batch = list[tuple[str, ...]]
"""Some rows, column by column."""
Floats = NDArray[np.float64]


def open_text(path: Path, encoding: str = "utf-8") -> TextIO:
    """Open a text file for reading, unpacked if it is called .gz and without a byte order mark."""
    if encoding.lower().replace("_", "-") in ("utf-8", "utf8"):
        encoding = "utf-8-sig"
    if path.suffix.lower() == ".gz":
        return io.TextIOWrapper(gzip.open(path, "rb"), encoding=encoding, newline="")
    return path.open(encoding=encoding, newline="")


def delimiter_of(first_line: str) -> str:
    """Return the delimiter that a header line uses most often outside quotes.

    Examples
    --------
    >>> delimiter_of('age;"height, cm";weight')
    ';'
    """
    bare = "".join(first_line.split('"')[::2])
    return max(DELIMITERS, key=bare.count)


def not_text(path: Path) -> str:
    """Return what to say of a file that is no text in its encoding."""
    return f"{path} is not text in this encoding: save it as UTF-8, or name its --encoding."


def csv_header(path: Path, dialect: Dialect) -> tuple[list[str], str]:
    """Return the column names and the delimiter of a CSV file."""
    with open_text(path, dialect.encoding) as stream:
        first = stream.readline(_HEADER_LIMIT)
        if "\0" in first:
            raise DataError(not_text(path))
        if len(first) == _HEADER_LIMIT:
            raise DataError(f"{path} is not a CSV file: its first line does not end.")
        if not first.strip():
            empty = not stream.read(_HEADER_LIMIT).strip()
            what = "is empty: it has not even a header" if empty else "begins with an empty line"
            raise DataError(f"{path} {what}. The first line must name the columns.")
        delimiter = delimiter_of(first)
        # A quoted name may run on into the next lines.
        names = next(csv.reader(itertools.chain([first], stream), delimiter=delimiter))
    return [name.strip() for name in names], delimiter


def read_csv(
    path: Path, columns: Sequence[str], as_text: Collection[str], dialect: Dialect
) -> Table:
    """Read some columns of a CSV file; those of `as_text` stay text."""
    names, delimiter = csv_header(path, dialect)
    place = {name: k for k, name in enumerate(names)}

    def batches() -> Iterator[Batch]:
        return _batches(path, len(names), delimiter, dialect.encoding)

    hopeful = {name: place[name] for name in columns if name not in as_text}
    numbers = _numbers(batches(), hopeful, dialect)
    others = {name: place[name] for name in columns if name not in numbers}
    texts = _texts(batches(), others, dialect) if others else {}
    return Table.of(
        Column(name, Content.NUMBER, numbers[name], np.isnan(numbers[name]))
        if name in numbers
        else _text_column(name, texts[name], stay_text=name in as_text)
        for name in columns
    )


def _batches(path: Path, width: int, delimiter: str, encoding: str) -> Iterator[Batch]:
    """Yield the rows below the header, several at a time, column by column."""
    with open_text(path, encoding) as stream:
        rows = _rows(path, stream, width, delimiter)
        while batch := list(itertools.islice(rows, _BATCH)):
            yield list(zip(*batch, strict=True))


def _rows(path: Path, stream: TextIO, width: int, delimiter: str) -> Iterator[list[str]]:
    """Yield the rows below the header; empty lines do not count, other lengths are an error."""
    record: list[str] = []
    reader = csv.reader(_remembered(stream, record), delimiter=delimiter)
    next(reader)
    while True:
        begin = reader.line_num + 1
        record.clear()
        try:
            row = next(reader, None)
        except csv.Error as error:
            raise DataError(
                f"{path}: line {begin} cannot be read: {error}. Is a quotation mark left open?"
            ) from error
        if row is None:
            return
        if len(record) > 1 or not record[-1].endswith(("\n", "\r")):
            _refuse_open_quote(path, record, delimiter)
        if row and len(row) != width:
            raise DataError(
                f"{path}: line {begin} has {len(row)} cells where the header has {width}: "
                f"{record[0].rstrip()[:60]!r}."
            )
        if row:
            yield row


def _remembered(lines: Iterator[str], record: list[str]) -> Iterator[str]:
    """Pass lines on, and keep those of the row that is being read."""
    for line in lines:
        record.append(line)
        yield line


def _refuse_open_quote(path: Path, record: list[str], delimiter: str) -> None:
    """Raise if a row ends with the file because its quotation mark is never closed."""
    try:
        list(csv.reader(record, delimiter=delimiter, strict=True))
    except csv.Error as error:
        if "end of data" in str(error):
            raise DataError(
                f"{path}: a quotation mark is opened in the last row and never closed."
            ) from error


def _numbers(
    batches: Iterator[Batch], places: dict[str, int], dialect: Dialect
) -> dict[str, Floats]:
    """Return the columns whose cells are all numbers or missing."""
    found: dict[str, list[Floats]] = {name: [] for name in places}
    for batch in batches:
        for name in list(found):
            values = _as_numbers(batch[places[name]], dialect)
            if values is None:
                del found[name]
            else:
                found[name].append(values)
    return {name: np.concatenate(parts or [np.empty(0)]) for name, parts in found.items()}


def _as_numbers(cells: Sequence[str], dialect: Dialect) -> Floats | None:
    """Return cells as numbers, NaN where there is none; None if one is no number.

    Python reads more as a number than people write: ``1_000``, and digits of other scripts.
    """
    trimmed = [cell.strip() for cell in cells]
    present = [cell for cell in trimmed if cell not in dialect.missing]
    joined = "".join(present)
    if "_" in joined or not joined.isascii():
        return None
    if dialect.decimal == ",":
        if "." in joined and any(POINT_GROUPS.fullmatch(cell) for cell in present):
            return None
        present = [cell.replace(",", ".") for cell in present]
    try:
        numbers = np.array([float(cell) for cell in present], dtype=np.float64)
    except ValueError:
        return None
    if len(present) == len(trimmed):
        return numbers
    values = np.full(len(trimmed), np.nan)
    values[[cell not in dialect.missing for cell in trimmed]] = numbers
    return values


def _texts(
    batches: Iterator[Batch], places: dict[str, int], dialect: Dialect
) -> dict[str, NDArray[Any]]:
    """Return columns as text, None where a cell is missing; equal cells share one text."""
    found: dict[str, list[str | None]] = {name: [] for name in places}
    known: dict[str, str | None] = dict.fromkeys(dialect.missing)
    for batch in batches:
        for name, cells in found.items():
            trimmed = (cell.strip() for cell in batch[places[name]])
            cells.extend(known.setdefault(cell, cell) for cell in trimmed)
    return {name: np.array(cells, dtype=object) for name, cells in found.items()}


def _text_column(name: str, cells: NDArray[Any], *, stay_text: bool) -> Column:
    """Return a column of truth values if every cell is one, of text otherwise."""
    missing = np.array([cell is None for cell in cells], dtype=np.bool_)
    lowered = {cell: cell.lower() for cell in set(cells[~missing])}
    if stay_text or not lowered or not set(lowered.values()) <= {"true", "false"}:
        return Column(name, Content.TEXT, cells, missing)
    values = np.full(len(cells), np.nan)
    values[~missing] = [lowered[cell] == "true" for cell in cells[~missing]]
    return Column(name, Content.BOOLEAN, values, missing)
