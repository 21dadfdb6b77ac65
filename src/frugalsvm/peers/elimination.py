"""HOSVM: dropping the features without which a hold-out sample is classified best."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from scipy.spatial.distance import cdist
from sklearn.svm import SVC

from frugalsvm.inputs.svm_kernels import Kernel
from frugalsvm.peers.training import svm, trained
from frugalsvm.runtime.stopping import Stopper

Matrix = NDArray[np.float64]
Columns = NDArray[np.intp]

FINAL_SHARE = 4.0
"""Times what the last training took that are kept for the one on all samples."""


@dataclass(frozen=True)
class Rules:
    """How features are eliminated.

    Attributes
    ----------
    kernel, C
        Of the SVMs.
    holdout : float
        Share of each class that is held out, anew in every round.
    step : float
        The most features that a round drops: a number, or below 1 a share of those in use.
    max_features : int or None
        As long as more are left, features are dropped whatever the errors.
    """

    kernel: Kernel
    C: float
    holdout: float
    step: float
    max_features: int | None


@dataclass(frozen=True)
class Round:
    """What a round saw: features in use, errors with all of them, fewest errors without one."""

    n_features: int
    errors: int
    errors_without: int


@dataclass(frozen=True)
class Elimination:
    """The features left, what the rounds saw, and whether the rule ended it (or `stop`).

    Where time was short, the last round decides which features are kept if there are too many.
    """

    columns: Columns
    rounds: tuple[Round, ...]
    completed: bool


def eliminate(
    Z: Matrix,
    signs: Matrix,
    row: NDArray[np.intp],
    columns: Columns,
    rules: Rules,
    rng: np.random.Generator,
    stop: Stopper,
) -> Elimination:
    """Drop features until dropping any of them would add errors on the hold-out sample."""
    rounds: list[Round] = []
    reserve = 0.0
    ranked = columns  # best last
    completed = True
    while len(columns) > 1:
        train, held = split(signs, row, rules.holdout, rng)
        if len(held) == 0:
            break
        began = stop.elapsed
        fitted = None
        if stop.remaining > reserve:
            part = np.ascontiguousarray(Z[np.ix_(train, columns)])
            fitted = trained(svm(rules.kernel, rules.C), part, signs[train], stop)
        if fitted is None:
            completed = False
            break
        held_out = Z[np.ix_(held, columns)]
        base = count_errors(fitted.decision_function(held_out)[:, np.newaxis], signs[held])[0][0]
        scores = scores_without(fitted, rules.kernel, part, held_out)
        errors, losses = count_errors(scores, signs[held])
        count = _how_many(errors, int(base), rules)
        rounds.append(Round(len(columns), int(base), int(errors.min())))
        if count == 0:
            break
        # The features of fewest errors without them go, ties by the hinge loss.
        ranked = columns[np.lexsort((losses, errors))[count:]]
        columns = np.sort(ranked)
        reserve = FINAL_SHARE * (stop.elapsed - began)
    kept = ranked if rules.max_features is None else ranked[-rules.max_features :]
    return Elimination(np.sort(kept), tuple(rounds), completed)


def split(
    signs: Matrix, row: NDArray[np.intp], holdout: float, rng: np.random.Generator
) -> tuple[NDArray[np.intp], NDArray[np.intp]]:
    """Return samples to train on and samples held out, by class; a class keeps one to train on.

    The samples that one `row` stands for stay together.
    """
    held: list[NDArray[np.intp]] = []
    for sign in (-1.0, 1.0):
        members = rng.permutation(np.unique(row[signs == sign]))
        held.append(members[: min(max(1, round(holdout * len(members))), len(members) - 1)])
    out = np.flatnonzero(np.isin(row, np.concatenate(held)))
    return np.setdiff1d(np.arange(len(signs)), out), out


def count_errors(scores: Matrix, signs: Matrix) -> tuple[Matrix, Matrix]:
    """Return the number of errors and the hinge loss of every column of decision values."""
    said = np.where(scores > 0, 1.0, -1.0)
    loss = np.maximum(0.0, 1.0 - signs[:, np.newaxis] * scores)
    return (said != signs[:, np.newaxis]).sum(axis=0).astype(np.float64), loss.sum(axis=0)


def scores_without(svc: SVC, kernel: Kernel, part: Matrix, held: Matrix) -> Matrix:
    """Return the decision values on `held` without each feature in turn, one column a feature.

    Multipliers and intercept stay those of the SVM with all features; only the kernel changes.
    """
    rows, dual = part[svc.support_], svc.dual_coef_[0]
    intercept = float(svc.intercept_[0])
    if kernel.linear:
        products = held * (dual @ rows)
        return np.asarray(products.sum(axis=1, keepdims=True) - products + intercept)
    scores = np.empty(held.shape)
    if kernel.kind == "rbf":
        distance = cdist(rows, held, "sqeuclidean")
        for p in range(held.shape[1]):
            less = distance - (rows[:, p, np.newaxis] - held[:, p]) ** 2
            scores[:, p] = dual @ np.exp(-kernel.gamma * less)
        return scores + intercept
    for p in range(held.shape[1]):
        rest = np.delete(np.arange(held.shape[1]), p)
        scores[:, p] = kernel.scores(held[:, rest], rows[:, rest], dual)
    return scores + intercept


def _how_many(errors: Matrix, base: int, rules: Rules) -> int:
    """Return how many features go: those without harm, or as many as there are too many."""
    n_features = len(errors)
    step = int(rules.step) if rules.step >= 1 else max(1, int(rules.step * n_features))
    too_many = 0 if rules.max_features is None else n_features - rules.max_features
    if too_many > 0:
        return min(step, too_many)
    return min(step, int((errors <= base).sum()), n_features - 1)
