"""The paper's own figures, as published."""

from __future__ import annotations

import csv
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache
from importlib.resources import files

from frugalsvm.study.summary import Spread


@dataclass(frozen=True)
class PaperTarget:
    """A row of the paper's table "Australian by target pair"."""

    accuracy: float
    tpr: float
    tnr: float
    features: float


def _rows(name: str) -> Iterator[dict[str, str]]:
    text = (files("frugalsvm.study") / "paper" / name).read_text(encoding="utf-8")
    yield from csv.DictReader(text.splitlines())


@cache
def paper_rates() -> dict[tuple[str, str, str, str], Spread]:
    """Return mean and deviation by table, data set, method and metric."""
    return {
        (row["table"], row["dataset"], row["method"], row["metric"]): Spread(
            float(row["mean"]), float(row["std"])
        )
        for row in _rows("rates.csv")
    }


@cache
def paper_features() -> dict[tuple[str, str], Spread]:
    """Return the number of selected features by table and data set."""
    return {
        (row["table"], row["dataset"]): Spread(
            float(row["selected_mean"]), float(row["selected_std"])
        )
        for row in _rows("features.csv")
    }


@cache
def paper_cardinality() -> dict[int, tuple[float, float, float]]:
    """Return accuracy, TPR and TNR on Australian by the number of features."""
    return {
        int(row["max_features"]): (float(row["acc"]), float(row["tpr"]), float(row["tnr"]))
        for row in _rows("australian_by_cardinality.csv")
    }


@cache
def paper_targets() -> dict[str, PaperTarget]:
    """Return the results on Australian by the pair of thresholds."""
    return {
        f"{row['min_tpr']}/{row['min_tnr']}": PaperTarget(
            *(float(row[name]) for name in ("acc", "tpr", "tnr", "mean_features"))
        )
        for row in _rows("australian_by_target.csv")
    }


PAPER_CONTINGENCY = {"+": (306, 77), "-": (23, 284)}
"""The paper's contingency table of the feature selected in Australian: X = 0, X = 1."""

PAPER_DATA = {
    "wisconsin": (569, 30, 357),
    "votes": (435, 32, 267),
    "nursery": (12960, 19, 4320),
    "australian": (690, 34, 383),
    "careval": (1728, 15, 1210),
    "leukemia": (72, 7128, 47),
    "gastrointestinal": (76, 698, 55),
}
"""The paper's Table 1: samples, variables, positives."""
