"""A data set as published: named columns of text cells, with a checksum that formats share."""

from __future__ import annotations

import csv
import gzip
import hashlib
import io
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path

from frugalsvm.study.errors import DatasetError

MISSING = frozenset({"", "?", "NA", "nan", "NaN"})
"""How a missing number is written."""


@dataclass(frozen=True)
class RawTable:
    """Columns of text and the class of each row.

    Attributes
    ----------
    columns : tuple of str
        Names of the variables, without the class.
    rows : tuple of tuple of str
        The cells.
    classes : tuple of str
        The published label of each row.
    """

    columns: tuple[str, ...]
    rows: tuple[tuple[str, ...], ...]
    classes: tuple[str, ...]

    def column(self, name: str) -> tuple[str, ...]:
        """Return the cells of one variable."""
        k = self.columns.index(name)
        return tuple(row[k] for row in self.rows)


def canonical(table: RawTable, categorical: Iterable[str], *, sort_rows: bool) -> RawTable:
    """Return the table in the one form that every published copy of it reduces to.

    Numbers are written as Python writes the float, text without surrounding blanks. Copies that
    differ in the order of their rows are sorted.
    """
    kept = set(categorical)
    textual = [name in kept for name in table.columns]
    rows = [
        tuple(_cell(cell, text) for cell, text in zip(row, textual, strict=True))
        for row in table.rows
    ]
    classes = [label.strip() for label in table.classes]
    order = list(range(len(rows)))
    if sort_rows:
        order.sort(key=lambda i: (rows[i], classes[i]))
    return RawTable(table.columns, tuple(rows[i] for i in order), tuple(classes[i] for i in order))


def _cell(cell: str, textual: bool) -> str:
    cell = cell.strip()
    if textual or cell in MISSING:
        return cell
    try:
        return repr(float(cell))
    except ValueError as error:
        raise DatasetError(f"Expected a number in a numeric column, found {cell!r}.") from error


def checksum(table: RawTable) -> str:
    """Return the SHA-256 of a canonical table."""
    digest = hashlib.sha256()
    for line in (table.columns, *table.rows, table.classes):
        digest.update("\x1f".join(line).encode() + b"\n")
    return digest.hexdigest()


def parse_csv(text: str, *, drop: Sequence[str] = ()) -> RawTable:
    """Parse comma-separated text with a header, whose last column is ``class``."""
    lines = [line for line in csv.reader(io.StringIO(text)) if line]
    if not lines or lines[0][-1] != "class":
        raise DatasetError("Expected a header whose last column is 'class'.")
    header, body = lines[0], lines[1:]
    if any(len(line) != len(header) for line in body):
        raise DatasetError("Some rows do not have as many cells as the header.")
    keep = [k for k, name in enumerate(header[:-1]) if name not in drop]
    return RawTable(
        tuple(header[k] for k in keep),
        tuple(tuple(line[k] for k in keep) for line in body),
        tuple(line[-1] for line in body),
    )


def to_csv(table: RawTable) -> str:
    """Return the text that :func:`parse_csv` reads."""
    out = io.StringIO()
    writer = csv.writer(out, lineterminator="\n")
    writer.writerow([*table.columns, "class"])
    writer.writerows([*row, label] for row, label in zip(table.rows, table.classes, strict=True))
    return out.getvalue()


def read_text(path: Path) -> str:
    """Return the text of a file, unpacked if its name ends in ``.gz``."""
    try:
        data = path.read_bytes()
        return (gzip.decompress(data) if path.suffix == ".gz" else data).decode()
    except (OSError, EOFError, UnicodeDecodeError) as error:
        raise DatasetError(f"Cannot read {path}: {error}") from error
