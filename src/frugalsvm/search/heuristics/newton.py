"""The trimmed logistic fit on many features or samples, by dense linear algebra.

The same fit as :mod:`~frugalsvm.search.problem.fit`, with what a heuristic wants to know besides:
how much the loss would rise without a feature, and fall with another one, both to second order.
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from scipy.linalg import LinAlgError, cho_factor, cho_solve, solve_triangular

from frugalsvm.search.problem.hyperplane import thresholds
from frugalsvm.search.problem.reduction import Bools, CoreProblem, Floats

Places = NDArray[np.intp]

LONGEST = 20.0  # step of a weight at a time
SETTLED = 1e-6  # relative change of the weights below which further steps change nothing
INTERCEPT_RIDGE = 1e-9
BLOCK = 4_000_000  # numbers multiplied at a time
JITTER = 1e-10


@dataclass(frozen=True, eq=False)
class TrimmedModel:
    """A logistic fit of the samples that are to be right, as a quadratic in its weights.

    Attributes
    ----------
    weights : ndarray of shape (d + 1,)
        Intercept last.
    pull, curve : ndarray of shape (n_samples,)
        Minus the loss's first derivative by each score, and its second one; 0 where left out.
    factor : ndarray of shape (d + 1, d + 1)
        Lower Cholesky factor of the penalised Hessian.
    """

    weights: Floats
    pull: Floats
    curve: Floats
    factor: Floats

    def rises(self) -> Floats:
        """Return by how much the loss rises without each of the features."""
        inverse = solve_triangular(self.factor, np.eye(len(self.factor)), lower=True)
        spread = np.einsum("ij,ij->j", inverse, inverse)[:-1]
        rises: Floats = 0.5 * self.weights[:-1] ** 2 / spread
        return rises

    def falls(self, columns: Floats, inside: Places, outside: Places, penalty: float) -> Floats:
        """Return by how much the loss falls with each of the columns outside."""
        slope, own = np.zeros(len(outside)), np.full(len(outside), penalty)
        shared = np.zeros((len(inside) + 1, len(outside)))
        for block in _blocks(columns.shape[1], len(inside) + len(outside) + 1):
            far, curve = columns[outside, block], self.curve[block]
            near = np.vstack((columns[inside, block], np.ones(len(curve))))
            slope += far @ self.pull[block]
            shared += (near * curve) @ far.T
            own += (far * far) @ curve
        shared = solve_triangular(self.factor, shared, lower=True)
        own -= np.einsum("ij,ij->j", shared, shared)
        falls: Floats = 0.5 * slope**2 / np.maximum(own, penalty)
        return falls


@dataclass(frozen=True, eq=False)
class TrimmedFit:
    """The outcome of some Newton steps.

    Attributes
    ----------
    gap : float
        The largest on the way, for max |w_k| = 1.
    direction : ndarray of shape (d,)
        Has that gap.
    loss : float
        The least mean loss of the samples that are to be right.
    model : TrimmedModel
        At the last weights but one step.
    weights : ndarray of shape (d + 1,)
        The last ones, intercept last.
    steps : int
        How many were made.
    """

    gap: float
    direction: Floats
    loss: float
    model: TrimmedModel
    weights: Floats
    steps: int


def newton_fit(
    core: CoreProblem,
    columns: Floats,
    start: Floats,
    *,
    rounds: int,
    ridge: float,
    settle: bool = False,
    trim_after: float = 0,
) -> TrimmedFit:
    """Fit the samples that the budgets require to be right, from weights to start with.

    Parameters
    ----------
    columns : ndarray of shape (d, n_samples)
        The features to fit.
    start : ndarray of shape (d + 1,)
        Intercept last.
    settle : bool
        Go on when the gap is wide enough, until the weights change no more.
    trim_after : float
        Steps that fit all samples before the worst that may be wrong are left out. Which these are,
        a single step from nothing tells badly where values are skewed; infinity: leave none out.
    """
    w = start.copy()
    best_gap, best_loss, found = -np.inf, np.inf, np.zeros(len(columns))
    steps = 0
    while True:
        scores = w[:-1] @ columns + w[-1]
        top = float(np.max(np.abs(w[:-1]), initial=0.0))
        kept = np.ones(core.n_samples, dtype=np.bool_)
        if top > 0.0:
            p, q = thresholds(core, scores)
            if (p - q) / top > best_gap:
                best_gap, found = (p - q) / top, w[:-1].copy()
            if steps >= trim_after:
                kept = np.concatenate((scores[: core.n_pos] >= p, scores[core.n_pos :] <= q))
        model, loss = _model_at(core, columns, w, scores, kept, ridge)
        if top > 0.0:
            best_loss = min(best_loss, loss)
        over = best_gap >= core.floor and not settle
        if over or steps == rounds:
            return TrimmedFit(best_gap, found, best_loss, model, w, steps)
        step = _step(columns, model, ridge * float(core.weight[kept].sum()))
        longest = float(np.max(np.abs(step)))
        w = w + step * min(1.0, LONGEST / longest if longest > 0 else 1.0)
        steps += 1
        if longest <= SETTLED * float(np.max(np.abs(w))):
            if steps > trim_after or math.isinf(trim_after):
                return TrimmedFit(best_gap, found, best_loss, model, w, steps)
            trim_after = steps


def _model_at(
    core: CoreProblem, columns: Floats, w: Floats, scores: Floats, kept: Bools, ridge: float
) -> tuple[TrimmedModel, float]:
    """Return the quadratic model of the loss of the samples kept, and its mean."""
    mass = np.where(kept, core.weight, 0).astype(np.float64)
    total = float(mass.sum())
    margin = np.where(np.arange(len(scores)) < core.n_pos, scores, -scores)
    wrong = 0.5 * (1.0 - np.tanh(0.5 * margin))
    pull = np.where(np.arange(len(scores)) < core.n_pos, mass, -mass) * wrong
    curve = mass * wrong * (1.0 - wrong)
    loss = float(mass @ np.logaddexp(0.0, -margin)) / max(total, 1.0)
    factor = _factor(_hessian(columns, curve), ridge * total)
    return TrimmedModel(w, pull, curve, factor), loss


def _hessian(columns: Floats, curve: Floats) -> Floats:
    """Return X' diag(curve) X with a column of ones."""
    d, n = columns.shape
    whole = np.zeros((d + 1, d + 1))
    for block in _blocks(n, d + 1):
        root = np.sqrt(curve[block])
        scaled = np.vstack((columns[:, block] * root, root))
        whole += scaled @ scaled.T
    return whole


def _blocks(n_samples: int, rows: int) -> Iterator[slice]:
    """Yield the samples in blocks of which so many rows are multiplied at a time."""
    step = max(1, BLOCK // rows)
    for start in range(0, n_samples, step):
        yield slice(start, start + step)


def _factor(hessian: Floats, penalty: float) -> Floats:
    diagonal = np.full(len(hessian), penalty)
    diagonal[-1] = INTERCEPT_RIDGE * max(1.0, penalty)
    diagonal += JITTER * (1.0 + np.trace(hessian) / len(hessian))
    while True:
        try:
            factor, _ = cho_factor(hessian + np.diag(diagonal), lower=True, check_finite=False)
        except LinAlgError:
            diagonal *= 100.0
        else:
            return np.tril(factor)


def _step(columns: Floats, model: TrimmedModel, penalty: float) -> Floats:
    """Return the Newton step."""
    slope = np.append(columns @ model.pull - penalty * model.weights[:-1], model.pull.sum())
    step: Floats = cho_solve((model.factor, True), slope, check_finite=False)
    return step
