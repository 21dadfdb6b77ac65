"""New data that leave the range of the training data: another unit, a typing error."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

import numpy as np

from frugalsvm.tabular.table import Content, Table, and_more, number_text
from frugalsvm.tabular.variables import Kind, Variable


@dataclass(frozen=True)
class OutOfRange:
    """One variable whose new values leave the range seen in training.

    Attributes
    ----------
    variable : str
        The column.
    rows : int
        How many rows are outside, of `n_rows`.
    n_rows : int
        Rows with a value.
    first_row : int
        The first of them; the first row of a table is 1.
    value : float
        Its value.
    low, high : float
        The range seen in training.
    """

    variable: str
    rows: int
    n_rows: int
    first_row: int
    value: float
    low: float
    high: float

    def __str__(self) -> str:
        text = (
            f"Column '{self.variable}', row {self.first_row}{and_more(self.rows - 1)}: "
            f"{number_text(self.value)} is outside the range seen in training, "
            f"{number_text(self.low)} to {number_text(self.high)}."
        )
        if self.rows > self.n_rows / 2 and self.rows > 1:
            text += " Most rows are: is it measured in the same unit?"
        return text


def out_of_range(variables: Iterable[Variable], table: Table) -> tuple[OutOfRange, ...]:
    """Return the variables of a table whose numbers leave the range seen in training."""
    found = (_outside(variable, table) for variable in variables)
    return tuple(finding for finding in found if finding is not None)


def _outside(variable: Variable, table: Table) -> OutOfRange | None:
    column = table[variable.name]
    low, high = variable.low, variable.high
    if variable.kind is not Kind.NUMERIC or low is None or high is None:
        return None
    if column.content not in (Content.NUMBER, Content.BOOLEAN):
        return None
    outside = ~column.missing & ((column.values < low) | (column.values > high))
    rows = np.flatnonzero(outside)
    if not len(rows):
        return None
    first = int(rows[0])
    n_rows = len(column) - column.n_missing
    return OutOfRange(
        variable.name, len(rows), n_rows, first + 1, float(column.values[first]), low, high
    )
