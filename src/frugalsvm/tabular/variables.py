"""What each column of a table is taken to be: a number, a truth value, or one of some levels."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Collection
from dataclasses import dataclass
from enum import StrEnum

import numpy as np

from frugalsvm.data.exceptions import DataError
from frugalsvm.tabular.dialect import MAX_LEVELS
from frugalsvm.tabular.table import Column, Content, listed, number_text

_NUMBER = re.compile(r"[+-]?(\d+\.?\d*|\.\d+)([eE][+-]?\d+)?")
_THOUSANDS = re.compile(
    r"[+-]?\d{1,3}(([,' \u00a0\u202f]\d{3})+(\.\d+)?|([' \u00a0\u202f]\d{3})+,\d+)"
)
_DECIMAL_COMMA = re.compile(r"[+-]?\d+,\d+")
_WHOLE_OR_COMMA = re.compile(r"[+-]?\d*(,\d+)?")
POINT_GROUPS = re.compile(r"[+-]?\d{1,3}(\.\d{3})+(,\d+)?")
"""Thousands marked by points: refused where a comma is the decimal mark, never read as decimals."""
_DATE = re.compile(r"(\d{4}[-/.]\d{1,2}[-/.]\d{1,2}|\d{1,2}[-/.]\d{1,2}[-/.]\d{2,4})([T ].*)?")


class Kind(StrEnum):
    """How a raw variable enters the classifier."""

    NUMERIC = "numeric"  # as it is
    BOOLEAN = "boolean"  # 1 for true, 0 for false
    CATEGORICAL = "categorical"  # one 0/1 column for each level but the first


@dataclass(frozen=True)
class Variable:
    """One raw column and what training learned about it.

    Attributes
    ----------
    name : str
        The column's name.
    kind : Kind
        How it is coded.
    levels : tuple of str
        Levels of a categorical variable in alphabetical order; the first is the reference,
        which gets no column of its own. Empty for the other kinds.
    fill : float, str or None
        What takes the place of a missing value: the median, or the most frequent level.
        None: nothing was learned, and a missing value is an error.
    n_missing : int
        How many values were missing, and filled, in training.
    low, high : float or None
        Least and greatest number seen in training; None for levels, or where it is not known.
    """

    name: str
    kind: Kind
    levels: tuple[str, ...] = ()
    fill: float | str | None = None
    n_missing: int = 0
    low: float | None = None
    high: float | None = None

    @property
    def filling(self) -> tuple[str, str]:
        """What takes the place of a missing value, in words, and its value."""
        if self.kind is Kind.NUMERIC and isinstance(self.fill, float):
            return "median", number_text(self.fill)
        if self.kind is Kind.BOOLEAN:
            return "most frequent value", "true" if self.fill else "false"
        return "most frequent value", str(self.fill)

    @property
    def coded_levels(self) -> tuple[str | None, ...]:
        """The level that each coded column stands for; (None,) if the variable is one column."""
        return self.levels[1:] if self.kind is Kind.CATEGORICAL else (None,)

    @property
    def coded_names(self) -> tuple[str, ...]:
        """Names of its coded columns: its own, or "colour=red", "colour=white"."""
        if self.kind is not Kind.CATEGORICAL:
            return (self.name,)
        return tuple(f"{self.name}={level}" for level in self.levels[1:])


def learn_variable(
    column: Column, categorical: Collection[str] = (), max_levels: int = MAX_LEVELS
) -> Variable:
    """Decide what a column is, and learn its levels and the value for missing cells.

    Parameters
    ----------
    column : Column
        A column of the training table.
    categorical : collection of str
        Names of columns that hold codes: their numbers are levels.
    max_levels : int
        Refuse a categorical column with more levels.

    Raises
    ------
    DataError
        If there is no value, or no one meaning: text among numbers, decimal commas, dates,
        infinite numbers, an identifier.
    """
    if column.n_missing == len(column):
        raise DataError(f"Column '{column.name}' has no value in any row: {_leave_out(column)}.")
    if column.content in (Content.DATE, Content.OTHER):
        raise DataError(_unusable(column))
    if column.name in categorical:
        return _learn_categorical(column, max_levels)
    if column.content is Content.TEXT:
        _refuse_unclear_text(column)
        return _learn_categorical(column, max_levels)
    refuse_infinite(column)
    kind = Kind.BOOLEAN if column.content is Content.BOOLEAN else Kind.NUMERIC
    fill = float(np.median(column.present))
    if kind is Kind.BOOLEAN:
        fill = float(column.present.mean() > 0.5)  # the more frequent value; false if equal
    low, high = float(column.present.min()), float(column.present.max())
    return Variable(column.name, kind, (), fill, column.n_missing, low, high)


def refuse_infinite(column: Column) -> None:
    """Raise a DataError that names the first infinite number."""
    infinite = np.flatnonzero(np.isinf(column.values) & ~column.missing)
    if len(infinite):
        raise DataError(
            f"Column '{column.name}', row {infinite[0] + 1}: the number is infinite or too large."
        )


def _learn_categorical(column: Column, max_levels: int) -> Variable:
    texts = [text for text in column.as_text() if text is not None]
    counts = Counter(texts)
    if len(counts) > max_levels:
        raise DataError(
            f"Column '{column.name}' has {len(counts)} different texts in {len(column)} rows and "
            f"looks like an identifier: {_leave_out(column)}, or allow so many levels with "
            f"--max-levels {len(counts)}."
        )
    levels = tuple(sorted(counts))
    fill = max(levels, key=lambda level: counts[level])  # the first of equally frequent ones
    return Variable(column.name, Kind.CATEGORICAL, levels, fill, column.n_missing)


def _refuse_unclear_text(column: Column) -> None:
    texts = column.present
    _refuse_thousands(column)
    _refuse_point_groups(column)
    _refuse_decimal_comma(column)
    dates = [text for text in texts if _DATE.fullmatch(text)]
    if len(dates) == len(texts):
        raise DataError(_unusable(column))
    others = [text for text in texts if not _written_number(text)]
    numbers = len(texts) - len(others)
    if numbers and not others:
        raise DataError(_stored_as_text(column))
    if numbers:
        row = _first_row(column, others[0])
        raise DataError(
            f"Column '{column.name}' mixes numbers ({numbers}) and text ({len(others)}), the "
            f"first of it {others[0]!r} in row {row}. If its values are levels, say "
            f"--categorical {quoted(column.name)}; if {others[0]!r} stands for a missing value, "
            f"say --missing {quoted(others[0])}; otherwise mend the data."
        )


def _refuse_thousands(column: Column) -> None:
    texts = column.present
    grouped = [text for text in texts if _THOUSANDS.fullmatch(text)]
    plain = (_THOUSANDS, _NUMBER, _DECIMAL_COMMA)
    if grouped and all(any(way.fullmatch(text) for way in plain) for text in texts):
        row = _first_row(column, grouped[0])
        # 1,234 may be a number between 1 and 2, but not where the same column has 1,234.50.
        decimals = all(_WHOLE_OR_COMMA.fullmatch(text) for text in texts)
        comma = ", or say --decimal ',' if the comma is a decimal mark" if decimals else ""
        raise DataError(
            f"Column '{column.name}', row {row}: {grouped[0]!r} looks like a number with thousands "
            f"separators. Write numbers without them{comma}; if it is a level, say "
            f"--categorical {quoted(column.name)}."
        )


def _refuse_point_groups(column: Column) -> None:
    """Refuse 1.234 for 1234, and 1.234,5: pointed numbers are told from them by the others."""
    texts = column.present
    grouped = [text for text in texts if POINT_GROUPS.fullmatch(text)]
    if grouped and all(POINT_GROUPS.fullmatch(t) or _WHOLE_OR_COMMA.fullmatch(t) for t in texts):
        row = _first_row(column, grouped[0])
        comma = any("," in text for text in texts)
        what = "thousands separators and a decimal comma" if comma else "thousands separators"
        decimal = ", and say --decimal ','" if comma else ""
        raise DataError(
            f"Column '{column.name}', row {row}: {grouped[0]!r} looks like a number with {what}. "
            f"Write numbers without the separators{decimal}; if it is a level, say "
            f"--categorical {quoted(column.name)}."
        )


def _refuse_decimal_comma(column: Column) -> None:
    texts = column.present
    commas = [text for text in texts if _DECIMAL_COMMA.fullmatch(text)]
    if commas and all(_DECIMAL_COMMA.fullmatch(t) or _NUMBER.fullmatch(t) for t in texts):
        row = _first_row(column, commas[0])
        raise DataError(
            f"Column '{column.name}', row {row}: {commas[0]!r} looks like a number with a decimal "
            "comma. If so, say --decimal ','; if it is a level, say "
            f"--categorical {quoted(column.name)}."
        )


def _written_number(text: str) -> bool:
    """Return whether people take a text for a number, whatever marks it is written with."""
    ways = (_NUMBER, _DECIMAL_COMMA, _THOUSANDS, POINT_GROUPS)
    return any(way.fullmatch(text) for way in ways)


def _stored_as_text(column: Column) -> str:
    """Return what is wrong with a column of numbers, written in one way or in several."""
    marked = [text for text in column.present if not _NUMBER.fullmatch(text)]
    levels = f"if they are levels, say --categorical {quoted(column.name)}"
    if marked:
        return (
            f"Column '{column.name}' has numbers written in several ways, the first with marks of "
            f"its own {marked[0]!r} in row {_first_row(column, marked[0])}. Write them in one way; "
            f"{levels}."
        )
    return (
        f"Column '{column.name}' holds numbers that are stored as text. {levels.capitalize()}; "
        "if they are amounts, store them as numbers."
    )


def _first_row(column: Column, text: str) -> int:
    """Return the row, counted from 1, where a text stands first."""
    return int(np.flatnonzero(column.values == text)[0]) + 1


def _unusable(column: Column) -> str:
    what = "dates or times" if column.content in (Content.DATE, Content.TEXT) else "mixed values"
    return (
        f"Column '{column.name}' holds {what}, which have no price or weight of their own: "
        f"{_leave_out(column)}, or turn it into a number (days since an event, say)."
    )


def _leave_out(column: Column) -> str:
    return f"leave it out with --exclude {quoted(column.name)}"


def quoted(text: str) -> str:
    """Return a word as one types it in a shell.

    Examples
    --------
    >>> quoted("age"), quoted("mean area")
    ('age', "'mean area'")
    """
    return text if re.fullmatch(r"[\w.=+-]+", text) else f"'{text}'"


def check_coded_names(variables: Collection[Variable]) -> None:
    """Raise a DataError if two coded columns would have the same name."""
    names = Counter(name for variable in variables for name in variable.coded_names)
    twice = [name for name, count in names.items() if count > 1]
    if twice:
        raise DataError(
            f"Coding the categorical columns would make more than one column called "
            f"{listed(twice)}: rename a column or a level."
        )
