"""The instances of the selection benchmark: the paper's, and synthetic wide and tall ones."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache
from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.model_selection import LeaveOneOut, StratifiedKFold

from frugalsvm.data.costs import CostModel
from frugalsvm.data.problem import SelectionProblem
from frugalsvm.data.rates import ErrorBudget, RateTargets
from frugalsvm.study import load_dataset


@dataclass(frozen=True)
class Instance:
    """A data set of the paper with the rates asked for."""

    data: str
    min_tpr: float
    min_tnr: float
    light: str = ""

    @property
    def name(self) -> str:
        """What the tables call it."""
        return f"{self.data}{self.light} {self.min_tpr:g}/{self.min_tnr:g}"


PAPER = (
    Instance("wisconsin", 0.967, 0.918),
    Instance("wisconsin", 1.0, 0.977),
    Instance("wisconsin", 0.99, 0.99),
    Instance("wisconsin", 1.0, 1.0),
    Instance("votes", 0.930, 0.922),
    Instance("votes", 0.982, 0.988),
    Instance("votes", 1.0, 1.0),
    Instance("australian", 0.773, 0.887),
    Instance("australian", 0.816, 0.935),
    Instance("careval", 0.935, 0.923),
    Instance("careval", 0.959, 0.960),
)

WIDE = (
    Instance("leukemia", 0.954, 0.935),
    Instance("leukemia", 1.0, 1.0),
    Instance("gastrointestinal", 0.954, 0.935, "wl"),
    Instance("gastrointestinal", 0.954, 0.935, "nbi"),
)

NURSERY = Instance("nursery", 0.975, 0.975)

COSTS = ("unit", "prices", "groups")


@cache
def _data(name: str, light: str) -> Any:
    return load_dataset(name, light=light) if light else load_dataset(name)


def training_fold(instance: Instance, fold: int) -> tuple[NDArray[np.float64], NDArray[np.bool_]]:
    """Return the standardised training part of a fold (leave-one-out for the wide ones)."""
    data = _data(instance.data, instance.light)
    y = np.asarray(data.y).astype(bool)
    if len(y) < 100:
        splits = LeaveOneOut().split(data.X)
    else:
        splits = StratifiedKFold(10, shuffle=True, random_state=0).split(data.X, y)
    train = list(splits)[fold][0]
    return standardised(np.asarray(data.X, dtype=float)[train]), y[train]


def standardised(X: NDArray[np.float64]) -> NDArray[np.float64]:
    """Return the columns with mean 0 and standard deviation 1; constant ones are zero."""
    constant = np.ptp(X, axis=0) == 0
    X = X - X.mean(axis=0)
    X /= np.where(constant, 1.0, X.std(axis=0))
    X[:, constant] = 0.0
    return X


def cost_model(kind: str, n_features: int) -> CostModel:
    """Return unit costs, random integer prices from 1 to 20, or wisconsin's ten panels."""
    if kind == "prices":
        prices = np.random.default_rng(20).integers(1, 21, n_features)
        return CostModel.per_feature(prices.astype(float))
    if kind == "groups":
        # The mean, the error and the worst value of a measurement come together.
        panels = tuple((k % 10,) for k in range(n_features))
        return CostModel(np.zeros(n_features), panels, np.ones(10))
    return CostModel.per_feature(np.ones(n_features))


def selection_problem(
    X: NDArray[np.float64],
    y: NDArray[np.bool_],
    targets: RateTargets | ErrorBudget,
    costs: str = "unit",
) -> SelectionProblem:
    """Return the problem for standardised features."""
    budget = targets
    if isinstance(targets, RateTargets):
        budget = targets.budget(int(y.sum()), int((~y).sum()))
    return SelectionProblem(
        X=X,
        positive=y,
        budget=budget,
        costs=cost_model(costs, X.shape[1]),
        include=np.zeros(X.shape[1], dtype=bool),
        exclude=np.ptp(X, axis=0) == 0,
    )


def paper_problem(instance: Instance, fold: int = 0, costs: str = "unit") -> SelectionProblem:
    """Return the problem of an instance's training fold."""
    X, y = training_fold(instance, fold)
    return selection_problem(X, y, RateTargets(instance.min_tpr, instance.min_tnr), costs)


def planted(
    n_samples: int, n_features: int, informative: int, noise: float, seed: int = 0
) -> tuple[NDArray[np.float64], NDArray[np.bool_]]:
    """Return standardised normal features, labels from the sum of the first `informative`."""
    rng = np.random.default_rng(seed)
    X = rng.standard_normal((n_samples, n_features))
    y = X[:, :informative].sum(axis=1) + noise * rng.standard_normal(n_samples) > 0
    return standardised(X), y
