"""The commands and their options; what they do is in the file of each command's name."""

from __future__ import annotations

import functools
from collections.abc import Callable
from pathlib import Path
from typing import Annotated, Any

import typer

from frugalsvm.cli import options as o
from frugalsvm.cli.console import emit_json, fail, out
from frugalsvm.cli.exits import HANDLED, ExitCode, exit_code, explanation
from frugalsvm.cli.grouping import spread
from frugalsvm.cli.usage import TellingGroup

EXIT_CODES = (
    "Exit codes: 0 done, 1 a bug, 2 wrong usage or unusable input, 3 the rates cannot be met, "
    "4 nothing found in time, 5 the solver is missing or failed, 6 an answer failed its "
    "verification, 7 a target is not confirmed (certify, fit --hold-out), 130 interrupted (the "
    "best answer so far is written)."
)

app = typer.Typer(
    name="frugalsvm",
    cls=TellingGroup,
    help="The cheapest measurements with which an SVM still meets the sensitivity and the "
    "specificity you ask for, with a proof that no cheaper ones do.",
    epilog=EXIT_CODES,
    no_args_is_help=True,
    add_completion=False,
    pretty_exceptions_enable=False,
    context_settings={"help_option_names": ["-h", "--help"]},
)


def _tell_version(asked: bool) -> None:
    if asked:
        from frugalsvm.version import VERSION

        typer.echo(f"frugalsvm {VERSION}")
        raise typer.Exit


@app.callback()
def main(
    version: Annotated[
        bool,
        typer.Option("--version", help="Show the version.", callback=_tell_version, is_eager=True),
    ] = False,
) -> None:
    """Take the options that stand before a command."""


def run() -> int:
    """Run the command line; return the exit code."""
    app()
    return ExitCode.OK


def command(function: Callable[..., ExitCode]) -> Callable[..., ExitCode]:
    """Make a function a command: its errors become a sentence and an exit code."""
    worker = spread(function)

    @functools.wraps(worker)
    def guarded(**options: Any) -> None:
        try:
            code = worker(**options)
        except BrokenPipeError:
            raise typer.Exit(ExitCode.OK) from None  # the reader has seen enough
        except (*HANDLED, KeyboardInterrupt) as error:
            code = exit_code(error)
            message = explanation(error)
            fail(message)
            if options.get("as_json"):
                kind = type(error).__name__
                emit_json({"error": {"type": kind, "message": message, "exit_code": int(code)}})
        raise typer.Exit(code)

    app.command()(guarded)
    return function


@command
def fit(
    data: o.DataFile,
    min_tpr: o.MinTpr,
    min_tnr: o.MinTnr,
    target: o.TargetOptions,
    columns: o.ColumnOptions,
    reading: o.ReadingOptions,
    classifier: o.ClassifierOptions,
    unseen: o.UnseenOptions,
    about: o.ReportOptions,
    model: Annotated[
        Path | None, typer.Option(help="Write the model (JSON).", rich_help_panel="Output")
    ] = None,
    folds: o.Folds = 5,
    trade_off: o.TradeOff = 30.0,
    alternatives: o.Alternatives = 5,
    as_json: o.Json = False,
    quiet: o.Quiet = False,
) -> ExitCode:
    """Find the cheapest measurements for two rates, and train the classifier on them."""
    from frugalsvm.cli.fit import FitRequest, run_fit

    request = FitRequest(
        table=target.request(data, columns, reading),
        parameters=classifier.parameters()
        | {
            "min_tpr": min_tpr,
            "min_tnr": min_tnr,
            "margin": unseen.margin,
            "n_alternatives": 0 if about.report is None else alternatives,
        },
        model=model,
        about=about,
        folds=folds,
        trade_off=trade_off,
        as_json=as_json,
        quiet=quiet,
        unseen=unseen.rates is o.Rates.UNSEEN,
        confidence=unseen.confidence,
        hold_out=unseen.hold_out,
    )
    return run_fit(request)


@command
def predict(
    model: o.ModelFile,
    data: o.DataFile,
    reading: o.ReadingOptions,
    output: Annotated[
        Path | None, typer.Option("--out", help="CSV to write; without it, stdout.")
    ] = None,
    keep: Annotated[
        list[str] | None,
        typer.Option(help="Column to copy to the output (repeatable).", metavar="COLUMN"),
    ] = None,
    impute: o.Impute = False,
    as_json: o.Json = False,
    quiet: o.Quiet = False,
) -> ExitCode:
    """Predict new rows; only the panel's columns are needed."""
    from frugalsvm.cli.predict import PredictRequest, run_predict

    request = PredictRequest(
        model, data, output, tuple(keep or ()), impute, reading.dialect(), as_json, quiet
    )
    return run_predict(request)


