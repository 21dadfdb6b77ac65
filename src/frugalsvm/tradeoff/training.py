"""Classifiers for the points worth choosing: their rates in training and in cross-validation."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from frugalsvm.data.problem import CountLimit, MarginProblem
from frugalsvm.data.rates import ErrorBudget, RateCounts, RateTargets
from frugalsvm.inputs.standardize import Standardizer
from frugalsvm.inputs.svm_kernels import Kernel, settle_gamma
from frugalsvm.margin import Effort, MarginOptions, train
from frugalsvm.runtime.stopping import Stopper

Floats = NDArray[np.float64]
Mask = NDArray[np.bool_]
OPTIONS = MarginOptions(quick_nodes=1)
"""The heuristic alone: rates are wanted here, not the proof that the margin is the greatest."""

Fold = tuple[NDArray[np.intp], NDArray[np.intp]]


@dataclass(frozen=True)
class Machine:
    """The Support Vector Machine to train on a panel: parameters as in ``RateSVC``."""

    kernel: Any
    gamma: Any
    degree: int
    coef0: float
    C: float
    standardize: bool
    seed: int

    def scores(
        self, X: Floats, positive: Mask, asked: Floats, budget: ErrorBudget, stop: Stopper
    ) -> Floats | None:
        """Train on `X` within the budget and return the decision values of the rows of `asked`.

        The trainer does a fixed amount of work, so that equal calls give equal rates. None if it
        finds no classifier that keeps the budget.
        """
        scaler = Standardizer.fit(X) if self.standardize else Standardizer.identity(X.shape[1])
        Z, asked = scaler.transform(X), scaler.transform(asked)
        kernel = Kernel(self.kernel, settle_gamma(self.gamma, Z), self.degree, self.coef0)
        result = train(
            self._problem(Z, positive, budget, kernel),
            stop=stop,
            seed=self.seed,
            effort=Effort.QUICK,
            options=OPTIONS,
        )
        if not result.has_answer:
            return None
        if result.weights is not None:
            return np.asarray(asked @ result.weights + result.intercept)
        used = np.flatnonzero(result.dual_coef)
        return np.asarray(kernel.matrix(asked, Z[used]) @ result.dual_coef[used] + result.intercept)

    def _problem(
        self, Z: Floats, positive: Mask, budget: ErrorBudget, kernel: Kernel
    ) -> MarginProblem:
        return MarginProblem(
            features=Z if kernel.linear else None,
            gram=None if kernel.linear else kernel.gram(Z, Stopper()),
            positive=positive,
            limits=(
                CountLimit("sensitivity", positive, budget.pos),
                CountLimit("specificity", ~positive, budget.neg),
            ),
            C=self.C,
            semidefinite=kernel.semidefinite,
        )


def panel_rates(
    X: Floats,
    positive: Mask,
    targets: RateTargets,
    *,
    machine: Machine,
    folds: tuple[Fold, ...],
    stop: Stopper,
) -> tuple[RateCounts | None, RateCounts | None]:
    """Return the training and the cross-validated rates of a panel's classifier.

    Parameters
    ----------
    X : ndarray of shape (n_samples, n_panel)
        The panel's columns, raw; one column of zeros for the empty panel.
    positive : ndarray of bool
        The positives.
    targets : RateTargets
        Both rates.
    machine : Machine
        What to train.
    folds : tuple of (train, test) index arrays
        The cross-validation; none: no cross-validated rates.
    stop : Stopper
        Ends the work; rates not computed by then are None.

    Returns
    -------
    training, cross_validated : RateCounts or None
        What the classifier gets right of its own training data, and of the folds held out.
    """
    if stop():
        return None, None
    own = machine.scores(X, positive, X, _budget(targets, positive), stop)
    training = None if own is None else _counts(own > 0, positive)
    if not folds:
        return training, None
    said = np.zeros(len(X), dtype=np.bool_)
    tested = np.zeros(len(X), dtype=np.bool_)
    for learn, test in folds:
        scores = _held_out(X, positive, learn, test, targets, machine, stop)
        if scores is None:
            return training, None
        said[test], tested[test] = scores > 0, True
    return training, _counts(said[tested], positive[tested])


def _held_out(
    X: Floats,
    positive: Mask,
    learn: NDArray[np.intp],
    test: NDArray[np.intp],
    targets: RateTargets,
    machine: Machine,
    stop: Stopper,
) -> Floats | None:
    """Return the decision values of a fold from a classifier trained on the others.

    Where the panel cannot meet the targets on the others alone, both budgets are raised, equally
    and as little as doubling steps allow, until it can: leaving such folds out would make the
    rates look better than they are. None if the time is over.
    """
    asked = _budget(targets, positive[learn])
    n_positive = int(positive[learn].sum())
    more = 0
    while not stop():
        budget = ErrorBudget(asked.pos + more, asked.neg + more)
        scores = machine.scores(X[learn], positive[learn], X[test], budget, stop)
        if scores is not None or budget.pos >= n_positive:
            return scores
        more = max(1, 2 * more)
    return None


def _budget(targets: RateTargets, positive: Mask) -> ErrorBudget:
    return targets.budget(int(positive.sum()), int((~positive).sum()))


def _counts(said: Mask, positive: Mask) -> RateCounts:
    return RateCounts(
        true_positives=int((said & positive).sum()),
        n_positive=int(positive.sum()),
        true_negatives=int((~said & ~positive).sum()),
        n_negative=int((~positive).sum()),
    )
