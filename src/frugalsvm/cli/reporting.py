"""Handing results over to the report."""

from __future__ import annotations

import signal
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from types import FrameType
from typing import Any

from frugalsvm.cli.progress import ProgressLine
from frugalsvm.cli.render import coding_sentence, filling_sentence
from frugalsvm.tabular.training import TrainingTable
from frugalsvm.tabular.variables import Kind
from frugalsvm.tradeoff import RateCounts


@dataclass(frozen=True)
class FitReport:
    """What making the report of a fit brought to light.

    Attributes
    ----------
    cross_validated : RateCounts or None
        Right and wrong on data not seen in training; None: not computed.
    interrupted : bool
        True if the user left during the cross-validation; the report is without it.
    """

    cross_validated: RateCounts | None
    interrupted: bool


def write_fit_report(
    path: Path,
    estimator: Any,
    frame: Any,
    data: TrainingTable,
    folds: int,
    *,
    quiet: bool,
) -> FitReport:
    """Write the report of a fit, cross-validated."""
    from frugalsvm.report import ReportData, fit_section, write_report

    interrupted = False
    with ProgressLine("cross-validating for the report", quiet=quiet):
        try:
            with _ctrl_c_leaves():
                section = fit_section(estimator, frame, data.y, cv=folds or None)
        except KeyboardInterrupt:
            interrupted = True
            section = fit_section(estimator, frame, data.y, cv=None)
    report = ReportData(
        title=f"{data.training.target}: the cheapest panel for {data.positive}",
        source=data.training.file or "",
        fit=section,
        notes=preparation_notes(data),
        facts=_facts(data),
    )
    write_report(path, report)
    validation = section.cross_validation
    return FitReport(None if validation is None else validation.counts, interrupted)


@contextmanager
def _ctrl_c_leaves() -> Iterator[None]:
    """Let Ctrl-C end the block at once.

    The estimators turn the first Ctrl-C into "keep the best so far" and go on, fold after fold;
    they leave it alone where the program has a handler of its own.
    """

    def leave(_signal: int, _frame: FrameType | None) -> None:
        raise KeyboardInterrupt

    before = signal.signal(signal.SIGINT, leave)
    try:
        yield
    finally:
        signal.signal(signal.SIGINT, before)


def write_frontier_report(path: Path, frontier: Any, data: TrainingTable) -> None:
    """Write the report of a frontier."""
    from frugalsvm.report import ReportData, write_report

    report = ReportData(
        title=f"{data.training.target}: what {data.positive} costs to recognise",
        source=data.training.file or "",
        frontier=frontier,
        notes=preparation_notes(data),
        facts=_facts(data),
    )
    write_report(path, report)


def preparation_notes(data: TrainingTable) -> tuple[str, ...]:
    """Return what was done to the raw columns, one sentence for each."""
    notes = [
        coding_sentence(variable)
        for variable in data.preparation.variables
        if variable.kind is Kind.CATEGORICAL and len(variable.levels) > 1
    ]
    notes += [filling_sentence(variable) for variable in data.preparation.filled]
    if data.preparation.filled:
        notes.append("Medians and most frequent values were learned from all rows together.")
    return tuple(notes)


def _facts(data: TrainingTable) -> dict[str, str]:
    from frugalsvm import __version__

    return {
        "frugalsvm": __version__,
        "rows": str(len(data.y)),
        "SHA-256 of the data": data.training.sha256 or "",
    }
