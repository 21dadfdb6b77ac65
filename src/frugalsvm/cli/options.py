"""The options that commands share, each described once."""

from __future__ import annotations

from dataclasses import dataclass, replace
from enum import StrEnum
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from frugalsvm.data.exceptions import DataError
from frugalsvm.tabular.dialect import MAX_LEVELS, MISSING_MARKERS, Dialect

if TYPE_CHECKING:
    from frugalsvm.tabular.training import TableRequest

_DATA = "The table"
_CLASSIFIER = "The classifier"
_SEARCH = "The search"
_OUTPUT = "Output"


class Correction(StrEnum):
    """Corrections of the training rates."""

    NONE = "none"
    HOEFFDING = "hoeffding"


class Rates(StrEnum):
    """Where the rates have to hold."""

    UNSEEN = "unseen"
    TRAINING = "training"


class Solver(StrEnum):
    """Who solves."""

    AUTO = "auto"
    HIGHS = "highs"
    SCIP = "scip"
    GUROBI = "gurobi"


class ExportForm(StrEnum):
    """Into what a model can be exported."""

    SQL = "sql"
    SKLEARN = "sklearn"
    ONNX = "onnx"


class Kernel(StrEnum):
    """Kernels that a model file can hold, or a choice of them."""

    AUTO = "auto"
    LINEAR = "linear"
    RBF = "rbf"
    POLY = "poly"
    SIGMOID = "sigmoid"


def level(value: float) -> float:
    """Check an option that is a confidence."""
    if not 0 < value < 1:
        raise typer.BadParameter(f"must be between 0 and 1. Got {value:g}.{_as_share(value)}")
    return value


def share(value: float) -> float:
    """Check an option that is a share of the rows."""
    if not 0 <= value < 1:
        advice = _as_share(value)
        raise typer.BadParameter(f"must be at least 0 and below 1. Got {value:g}.{advice}")
    return value


def rate(value: float) -> float:
    """Check an option that is a rate."""
    if not 0 <= value <= 1:
        raise typer.BadParameter(f"must be in the range 0 to 1. Got {value:g}.{_as_share(value)}")
    return value


def _as_share(value: float) -> str:
    """Return how a number of percent would have to be written."""
    return f" Write {value / 100:g} for {value:g} %." if 1 < value <= 100 else ""


def positive(value: float | None) -> float | None:
    """Check an option that must be greater than 0."""
    if value is not None and not 0 < value < float("inf"):
        raise typer.BadParameter(f"must be greater than 0. Got {value}.")
    return value


def price(value: float | None) -> float | None:
    """Check an option that is a price."""
    if value is not None and not 0 <= value < float("inf"):
        raise typer.BadParameter(f"must be a number >= 0. Got {value:g}.")
    return value


