"""What is in a table, and what is wrong with it."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from frugalsvm.data.exceptions import DataError
from frugalsvm.tabular.dialect import MAX_LEVELS
from frugalsvm.tabular.preparation import Preparation
from frugalsvm.tabular.table import Column, Content, Table, number_text
from frugalsvm.tabular.variables import Kind, Variable, learn_variable, quoted

_MANY_ROWS = 20
"""Fewer rows than this are no ground to suspect that a column counts them."""
_SMALL_CLASS = 10
_MOST_CODES = 20


@dataclass(frozen=True)
class ColumnFacts:
    """What one column holds.

    Attributes
    ----------
    name : str
        The column.
    kind : str
        "numeric", "boolean", "categorical", or what it holds that cannot be used.
    n_missing, n_distinct : int
        Cells without a value, and different values.
    values : str
        Its range or its levels, shortened.
    problem : str or None
        Why a fit would refuse it.
    warnings : tuple of str
        What looks odd.
    """

    name: str
    kind: str
    n_missing: int
    n_distinct: int
    values: str
    problem: str | None = None
    warnings: tuple[str, ...] = ()


@dataclass(frozen=True)
class Inspection:
    """What a table holds.

    Attributes
    ----------
    n_rows : int
        Number of rows.
    columns : tuple of ColumnFacts
        Every column but the target.
    classes : tuple of (str, int)
        The target's classes and their sizes, the most frequent first; empty without a target.
    problems, warnings : tuple of str
        All that stands in the way of a fit, and all that looks odd.
    """

    n_rows: int
    columns: tuple[ColumnFacts, ...]
    classes: tuple[tuple[str, int], ...]
    problems: tuple[str, ...]
    warnings: tuple[str, ...]


def inspect_table(
    table: Table,
    target: str | None = None,
    categorical: Collection[str] = (),
    max_levels: int = MAX_LEVELS,
) -> Inspection:
    """Look at every column of a table."""
    names = [name for name in table.names if name != target]
    facts = tuple(inspect_column(table[name], categorical, max_levels) for name in names)
    problems = [column.problem for column in facts if column.problem]
    warnings = _row_names(table)
    warnings += [warning for column in facts for warning in column.warnings]
    warnings += _twins(table, names)
    classes: tuple[tuple[str, int], ...] = ()
    if target is not None:
        classes, target_problems, target_warnings = _inspect_target(table[target])
        problems += target_problems
        warnings += target_warnings
        if len(classes) == 2:
            labels = table[target].as_text()
            warnings += _giveaways(table, names, labels == labels[0])
    return Inspection(table.n_rows, facts, classes, tuple(problems), tuple(warnings))


def inspect_column(
    column: Column, categorical: Collection[str] = (), max_levels: int = MAX_LEVELS
) -> ColumnFacts:
    """Look at one column."""
    distinct = _distinct(column)
    try:
        variable = learn_variable(column, categorical, max_levels)
    except DataError as error:
        kind = "no value" if column.n_missing == len(column) else str(column.content)
        return ColumnFacts(column.name, kind, column.n_missing, len(distinct), "", str(error))
    return ColumnFacts(
        column.name,
        str(variable.kind),
        column.n_missing,
        len(distinct),
        _shown_values(column, variable),
        None,
        (
            *column_warnings(column, variable, len(distinct)),
            *_code_hint(column, variable, distinct),
        ),
    )


def training_warnings(
    table: Table, preparation: Preparation, positive: NDArray[np.bool_]
) -> list[str]:
    """Return what looks odd in the columns of a fit; `positive` are the rows of one class."""
    warnings = [
        warning
        for variable in preparation.variables
        for warning in column_warnings(
            table[variable.name], variable, len(_distinct(table[variable.name]))
        )
    ]
    return _row_names(table) + warnings + _giveaways(table, preparation.raw_names, positive)


def _row_names(table: Table) -> list[str]:
    """Return what to say of a first column that was left out, if one was."""
    if not table.row_names:
        return []
    return [
        "The first column has no name and is left out, as the names of the rows that pandas and R "
        "write: give it a name to use it."
    ]


def column_warnings(column: Column, variable: Variable, n_distinct: int) -> list[str]:
    """Return what looks odd in a usable column."""
    name = f"Column '{column.name}'"
    warnings = []
    if n_distinct == 1:
        warnings.append(f"{name} has the same value in every row and will never be chosen.")
    if _counts_rows(column, n_distinct):
        warnings.append(
            f"{name} numbers the rows, as identifiers do: if it is one, leave it out with "
            f"--exclude {quoted(column.name)}."
        )
    if column.n_missing > len(column) / 2:
        share = 100 * column.n_missing / len(column)
        warnings.append(f"{name} is missing in {share:.0f} % of the rows.")
    if variable.kind is Kind.CATEGORICAL and n_distinct > 1:
        texts = [text for text in column.as_text() if text is not None]
        levels, counts = np.unique(np.array(texts), return_counts=True)
        rare = levels[counts == 1]
        if len(rare):
            warnings.append(
                f"{name} has {len(rare)} level{'s' if len(rare) > 1 else ''} with one row only, "
                f"such as {str(rare[0])!r}."
            )
    return warnings


def _code_hint(column: Column, variable: Variable, distinct: NDArray[Any]) -> list[str]:
    """Return a hint for few whole numbers, which may be codes of levels without an order."""
    few = 3 <= len(distinct) <= _MOST_CODES and len(column) >= 3 * len(distinct)
    if variable.kind is not Kind.NUMERIC or not few or np.any(distinct != np.floor(distinct)):
        return []
    return [
        f"Column '{column.name}' has {len(distinct)} different whole numbers: if they are codes "
        f"and not amounts, say --categorical {quoted(column.name)}."
    ]


def _counts_rows(column: Column, n_distinct: int) -> bool:
    """Return True for whole numbers that are all different with few gaps: 1, 2, 3, ..."""
    if column.content is not Content.NUMBER or n_distinct < max(_MANY_ROWS, len(column)):
        return False
    values = column.values
    whole = bool(np.all(values == np.floor(values)))
    return whole and float(values.max() - values.min()) < 2 * len(values)


def _distinct(column: Column) -> NDArray[Any]:
    present = column.present
    if column.content in (Content.DATE, Content.OTHER):
        return np.array(sorted({str(value) for value in present}))
    return np.unique(present.astype(str) if column.content is Content.TEXT else present)


def _shown_values(column: Column, variable: Variable) -> str:
    if variable.kind is Kind.NUMERIC:
        return f"{_short(column.present.min())} to {_short(column.present.max())}"
    if variable.kind is Kind.BOOLEAN:
        return f"true in {int(column.present.sum())}"
    shown = ", ".join(variable.levels[:5])
    return shown + (", ..." if len(variable.levels) > 5 else "")


def _short(value: float) -> str:
    """Return a number in six digits, as people write it."""
    return number_text(float(f"{value:.6g}"))


def _inspect_target(column: Column) -> tuple[tuple[tuple[str, int], ...], list[str], list[str]]:
    texts = [text for text in column.as_text() if text is not None]
    labels, counts = np.unique(np.array(texts, dtype=str), return_counts=True)
    order = np.argsort(-counts, kind="stable")
    classes = tuple((str(labels[k]), int(counts[k])) for k in order)
    problems, warnings = [], []
    if column.n_missing:
        problems.append(f"The target '{column.name}' is missing in {column.n_missing} rows.")
    if len(classes) < 2:
        problems.append(f"The target '{column.name}' needs two classes. It has {len(classes)}.")
    if len(classes) > 2:
        warnings.append(
            f"The target '{column.name}' has {len(classes)} classes: fit sets one against all "
            "others with --rest."
        )
    if len(classes) == 2 and classes[1][1] < _SMALL_CLASS:
        warnings.append(
            f"The class {classes[1][0]!r} has {classes[1][1]} rows only: rates measured on so few "
            "say little."
        )
    return classes, problems, warnings


def _twins(table: Table, names: Sequence[str]) -> list[str]:
    """Return a warning for every column that repeats an earlier one."""
    seen: dict[tuple[Content, Any, bytes], str] = {}
    warnings = []
    for name in names:
        column = table[name]
        present = column.present
        cells = tuple(present.tolist()) if present.dtype == object else present.tobytes()
        key = (column.content, cells, column.missing.tobytes())
        if key in seen:
            warnings.append(f"Column '{name}' repeats column '{seen[key]}' in every row.")
        seen.setdefault(key, name)
    return warnings


def _giveaways(table: Table, names: Sequence[str], one: NDArray[np.bool_]) -> list[str]:
    """Return a warning for every column that alone tells the class without error."""
    warnings = []
    for name in names:
        column = table[name]
        if column.n_missing or column.content in (Content.DATE, Content.OTHER):
            continue
        if column.content is Content.TEXT:
            values = column.values.astype(str)
            levels = np.unique(values)
            apart = len(levels) < len(values) / 2 and not set(values[one]) & set(values[~one])
        else:
            low, high = column.values[one], column.values[~one]
            apart = bool(low.max() < high.min() or high.max() < low.min())
        if apart:
            warnings.append(
                f"Column '{name}' alone tells the class in every row: is it known before the "
                "class is, or is it the class under another name?"
            )
    return warnings
