"""Handing results over to the report."""

from __future__ import annotations

import inspect
import signal
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from types import FrameType
from typing import Any

from frugalsvm.classifier import FrugalSVC
from frugalsvm.cli.progress import ProgressLine
from frugalsvm.cli.render import coding_sentence, filling_sentence
from frugalsvm.tabular.training import TrainingTable
from frugalsvm.tabular.variables import Kind
from frugalsvm.tradeoff import Frontier, RateCounts, frontier
from frugalsvm.tradeoff.setting import DEFAULT_RATES


@dataclass(frozen=True)
class Extras:
    """What a report of a fit holds beside the fit.

    Attributes
    ----------
    folds : int
        Of the cross-validation; 0: none.
    trade_off : float
        Seconds for the cheapest panels of other targets; 0: none.
    """

    folds: int
    trade_off: float


@dataclass(frozen=True)
class FitReport:
    """What making the report of a fit brought to light.

    Attributes
    ----------
    cross_validated : RateCounts or None
        Right and wrong on data not seen in training; None: not computed.
    interrupted : bool
        True if the user left while the extras were made; the report is without them.
    """

    cross_validated: RateCounts | None
    interrupted: bool


def write_fit_report(
    path: Path,
    estimator: FrugalSVC,
    frame: Any,
    data: TrainingTable,
    extras: Extras,
    *,
    quiet: bool,
) -> FitReport:
    """Write the report of a fit, cross-validated, with the trade-off around its targets."""
    from frugalsvm.report import ReportData, fit_section, write_report

    section, found = None, None
    with ProgressLine("cross-validating for the report", quiet=quiet) as line:
        try:
            with _ctrl_c_leaves():
                section = fit_section(estimator, frame, data.y, cv=extras.folds or None)
                if extras.trade_off > 0:
                    line.say("looking at other targets for the report")
                    found = _trade_off(estimator, frame, data, extras)
            interrupted = False
        except KeyboardInterrupt:
            interrupted = True
    if section is None:
        section = fit_section(estimator, frame, data.y, cv=None)
    report = ReportData(
        title=f"{data.training.target}: the cheapest panel for {data.positive}",
        source=data.training.file or "",
        fit=section,
        frontier=found,
        notes=preparation_notes(data),
        facts=_facts(data),
    )
    write_report(path, report)
    validation = section.cross_validation
    return FitReport(None if validation is None else validation.counts, interrupted)


def _trade_off(estimator: FrugalSVC, frame: Any, data: TrainingTable, extras: Extras) -> Frontier:
    """Return the cheapest panels for a grid of targets that holds the fit's own."""
    own = estimator.get_params(deep=False)
    shared = inspect.signature(frontier).parameters.keys() & own.keys()
    return frontier(
        frame,
        data.y,
        min_tprs=sorted({*DEFAULT_RATES, estimator.min_tpr}),
        min_tnrs=sorted({*DEFAULT_RATES, estimator.min_tnr}),
        cv=extras.folds or None,
        total_time_limit=extras.trade_off,
        **{name: own[name] for name in shared - {"callback"}},
    )


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
