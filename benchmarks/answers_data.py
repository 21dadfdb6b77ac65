"""Problems for the benchmark of answers: those to develop on, and those that are only measured.

The two lists were fixed before anything was measured. A problem is a data set, rates that a linear
classifier nearly reaches in cross-validation (loose, medium or tight), and costs (unit, prices,
groups). Generated families are the same in both lists, with other seeds and sizes.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import cache
from pathlib import Path

import numpy as np
import pandas as pd
from numpy.typing import NDArray
from sklearn.datasets import load_breast_cancer, load_digits, load_wine, make_classification
from sklearn.linear_model import LogisticRegression
from sklearn.model_selection import cross_val_predict

from frugalsvm.data.costs import CostModel
from frugalsvm.data.problem import SelectionProblem
from frugalsvm.data.rates import RateTargets
from frugalsvm.study import load_dataset
from selection_instances import standardised

Table = tuple[NDArray[np.float64], NDArray[np.bool_]]

BELOW = {"tight": 0.025, "medium": 0.025, "loose": 0.1}
"""How far the targets are below the rates of logistic regression on all features: those of
cross-validation, or, if they are tight, the mean of those and of the ones in training."""

COSTS = ("unit", "prices", "groups")
GROUP_SIZE, GROUP_COST = 4, 5

MORE = {
    "ionosphere": "good",
    "sonar": "M",
    "vehicle": "bus",
    "satellite": "red soil",
    "spambase": "nonspam",
    "german": "Good",
    "churn": "no",
    "letter": "A",
}


def _informative(n: int, d: int, many: int, redundant: int, flip: float, seed: int) -> Table:
    X, y = make_classification(
        n, d, n_informative=many, n_redundant=redundant, flip_y=flip, random_state=seed
    )
    return X, y.astype(bool)


def _binary(n: int, d: int, many: int, seed: int) -> Table:
    """Correlated features with the values 0 and 1; labels by a noisy count of some of them."""
    rng = np.random.default_rng(seed)
    hidden = rng.standard_normal((n, d // 6 + 1)) @ rng.standard_normal((d // 6 + 1, d))
    X = (hidden / hidden.std() + rng.standard_normal((n, d)) > rng.normal(0.3, 0.8, d)) * 1.0
    score = X[:, :many] @ rng.choice((-2.0, -1.0, 1.0, 2.0), many) + 0.8 * rng.standard_normal(n)
    return X, score > np.median(score)


def _one_hot(n: int, variables: int, many: int, seed: int) -> Table:
    """Levels of categorical variables as columns; labels by an effect of each level of some."""
    rng = np.random.default_rng(seed)
    blocks, score = [], 0.8 * rng.standard_normal(n)
    for v in range(variables):
        levels = int(rng.integers(2, 8))
        drawn = rng.choice(levels, n, p=rng.dirichlet(np.ones(levels) * 2))
        blocks.append(np.eye(levels)[drawn])
        if v < many:
            score += rng.normal(0.0, 1.2, levels)[drawn]
    return np.hstack(blocks), score > np.median(score)


def _heavy(n: int, d: int, many: int, seed: int) -> Table:
    """Skewed columns with outliers."""
    rng = np.random.default_rng(seed)
    Z = rng.standard_normal((n, d)) + 0.7 * rng.standard_normal((n, 1))
    score = Z[:, :many] @ rng.normal(0.0, 1.0, many) + 0.7 * rng.standard_normal(n)
    return np.exp(1.2 * Z) * (rng.random((n, d)) > 0.2), score > np.median(score)


def _noisy(n: int, d: int, many: int, seed: int) -> Table:
    """Few continuous features and many errors."""
    rng = np.random.default_rng(seed)
    X = rng.standard_normal((n, d)) + 0.5 * rng.standard_normal((n, 1))
    score = X[:, :many] @ np.linspace(1.0, 0.4, many) + 1.8 * rng.standard_normal(n)
    return X, score > 0


def _planted(n: int, d: int, many: int, seed: int) -> Table:
    """As many features are needed as were planted, or nearly."""
    rng = np.random.default_rng(seed)
    X = rng.standard_normal((n, d))
    X += 0.4 * np.roll(X, 1, axis=1)
    score = X[:, rng.choice(d, many, replace=False)] @ rng.uniform(0.7, 1.3, many)
    return X, score + 0.1 * np.sqrt(many) * rng.standard_normal(n) > 0


def _generated(seed: int, scale: float) -> dict[str, Callable[[], Table]]:
    def n(size: int) -> int:
        return int(size * scale)

    return {
        "correlated blocks": lambda: _informative(n(500), n(150), 20, 30, 0.05, seed),
        "few informative": lambda: _informative(n(900), n(60), 8, 20, 0.1, seed),
        "wide": lambda: _informative(n(120), n(2000), 12, 40, 0.02, seed),
        "very wide": lambda: _informative(n(80), n(8000), 20, 200, 0.02, seed),
        "tall": lambda: _informative(n(20_000), n(40), 10, 10, 0.1, seed),
        "binary": lambda: _binary(n(1500), n(120), 14, seed),
        "binary, small": lambda: _binary(n(300), n(40), 8, seed),
        "one-hot": lambda: _one_hot(n(1200), n(18), 9, seed),
        "one-hot, small": lambda: _one_hot(n(300), n(10), 6, seed),
        "heavy tails": lambda: _heavy(n(1500), n(50), 10, seed),
        "heavy tails, small": lambda: _heavy(n(200), n(30), 6, seed),
        "large budgets": lambda: _noisy(n(700), n(9), 6, seed),
        "large budgets, more features": lambda: _noisy(n(1500), n(20), 10, seed),
        "optimum near 5": lambda: _planted(n(500), n(60), 5, seed),
        "optimum near 12": lambda: _planted(n(500), n(100), 12, seed),
        "optimum near 25": lambda: _planted(n(800), n(100), 25, seed),
        "optimum near 50": lambda: _planted(n(1200), n(120), 50, seed),
    }


def _read_more(name: str) -> Table:
    folder = Path(os.environ["FRUGALSVM_DATA"]) / "more"
    frame = pd.read_csv(folder / f"{name}.csv.gz")
    labels = frame.pop(frame.columns[-1])
    X = pd.get_dummies(frame).to_numpy(dtype=float)
    return X, (labels.astype(str) == MORE[name]).to_numpy()


def _paper(name: str) -> Table:
    data = load_dataset(name)
    return np.asarray(data.X, dtype=float), np.asarray(data.y).astype(bool)


def _digits(positive: tuple[int, ...]) -> Table:
    X, y = load_digits(return_X_y=True)
    return X, np.isin(y, positive)


def _wine() -> Table:
    X, y = load_wine(return_X_y=True)
    return X, y == 1


def _cancer() -> Table:
    X, y = load_breast_cancer(return_X_y=True)
    return X, y == 0


DEVELOP: dict[str, Callable[[], Table]] = {
    **{name: (lambda name=name: _read_more(name)) for name in MORE},
    **{f"{name}, seed 0": make for name, make in _generated(0, 1.0).items()},
}
MEASURE: dict[str, Callable[[], Table]] = {
    **{
        name: (lambda name=name: _paper(name))
        for name in ("votes", "nursery", "australian", "careval", "leukemia", "gastrointestinal")
    },
    "breast cancer": _cancer,
    "wine": _wine,
    "digits, even": lambda: _digits((0, 2, 4, 6, 8)),
    "digits, below 5": lambda: _digits((0, 1, 2, 3, 4)),
    **{f"digits, {k}": (lambda k=k: _digits((k,))) for k in range(10)},
    **{f"{name}, seed 101": make for name, make in _generated(101, 0.8).items()},
    **{f"{name}, seed 102": make for name, make in _generated(102, 1.3).items()},
}


@dataclass(frozen=True)
class Case:
    """A data set with targets and costs."""

    data: str
    below: str
    costs: str

    @property
    def name(self) -> str:
        """What the tables call it."""
        return f"{self.data}, {self.below}, {self.costs}"


def cases(chosen: str) -> Iterator[Case]:
    """Yield the cases of a list: every data set with each of the costs, the targets in turn."""
    names = list({"develop": DEVELOP, "measure": MEASURE}[chosen])
    for i, name in enumerate(names):
        for j, costs in enumerate(COSTS):
            yield Case(name, tuple(BELOW)[(i + j) % len(BELOW)], costs)


@cache
def table(name: str) -> Table:
    """Return the standardised data."""
    X, y = (DEVELOP | MEASURE)[name]()
    X = X[:, np.ptp(X, axis=0) > 0]
    return standardised(X), y


@cache
def reached(name: str) -> tuple[float, float]:
    """Return what logistic regression reaches in cross-validation, and in training."""
    X, y = table(name)
    model = LogisticRegression(C=1.0 if X.shape[1] < len(y) else 0.01, max_iter=300)
    unseen = cross_val_predict(model, X, y, cv=5, method="decision_function")
    return balanced_rate(y, unseen), balanced_rate(y, model.fit(X, y).decision_function(X))


def balanced_rate(y: NDArray[np.bool_], scores: NDArray[np.float64]) -> float:
    """Return the largest rate that both classes have at one threshold."""
    cuts = np.unique(scores)
    right_pos = 1.0 - np.searchsorted(np.sort(scores[y]), cuts) / y.sum()
    right_neg = np.searchsorted(np.sort(scores[~y]), cuts) / (~y).sum()
    return float(np.max(np.minimum(right_pos, right_neg)))


def cost_model(kind: str, n_features: int) -> CostModel:
    """Return unit costs, prices from 1 to 20, or groups of neighbours with a price of their own."""
    if kind == "unit":
        return CostModel.per_feature(np.ones(n_features))
    prices = np.random.default_rng(n_features).integers(1, 21, n_features).astype(float)
    if kind == "prices":
        return CostModel.per_feature(prices)
    groups = tuple((k // GROUP_SIZE,) for k in range(n_features))
    many = groups[-1][0] + 1
    return CostModel(np.ones(n_features), groups, np.full(many, float(GROUP_COST)))


def problem_of(case: Case) -> SelectionProblem:
    """Return the selection problem of a case."""
    X, y = table(case.data)
    unseen, seen = reached(case.data)
    start = 0.5 * (unseen + seen) if case.below == "tight" else unseen
    rate = max(0.5, round(start - BELOW[case.below], 3))
    nothing = np.zeros(X.shape[1], dtype=bool)
    return SelectionProblem(
        X=X,
        positive=y,
        budget=RateTargets(rate, rate).budget(int(y.sum()), int((~y).sum())),
        costs=cost_model(case.costs, X.shape[1]),
        include=nothing,
        exclude=nothing,
    )
