"""P2 and P3 in the study: the rate-constrained SVM on selected features, tuned and trained."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray
from sklearn.metrics.pairwise import rbf_kernel

from frugalsvm.margin import Effort, MarginOptions, train, train_path
from frugalsvm.problem import CountLimit, MarginProblem
from frugalsvm.result import MarginResult
from frugalsvm.standardize import Standardizer
from frugalsvm.stopping import Stopper
from frugalsvm.study.counts import Counts
from frugalsvm.study.folds import Split
from frugalsvm.study.protocol import Fold, Scores, tune
from frugalsvm.study.selection import Selected
from frugalsvm.verify import verify_margin

KernelName = Literal["linear", "radial"]

INNER_OPTIONS = MarginOptions(kicks=3, quick_nodes=10)
"""Effort of the inner trainings, which only decide which C is best."""


@dataclass(frozen=True)
class Point:
    """A point of the grid; gamma is None for the linear kernel."""

    C: float
    gamma: float | None


@dataclass(frozen=True)
class Trained:
    """Outcome of an outer fold.

    Attributes
    ----------
    point : Point
        The tuned parameters.
    counts : Counts
        On the validation samples.
    result : MarginResult or None
        The trained classifier; None if P1's hyperplane had to stand in.
    """

    point: Point
    counts: Counts
    result: MarginResult | None

    def as_dict(self) -> dict[str, Any]:
        """Return plain values."""
        result = self.result
        return {
            "C": self.point.C,
            "gamma": self.point.gamma,
            "counts": self.counts.as_list(),
            "status": "selection's hyperplane" if result is None else str(result.status),
            "objective": None if result is None else float(result.objective),
            "bound": None if result is None else float(result.bound),
            "stop_reason": None if result is None else str(result.stop_reason),
        }


@dataclass(frozen=True)
class _Task:
    """A training set on its support, ready for any kernel."""

    scaler: Standardizer
    Z: NDArray[np.float64]
    y: NDArray[np.bool_]
    support: NDArray[np.intp]
    selected: Selected

    @classmethod
    def of(cls, fold: Fold, split: Split, selected: Selected) -> _Task:
        X, y = fold.training(split)
        support = np.array(selected.support, dtype=np.intp)
        scaler = Standardizer.fit(X[:, support])
        return cls(scaler, scaler.transform(X[:, support]), y, support, selected)

    def problem(self, C: float, gamma: float | None) -> MarginProblem:
        pos, neg = self.selected.budget
        limits = (CountLimit("TPR", self.y, pos), CountLimit("TNR", ~self.y, neg))
        gram = None if gamma is None else np.ascontiguousarray(rbf_kernel(self.Z, gamma=gamma))
        return MarginProblem(
            features=self.Z if gamma is None else None,
            gram=gram,
            positive=self.y,
            limits=limits,
            C=C,
        )

    def scores(
        self, result: MarginResult, X: NDArray[np.float64], gamma: float | None
    ) -> NDArray[np.float64]:
        """Return decision values of raw samples; P1's hyperplane stands in for no answer."""
        if not result.has_answer:
            return self.selected.plane(X.shape[1]).scores(X)
        Z = self.scaler.transform(X[:, self.support])
        if gamma is None:
            if result.weights is None:
                raise TypeError("a linear problem was answered without weights")
            return np.asarray(Z @ result.weights + result.intercept)
        return np.asarray(rbf_kernel(Z, self.Z, gamma=gamma) @ result.dual_coef + result.intercept)


def train_fold(
    fold: Fold, outer: Selected, inner: Sequence[Selected], kernel: KernelName
) -> Trained:
    """Tune on the inner folds, train on the outer training set, count on the validation set."""
    settings = fold.settings
    gammas: tuple[float | None, ...] = (None,) if kernel == "linear" else settings.gammas
    grid = [Point(C, gamma) for C in settings.costs for gamma in gammas]

    def evaluate(number: int, split: Split) -> Scores:
        task = _Task.of(fold, split, inner[number])
        X_new, _ = fold.validation(split)
        columns = {gamma: _path(task, X_new, gamma, fold) for gamma in gammas}
        return [columns[p.gamma][settings.costs.index(p.C)] for p in grid]

    point = grid[tune(fold, evaluate).index]
    return _final(fold, outer, point)


def _path(
    task: _Task, X_new: NDArray[np.float64], gamma: float | None, fold: Fold
) -> list[NDArray[np.float64]]:
    costs = fold.settings.costs
    results = train_path(
        task.problem(costs[0], gamma),
        costs,
        stop=Stopper(fold.settings.train_limit),
        seed=fold.settings.seed,
        effort=Effort.QUICK,
        options=INNER_OPTIONS,
    )
    return [task.scores(result, X_new, gamma) for result in results]


def _final(fold: Fold, outer: Selected, point: Point) -> Trained:
    task = _Task.of(fold, fold.outer, outer)
    problem = task.problem(point.C, point.gamma)
    result = train(problem, stop=Stopper(fold.settings.train_limit), seed=fold.settings.seed)
    X, _ = fold.training(fold.outer)
    if result.has_answer:
        verify_margin(problem, result, task.scores(result, X, point.gamma))
    X_new, y_new = fold.validation(fold.outer)
    counts = Counts.of(task.scores(result, X_new, point.gamma), y_new)
    return Trained(point, counts, result if result.has_answer else None)
