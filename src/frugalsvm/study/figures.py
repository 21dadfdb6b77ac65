"""Pictures of the tables that are trade-offs."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from pathlib import Path
from typing import TYPE_CHECKING

from frugalsvm.study.errors import StudyError
from frugalsvm.study.plan import CARDINALITY_METHODS
from frugalsvm.study.summary import Spread
from frugalsvm.study.table import METRICS, Cell, Table

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

COLOURS, MARKERS = 10, "os^"
OURS, PAPER, PLAIN = "#0072b2", "#d55e00", "#777777"  # told apart by colour-blind readers too


def draw(table: Table, folder: Path) -> Path | None:
    """Draw a table into `folder` as SVG; None if it is no trade-off or holds no results."""
    painter = _painter(table.name)
    if painter is None:
        return None
    try:
        from matplotlib import rc_context
        from matplotlib.figure import Figure
    except ImportError as error:
        raise StudyError("Figures need matplotlib: pip install 'frugalsvm[plot]'.") from error
    figure = Figure(figsize=(8.0, 4.5), layout="constrained")
    if not painter(table, figure):
        return None
    path = folder / f"{table.name}.svg"
    with rc_context({"svg.hashsalt": table.name}):  # the same picture, byte by byte
        figure.savefig(path, metadata={"Date": None})
    return path


def _painter(name: str) -> Callable[[Table, Figure], bool] | None:
    if name.startswith(("linear", "radial")):
        return _kept_versus_rates
    if name.startswith("compare"):
        return _methods
    return _PAINTERS.get(name)


def _mean(cell: Cell) -> float | None:
    if isinstance(cell, Spread):
        return cell.mean
    return float(cell) if isinstance(cell, int | float) else None


def _by_dataset(table: Table) -> dict[str, dict[str, tuple[Cell, ...]]]:
    found: dict[str, dict[str, tuple[Cell, ...]]] = {}
    for row in table.rows:
        found.setdefault(str(row[0]), {})[str(row[1])] = row
    return found


def _kept_versus_rates(table: Table, figure: Figure) -> bool:
    """Features kept (logarithmic) against TPR and TNR, ours, the paper's and the whole SVM's."""
    columns = {"all features": (2, PLAIN, "s"), "ours": (4, OURS, "o"), "paper": (5, PAPER, "^")}
    found = False
    for axes, metric in zip(figure.subplots(1, 2, sharey=False), ("TPR", "TNR"), strict=True):
        for label, (column, colour, marker) in columns.items():
            points = []
            for dataset, rows in _by_dataset(table).items():
                kept, rate = _mean(rows["features"][column]), _mean(rows[metric][column])
                if kept is not None and rate is not None:
                    points.append((kept, rate, dataset))
            found = found or (label == "ours" and bool(points))
            _scatter(axes, points, label, colour, marker, named=label == "ours")
        axes.set(xscale="log", xlabel="features kept", ylabel=metric, title=metric)
    figure.axes[0].legend()
    figure.suptitle(table.title)
    return found


def _scatter(
    axes: Axes,
    points: list[tuple[float, float, str]],
    label: str,
    colour: str,
    marker: str,
    *,
    named: bool,
) -> None:
    axes.scatter(
        [p[0] for p in points], [p[1] for p in points], c=colour, marker=marker, label=label
    )
    for x, y, name in points if named else ():
        axes.annotate(name, (x, y), xytext=(4, 4), textcoords="offset points", fontsize=7)


def _methods(table: Table, figure: Figure) -> bool:
    """Accuracy of every method on every data set."""
    heads = table.columns[2:]
    axes = figure.subplots()
    found = False
    names = list(_by_dataset(table))
    for k, head in enumerate(heads):
        values = [_mean(rows["Acc"][k + 2]) for rows in _by_dataset(table).values()]
        points = [(i, v) for i, v in enumerate(values) if v is not None]
        paper = head.endswith("(paper)")
        found = found or (bool(points) and not paper)
        if points:
            shift = 0.7 * (k / len(heads) - 0.5)
            axes.plot(
                [i + shift for i, _ in points],
                [v for _, v in points],
                "x" if paper else MARKERS[k // COLOURS],
                color=f"C{k % COLOURS}",  # no colour twice with the same marker
                label=head,
                markersize=5,
            )
    axes.set_xticks(range(len(names)), names, rotation=20)
    axes.set(ylabel="accuracy", title=table.title)
    figure.legend(loc="outside right upper", fontsize=7)
    return found


def _cardinality(table: Table, figure: Figure) -> bool:
    """Accuracy, TPR and TNR against the number of features."""
    found = False
    for axes, metric in zip(figure.subplots(1, 3), METRICS, strict=True):
        for method in (*CARDINALITY_METHODS, "paper"):
            column = table.columns.index(f"{metric} ({method})")
            points = [(row[0], row[column]) for row in table.rows if row[column] is not None]
            found = found or (method != "paper" and bool(points))
            if points:
                axes.plot(*zip(*points, strict=True), ".-", label=method)
        axes.set(xlabel="greatest number of features", title=metric)
    figure.axes[0].legend(fontsize=7)
    return found


def _targets(table: Table, figure: Figure) -> bool:
    """TPR against TNR on Australian, with what was asked for."""
    axes = figure.subplots()
    series = {"ours": (4, 3, OURS, "o"), "paper": (8, 7, PAPER, "^"), "asked": (1, 0, PLAIN, "+")}
    found = False
    for label, (x, y, colour, marker) in series.items():
        points = []
        for row in table.rows:
            tnr, tpr = _mean(row[x]), _mean(row[y])
            if tnr is not None and tpr is not None:
                points.append((tnr, tpr, f"{row[0]}/{row[1]}"))
        found = found or (label == "ours" and bool(points))
        _scatter(axes, points, label, colour, marker, named=label == "ours")
    axes.set(xlabel="TNR", ylabel="TPR", title=table.title)
    axes.legend()
    return found


_PAINTERS: Mapping[str, Callable[[Table, Figure], bool]] = {
    "australian_by_cardinality": _cardinality,
    "australian_by_target": _targets,
}
