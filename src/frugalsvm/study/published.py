"""The paper's own figures, as published."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache

from frugalsvm.study.paper_figures import CARDINALITY, FEATURES, RATES, TARGETS
from frugalsvm.study.summary import Spread


@dataclass(frozen=True)
class PaperTarget:
    """A row of the paper's table "Australian by target pair"."""

    accuracy: float
    tpr: float
    tnr: float
    features: float


METRICS = ("Acc", "TPR", "TNR")


@cache
def paper_rates() -> dict[tuple[str, str, str, str], Spread]:
    """Return mean and deviation by table, data set, method and metric."""
    return {
        (table, dataset, method, metric): Spread(*figures[2 * k : 2 * k + 2])
        for (table, method), datasets in RATES.items()
        for dataset, figures in datasets.items()
        for k, metric in enumerate(METRICS)
    }


@cache
def paper_features() -> dict[tuple[str, str], Spread]:
    """Return the number of selected features by table and data set."""
    return {
        (table, dataset): Spread(*figures)
        for table, datasets in FEATURES.items()
        for dataset, figures in datasets.items()
    }


def paper_cardinality() -> dict[int, tuple[float, float, float]]:
    """Return accuracy, TPR and TNR on Australian by the number of features."""
    return dict(enumerate(CARDINALITY, start=1))


def paper_targets() -> dict[str, PaperTarget]:
    """Return the results on Australian by the pair of thresholds."""
    return {f"{tpr:g}/{tnr:g}": PaperTarget(*row) for (tpr, tnr), row in TARGETS.items()}


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
