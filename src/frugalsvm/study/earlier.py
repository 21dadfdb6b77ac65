"""Tables that were written before: what to keep of them where the store has nothing."""

from __future__ import annotations

import csv
import math
from dataclasses import replace
from pathlib import Path

from frugalsvm.study.summary import Spread
from frugalsvm.study.table import Cell, Table

KEYS = 2  # columns that say what a row is about: data set and metric


def filled(table: Table, path: Path) -> Table:
    """Return the table with its empty cells as an earlier file has them, if there is one.

    Rows are told apart by their first two cells and columns by their heads; what the file does
    not have stays empty.
    """
    if not path.is_file():
        return table
    with path.open(encoding="utf-8", newline="") as file:
        reader = csv.DictReader(file)
        heads = list(reader.fieldnames or ())[:KEYS]
        if heads != list(table.columns[:KEYS]):
            return table
        before = {tuple(row[head] for head in heads): row for row in reader}
    rows = []
    for row in table.rows:
        old = before.get(tuple(str(cell) for cell in row[:KEYS]), {})
        pairs = zip(table.columns, row, strict=True)
        rows.append(tuple(_kept(head, old) if cell is None else cell for head, cell in pairs))
    return replace(table, rows=tuple(rows))


def _kept(head: str, old: dict[str, str]) -> Cell:
    value, deviation = old.get(head, ""), old.get(f"{head} std")
    if not value:
        return None
    if deviation is None:  # a column of plain numbers
        return int(value) if value.isdigit() else float(value)
    return Spread(float(value), float(deviation) if deviation else math.nan)
