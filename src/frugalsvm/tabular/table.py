"""A table as plain data: named columns of numbers, truth values or text, wherever they came from.

Everything behind this file works with numpy alone, so that a model can be loaded and used
without pandas.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from difflib import get_close_matches
from enum import StrEnum
from typing import Any

import numpy as np
from numpy.typing import NDArray

from frugalsvm.data.exceptions import DataError


class Content(StrEnum):
    """What the cells of a column hold."""

    NUMBER = "number"
    BOOLEAN = "truth value"
    TEXT = "text"
    DATE = "date"
    OTHER = "other"


@dataclass(frozen=True)
class Column:
    """One column of a table.

    Attributes
    ----------
    name : str
        Its name.
    content : Content
        What its cells hold.
    values : ndarray of shape (n_rows,)
        float64 for numbers and truth values (1, 0), objects (str or None) otherwise; the value
        of a missing cell means nothing.
    missing : ndarray of bool of shape (n_rows,)
        Cells without a value.
    """

    name: str
    content: Content
    values: NDArray[Any]
    missing: NDArray[np.bool_]

    def __len__(self) -> int:
        return len(self.values)

    @property
    def n_missing(self) -> int:
        """Number of cells without a value."""
        return int(self.missing.sum())

    @property
    def present(self) -> NDArray[Any]:
        """The values that are there."""
        return self.values[~self.missing]

    def as_text(self) -> NDArray[Any]:
        """Return the values as text (None where missing), whole numbers without a point."""
        if self.content is Content.TEXT:
            texts = self.values.copy()
        elif self.content is Content.BOOLEAN:
            texts = _objects("true" if value else "false" for value in self.values)
        else:
            texts = _objects(number_text(value) for value in self.values)
        texts[self.missing] = None
        return texts


@dataclass(frozen=True)
class Table:
    """Columns of equal length with distinct names.

    Attributes
    ----------
    columns : dict from str to Column
        The columns in the order of the table.
    n_rows : int
        Number of rows.
    row_names : bool
        True if the file has a first column without a name, which was left out.
    """

    columns: Mapping[str, Column]
    n_rows: int
    row_names: bool = False

    @classmethod
    def of(cls, columns: Iterable[Column]) -> Table:
        """Return the table of these columns."""
        listed = list(columns)
        check_names([column.name for column in listed])
        return cls({column.name: column for column in listed}, len(listed[0]) if listed else 0)

    @classmethod
    def from_frame(cls, frame: Any, names: Sequence[str] | None = None) -> Table:
        """Return the columns called `names` (None: all) of a pandas or polars data frame."""
        available = [str(name) for name in frame.columns]
        if names is None:
            names = available
        require(names, available)
        check_names([name for name in available if name in set(names)])
        labels = dict(zip(available, frame.columns, strict=True))
        return cls.of(column_of(name, np.asarray(frame[labels[name]])) for name in names)

    def __getitem__(self, name: str) -> Column:
        return self.columns[name]

    @property
    def names(self) -> tuple[str, ...]:
        """Names of the columns."""
        return tuple(self.columns)


def and_more(rows: int) -> str:
    """Return how many further rows a message is about, in brackets; empty for none.

    Examples
    --------
    >>> and_more(1), and_more(0)
    (' (and 1 more row)', '')
    """
    return f" (and {rows} more row{'s' if rows > 1 else ''})" if rows else ""


def number_text(value: float) -> str:
    """Return a number as people write it: 3 rather than 3.0.

    Examples
    --------
    >>> number_text(3.0), number_text(0.25), number_text(1e300)
    ('3', '0.25', '1e+300')
    """
    value = float(value)
    return str(int(value)) if value.is_integer() and abs(value) < 1e15 else repr(value)


def column_of(name: str, values: NDArray[Any]) -> Column:
    """Return a column of a one-dimensional array of any dtype.

    Examples
    --------
    >>> import numpy as np
    >>> column_of("colour", np.array(["red", None, "blue"], dtype=object)).n_missing
    1
    """
    kind = values.dtype.kind
    if kind in "iu":
        return Column(name, Content.NUMBER, values.astype(np.float64), np.zeros(len(values), bool))
    if kind == "f":
        numbers = values.astype(np.float64)
        return Column(name, Content.NUMBER, numbers, np.isnan(numbers))
    if kind == "b":
        return Column(name, Content.BOOLEAN, values.astype(np.float64), np.zeros(len(values), bool))
    if kind == "M":
        return Column(name, Content.DATE, values.astype(object), np.isnat(values))
    return _column_of_objects(name, values.astype(object))


def _column_of_objects(name: str, values: NDArray[Any]) -> Column:
    missing = np.array([is_missing(value) for value in values], dtype=np.bool_)
    present = values[~missing]
    content = _content_of_objects(present)
    if content in (Content.NUMBER, Content.BOOLEAN):
        numbers = np.full(len(values), np.nan)
        numbers[~missing] = present.astype(np.float64)
        return Column(name, content, numbers, missing)
    if content is Content.TEXT:
        values = _objects(value if is_missing(value) else value.strip() for value in values)
    return Column(name, content, values, missing)


def _objects(items: Iterable[Any]) -> NDArray[Any]:
    listed_items = list(items)
    array = np.empty(len(listed_items), dtype=object)
    array[:] = listed_items
    return array


def _content_of_objects(present: NDArray[Any]) -> Content:
    types = {type(value) for value in present}
    if all(issubclass(t, (bool, np.bool_)) for t in types):
        return Content.BOOLEAN if types else Content.NUMBER
    if all(issubclass(t, (int, float, np.number)) and t is not bool for t in types):
        return Content.NUMBER
    if all(issubclass(t, str) for t in types):
        return Content.TEXT
    if all(hasattr(t, "isoformat") for t in types):
        return Content.DATE
    return Content.OTHER


def is_missing(value: Any) -> bool:
    """Return True for None, NaN, and pandas' NA and NaT."""
    if value is None or type(value).__name__ in ("NAType", "NaTType"):
        return True
    return isinstance(value, (float, np.floating)) and bool(np.isnan(value))


