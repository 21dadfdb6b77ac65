"""Handing results over to the report."""

from __future__ import annotations

import hashlib
from pathlib import Path
from typing import Any

from frugalsvm.cli.progress import ProgressLine
from frugalsvm.cli.render import coding_sentence, filling_sentence
from frugalsvm.tabular.training import TrainingTable
from frugalsvm.tabular.variables import Kind


def write_fit_report(
    path: Path,
    estimator: Any,
    frame: Any,
    data: TrainingTable,
    folds: int,
    *,
    quiet: bool,
) -> None:
    """Write the report of a fit, cross-validated."""
    from frugalsvm.report import ReportData, fit_section, write_report

    with ProgressLine("cross-validating for the report", quiet=quiet):
        section = fit_section(estimator, frame, data.y, cv=folds or None)
    report = ReportData(
        title=f"{data.training.target}: the cheapest panel for {data.positive}",
        source=data.training.file or "",
        fit=section,
        notes=preparation_notes(data),
        facts=_facts(data),
    )
    write_report(path, report)


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
    return (*notes, *(filling_sentence(variable) for variable in data.preparation.filled))


def _facts(data: TrainingTable) -> dict[str, str]:
    from frugalsvm import __version__

    digest = data.training.sha256 or hashlib.sha256(data.X.tobytes()).hexdigest()
    return {"frugalsvm": __version__, "rows": str(len(data.y)), "SHA-256 of the data": digest}
