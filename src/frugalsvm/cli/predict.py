"""``frugalsvm predict``: decisions for new rows, from the panel's columns alone."""

from __future__ import annotations

import sys
from collections import Counter
from dataclasses import asdict, dataclass, replace
from pathlib import Path
from typing import Any

from frugalsvm.cli.console import emit_json, err, note, told_warnings
from frugalsvm.cli.exits import ExitCode
from frugalsvm.cli.outputs import check_writable, csv_text, write_csv
from frugalsvm.data.exceptions import DataError, OutOfRangeWarning
from frugalsvm.saved.model import FrugalModel
from frugalsvm.saved.modelfile import load_model
from frugalsvm.tabular.dialect import Dialect
from frugalsvm.tabular.ranges import OutOfRange
from frugalsvm.tabular.reading import read_header, read_table
from frugalsvm.tabular.table import Content, Table, require

COLUMNS = ("prediction", "score")


@dataclass(frozen=True)
class PredictRequest:
    """What ``predict`` was asked for.

    Attributes
    ----------
    model, data : Path
        The model and the new rows.
    output : Path or None
        CSV to write; None: stdout.
    keep : tuple of str
        Columns to copy.
    impute : bool
        Fill missing values as in training.
    dialect : Dialect
        How to read CSV; the model says what means a missing value.
    as_json, quiet : bool
        How to tell the result.
    """

    model: Path
    data: Path
    output: Path | None
    keep: tuple[str, ...]
    impute: bool
    dialect: Dialect
    as_json: bool
    quiet: bool


def run_predict(request: PredictRequest) -> ExitCode:
    """Predict, write, tell; return the exit code."""
    check_writable(request.output)
    model = load_model(request.model)
    clash = [name for name in request.keep if name in COLUMNS]
    if clash:
        raise DataError(f"--keep {clash[0]}: the output has a column of this name already.")
    table = read_rows(model, request.data, request.dialect, request.keep)
    with told_warnings(OutOfRangeWarning):
        scores = model.decision_function(table, impute=request.impute)
    labels = [model.classes[int(score > 0)] for score in scores]
    towards_positive = scores if model.positive == 1 else -scores
    kept = [_cells(table, name) for name in request.keep]
    rows = zip(*kept, labels, towards_positive.tolist(), strict=True)
    header = (*request.keep, *COLUMNS)
    if request.output is not None:
        write_csv(request.output, header, rows)
    elif not request.as_json:
        sys.stdout.write(csv_text(header, rows))
    _tell(request, model, labels, model.out_of_range(table))
    return ExitCode.OK


def read_rows(
    model: FrugalModel, path: Path, dialect: Dialect, further: tuple[str, ...] = ()
) -> Table:
    """Read the columns that a model needs, and `further` ones, as the model was trained to."""
    dialect = replace(dialect, missing=model.missing_markers or dialect.missing)
    header = read_header(path, dialect)
    needed = model.preparation.raw_names
    require(needed, header)
    names = list(dict.fromkeys((*needed, *further))) or header[:1]
    return read_table(path, names, as_text=model.preparation.categorical_names, dialect=dialect)


def _cells(table: Table, name: str) -> list[Any]:
    column = table[name]
    if column.content in (Content.DATE, Content.OTHER):
        raise DataError(f"--keep {name}: the column holds neither numbers nor text.")
    return ["" if text is None else text for text in column.as_text().tolist()]


def _tell(
    request: PredictRequest,
    model: FrugalModel,
    labels: list[Any],
    outside: tuple[OutOfRange, ...],
) -> None:
    counts = Counter(labels)
    if request.as_json:
        emit_json(
            {
                "rows": len(labels),
                "predicted": {str(label): counts[label] for label in model.classes},
                "out": None if request.output is None else str(request.output),
                "out_of_range": [asdict(finding) for finding in outside],
            }
        )
    if request.quiet:
        return
    found = ", ".join(f"{label}: {counts[label]}" for label in model.classes)
    note(f"{len(labels)} rows. {found}. Scores above 0 mean {model.positive_label}.")
    if request.output is not None:
        err().print(f"Wrote {request.output}", soft_wrap=True, markup=False)
