"""Data for the benchmark of rates on unseen samples: those to develop on, and those to test on.

The two lists were fixed before anything was measured. Method, margins and constants were chosen on
the first; the second was only measured at the end.
"""

from __future__ import annotations

import os
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import pandas as pd
from numpy.typing import NDArray
from sklearn.datasets import load_digits, load_wine, make_classification

from frugalsvm.study import load_dataset

MOST_SAMPLES = 900
POSITIVE = {
    "ionosphere": "good",
    "sonar": "M",
    "vehicle": "bus",
    "satellite": "red soil",
    "spambase": "nonspam",
    "german": "Good",
    "churn": "no",
    "letter": "A",
}
GENERATED = {
    "generated, 25 features": (25, 6, 8, 1, 1.0, 0.5),
    "generated, 40 features": (40, 8, 12, 2, 1.3, 0.6),
    "generated, 30 features": (30, 10, 0, 2, 1.5, 0.4),
}
PAPER = ("wisconsin", "votes", "nursery", "australian", "careval", "leukemia", "gastrointestinal")
DEVELOP = (*POSITIVE, *GENERATED)
TEST = (*PAPER, "wine", "digits")


@dataclass(frozen=True)
class Data:
    """A binary problem; at most MOST_SAMPLES samples of larger sets, drawn once."""

    name: str
    X: NDArray[np.float64]
    y: NDArray[np.bool_]

    @property
    def prices(self) -> NDArray[np.float64]:
        """Whole prices from 1 to 10, the same for every split."""
        seed = sum(map(ord, self.name))
        return np.random.default_rng(seed).integers(1, 11, self.X.shape[1]).astype(float)


def load(name: str) -> Data:
    """Return a data set by name."""
    X, y = _read(name)
    if len(y) > MOST_SAMPLES:
        rows = np.sort(np.random.default_rng(0).choice(len(y), MOST_SAMPLES, replace=False))
        X, y = X[rows], y[rows]
    return Data(name, np.ascontiguousarray(X[:, np.ptp(X, axis=0) > 0]), y)


def _read(name: str) -> tuple[NDArray[np.float64], NDArray[np.bool_]]:
    if name in PAPER:
        data = load_dataset(name)
        return data.X, data.y
    if name == "wine":
        X, y = load_wine(return_X_y=True)
        return X, y == 1
    if name == "digits":
        X, y = load_digits(return_X_y=True)
        return X, y % 2 == 0
    if name in GENERATED:
        d, informative, redundant, clusters, apart, share = GENERATED[name]
        X, y = make_classification(
            700,
            d,
            n_informative=informative,
            n_redundant=redundant,
            n_clusters_per_class=clusters,
            class_sep=apart,
            flip_y=0.03,
            weights=[share],
            random_state=0,
        )
        return X, y == 1
    return _from_file(name)


def _from_file(name: str) -> tuple[NDArray[np.float64], NDArray[np.bool_]]:
    """Read a set of the folder ``more`` beside the paper's data (FRUGALSVM_DATA)."""
    table = pd.read_csv(Path(os.environ["FRUGALSVM_DATA"]) / "more" / f"{name}.csv.gz")
    y = (table["class"].astype(str) == POSITIVE[name]).to_numpy()
    X = pd.get_dummies(table.drop(columns="class"), drop_first=True).to_numpy(dtype=float)
    if name == "letter":  # one letter of 26: as many others as make it a third
        rng = np.random.default_rng(0)
        rows = np.concatenate(
            [
                rng.choice(np.flatnonzero(y), 300, replace=False),
                rng.choice(np.flatnonzero(~y), 600, replace=False),
            ]
        )
        X, y = X[rows], y[rows]
    return X, y
