"""``frugalsvm certify``: what held-out rows say about unseen data."""

from __future__ import annotations

from dataclasses import asdict, dataclass
from pathlib import Path

import numpy as np

from frugalsvm.cli.console import emit_json, out, told_warnings
from frugalsvm.cli.exits import ExitCode
from frugalsvm.cli.predict import read_rows
from frugalsvm.data.exceptions import DataError, OutOfRangeWarning
from frugalsvm.saved.model import FrugalModel
from frugalsvm.saved.modelfile import load_model
from frugalsvm.tabular.dialect import Dialect
from frugalsvm.tabular.reading import file_sha256, read_header, read_table
from frugalsvm.tabular.table import Table, require
from frugalsvm.unseen.certify import certify


@dataclass(frozen=True)
class CertifyRequest:
    """What ``certify`` was asked for; the fields are the command's options."""

    model: Path
    data: Path
    target: str | None
    confidence: float
    adjustment: str
    impute: bool
    dialect: Dialect
    as_json: bool


@dataclass(frozen=True)
class _Imputing:
    """A model that fills missing values."""

    model: FrugalModel
    impute: bool

    def __getattr__(self, name: str) -> object:
        return getattr(self.model, name)

    def predict(self, table: Table) -> object:
        return self.model.predict(table, impute=self.impute)


def run_certify(request: CertifyRequest) -> ExitCode:
    """Certify and tell; exit code 0 only if both targets are confirmed.

    The training data themselves are refused: "holds on unseen data" would not be true of them.
    """
    model = load_model(request.model)
    target = request.target or model.origin.target
    if target is None:
        raise DataError("The model does not name its target column: say --target.")
    require([target], read_header(request.data, request.dialect))
    if model.origin.sha256 == file_sha256(request.data):
        raise DataError(
            f"{request.data} holds the very data of the training: rates on them certify nothing. "
            "Give rows that had no part in it, or set some aside before the fit (fit --hold-out)."
        )
    table = read_rows(model, request.data, request.dialect)
    truth = _labels(model, request, target)
    with told_warnings(OutOfRangeWarning):
        certificate = certify(
            _Imputing(model, request.impute),
            table,
            truth,
            request.confidence,
            adjustment=request.adjustment,  # type: ignore[arg-type]  # certify checks it itself
        )
    if request.as_json:
        emit_json(asdict(certificate) | {"holds": certificate.holds})
    else:
        console = out()
        console.print(str(certificate), markup=False, soft_wrap=not console.is_terminal)
    return ExitCode.OK if certificate.holds else ExitCode.NOT_CONFIRMED


def _labels(model: FrugalModel, request: CertifyRequest, target: str) -> object:
    column = read_table(request.data, [target], [target], request.dialect)[target]
    if column.n_missing:
        row = int(np.flatnonzero(column.missing)[0]) + 1
        raise DataError(f"Column '{target}', row {row}: the class is missing.")
    merged = model.positive_levels
    texts = [
        str(model.positive_label) if text in merged else text for text in column.as_text().tolist()
    ]
    rest = f"not {model.positive_label}"
    if model.negative_label == rest:
        texts = [text if text == model.positive_label else rest for text in texts]
    by_text = {str(label): label for label in model.classes}
    return np.array([by_text.get(text, text) for text in texts])
