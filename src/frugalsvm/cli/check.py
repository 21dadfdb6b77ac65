"""``frugalsvm check``: what is in a table, and what is wrong with it."""

from __future__ import annotations

from collections import Counter
from dataclasses import asdict

from rich.console import Console
from rich.table import Table as RichTable
from rich.text import Text

from frugalsvm.cli.console import clean, emit_json, out, plain
from frugalsvm.cli.exits import ExitCode
from frugalsvm.data.exceptions import DataError
from frugalsvm.tabular.inspection import ColumnFacts, Inspection, inspect_table
from frugalsvm.tabular.price_file import read_price_list
from frugalsvm.tabular.reading import read_header, read_table
from frugalsvm.tabular.table import require
from frugalsvm.tabular.training import TableRequest

_MOST_COLUMNS = 60
"""Columns shown in full; of wider tables only those that something is to be said about."""


def run_check(request: TableRequest, *, as_json: bool) -> ExitCode:
    """Inspect and tell; exit code 2 if a fit would refuse the table."""
    target = request.target or None
    header = read_header(request.path, request.dialect)
    require([*([target] if target else []), *request.exclude, *request.categorical], header)
    names = [name for name in header if name not in request.exclude]
    as_text = [*request.categorical, *([target] if target else [])]
    table = read_table(request.path, names, as_text, request.dialect)
    found = inspect_table(table, target, request.categorical, request.max_levels)
    price_problem = _price_problem(request, [name for name in names if name != target])
    problems = (*found.problems, *([price_problem] if price_problem else []))
    if as_json:
        emit_json(asdict(found) | {"problems": list(problems)})
    else:
        _show(found, problems, str(request.path), out())
    return ExitCode.BAD_INPUT if problems else ExitCode.OK


def _price_problem(request: TableRequest, names: list[str]) -> str | None:
    if request.costs is None:
        return None
    try:
        prices = read_price_list(request.costs, request.dialect)
        prices.complete(names, {*names, *request.exclude}, request.default_cost)
    except DataError as error:
        return str(error)
    return None


def _show(found: Inspection, problems: tuple[str, ...], path: str, console: Console) -> None:
    console.print(plain(path, style="bold"), soft_wrap=True)
    if not found.classes:
        console.print(
            f"{found.n_rows} rows, {len(found.columns)} columns, none of them taken for the class: "
            "name it with --target"
        )
    else:
        console.print(f"{found.n_rows} rows, {len(found.columns)} columns to decide from")
        sizes = ", ".join(f"{clean(label)} {count}" for label, count in found.classes[:8])
        console.print(f"classes: {sizes}", markup=False)
    console.print()
    shown = _shown(found)
    if len(shown) < len(found.columns):
        console.print(_summary(found, len(shown)))
        console.print()
    if shown:
        console.print(_columns_table(shown))
        console.print()
    for problem in problems:
        console.print(Text("Problem: ", style="bold red") + plain(problem))
    for warning in found.warnings:
        console.print(Text("Warning: ", style="bold yellow") + plain(warning))
    if not problems and not found.warnings:
        console.print("Nothing stands in the way of a fit.", style="green")
    elif not problems:
        console.print("A fit can use this table; look at the warnings first.", style="green")


def _shown(found: Inspection) -> tuple[ColumnFacts, ...]:
    """Return the columns to show one by one."""
    if len(found.columns) <= _MOST_COLUMNS:
        return found.columns
    telling = (c for c in found.columns if c.problem or c.warnings or c.n_missing)
    return tuple(telling)[:_MOST_COLUMNS]


def _summary(found: Inspection, n_shown: int) -> str:
    """Return what a wide table holds, and which of its columns follow."""
    kinds = Counter(column.kind for column in found.columns)
    counted = ", ".join(f"{count} {kind}" for kind, count in kinds.most_common())
    rest = (
        f"The {n_shown} with gaps, problems or warnings:"
        if n_shown
        else "None of them has gaps, problems or warnings."
    )
    return f"{counted} (of {len(found.columns)}). {rest}"


def _columns_table(shown: tuple[ColumnFacts, ...]) -> RichTable:
    table = RichTable(box=None, pad_edge=False, header_style="bold")
    table.add_column("column", overflow="fold", ratio=3)
    table.add_column("kind", no_wrap=True)
    table.add_column("missing", justify="right", no_wrap=True)
    table.add_column("distinct", justify="right", no_wrap=True)
    table.add_column("values", overflow="fold", ratio=4)
    for column in shown:
        style = "red" if column.problem else ""
        table.add_row(
            plain(column.name, style=style),
            column.kind,
            str(column.n_missing or ""),
            str(column.n_distinct),
            plain(column.values if not column.problem else "see below"),
        )
    return table
