"""First answers for the budget's program: panels that simple rules would buy."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
from numpy.typing import NDArray
from sklearn.svm import SVC

from frugalsvm.peers.program import BudgetProblem, Hyperplane, best_hyperplane
from frugalsvm.peers.training import trained
from frugalsvm.runtime.stopping import Stopper
from frugalsvm.sparse.active import null_pull

Array = NDArray[np.float64]
Support = NDArray[np.intp]

SHORTLIST = 30  # features that forward selection tries
DROPPED = 0.1  # share of the features that backward elimination drops at a time


def first_answer(problem: BudgetProblem, stop: Stopper, seed: int) -> Hyperplane | None:
    """Return the best hyperplane over a few panels within the budget; None if there was no time."""
    best: Hyperplane | None = None
    for support in _panels(problem, stop, seed):
        found = best_hyperplane(problem, support, stop, seed)
        if found is not None and (best is None or found.loss < best.loss):
            best = found
        if stop() or (best is not None and best.loss == 0.0):
            break
    return best


def _panels(problem: BudgetProblem, stop: Stopper, seed: int) -> Iterator[Support]:
    apart = np.abs(null_pull(problem.signs, problem.Z))
    yield _filled(problem, apart)
    weights = _svm_weights(problem, problem.allowed, stop)
    yield _filled(problem, weights)
    yield _backward(problem, stop)
    yield _forward(problem, np.maximum(apart, weights), stop, seed)


def _filled(problem: BudgetProblem, worth: Array) -> Support:
    """Buy by worth for what a feature adds to the cost, as long as the budget lasts."""
    exact, units = problem.costs.exact, problem.units
    alone = np.array([max(1.0, float(price)) for price in exact.alone()])
    bought: list[int] = []
    spent = 0
    allowed = problem.allowed
    for k in allowed[np.argsort(-(worth / alone)[allowed], kind="stable")].tolist():
        added = exact.added(k, bought)
        if spent + added <= units:
            bought.append(k)
            spent += added
        elif spent >= units:
            break
    return np.sort(np.array(bought, dtype=np.intp))


def _backward(problem: BudgetProblem, stop: Stopper) -> Support:
    """Drop the features of least weight until the budget pays for the others."""
    columns = problem.allowed
    while not problem.affordable(columns.tolist()) and not stop():
        weights = _svm_weights(problem, columns, stop)[columns]
        count = max(1, int(DROPPED * len(columns)))
        columns = np.delete(columns, np.argsort(weights, kind="stable")[:count])
    return columns if problem.affordable(columns.tolist()) else columns[:0]


def _forward(problem: BudgetProblem, worth: Array, stop: Stopper, seed: int) -> Support:
    """Add the feature that lowers the loss most, out of a few, as long as the budget lasts."""
    few = problem.allowed[np.argsort(-worth[problem.allowed], kind="stable")[:SHORTLIST]]
    bought: list[int] = []
    while not stop():
        losses = {}
        for k in few.tolist():
            grown = sorted({*bought, k})
            if k not in bought and problem.affordable(grown):
                found = best_hyperplane(problem, np.array(grown, dtype=np.intp), stop, seed)
                losses[k] = np.inf if found is None else found.loss
        if not losses:
            break
        bought.append(min(losses, key=lambda k: losses[k]))
    return np.sort(np.array(bought, dtype=np.intp))


def _svm_weights(problem: BudgetProblem, columns: Support, stop: Stopper) -> Array:
    """Return the absolute weights of an ordinary SVM on some columns, zero for the others."""
    weights = np.zeros(problem.Z.shape[1])
    part = np.ascontiguousarray(problem.Z[:, columns])
    fitted = trained(SVC(kernel="linear"), part, problem.signs, stop)
    if fitted is not None:
        weights[columns] = np.abs(fitted.coef_[0])
    return weights
