"""Handing results over to the report."""

from __future__ import annotations

import inspect
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from frugalsvm.cli.console import note
from frugalsvm.cli.options import ReportOptions
from frugalsvm.cli.progress import ProgressLine
from frugalsvm.cli.render import coding_sentence, filling_sentence, told_apart
from frugalsvm.data.exceptions import NoSolutionError
from frugalsvm.estimators.classifier import FrugalSVC
from frugalsvm.runtime.progress import COMPILING
from frugalsvm.runtime.stopping import Stopper
from frugalsvm.saved.model import FrugalModel
from frugalsvm.tabular.training import TrainingTable
from frugalsvm.tabular.variables import Kind
from frugalsvm.tradeoff import Frontier, FrontierProgress, RateCounts, frontier
from frugalsvm.unseen import FrugalSVCCV

if TYPE_CHECKING:
    from frugalsvm.report import FitSection


LEAST_SECONDS = 0.1
"""Of the trade-off: enough to show what the fit knows."""
FOLDS_SHARE = 0.5
"""Part of the report's time that the cross-validation may use up."""
BELOW = (0.15, 0.1, 0.05)
"""Below a target: what could be had instead, where it is out of reach."""
ROUND_RATES = (0.8, 0.85, 0.9, 0.95, 0.975, 0.99)
"""Rates of the trade-off, beside those below the targets."""
MOST_PER_FOLD = 10.0
"""Seconds of a fold: it needs a good panel, not the proof that it is the cheapest."""


@dataclass(frozen=True)
class Extras:
    """What a report of a fit holds beside the fit, and how long that may take.

    Attributes
    ----------
    folds : int
        Of the cross-validation; 0: none.
    trade_off : float
        Seconds for the cheapest panels of other targets; 0: none.
    time_limit : float
        Seconds for both together.
    """

    folds: int
    trade_off: float
    time_limit: float

    @property
    def per_fold(self) -> float:
        """Seconds for the fit of a fold."""
        return min(MOST_PER_FOLD, FOLDS_SHARE * self.time_limit / max(1, self.folds))


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
    about: ReportOptions,
    estimator: FrugalSVC | FrugalSVCCV,
    frame: Any,
    data: TrainingTable,
    model: FrugalModel,
    extras: Extras,
    *,
    quiet: bool,
) -> FitReport:
    """Write the report of a fit, cross-validated, with the trade-off around its targets.

    The trade-off is about the rates that the fit is about: on new data, or in training.
    """
    from frugalsvm.report import ReportData, write_report

    stop = Stopper(extras.time_limit)
    with ProgressLine("making the report", quiet=quiet) as line:
        if extras.folds and isinstance(estimator, FrugalSVC):
            seconds = extras.folds * extras.per_fold
            line.say(f"cross-validating for the report ({seconds:.0f} s at most)")
        section, interrupted = _section(estimator, frame, data, model, extras)
        found = None
        if extras.trade_off > 0 and not interrupted:
            seconds = max(LEAST_SECONDS, min(extras.trade_off, stop.remaining))
            try:
                found = _trade_off(estimator, frame, data, extras, seconds, line)
                interrupted = found.interrupted
            except NoSolutionError as error:
                interrupted = error.interrupted
                note(_without_trade_off(seconds, interrupted=interrupted), quiet=quiet)
    report = ReportData(
        title=about.title or f"{data.training.target}: the cheapest panel for {data.positive}",
        fit=section,
        frontier=found,
        **_common(about, data, model),
    )
    write_report(about.report or "", report)
    validation = section.cross_validation
    return FitReport(None if validation is None else validation.counts, interrupted)


def _section(
    estimator: FrugalSVC | FrugalSVCCV,
    frame: Any,
    data: TrainingTable,
    model: FrugalModel,
    extras: Extras,
) -> tuple[FitSection, bool]:
    """Return the section about the fit, and True if Ctrl-C ended its cross-validation."""
    from frugalsvm.report import fit_section

    try:
        section = fit_section(
            *(estimator, frame, data.y),
            cv=extras.folds or None,
            cv_time_limit=extras.per_fold,
            model=model,
        )
    except KeyboardInterrupt:
        return fit_section(estimator, frame, data.y, cv=None, model=model), True
    return section, False


