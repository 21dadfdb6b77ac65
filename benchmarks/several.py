"""One panel for several classes: cost, bound, recalls and seconds on data sets with three to ten.

Every class against the rest has to meet its recall and its specificity with a hyperplane of its own
on the same features. Beside it, the union of the panels that the classes need on their own.

    python benchmarks/several.py [--data NAME ...] [--limit SECONDS] [--out FILE]

Wine and digits come with scikit-learn, careval is generated; vehicle is read from the folder `more`
in the one named by FRUGALSVM_DATA. One thread.
"""

from __future__ import annotations

import argparse
import json
import os
import time
import warnings
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

os.environ.setdefault("OMP_NUM_THREADS", "1")
os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")

import numpy as np
import pandas as pd
from numpy.typing import NDArray
from sklearn.datasets import load_digits, load_wine

from frugalsvm import FrugalSelector, FrugalSVC
from frugalsvm.study import load_dataset
from frugalsvm.study.datasets.generated import careval

TRAINING_SHARE = 0.2  # of a fit's time limit, as FrugalSVC has it
CAREVAL = {"acc": 0.7, "good": 0.9, "unacc": 0.9, "vgood": 0.9}

Table = tuple[NDArray[np.float64], NDArray[Any]]


@dataclass(frozen=True)
class Row:
    """One line of the table."""

    data: str
    classes: int
    features: int
    samples: int
    min_recall: Any
    min_tnr: float
    cost: float
    bound: float
    union: float
    singles: list[float]
    least_recall: float
    mean_recall: float
    least_train_tpr: float
    least_train_tnr: float
    selection_seconds: float
    seconds: float
    panel: list[int]


def table(name: str) -> Table:
    """Return the features and the labels of a data set."""
    if name == "wine":
        X, y = load_wine(return_X_y=True)
    elif name == "digits":
        X, y = load_digits(return_X_y=True)
    elif name == "careval":
        X, y = load_dataset("careval").X, np.array(careval().classes)
    else:
        frame = pd.read_csv(Path(os.environ["FRUGALSVM_DATA"]) / "more" / f"{name}.csv.gz")
        y = frame.pop("class").to_numpy()
        X = frame.to_numpy(dtype=float)
    return X, y


ASKED: dict[str, tuple[tuple[Any, float], ...]] = {
    "wine": ((0.95, 0.95), (1.0, 1.0)),
    "careval": ((0.7, 0.9), (CAREVAL, 0.9)),
    "vehicle": ((0.6, 0.75),),
    "digits": ((0.9, 0.9),),
}
"""What is asked for: recall and specificity of every class."""


def measure(name: str, min_recall: Any, min_tnr: float, limit: float) -> Row:
    """Fit, and the panels of the classes on their own as the search saw them."""
    X, y = table(name)
    began = time.perf_counter()
    clf = FrugalSVC(
        min_recall=min_recall, min_tnr=min_tnr, time_limit=limit / (1 - TRAINING_SHARE)
    ).fit(X, y)
    seconds = time.perf_counter() - began
    result = clf.result_
    return Row(
        data=name,
        classes=len(clf.classes_),
        features=X.shape[1],
        samples=len(y),
        min_recall=min_recall,
        min_tnr=min_tnr,
        cost=clf.cost_,
        bound=clf.bound_,
        union=union_cost(X, y, clf, limit),
        singles=list(result.single_costs),
        least_recall=float(clf.train_recall_.min()),
        mean_recall=float(clf.train_recall_.mean()),
        least_train_tpr=float(clf.train_tpr_.min()),
        least_train_tnr=float(clf.train_tnr_.min()),
        selection_seconds=result.seconds,
        seconds=seconds,
        panel=[int(k) for k in result.support],
    )


def union_cost(X: NDArray[np.float64], y: NDArray[Any], clf: FrugalSVC, limit: float) -> float:
    """Return how many features the classes' own panels have together."""
    used: set[int] = set()
    for name in clf.classes_:
        recall = clf.min_recall[name] if isinstance(clf.min_recall, dict) else clf.min_recall
        alone = FrugalSelector(recall, clf.min_tnr, time_limit=limit / len(clf.classes_))
        used |= set(alone.fit(X, y == name).result_.support)
    return float(len(used))


def main() -> None:
    """Run what is asked for, and print a table."""
    parser = argparse.ArgumentParser(description="One panel for several classes.")
    parser.add_argument("--data", nargs="*", default=list(ASKED), choices=list(ASKED))
    parser.add_argument("--limit", type=float, default=120.0, help="seconds for the selection")
    parser.add_argument("--out", help="a JSON file for the figures")
    options = parser.parse_args()
    warnings.simplefilter("ignore")
    FrugalSVC(0.9, 0.9, time_limit=30.0).fit(*_first_look())  # compiles
    rows = []
    print("| data | classes | asked | cost | bound | union | least recall | mean | s |")
    for name in options.data:
        for min_recall, min_tnr in ASKED[name]:
            row = measure(name, min_recall, min_tnr, options.limit)
            rows.append(asdict(row))
            print(
                f"| {name} | {row.classes} | {min_recall} / {min_tnr} | {row.cost:g} | "
                f"{row.bound:g} | {row.union:g} | {row.least_recall:.3f} | {row.mean_recall:.3f} | "
                f"{row.selection_seconds:.1f} + {row.seconds - row.selection_seconds:.1f} |",
                flush=True,
            )
    if options.out:
        Path(options.out).write_text(json.dumps(rows, indent=1) + "\n", encoding="utf-8")


def _first_look() -> Table:
    X, y = load_wine(return_X_y=True)
    return X, y


if __name__ == "__main__":
    main()
