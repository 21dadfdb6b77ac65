"""``frugalsvm fit``: from a table and a price list to a model and a report."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pandas as pd

from frugalsvm.classifier import FrugalSVC
from frugalsvm.cli.console import emit_json, err, note, out, warn
from frugalsvm.cli.exits import ExitCode
from frugalsvm.cli.outputs import check_writable
from frugalsvm.cli.progress import ProgressLine
from frugalsvm.cli.render import filling_sentence, model_json, show_model, validated_json
from frugalsvm.cli.reporting import Extras, write_fit_report
from frugalsvm.model import FrugalModel
from frugalsvm.modelfile import model_of, save
from frugalsvm.result import StopReason
from frugalsvm.tabular.inspection import training_warnings
from frugalsvm.tabular.training import TableRequest, TrainingTable, load_training_table
from frugalsvm.tradeoff import RateCounts


@dataclass(frozen=True)
class FitRequest:
    """What ``fit`` was asked for.

    Attributes
    ----------
    table : TableRequest
        The data.
    parameters : dict
        Parameters of :class:`~frugalsvm.FrugalSVC`: targets, classifier, search.
    model, report : Path or None
        Where to write.
    folds : int
        Cross-validation of the report.
    trade_off : float
        Seconds for the report's trade-off; 0: none.
    as_json, quiet : bool
        How to tell the result.
    """

    table: TableRequest
    parameters: dict[str, Any]
    model: Path | None
    report: Path | None
    folds: int = 5
    trade_off: float = 30.0
    as_json: bool = False
    quiet: bool = False


def run_fit(request: FitRequest) -> ExitCode:
    """Fit, write, tell; return the exit code."""
    check_writable(request.model, request.report)
    data = load_training_table(request.table)
    _tell_about_data(data, quiet=request.quiet)
    frame = pd.DataFrame(data.X, columns=list(data.preparation.coded_names))
    with ProgressLine("searching", quiet=request.quiet) as line:
        estimator = FrugalSVC(
            pos_label=data.positive,
            callback=line,
            **data.cost_parameters(),
            **request.parameters,
        ).fit(frame, data.y)
    estimator.set_params(callback=None)
    interrupted = _interrupted(estimator)
    if request.model is not None:
        model = save(estimator, request.model, data.training)
    else:
        model = model_of(estimator, data.training)
    validated = None
    if request.report is not None:
        # Who pressed Ctrl-C wants to leave now.
        extras = Extras(0, 0.0) if interrupted else Extras(request.folds, request.trade_off)
        try:
            made = write_fit_report(
                request.report, estimator, frame, data, extras, quiet=request.quiet
            )
        except KeyboardInterrupt:
            raise KeyboardInterrupt(_written_before_the_report(request)) from None
        validated = made.cross_validated
        interrupted = interrupted or made.interrupted
    _tell_result(request, model, validated, interrupted)
    return ExitCode.INTERRUPTED if interrupted else ExitCode.OK


def _interrupted(estimator: FrugalSVC) -> bool:
    steps = (estimator.result_, estimator.svc_.result_)
    return any(step.stop_reason is StopReason.INTERRUPTED for step in steps)


def _written_before_the_report(request: FitRequest) -> str:
    kept = (
        "nothing was"
        if request.model is None
        else f"the model is in {request.model}, nothing else was"
    )
    return f"Interrupted while {request.report} was made; {kept} written."


def _tell_about_data(data: TrainingTable, *, quiet: bool) -> None:
    preparation = data.preparation
    n_positive, n_negative = data.n_positive, len(data.y) - data.n_positive
    note(
        f"{data.training.file}: {len(data.y)} rows ({n_positive} positive, {n_negative} negative), "
        f"{len(preparation.variables)} variables in {len(preparation.columns)} columns.",
        quiet=quiet,
    )
    for variable in preparation.filled:
        note(filling_sentence(variable), quiet=quiet)
    for message in training_warnings(data.table, preparation):
        if not quiet:
            warn(message)


def _tell_result(
    request: FitRequest, model: FrugalModel, validated: RateCounts | None, interrupted: bool
) -> None:
    if request.as_json:
        written = {"model": request.model, "report": request.report}
        paths = {key: None if path is None else str(path) for key, path in written.items()}
        rates = {"cross_validated": validated_json(validated) or None, "interrupted": interrupted}
        emit_json(model_json(model) | paths | rates)
    else:
        show_model(model, out(), validated)
    if interrupted:
        warn("Interrupted: this is the best answer found until then, with its proven bound.")
    for path in (request.model, request.report):
        if path is not None and not request.quiet:
            err().print(f"Wrote {path}", soft_wrap=True, markup=False)
