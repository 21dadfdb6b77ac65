"""Reading a price list from a CSV file, strictly, with the line of every mistake."""

from __future__ import annotations

import csv
import math
import re
from collections.abc import Sequence
from pathlib import Path

from frugalsvm.data.exceptions import DataError
from frugalsvm.tabular.csv_file import delimiter_of, open_text
from frugalsvm.tabular.dialect import Dialect
from frugalsvm.tabular.price_list import Price, PriceList
from frugalsvm.tabular.reading import read_header
from frugalsvm.tabular.table import listed, number_text

REQUIRED = ("feature", "cost")
OPTIONAL = ("group", "group_cost", "note")
SEPARATOR = ";"
"""Between the groups, and their costs, of a feature that needs several."""
ROUNDING = 1e-9
"""Relative difference that a spreadsheet's arithmetic may leave between equal costs."""

_PLAIN = re.compile(r"[+-]?(\d+\.?\d*|\.\d+)([eE][+-]?\d+)?")
_GROUPED = re.compile(r"\d{1,3}([ ,.'\u00a0\u202f]\d{3})+([.,]\d+)?")


def read_price_list(path: Path, dialect: Dialect | None = None) -> PriceList:
    """Read a price list: a CSV file with the columns feature, cost and perhaps group, group_cost.

    The group's cost may stand in every row of the group or in one of them. A feature that needs
    several groups names them all in one cell, separated by ";", and their costs likewise.

    Parameters
    ----------
    path : Path
        The file.
    dialect : Dialect or None
        Its decimal mark and encoding; None: a point, UTF-8.

    Raises
    ------
    DataError
        Names the line of the file that is wrong, and what is wrong with it.
    """
    dialect = dialect or Dialect()
    prices: dict[str, Price] = {}
    costs = _GroupCosts(dialect.decimal)
    for line, row in _rows(path, dialect):
        where = f"{path}, line {line}"
        name = row["feature"]
        if not name:
            raise DataError(f"{where}: 'feature' is empty.")
        if name in prices:
            raise DataError(f"{where}: {name!r} has a price already: name each feature once.")
        groups = _split(row.get("group", ""))
        cost = _money(row["cost"], "cost", where, dialect.decimal)
        prices[name] = Price(cost, tuple(group for group in groups if group))
        costs.note(groups, row.get("group_cost", ""), where, line)
    used = {group for price in prices.values() for group in price.groups}
    bare = sorted(used - costs.known.keys())
    if bare:
        raise DataError(
            f"{path}: the group{'s' if len(bare) > 1 else ''} {listed(bare)} "
            f"need{'' if len(bare) > 1 else 's'} a 'group_cost' in at least one row (0 if free)."
        )
    return PriceList(prices, {group: cost for group, (cost, _) in costs.known.items()})


class _GroupCosts:
    """What groups cost, and the line that said so first."""

    def __init__(self, decimal: str) -> None:
        self.decimal = decimal
        self.known: dict[str, tuple[float, int]] = {}

    def note(self, groups: list[str], text: str, where: str, line: int) -> None:
        """Take note of the cell 'group_cost' of a row with these groups."""
        if not text:
            return
        if not groups:
            raise DataError(f"{where}: 'group_cost' is {text} but 'group' is empty.")
        cells = _split(text)
        if len(cells) != len(groups):
            raise DataError(
                f"{where}: 'group' names {len(groups)} groups, {listed(groups)}, and 'group_cost' "
                f"{len(cells)} costs: write as many, separated by '{SEPARATOR}' (an empty one "
                "for a group whose cost stands in another row)."
            )
        for group, cell in zip(groups, cells, strict=True):
            if cell:
                self._set(group, _money(cell, "group_cost", where, self.decimal), where, line)

    def _set(self, group: str, cost: float, where: str, line: int) -> None:
        before, first = self.known.setdefault(group, (cost, line))
        if not math.isclose(before, cost, rel_tol=ROUNDING):
            raise DataError(
                f"{where}: 'group_cost' of {group!r} is {number_text(cost)}, but line {first} says "
                f"{number_text(before)}: a group has one cost."
            )
        # Of numbers that differ by the rounding of a computation, the shortest is what was meant.
        self.known[group] = (min(before, cost, key=lambda value: len(repr(value))), first)


def _split(cell: str) -> list[str]:
    """Return the entries of a cell that may hold several."""
    return [part.strip() for part in cell.split(SEPARATOR)] if cell else []


def _rows(path: Path, dialect: Dialect) -> list[tuple[int, dict[str, str]]]:
    """Return the rows of the file with their line numbers, cells trimmed, empty rows left out."""
    header = read_header(path, dialect)
    _check_header(path, header)
    with open_text(path, dialect.encoding) as stream:
        delimiter = delimiter_of(stream.readline())
        stream.seek(0)
        reader = csv.reader(stream, delimiter=delimiter)
        next(reader)
        rows = []
        for cells in reader:
            if any(cell.strip() for cell in cells):
                rows.append((reader.line_num, _row(path, reader.line_num, header, cells)))
    if not rows:
        raise DataError(f"{path} has a header but no prices.")
    return rows


def _row(path: Path, line: int, header: Sequence[str], cells: Sequence[str]) -> dict[str, str]:
    if len(cells) != len(header):
        raise DataError(
            f"{path}, line {line}: {len(cells)} cells where the header has {len(header)}."
        )
    return {name: cell.strip() for name, cell in zip(header, cells, strict=True)}


def _check_header(path: Path, header: Sequence[str]) -> None:
    absent = [name for name in REQUIRED if name not in header]
    odd = [name for name in header if name not in REQUIRED + OPTIONAL]
    if absent or odd:
        raise DataError(
            f"{path} must have the columns 'feature' and 'cost', and may have 'group', "
            f"'group_cost' and 'note'. It has {listed(header)}."
        )


def _money(text: str, column: str, where: str, decimal: str) -> float:
    plain = text.replace(",", ".") if decimal == "," else text
    value = float(plain) if _PLAIN.fullmatch(plain) else math.nan
    unclear = decimal == "," and "." in text and _GROUPED.fullmatch(text)
    if unclear or not 0 <= value < math.inf:
        raise DataError(f"{where}: '{column}' must be a number >= 0. Got {text!r}{_hint(text)}.")
    return value


def _hint(text: str) -> str:
    """Return what may have gone wrong with a number."""
    if _GROUPED.fullmatch(text):
        return ", which looks like a number with thousands separators: write it without them"
    if "," in text:
        return ": write decimals with a point, or say --decimal ','"
    if re.search(r"\d", text) and not _PLAIN.fullmatch(text):
        return ": write the number alone"
    return ""
