"""``frugalsvm frontier``: what each pair of rates costs."""

from __future__ import annotations

import math
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
from rich.table import Table
from rich.text import Text

from frugalsvm.cli.console import emit_json, err, out, plain, warn
from frugalsvm.cli.exits import ExitCode
from frugalsvm.cli.options import ReportOptions
from frugalsvm.cli.outputs import check_writable, write_csv
from frugalsvm.cli.progress import ProgressLine
from frugalsvm.cli.reporting import report_naming, write_frontier_report
from frugalsvm.data.exceptions import DataError
from frugalsvm.report import ReportData
from frugalsvm.report.agreement import agreed
from frugalsvm.report.naming import Naming
from frugalsvm.runtime.progress import money
from frugalsvm.tabular.training import TableRequest, TrainingTable, load_training_table
from frugalsvm.tradeoff import Frontier, FrontierPoint, FrontierProgress, RateCounts, frontier


@dataclass(frozen=True)
class FrontierRequest:
    """What ``frontier`` was asked for.

    Attributes
    ----------
    table : TableRequest
        The data.
    parameters : dict
        Parameters of :func:`~frugalsvm.frontier`.
    about : ReportOptions
        The report.
    output : Path or None
        CSV to write.
    as_json, quiet : bool
        How to tell the result.
    """

    table: TableRequest
    parameters: dict[str, Any]
    about: ReportOptions
    output: Path | None
    as_json: bool = False
    quiet: bool = False

    @property
    def report(self) -> Path | None:
        """Where to write the report."""
        return self.about.report


def read_grid(text: str | None, option: str) -> list[float] | None:
    """Return the rates meant by "0.8,0.9" or "from:to:steps".

    Examples
    --------
    >>> read_grid("0.8,0.95", "--min-tprs"), read_grid("0.8:1:3", "--min-tprs")
    ([0.8, 0.95], [0.8, 0.9, 1.0])
    """
    if text is None:
        return None
    try:
        if ":" in text:
            low, high, steps = text.split(":")
            rates = [round(float(r), 10) for r in np.linspace(float(low), float(high), int(steps))]
        else:
            rates = [float(part) for part in text.split(",")]
    except ValueError as error:
        raise DataError(
            f"{option} must be rates such as 0.8,0.9,0.95 or from:to:steps. Got {text!r}."
        ) from error
    if not rates or not all(0 <= rate <= 1 for rate in rates):
        percent = " Write 0.8 for 80 %." if any(1 < rate <= 100 for rate in rates) else ""
        raise DataError(
            f"{option} must be one rate or more, in the range 0 to 1. Got {text!r}.{percent}"
        )
    return rates


def run_frontier(request: FrontierRequest) -> ExitCode:
    """Compute, write, tell; return the exit code."""
    _check_unseen(request.parameters)
    check_writable(request.report, request.output, request.parameters["store"])
    data = load_training_table(request.table)
    frame = pd.DataFrame(data.X, columns=list(data.preparation.coded_names))
    with ProgressLine("searching", quiet=request.quiet) as line:

        def tell(progress: FrontierProgress) -> None:
            line.say(
                progress.detail
                if progress.phase == "cross-validating"
                else f"{progress.phase}: {progress.settled} of {progress.total} pairs settled. "
                f"{progress.detail}"
            )

        found = frontier(
            frame,
            data.y,
            pos_label=data.positive,
            callback=tell,
            **data.cost_parameters(),
            **request.parameters,
        )
    found = agreed(ReportData("", frontier=found)).frontier or found  # as the page shows it
    _write(request, found, data)
    _tell(request, found, Naming(report_naming(data)["variables"]))
    return ExitCode.INTERRUPTED if found.interrupted else ExitCode.OK


def _check_unseen(parameters: dict[str, Any]) -> None:
    """Raise for options that rates on new data leave no place for."""
    if parameters["rates"] != "cv":
        return
    for option, default in (("correction", None), ("solver", "auto"), ("store", None)):
        if parameters[option] != default:
            raise DataError(
                f"--{option} is about rates in training: say --rates training, or leave it out. "
                f"Got {parameters[option]} with --rates unseen."
            )
    if parameters["cv"] is None:
        raise DataError(
            "--folds must be 2 or more with --rates unseen: rates on new data are estimated by "
            "cross-validation. Got 0."
        )


