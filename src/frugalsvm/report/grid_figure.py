"""The geometry of the frontier's grid: one cell for each pair of targets, coloured by cost."""

from __future__ import annotations

import math
from dataclasses import dataclass

from frugalsvm.report.roc_figure import Tick
from frugalsvm.report.words import at_most, money, same_cost, target_percent
from frugalsvm.tradeoff.points import Frontier, FrontierPoint

LIGHT, DARK = (226, 240, 238), (12, 84, 92)
"""Ends of the colour scale: cheap and dear."""
WIDTH, HEIGHT = 520.0, 400.0
"""Of all cells together."""


@dataclass(frozen=True)
class GridCell:
    """One pair of targets.

    Attributes
    ----------
    row, column : int
        Its place in the frontier's lists of targets.
    x, y : float
        Its top left corner.
    fill, ink : str
        Colour of the cell, and the class that colours its text.
    text : str
        Its cost in short.
    title : str
        The same in words.
    efficient : bool
        True if it is worth choosing.
    """

    row: int
    column: int
    x: float
    y: float
    fill: str
    ink: str
    text: str
    title: str
    efficient: bool


@dataclass(frozen=True)
class GridFigure:
    """All cells with their axes."""

    cell_width: float
    cell_height: float
    cells: tuple[GridCell, ...]
    x_ticks: tuple[Tick, ...]
    y_ticks: tuple[Tick, ...]
    font: float


def grid_figure(frontier: Frontier) -> GridFigure:
    """Return the coloured grid; the greatest TPR is at the top, the greatest TNR at the right."""
    rows, columns = len(frontier.min_tprs), len(frontier.min_tnrs)
    width, height = WIDTH / columns, HEIGHT / rows
    known = sorted({p.cost for p in frontier.points if p.has_answer})
    cells = []
    for number, point in enumerate(frontier.points):
        row, column = divmod(number, columns)
        fill, ink = _colours(point, known)
        cells.append(
            GridCell(
                row=row,
                column=column,
                x=column * width,
                y=(rows - 1 - row) * height,
                fill=fill,
                ink=ink,
                text=_short(point, frontier.rates),
                title=_title(point, frontier.rates),
                efficient=point.efficient,
            )
        )
    longest = max((len(cell.text) for cell in cells), default=1)
    return GridFigure(
        cell_width=width,
        cell_height=height,
        cells=tuple(cells),
        x_ticks=tuple(
            Tick((k + 0.5) * width, target_percent(r)[:-1]) for k, r in enumerate(frontier.min_tnrs)
        ),
        y_ticks=tuple(
            Tick((rows - 0.5 - k) * height, target_percent(r)[:-1])
            for k, r in enumerate(frontier.min_tprs)
        ),
        font=max(7.0, min(19.0, 0.42 * height, 1.6 * width / longest)),
    )


def proven(point: FrontierPoint) -> bool:
    """Return True if the point's panel is proven cheapest."""
    return point.has_answer and same_cost(point.bound, point.cost)


def _colours(point: FrontierPoint, known: list[float]) -> tuple[str, str]:
    """Return fill and ink; colours go by the rank of the cost, so that no outlier washes them out.

    The ink is black or white, whichever has the greater contrast with the fill.
    """
    if not point.has_answer:
        return "url(#hatch)", "on-open"
    share = known.index(point.cost) / (len(known) - 1) if len(known) > 1 else 0.3
    mixed = [round(a + share * (b - a)) for a, b in zip(LIGHT, DARK, strict=True)]
    light = _luminance(mixed)
    dark_wins = (light + 0.05) ** 2 > 1.05 * 0.05
    return "#{:02x}{:02x}{:02x}".format(*mixed), "on-light" if dark_wins else "on-dark"


def _luminance(rgb: list[int]) -> float:
    """Return the relative luminance of a colour, as the web's accessibility rules define it."""
    linear = [
        c / 12.92 if c <= 0.04045 else ((c + 0.055) / 1.055) ** 2.4 for c in (v / 255 for v in rgb)
    ]
    return 0.2126 * linear[0] + 0.7152 * linear[1] + 0.0722 * linear[2]


def _short(point: FrontierPoint, rates: str) -> str:
    if point.has_answer:
        text = f"{point.cost:.4g}"
        return f"≤{text}" if at_most(point, rates) else text
    return "none" if math.isinf(point.bound) else "?"


def _title(point: FrontierPoint, rates: str) -> str:
    asked = f"TPR {target_percent(point.min_tpr)}, TNR {target_percent(point.min_tnr)}"
    if not point.has_answer:
        known = "cannot be met" if math.isinf(point.bound) else "no set found"
        return f"{asked}: {known}"
    if rates == "cv":
        most = "at most " if at_most(point, rates) else ""
        return f"{asked}: cost {most}{money(point.cost)}, expected on new data"
    known = "proved cheapest" if proven(point) else f"at least {money(point.bound)} is needed"
    return f"{asked}: cost {money(point.cost)}, {known}"
