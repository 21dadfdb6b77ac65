"""P2 and P3 in the study: the rate-constrained SVM on selected features, tuned and trained."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray
from sklearn.metrics.pairwise import rbf_kernel

from frugalsvm.data.problem import CountLimit, MarginProblem
from frugalsvm.data.result import MarginResult
from frugalsvm.data.verify import verify_margin
from frugalsvm.inputs.standardize import Standardizer
from frugalsvm.inputs.svm_kernels import Kernel
from frugalsvm.margin import Effort, MarginOptions, train, train_path
from frugalsvm.runtime.stopping import Stopper
from frugalsvm.study.counts import Counts
from frugalsvm.study.embedding import RadialFeatures
from frugalsvm.study.folds import Split
from frugalsvm.study.protocol import Fold, Scores, tune
from frugalsvm.study.selection import Selected

KernelName = Literal["linear", "radial"]

INNER_OPTIONS = MarginOptions(quick_nodes=10)
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
class _TrainingSet:
    """A training set on its support, for one kernel."""

    scaler: Standardizer
    Z: NDArray[np.float64]
    y: NDArray[np.bool_]
    support: NDArray[np.intp]
    selected: Selected
    gamma: float | None
    radial: RadialFeatures | None

    @classmethod
    def of(cls, fold: Fold, split: Split, selected: Selected, gamma: float | None) -> _TrainingSet:
        support = np.array(selected.support, dtype=np.intp)
        raw = fold.data.X[np.ix_(split.train, support)]
        scaler = Standardizer.fit(raw)
        Z = scaler.transform(raw)
        radial = None if gamma is None else RadialFeatures.of(Z, gamma)
        return cls(scaler, Z, fold.data.y[split.train], support, selected, gamma, radial)

    def problem(self, C: float) -> MarginProblem:
        """Return P2, or P3 with its kernel as features or as a matrix."""
        pos, neg = self.selected.budget
        features: NDArray[np.float64] | None = self.Z
        gram: NDArray[np.float64] | None = None
        if self.radial is not None:
            features = self.radial.transform(self.Z)
        elif self.gamma is not None:
            kernel = Kernel("rbf", self.gamma, degree=3, coef0=0.0)
            features, gram = None, kernel.gram(self.Z, Stopper())
        return MarginProblem(
            features=features,
            gram=gram,
            positive=self.y,
            limits=(CountLimit("TPR", self.y, pos), CountLimit("TNR", ~self.y, neg)),
            C=C,
        )

    def scores(self, result: MarginResult, X: NDArray[np.float64]) -> NDArray[np.float64]:
        """Return decision values of raw samples; P1's hyperplane stands in for no answer."""
        if not result.has_answer:
            return self.selected.plane(X.shape[1]).scores(X)
        Z = self.scaler.transform(X[:, self.support])
        if result.weights is None:
            kernel = rbf_kernel(Z, self.Z, gamma=self.gamma)
            return np.asarray(kernel @ result.dual_coef + result.intercept)
        features = Z if self.radial is None else self.radial.transform(Z)
        return np.asarray(features @ result.weights + result.intercept)


def train_fold(
    fold: Fold, outer: Selected, inner: Sequence[Selected], kernel: KernelName
) -> Trained:
    """Tune on the inner folds, train on the outer training set, count on the validation set."""
    settings = fold.settings
    gammas: tuple[float | None, ...] = (None,) if kernel == "linear" else settings.gammas
    grid = [Point(C, gamma) for C in settings.costs for gamma in gammas]

    def evaluate(number: int, split: Split) -> Scores:
        columns = {gamma: _path(fold, split, inner[number], gamma) for gamma in gammas}
        return [columns[p.gamma][settings.costs.index(p.C)] for p in grid]

    point = grid[tune(fold, evaluate).index]
    return _final(fold, outer, point)


def _path(fold: Fold, split: Split, selected: Selected, gamma: float | None) -> Scores:
    """Return the decision values on a validation set for every C."""
    samples = _TrainingSet.of(fold, split, selected, gamma)
    costs = fold.settings.costs
    results = train_path(
        samples.problem(costs[0]),
        costs,
        stop=Stopper(fold.settings.train_limit),
        seed=fold.settings.seed,
        effort=Effort.QUICK,
        options=INNER_OPTIONS,
    )
    X_new, _ = fold.validation(split)
    return [samples.scores(result, X_new) for result in results]


def _final(fold: Fold, outer: Selected, point: Point) -> Trained:
    samples = _TrainingSet.of(fold, fold.outer, outer, point.gamma)
    problem = samples.problem(point.C)
    result = train(problem, stop=Stopper(fold.settings.train_limit), seed=fold.settings.seed)
    X, _ = fold.training(fold.outer)
    if result.has_answer:
        verify_margin(problem, result, samples.scores(result, X))
    X_new, y_new = fold.validation(fold.outer)
    counts = Counts.of(samples.scores(result, X_new), y_new)
    return Trained(point, counts, result if result.has_answer else None)