def _write(request: FrontierRequest, found: Frontier, data: TrainingTable) -> None:
    if request.output is not None:
        table = found.to_frame(all_points=True)
        rows = ([_cell(value) for value in row] for row in table.itertuples(index=False))
        write_csv(request.output, list(table.columns), rows)
    if request.report is not None:
        write_frontier_report(request.about, found, data)


def _cell(value: Any) -> Any:
    """Return a cell of the points' table: names joined, unknown numbers empty."""
    if isinstance(value, (tuple, list)):
        return "; ".join(value)
    return "" if isinstance(value, float) and not np.isfinite(value) else value


def _tell(request: FrontierRequest, found: Frontier, naming: Naming) -> None:
    if request.as_json:
        emit_json(
            {
                "complete": found.complete,
                "seconds": found.seconds,
                "points": [_point_json(point, naming) for point in found.efficient],
            }
        )
    else:
        out().print(_points_table(found, naming))
        out().print(Text(_meaning(found), style="dim"))
    if not found.complete:
        warn(_cut_short(found))
    for path in (request.output, request.report):
        if path is not None and not request.quiet:
            err().print(f"Wrote {path}", soft_wrap=True, markup=False)


def _point_json(point: FrontierPoint, naming: Naming) -> dict[str, Any]:
    return {
        "min_tpr": point.min_tpr,
        "min_tnr": point.min_tnr,
        "cost": point.cost,
        "bound": point.bound,
        "status": str(point.status),
        "features": list(point.features),
        "measure": list(naming.measured(point.features)),
        "training": _rates_json(point.training),
        "cross_validated": _rates_json(point.cross_validated),
    }


def _rates_json(counts: RateCounts | None) -> dict[str, float] | None:
    return None if counts is None else {"tpr": counts.tpr, "tnr": counts.tnr}


def _points_table(found: Frontier, naming: Naming) -> Table:
    table = Table(box=None, pad_edge=False, header_style="bold")
    table.add_column("TPR", justify="right", no_wrap=True)
    table.add_column("TNR", justify="right", no_wrap=True)
    table.add_column("cost", justify="right", no_wrap=True)
    in_training = found.rates == "training"
    if in_training:
        table.add_column("proven", justify="right", no_wrap=True)
    title = "cross-validated" if in_training else "expected on new data"
    table.add_column(f"{title}\nTPR   TNR", no_wrap=True)
    table.add_column("panel", overflow="fold")
    for point in found.efficient:
        proven = "yes" if str(point.status) == "optimal" else f">= {money(point.bound)}"
        proof = Text(proven, style="green" if proven == "yes" else "yellow")
        table.add_row(
            f"{point.min_tpr:.3g}",
            f"{point.min_tnr:.3g}",
            Text(money(point.cost), style="bold"),
            *([proof] if in_training else []),
            _rates_cell(point.cross_validated),
            plain(", ".join(naming.measured(point.features))),
        )
    return table


def _meaning(found: Frontier) -> str:
    """Return where the rates of the table hold, and for how many pairs there is nothing in it."""
    pairs = len(found.points)
    without = sum(not point.has_answer for point in found.points)
    if found.rates == "training":
        never = sum(math.isinf(point.bound) for point in found.points)
        words = [
            "The targets are met on the training data, and proofs are about them; new data may "
            "miss them. What they cost on new data: --rates unseen."
        ]
        if never:
            words.append(f"{never} of {pairs} pairs cannot be met, which is proven.")
        if without > never:
            words.append(f"For {without - never} of {pairs} pairs nothing was found in the time.")
        return " ".join(words)
    if not _judged(found):
        return "No rates on new data were estimated in the time: raise --total-time-limit."
    if not found.efficient:
        return "No panel lets one expect any of these pairs on new data. Ask for lower rates."
    words = ["The cheapest of the panels looked at; nothing about new data can be proved."]
    if without:
        words.append(f"For {without} of {pairs} pairs none lets one expect both rates.")
    return " ".join(words)


def _judged(found: Frontier) -> bool:
    """Return True if rates on new data were estimated, as far as there are panels for any."""
    return found.complete or any(point.cross_validated is not None for point in found.points)


def _cut_short(found: Frontier) -> str:
    """Return what it means that the time was over."""
    if found.rates == "training":
        return "Cut short: these are the best panels found until then, with their proven bounds."
    return "Cut short: not all panels worth a look were cross-validated (--total-time-limit)."


def _rates_cell(counts: RateCounts | None) -> str:
    return "" if counts is None else f"{counts.tpr:.3f} {counts.tnr:.3f}"