@command
def frontier(
    data: o.DataFile,
    target: o.TargetOptions,
    columns: o.ColumnOptions,
    reading: o.ReadingOptions,
    classifier: o.ClassifierOptions,
    about: o.ReportOptions,
    tprs: Annotated[
        str | None,
        typer.Option("--min-tprs", help="Rates: 0.8,0.9,0.95 or from:to:steps, 0.8:0.99:8."),
    ] = None,
    tnrs: Annotated[
        str | None, typer.Option("--min-tnrs", help="The same for the true negative rate.")
    ] = None,
    total_time_limit: Annotated[
        float | None, typer.Option(help="Seconds for everything.", callback=o.positive)
    ] = None,
    store: Annotated[
        Path | None, typer.Option(help="Keep results here; a stopped run goes on.")
    ] = None,
    output: Annotated[
        Path | None, typer.Option("--out", help="CSV with every point.", rich_help_panel="Output")
    ] = None,
    rates: o.RatesOption = o.Rates.TRAINING,
    margin: o.Margin = 1.0,
    folds: o.Folds = 5,
    as_json: o.Json = False,
    quiet: o.Quiet = False,
) -> ExitCode:
    """Show what each pair of rates costs: the panels worth choosing."""
    from frugalsvm.cli.frontier import FrontierRequest, read_grid, run_frontier

    settings = {
        "min_tprs": read_grid(tprs, "--min-tprs"),
        "min_tnrs": read_grid(tnrs, "--min-tnrs"),
        "cv": folds or None,
        "rates": "cv" if rates is o.Rates.UNSEEN else "training",
        "margin": margin,
    }
    limits = {"total_time_limit": total_time_limit, "store": store}
    request = FrontierRequest(
        table=target.request(data, columns, reading),
        parameters=classifier.parameters() | settings | limits,
        about=about,
        output=output,
        as_json=as_json,
        quiet=quiet,
    )
    return run_frontier(request)


@command
def certify(
    model: o.ModelFile,
    data: o.DataFile,
    reading: o.ReadingOptions,
    target: Annotated[
        str | None, typer.Option(help="Column with the class; default: as in training.")
    ] = None,
    confidence: Annotated[
        float, typer.Option(help="Confidence of both statements at once.")
    ] = 0.95,
    adjustment: Annotated[str, typer.Option(help="hochberg, holm or bonferroni.")] = "hochberg",
    impute: o.Impute = False,
    as_json: o.Json = False,
) -> ExitCode:
    """State which targets hold on unseen data, by rows that were not used in training."""
    from frugalsvm.cli.certify import CertifyRequest, run_certify

    request = CertifyRequest(
        model, data, target, confidence, adjustment, impute, reading.dialect(), as_json
    )
    return run_certify(request)


@command
def check(
    data: o.DataFile,
    columns: o.ColumnOptions,
    reading: o.ReadingOptions,
    target: Annotated[str | None, typer.Option(help="Column with the class.")] = None,
    as_json: o.Json = False,
) -> ExitCode:
    """Tell what is in a table, and what is wrong with it."""
    from frugalsvm.cli.check import run_check

    return run_check(columns.request(data, target or "", reading), as_json=as_json)


@command
def show(model: o.ModelFile, as_json: o.Json = False) -> ExitCode:
    """Show what a model measures, costs and promises."""
    from frugalsvm.cli.render import model_json, show_model
    from frugalsvm.saved.modelfile import load_model

    loaded = load_model(model)
    if as_json:
        emit_json(model_json(loaded))
    else:
        show_model(loaded, out())
    return ExitCode.OK


@command
def export(
    model: o.ModelFile,
    output: Annotated[Path, typer.Option("--out", help="File to write.", show_default=False)],
    form: Annotated[o.ExportForm, typer.Option("--to", help="Into what.", show_default=False)],
    table: Annotated[str, typer.Option(help="sql: the table to score.")] = "data",
) -> ExitCode:
    """Write a model as SQL, as a scikit-learn pipeline (joblib) or as ONNX."""
    from frugalsvm.cli.export import run_export

    return run_export(model, output, form, table)


@command
def demo() -> ExitCode:
    """Show on real data which measurements are enough to tell benign from malignant."""
    from frugalsvm.cli.demo import run_demo, show_demo

    show_demo(run_demo())
    return ExitCode.OK


@command
def compile(quiet: o.Quiet = False) -> ExitCode:
    """Compile all kernels once, for images and machines whose first fit should not wait."""
    from frugalsvm.cli.compile import run_compile

    return run_compile(quiet=quiet)


@command
def study(
    tables: Annotated[
        list[str] | None,
        typer.Option("--table", help="Table to make (repeatable); default: all.", metavar="TABLE"),
    ] = None,
    datasets: Annotated[
        list[str] | None,
        typer.Option("--dataset", help="Data set (repeatable); default: all.", metavar="NAME"),
    ] = None,
    quick: Annotated[
        bool, typer.Option("--quick", help="One outer fold, three values of C.")
    ] = False,
    store: Annotated[Path, typer.Option(help="Keeps every result; a stopped run goes on.")] = Path(
        "frugalsvm-study.sqlite"
    ),
    output: Annotated[Path, typer.Option("--out", help="Folder for the tables.")] = Path("results"),
    jobs: Annotated[int, typer.Option(help="Processes on this machine.", min=1)] = 1,
    dask: Annotated[
        str | None, typer.Option(help="Dask scheduler to run on.", metavar="ADDRESS")
    ] = None,
    seed: o.Seed = 0,
    time_limit: Annotated[
        float | None, typer.Option(help="Seconds for each outer problem.", callback=o.positive)
    ] = None,
    as_json: o.Json = False,
    quiet: o.Quiet = False,
) -> ExitCode:
    """Repeat the paper's experiment, and write its tables beside ours."""
    from frugalsvm.cli.study import run_study_command

    parameters = {
        "tables": tables,
        "datasets": datasets,
        "quick": quick,
        "out": output,
        "jobs": jobs,
        "dask": dask,
        "seed": seed,
        "time_limit": time_limit,
    }
    return run_study_command(parameters, store=store, as_json=as_json, quiet=quiet)