def check_names(names: Sequence[str], first: int = 1) -> None:
    """Raise a DataError if a name is empty or occurs twice; `first` is the first one's place."""
    for position, name in enumerate(names, start=first):
        if not name.strip():
            raise DataError(f"Column {position} of the table has no name: give it one.")
    twice = sorted({name for name in names if names.count(name) > 1}) if _repeats(names) else []
    if twice:
        raise DataError(
            f"The table has more than one column called {listed(twice)}: rename all but one."
        )


def _repeats(names: Sequence[str]) -> bool:
    return len(set(names)) < len(names)


def require(names: Iterable[str], available: Sequence[str]) -> None:
    """Raise a DataError that lists the `names` that are not `available`."""
    present = set(available)
    absent = [name for name in names if name not in present]
    if absent:
        raise DataError(
            f"The table lacks the column{'s' if len(absent) > 1 else ''} {listed(absent)}. "
            f"It has {listed(available)}.{did_you_mean(absent, available)}"
        )


def did_you_mean(wanted: Iterable[str], available: Iterable[str]) -> str:
    """Return a question that offers the names that were probably meant; empty if there are none.

    Examples
    --------
    >>> did_you_mean(["Ill"], ["healthy", "ill"])
    " Did you mean 'ill'?"
    """
    available = tuple(available)
    near = dict.fromkeys(name for one in wanted for name in alike(one, available))
    return f" Did you mean {listed(near)}?" if near else ""


def alike(wanted: str, available: Iterable[str]) -> list[str]:
    """Return the name that was probably meant, if there is one.

    Examples
    --------
    >>> alike("Diagnosis", ["age", "diagnosis"]), alike("weight", ["age", "sex"])
    (['diagnosis'], [])
    """
    folded = {name.casefold(): name for name in available}
    return [folded[name] for name in get_close_matches(wanted.casefold(), folded, n=1)]


def listed(names: Iterable[Any], most: int = 6) -> str:
    """Return names for a message, not more than `most` of them.

    Examples
    --------
    >>> listed(["a", "b"]), listed("abcd", most=2)
    ("'a', 'b'", "'a', 'b', ... (4 in all)")
    """
    names = list(names)
    shown = ", ".join(repr(str(name)) for name in names[:most])
    return shown + (f", ... ({len(names)} in all)" if len(names) > most else "")
