"""From a table to the matrix a classifier needs: coded levels, filled gaps, nothing guessed."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from frugalsvm.data.exceptions import DataError
from frugalsvm.tabular.dialect import MAX_LEVELS
from frugalsvm.tabular.table import Column, Content, Table, and_more, listed
from frugalsvm.tabular.variables import (
    Kind,
    Variable,
    check_coded_names,
    learn_variable,
    refuse_infinite,
)


@dataclass(frozen=True)
class CodedColumn:
    """One column of the coded matrix: a variable, or one level of it.

    Attributes
    ----------
    name : str
        "age" or "colour=red".
    variable : str
        The raw column it needs.
    level : str or None
        The level for which it is 1, if the variable is categorical.
    """

    name: str
    variable: str
    level: str | None = None


@dataclass(frozen=True)
class Preparation:
    """How raw columns become the columns of a matrix; learned in training, then fixed.

    Attributes
    ----------
    variables : tuple of Variable
        The raw columns in order.
    columns : tuple of CodedColumn
        The columns of the matrix in order. They may leave out levels that a panel does not use.
    """

    variables: tuple[Variable, ...]
    columns: tuple[CodedColumn, ...]

    @classmethod
    def learn(
        cls,
        table: Table,
        names: Iterable[str],
        categorical: Collection[str] = (),
        max_levels: int = MAX_LEVELS,
    ) -> Preparation:
        """Learn from the columns `names` of a training table."""
        variables = tuple(learn_variable(table[n], categorical, max_levels) for n in names)
        check_coded_names(variables)
        return cls(variables, tuple(c for v in variables for c in coded_columns(v)))

    @classmethod
    def identity(
        cls, names: Sequence[str], ranges: Sequence[tuple[float, float]] | None = None
    ) -> Preparation:
        """Return the preparation of numbers that are used as they are, with their ranges."""
        seen: Iterable[tuple[float | None, float | None]] = ranges or [(None, None)] * len(names)
        return cls(
            tuple(
                Variable(name, Kind.NUMERIC, low=low, high=high)
                for name, (low, high) in zip(names, seen, strict=True)
            ),
            tuple(CodedColumn(name, name) for name in names),
        )

    @property
    def raw_names(self) -> tuple[str, ...]:
        """The columns that a table must have."""
        return tuple(variable.name for variable in self.variables)

    @property
    def coded_names(self) -> tuple[str, ...]:
        """Names of the matrix' columns."""
        return tuple(column.name for column in self.columns)

    @property
    def categorical_names(self) -> tuple[str, ...]:
        """Names of the categorical variables, whose numbers are to be read as text."""
        return tuple(v.name for v in self.variables if v.kind is Kind.CATEGORICAL)

    @property
    def filled(self) -> tuple[Variable, ...]:
        """The variables that had missing values in training."""
        return tuple(v for v in self.variables if v.n_missing)

    def select(self, coded_names: Iterable[str]) -> Preparation:
        """Return the preparation of these coded columns alone, and of the raw ones they need."""
        by_name = {column.name: column for column in self.columns}
        chosen = tuple(by_name[name] for name in coded_names)
        needed = {column.variable for column in chosen}
        return Preparation(tuple(v for v in self.variables if v.name in needed), chosen)

    def transform(self, table: Table, *, impute: bool = False) -> NDArray[np.float64]:
        """Return the matrix of a table's rows.

        Parameters
        ----------
        table : Table
            Has the raw columns, in any order, and perhaps others.
        impute : bool
            Put the value learned in training where one is missing, instead of raising.

        Raises
        ------
        DataError
            Names column and row of a value that is missing, unknown, or of the wrong kind.
        """
        indicators = {v.name: _indicator(v, table[v.name], impute) for v in self.variables}
        X = np.empty((table.n_rows, len(self.columns)))
        for k, column in enumerate(self.columns):
            X[:, k] = indicators[column.variable](column.level)
        return X


def coded_columns(variable: Variable) -> tuple[CodedColumn, ...]:
    """Return the coded columns of a variable: one, or one for each level but the first."""
    return tuple(
        CodedColumn(name, variable.name, level)
        for name, level in zip(variable.coded_names, variable.coded_levels, strict=True)
    )


def _indicator(
    variable: Variable, column: Column, impute: bool
) -> Callable[[str | None], NDArray[np.float64]]:
    """Return the function from a level (or None) to the column's coded values."""
    if column.n_missing and not (impute and variable.fill is not None):
        raise DataError(_missing_message(variable, column))
    if variable.kind is Kind.CATEGORICAL:
        texts = _levels_of(variable, column)
        return lambda level: (texts == level).astype(np.float64)
    numbers = _numbers_of(variable, column)
    return lambda _level: numbers


def _levels_of(variable: Variable, column: Column) -> NDArray[Any]:
    if column.content in (Content.DATE, Content.OTHER):
        raise DataError(
            f"Column '{variable.name}' must hold text, one of {listed(variable.levels)}. "
            f"Got {column.content} values."
        )
    texts = column.as_text()
    texts[column.missing] = variable.fill
    known = set(variable.levels)
    for row, text in enumerate(texts, start=1):
        if text not in known:
            raise DataError(
                f"Column '{variable.name}', row {row}: the level {text!r} was not there in "
                f"training. Known: {listed(variable.levels)}."
            )
    return texts


def _numbers_of(variable: Variable, column: Column) -> NDArray[np.float64]:
    if column.content not in (Content.NUMBER, Content.BOOLEAN):
        raise DataError(_not_a_number(variable, column))
    refuse_infinite(column)
    numbers: NDArray[np.float64] = column.values.copy()
    numbers[column.missing] = variable.fill
    if variable.kind is Kind.BOOLEAN:
        odd = np.flatnonzero((numbers != 0) & (numbers != 1))
        if len(odd):
            raise DataError(
                f"Column '{variable.name}', row {odd[0] + 1}: must be true or false "
                f"(or 1 or 0). Got {numbers[odd[0]]:g}."
            )
    return numbers


def _missing_message(variable: Variable, column: Column) -> str:
    rows = np.flatnonzero(column.missing) + 1
    more = and_more(len(rows) - 1)
    message = f"Column '{variable.name}', row {rows[0]}: the value is missing{more}."
    if variable.fill is None:
        return message
    what, fill = variable.filling
    return (
        f"{message} To use the training data's {what} ({fill}) instead, say --impute "
        "(impute=True in Python)."
    )


def _not_a_number(variable: Variable, column: Column) -> str:
    for row, value in enumerate(column.values):
        if not column.missing[row] and not _reads_as_number(value):
            comma = " If it has a decimal comma, say --decimal ','." if "," in str(value) else ""
            return (
                f"Column '{variable.name}', row {row + 1}: {str(value)[:60]!r} is not a "
                f"number.{comma}"
            )
    return f"Column '{variable.name}' must hold numbers. Got {column.content}."


def _reads_as_number(value: object) -> bool:
    try:
        float(str(value))
    except ValueError:
        return False
    return True
