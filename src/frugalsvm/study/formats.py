"""Writing tables as CSV, Markdown and LaTeX."""

from __future__ import annotations

import csv
import io
import math
from collections.abc import Callable, Mapping

from frugalsvm.study.summary import Spread
from frugalsvm.study.table import Cell, Table

NOT_RUN = "-"
_LATEX_SPECIAL = {
    "\\": r"\textbackslash{}",
    "&": r"\&",
    "%": r"\%",
    "$": r"\$",
    "#": r"\#",
    "_": r"\_",
    "{": r"\{",
    "}": r"\}",
    "~": r"\textasciitilde{}",
    "^": r"\textasciicircum{}",
}


def to_csv(table: Table) -> str:
    """Return the table as CSV, every deviation in a column of its own, empty where not run."""
    spreads = [
        any(isinstance(row[k], Spread) for row in table.rows) for k in range(len(table.columns))
    ]
    out = io.StringIO()
    writer = csv.writer(out, lineterminator="\n")
    heads: list[str] = []
    for head, wide in zip(table.columns, spreads, strict=True):
        heads += [head, f"{head} std"] if wide else [head]
    writer.writerow(heads)
    for row in table.rows:
        cells: list[str] = []
        for cell, wide in zip(row, spreads, strict=True):
            cells += _raw(cell, wide)
        writer.writerow(cells)
    return out.getvalue()


def _raw(cell: Cell, wide: bool) -> list[str]:
    if isinstance(cell, Spread):
        return [_number(cell.mean), _number(cell.std)]
    text = "" if cell is None else _number(cell) if isinstance(cell, float) else str(cell)
    return [text, ""] if wide else [text]


def _number(value: float) -> str:
    return "" if math.isnan(value) else f"{value:.6g}"


def cell_text(cell: Cell) -> str:
    """Return a cell for people: three decimals, the deviation in brackets.

    Examples
    --------
    >>> cell_text(Spread(0.9754, 0.0211)), cell_text(0.85), cell_text(None)
    ('0.975 (0.021)', '0.85', '-')
    """
    if cell is None:
        return NOT_RUN
    if isinstance(cell, Spread):
        if math.isnan(cell.mean):
            return NOT_RUN
        mean = f"{cell.mean:.3f}"
        return mean if math.isnan(cell.std) else f"{mean} ({cell.std:.3f})"
    if isinstance(cell, float):
        return NOT_RUN if math.isnan(cell) else f"{cell:.4g}"
    return str(cell)


def to_markdown(table: Table) -> str:
    """Return the table as Markdown with its title and notes."""
    lines = [f"## {table.title}", "", _line(table.columns), _line(["---"] * len(table.columns))]
    lines += [_line([cell_text(cell) for cell in row]) for row in table.rows]
    for note in table.notes:
        lines += ["", note]
    return "\n".join(lines) + "\n"


def _line(cells: tuple[str, ...] | list[str]) -> str:
    return "| " + " | ".join(cell.replace("|", "\\|") for cell in cells) + " |"


def to_latex(table: Table) -> str:
    """Return the table as a LaTeX table (booktabs)."""
    body = [" & ".join(_escape(cell_text(cell)) for cell in row) + r" \\" for row in table.rows]
    notes = [r"\par\footnotesize " + _escape(note) for note in table.notes]
    return "\n".join(
        [
            r"\begin{table}[htbp]",
            r"\centering",
            rf"\caption{{{_escape(table.title)}}}",
            rf"\label{{tab:{table.name.replace('_', '-')}}}",
            rf"\begin{{tabular}}{{{'l' * len(table.columns)}}}",
            r"\toprule",
            " & ".join(_escape(head) for head in table.columns) + r" \\",
            r"\midrule",
            *body,
            r"\bottomrule",
            r"\end{tabular}",
            *notes,
            r"\end{table}",
            "",
        ]
    )


def _escape(text: str) -> str:
    return "".join(_LATEX_SPECIAL.get(character, character) for character in text)


FORMATS: Mapping[str, Callable[[Table], str]] = {
    "csv": to_csv,
    "md": to_markdown,
    "tex": to_latex,
}
"""How to write a table, by the ending of the file."""