DataFile = Annotated[
    Path,
    typer.Argument(help="The table: CSV (also .csv.gz), Parquet or .xlsx.", show_default=False),
]
ModelFile = Annotated[Path, typer.Argument(help="A model written by fit.", show_default=False)]
Target = Annotated[
    str,
    typer.Option(help="Column with the class.", rich_help_panel=_DATA, show_default=False),
]
Positive = Annotated[
    list[str] | None,
    typer.Option(
        help="The class whose recall is the TPR (repeatable: several as one).",
        metavar="CLASS",
        rich_help_panel=_DATA,
    ),
]
Rest = Annotated[
    bool,
    typer.Option("--rest", help="Take all other classes as one.", rich_help_panel=_DATA),
]
Costs = Annotated[
    Path | None,
    typer.Option(
        help="Price list: CSV with feature, cost and perhaps group, group_cost. "
        "Without it every variable costs 1.",
        rich_help_panel=_DATA,
    ),
]
DefaultCost = Annotated[
    float | None,
    typer.Option(
        help="Price of variables that the list does not name.",
        callback=price,
        rich_help_panel=_DATA,
    ),
]
Include = Annotated[
    list[str] | None,
    typer.Option(
        help="Variable that must be used (repeatable).", metavar="COLUMN", rich_help_panel=_DATA
    ),
]
Exclude = Annotated[
    list[str] | None,
    typer.Option(help="Column to leave out (repeatable).", metavar="COLUMN", rich_help_panel=_DATA),
]
Categorical = Annotated[
    list[str] | None,
    typer.Option(
        help="Column whose numbers are levels (repeatable).",
        metavar="COLUMN",
        rich_help_panel=_DATA,
    ),
]
MaxLevels = Annotated[
    int, typer.Option(help="Most levels of a variable.", min=2, rich_help_panel=_DATA)
]
Missing = Annotated[
    list[str] | None,
    typer.Option(
        help="Further text that means a missing value (repeatable).",
        metavar="TEXT",
        rich_help_panel=_DATA,
    ),
]
Decimal = Annotated[str, typer.Option(help="Decimal mark.", rich_help_panel=_DATA)]
Sheet = Annotated[str | None, typer.Option(help="Sheet of an .xlsx file.", rich_help_panel=_DATA)]
Encoding = Annotated[str, typer.Option(help="Encoding of a CSV file.", rich_help_panel=_DATA)]
MinTpr = Annotated[
    float,
    typer.Option(help="Required true positive rate.", callback=rate, show_default=False),
]
MinTnr = Annotated[
    float,
    typer.Option(help="Required true negative rate.", callback=rate, show_default=False),
]
RatesOption = Annotated[
    Rates,
    typer.Option(
        help="Where the rates have to hold: on new data, by cross-validation, or in training, "
        "with a proof that no cheaper panel would do (the paper's method)."
    ),
]
Confidence = Annotated[
    float, typer.Option(help="Confidence of the certificate (--hold-out).", callback=level)
]
HoldOut = Annotated[
    float,
    typer.Option(
        help="Share of the rows to set aside for a certificate on new data; 0: none.",
        callback=share,
    ),
]
Margin = Annotated[
    float,
    typer.Option(
        help="Standard errors by which cross-validated rates have to exceed the targets (rates "
        "unseen): more is safer and dearer.",
        min=0,
    ),
]
CorrectionOption = Annotated[
    Correction, typer.Option(help="Raise the rates in training.", rich_help_panel=_CLASSIFIER)
]
Alpha = Annotated[
    float,
    typer.Option(help="Significance level of the correction.", rich_help_panel=_CLASSIFIER),
]
KernelOption = Annotated[
    Kernel,
    typer.Option(
        help="Kernel. auto: linear, which can be printed as a formula; with --rates unseen radial "
        "(rbf) where only that will do on a cheaper panel.",
        rich_help_panel=_CLASSIFIER,
    ),
]
Gamma = Annotated[str, typer.Option(help="scale, auto or a number.", rich_help_panel=_CLASSIFIER)]
Degree = Annotated[int, typer.Option(help="Degree of poly.", min=0, rich_help_panel=_CLASSIFIER)]
Coef0 = Annotated[
    float, typer.Option(help="Constant of poly and sigmoid.", rich_help_panel=_CLASSIFIER)
]
COption = Annotated[
    float,
    typer.Option(
        "-C", "--C", help="Weight of margin errors.", callback=positive, rich_help_panel=_CLASSIFIER
    ),
]
MaxWeight = Annotated[
    float,
    typer.Option(
        help="Greatest weight of a standardised feature.",
        callback=positive,
        rich_help_panel=_CLASSIFIER,
    ),
]
TimeLimit = Annotated[
    float,
    typer.Option(
        help="Seconds, for everything (frontier: for each pair of rates).",
        callback=positive,
        rich_help_panel=_SEARCH,
    ),
]
SolverOption = Annotated[Solver, typer.Option(help="Who solves.", rich_help_panel=_SEARCH)]
Threads = Annotated[
    int, typer.Option(help="Threads; -1: all cores.", min=-1, rich_help_panel=_SEARCH)
]
Seed = Annotated[int, typer.Option(help="Random seed.", min=0, rich_help_panel=_SEARCH)]
Json = Annotated[
    bool, typer.Option("--json", help="Result as JSON on stdout.", rich_help_panel=_OUTPUT)
]
Quiet = Annotated[
    bool,
    typer.Option("--quiet", "-q", help="No progress, no notes on stderr.", rich_help_panel=_OUTPUT),
]
Report = Annotated[Path | None, typer.Option(help="Write an HTML report.", rich_help_panel=_OUTPUT)]
Title = Annotated[str | None, typer.Option(help="Heading of the report.", rich_help_panel=_OUTPUT)]
Author = Annotated[str | None, typer.Option(help="Who made the report.", rich_help_panel=_OUTPUT)]
Currency = Annotated[
    str | None,
    typer.Option(help="What costs are counted in, such as EUR (report).", rich_help_panel=_OUTPUT),
]
Folds = Annotated[
    int,
    typer.Option(
        "--folds",
        help="Folds of the cross-validation for the report; 0: none.",
        min=0,
        rich_help_panel=_OUTPUT,
    ),
]
TradeOff = Annotated[
    float,
    typer.Option(
        "--trade-off",
        help="Seconds at most for the report's trade-off between cost and rates, out of "
        "--time-limit; 0: none.",
        min=0,
        rich_help_panel=_OUTPUT,
    ),
]
Alternatives = Annotated[
    int,
    typer.Option(
        "--alternatives",
        help="Most further panels of the same cost to look for and to report.",
        min=0,
        rich_help_panel=_OUTPUT,
    ),
]
Impute = Annotated[
    bool,
    typer.Option("--impute", help="Fill missing values as in training instead of refusing them."),
]


