"""``frugalsvm fit``: from a table and a price list to a model and a report."""

from __future__ import annotations

from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd

from frugalsvm.cli.console import emit_json, err, note, out, warn
from frugalsvm.cli.estimators import caveats_told, estimator_for, was_interrupted
from frugalsvm.cli.exits import ExitCode
from frugalsvm.cli.options import ReportOptions
from frugalsvm.cli.outputs import check_writable
from frugalsvm.cli.progress import ProgressLine
from frugalsvm.cli.render import filling_sentence, model_json, show_model, validated_json
from frugalsvm.cli.reporting import LEAST_SECONDS, Extras, write_fit_report
from frugalsvm.export.scorecard import card_for
from frugalsvm.runtime.stopping import COMPILATION, Stopper
from frugalsvm.saved.model import FrugalModel
from frugalsvm.saved.modelfile import model_of, save_model
from frugalsvm.tabular.inspection import training_warnings
from frugalsvm.tabular.training import TableRequest, TrainingTable, load_training_table
from frugalsvm.tradeoff import RateCounts

FIT_SHARE = 0.75
"""Part of the time limit that the fit may use if a report wants its share, too."""


@dataclass(frozen=True)
class FitRequest:
    """What ``fit`` was asked for.

    Attributes
    ----------
    table : TableRequest
        The data.
    parameters : dict
        Parameters of :class:`~frugalsvm.FrugalSVC`: targets, classifier, search.
    model : Path or None
        Where to write.
    about : ReportOptions
        The report.
    folds : int
        Cross-validation of the report.
    trade_off : float
        Seconds for the report's trade-off; 0: none.
    as_json, quiet : bool
        How to tell the result.
    unseen : bool
        True: the rates have to hold on new data; False: in training.
    confidence, hold_out : float
        Of the certificate, and the share of the rows set aside for it.
    """

    table: TableRequest
    parameters: dict[str, Any]
    model: Path | None
    about: ReportOptions
    folds: int = 5
    trade_off: float = 30.0
    as_json: bool = False
    quiet: bool = False
    unseen: bool = True
    confidence: float = 0.95
    hold_out: float = 0.0

    @property
    def report(self) -> Path | None:
        """Where to write the report."""
        return self.about.report

    @property
    def time_limit(self) -> float:
        """Seconds for everything: the fit, and what the report holds beside it."""
        return float(self.parameters["time_limit"])

    @property
    def fit_limit(self) -> float:
        """Seconds for the fit."""
        shared = self.report is not None and (self.folds > 0 or self.trade_off > 0)
        return FIT_SHARE * self.time_limit if shared else self.time_limit


def run_fit(request: FitRequest) -> ExitCode:
    """Fit, write, tell; return the exit code."""
    check_writable(request.model, request.report)
    data = load_training_table(request.table)
    _tell_about_data(data, quiet=request.quiet)
    frame = pd.DataFrame(data.X, columns=list(data.preparation.coded_names))
    estimator = estimator_for(
        {"pos_label": data.positive}
        | data.cost_parameters()
        | request.parameters
        | {"time_limit": request.fit_limit},
        unseen=request.unseen,
        hold_out=request.hold_out,
        confidence=request.confidence,
    )
    stop, allowance = Stopper(request.time_limit), COMPILATION.left
    with (
        caveats_told(quiet=request.quiet),
        ProgressLine("searching", quiet=request.quiet) as line,
    ):
        estimator.set_params(callback=line).fit(frame, data.y)
    estimator.set_params(callback=None)
    interrupted = was_interrupted(estimator)
    model = with_score_card(model_of(estimator, data.training), data)
    if request.model is not None:
        model = save_model(model, request.model)
    validated = None
    if request.about.report is not None:
        compiling = allowance - COMPILATION.left  # which adds to a limit
        left = max(LEAST_SECONDS, request.time_limit + compiling - stop.elapsed)
        extras = Extras(request.folds, request.trade_off, left)
        if interrupted:  # who pressed Ctrl-C wants to leave now
            extras = Extras(0, 0.0, left)
        try:
            made = write_fit_report(
                request.about, estimator, frame, data, model, extras, quiet=request.quiet
            )
        except KeyboardInterrupt:
            raise KeyboardInterrupt(_written_before_the_report(request)) from None
        validated = made.cross_validated
        interrupted = interrupted or made.interrupted
    _tell_result(request, model, validated, interrupted)
    return _exit_code(model, interrupted=interrupted)


def with_score_card(model: FrugalModel, data: TrainingTable) -> FrugalModel:
    """Return the model with its score card, if its decision is a weighted sum of something."""
    if not model.decision.kernel.linear or not model.panel.features:
        return model
    names = data.preparation.coded_names
    X = data.X[:, [names.index(feature.name) for feature in model.panel.features]]
    learned = np.ones(len(X), dtype=np.bool_)
    if model.unseen is not None and model.unseen.held_out is not None:
        learned[list(model.unseen.held_out.rows)] = False
    positive = data.y == data.positive
    return replace(model, score_card=card_for(model, X[learned], positive[learned]))


def _exit_code(model: FrugalModel, *, interrupted: bool) -> ExitCode:
    if interrupted:
        return ExitCode.INTERRUPTED
    held_out = None if model.unseen is None else model.unseen.held_out
    if held_out is not None and not held_out.certified:
        return ExitCode.NOT_CONFIRMED
    return ExitCode.OK


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
    for message in training_warnings(data.table, preparation, data.y == data.positive):
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