def _trade_off(
    estimator: FrugalSVC | FrugalSVCCV,
    frame: Any,
    data: TrainingTable,
    extras: Extras,
    seconds: float,
    line: ProgressLine,
) -> Frontier:
    """Return the cheapest panels for a grid of targets that holds the fit's own.

    It answers the fit's question: rates on new data, or in training. Ctrl-C ends it with what is
    known by then.

    Raises
    ------
    NoSolutionError
        If the time was over before panels for new data were cross-validated.
    """

    def tell(progress: FrontierProgress) -> None:
        doing = progress.detail
        if progress.phase == "searching" and not doing.startswith(COMPILING):
            doing = f"{progress.settled} of {progress.total} pairs settled. {doing}"
        elif progress.phase == "training":
            doing = "classifiers and their rates"
        line.say(f"other targets for the report ({seconds:.0f} s at most): {doing}")

    own = estimator.get_params(deep=False)
    shared = inspect.signature(frontier).parameters.keys() & own.keys() - {"callback", "cv"}
    asked: dict[str, Any] = {name: own[name] for name in shared}
    asked |= {"total_time_limit": seconds, "callback": tell}
    asked["min_tprs"] = rates_around(estimator.min_tpr)
    asked["min_tnrs"] = rates_around(estimator.min_tnr)
    if isinstance(estimator, FrugalSVC):
        return frontier(
            *(frame, data.y),
            cv=extras.folds or None,
            known=estimator,
            **asked,
        )
    learned = np.setdiff1d(np.arange(len(data.y)), estimator.held_out_)
    return frontier(
        *(frame.iloc[learned], data.y[learned]),
        rates="cv",
        cv=estimator.cv,
        C=sorted(estimator.Cs)[len(estimator.Cs) // 2],
        **asked,
    )


def rates_around(target: float) -> list[float]:
    """Return the rates of a trade-off: some below the target, and round ones.

    Examples
    --------
    >>> rates_around(0.75)
    [0.6, 0.65, 0.7, 0.75, 0.8, 0.85, 0.9, 0.95, 0.975, 0.99]
    """
    below = (round(target - step, 4) for step in BELOW)
    return sorted({target, *ROUND_RATES, *(rate for rate in below if rate > 0)})


def _without_trade_off(seconds: float, *, interrupted: bool) -> str:
    if interrupted:
        return "The report is without the costs of other targets: it was interrupted."
    return (
        f"The report is without the costs of other targets: {seconds:.1f} s were not enough. Raise "
        "--time-limit (or --trade-off)."
    )


def write_frontier_report(about: ReportOptions, frontier: Any, data: TrainingTable) -> None:
    """Write the report of a frontier."""
    from frugalsvm.report import ReportData, write_report

    report = ReportData(
        title=about.title or f"{data.training.target}: what {data.positive} costs to recognise",
        frontier=frontier,
        **_common(about, data),
    )
    write_report(about.report or "", report)


def _common(
    about: ReportOptions, data: TrainingTable, model: FrugalModel | None = None
) -> dict[str, Any]:
    """Return what reports of fits and of frontiers say alike."""
    return {
        "source": data.training.file or "",
        "notes": preparation_notes(data, model),
        "facts": _facts(data),
        "author": about.author or "",
        "currency": about.currency or "",
        **report_naming(data),
    }


def report_naming(data: TrainingTable) -> dict[str, Any]:
    """Return which columns are levels of which variable, and which groups are its price."""
    columns = data.preparation.columns
    return {
        "variables": {c.name: (c.variable, c.level) for c in columns},
        "own_groups": dict(data.training.own_groups),
    }


def preparation_notes(data: TrainingTable, model: FrugalModel | None = None) -> tuple[str, ...]:
    """Return what was done to the raw columns, one sentence for each.

    Levels that a model's panel does not tell apart count alike there.
    """
    used = {} if model is None else told_apart(model)
    notes = [
        coding_sentence(variable, used.get(variable.name))
        for variable in data.preparation.variables
        if variable.kind is Kind.BOOLEAN or len(variable.levels) > 1
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