@dataclass(frozen=True)
class ReportOptions:
    """The report, and what it says about itself."""

    report: Report = None
    title: Title = None
    author: Author = None
    currency: Currency = None


@dataclass(frozen=True)
class ReadingOptions:
    """How to read a CSV file."""

    decimal: Decimal = "."
    encoding: Encoding = "utf-8"
    sheet: Sheet = None

    def dialect(self, missing: tuple[str, ...] = ()) -> Dialect:
        """Return how cells are to be read, `missing` being further marks of missing values."""
        if self.decimal not in (".", ","):
            raise DataError(f"--decimal must be '.' or ','. Got {self.decimal!r}.")
        try:
            "".encode(self.encoding)
        except LookupError as error:
            raise DataError(f"--encoding {self.encoding!r} is not known.") from error
        return Dialect(self.decimal, (*MISSING_MARKERS, *missing), self.encoding, self.sheet)


@dataclass(frozen=True)
class ColumnOptions:
    """Which columns of a table to use, and how."""

    costs: Costs = None
    default_cost: DefaultCost = None
    exclude: Exclude = None
    categorical: Categorical = None
    max_levels: MaxLevels = MAX_LEVELS
    missing: Missing = None

    def request(self, path: Path, target: str, reading: ReadingOptions) -> TableRequest:
        """Return what these options say about a table."""
        from frugalsvm.tabular.training import TableRequest

        return TableRequest(
            path=path,
            target=target,
            costs=self.costs,
            default_cost=self.default_cost,
            exclude=tuple(self.exclude or ()),
            categorical=tuple(self.categorical or ()),
            max_levels=self.max_levels,
            dialect=reading.dialect(tuple(self.missing or ())),
        )


@dataclass(frozen=True)
class TargetOptions:
    """What is to be told from what, and at what price."""

    target: Target
    positive: Positive = None
    rest: Rest = False
    include: Include = None

    def request(self, path: Path, columns: ColumnOptions, reading: ReadingOptions) -> TableRequest:
        """Return what these and the columns' options say about a training table."""
        return replace(
            columns.request(path, self.target, reading),
            positive=tuple(self.positive or ()),
            rest=self.rest,
            include=tuple(self.include or ()),
        )


@dataclass(frozen=True)
class UnseenOptions:
    """Where the rates have to hold, and how that is shown."""

    rates: RatesOption = Rates.UNSEEN
    margin: Margin = 1.0
    confidence: Confidence = 0.95
    hold_out: HoldOut = 0.0


@dataclass(frozen=True)
class ClassifierOptions:
    """The classifier and the search for it."""

    correction: CorrectionOption = Correction.NONE
    alpha: Alpha = 0.05
    kernel: KernelOption = Kernel.AUTO
    gamma: Gamma = "scale"
    degree: Degree = 3
    coef0: Coef0 = 0.0
    C: COption = 1.0
    max_weight: MaxWeight = 100.0
    time_limit: TimeLimit = 60.0
    solver: SolverOption = Solver.AUTO
    threads: Threads = 1
    seed: Seed = 0

    def parameters(self) -> dict[str, Any]:
        """Return the parameters of the estimators that these options are."""
        return {
            "correction": None if self.correction is Correction.NONE else str(self.correction),
            "alpha": self.alpha,
            "kernel": str(self.kernel),
            "gamma": _gamma_value(self.gamma),
            "degree": self.degree,
            "coef0": self.coef0,
            "C": self.C,
            "max_weight": self.max_weight,
            "time_limit": self.time_limit,
            "solver": str(self.solver),
            "n_jobs": self.threads,
            "random_state": self.seed,
        }


def _gamma_value(text: str) -> str | float:
    """Return gamma: "scale", "auto" or a number."""
    if text in ("scale", "auto"):
        return text
    try:
        value = float(text)
    except ValueError:
        value = -1.0
    if not 0 <= value < float("inf"):
        raise DataError(f"--gamma must be 'scale', 'auto' or a number >= 0. Got {text!r}.")
    return value
