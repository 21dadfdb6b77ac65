"""Many small linear SVMs at once: the interior-point method of `program`, side by side.

Leaving one sample out trains as many SVMs as there are samples, for every C; each is so small
that calls cost more than arithmetic. Here all of them take their steps together.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from frugalsvm.sparse.program import CAUTIOUS, STEP_BACK

Array = NDArray[np.float64]

MAX_STEPS = 60


@dataclass(frozen=True)
class Solutions:
    """Hyperplanes by problem, and the relative gaps that they were solved to."""

    weights: Array
    intercepts: Array
    gaps: Array


@dataclass(frozen=True)
class _Points:
    """Variables of margins (first axis: problem) and the hyperplane with its intercept last."""

    u: Array
    xi: Array
    s: Array
    alpha: Array
    beta: Array

    def pick(self, which: NDArray[np.bool_]) -> _Points:
        return _Points(*(values[which] for values in vars(self).values()))


def solve_many(
    X: Array,
    y: Array,
    costs: Array,
    *,
    tolerance: float,
    leave: Callable[[], bool] = lambda: False,
) -> Solutions:
    """Minimise 1/2 ||w||^2 + c sum_i max(0, 1 - y_i (x_i'w + b)) for every problem.

    Parameters
    ----------
    X : ndarray of shape (problems, samples, features)
        Features.
    y : ndarray of shape (problems, samples)
        Labels +1 and -1, both in every problem.
    costs : ndarray of shape (problems,)
        The c of each problem, > 0.
    tolerance : float
        Relative gap to reach. The caller looks at those that were not solved to it.
    leave : callable
        Asked between two steps: True ends the work, with the gaps as they are.
    """
    A = y[..., np.newaxis] * np.concatenate((X, np.ones((*y.shape, 1))), axis=2)
    costs = costs[:, np.newaxis]
    found = _start(A, y, costs)
    best, gaps = found.u.copy(), np.full(len(y), np.inf)
    left = np.arange(len(y))
    with np.errstate(all="ignore"):  # what overflows shows as a gap that is not finite
        for _ in range(MAX_STEPS):
            gap = _relative_gap(A, costs, found)
            better = gap < gaps[left]
            best[left[better]], gaps[left[better]] = found.u[better], gap[better]
            open_ = (gap > tolerance) & np.isfinite(gap)
            left, A, costs, found = left[open_], A[open_], costs[open_], found.pick(open_)
            if len(left) == 0 or leave():
                break
            try:
                found = _advance(A, found)
            except np.linalg.LinAlgError:
                break  # a singular one among many: the caller sees the gaps
    return Solutions(best[:, :-1], best[:, -1], gaps)


def _start(A: Array, y: Array, costs: Array) -> _Points:
    positive = y > 0
    count = positive.sum(axis=1, keepdims=True)
    sizes = np.where(positive, count, y.shape[1] - count)
    alpha = 0.5 * costs * np.minimum(count, y.shape[1] - count) / sizes
    ones = np.ones(y.shape)
    return _Points(np.zeros((len(A), A.shape[2])), ones, ones, alpha, costs - alpha)


def _times(A: Array, u: Array) -> Array:
    return (A @ u[..., np.newaxis])[..., 0]


def _pull(A: Array, values: Array) -> Array:
    return (values[:, np.newaxis, :] @ A)[:, 0, :]


def _ridge(u: Array) -> Array:
    """Return the weights with a zero for the intercept, which has no penalty."""
    weights = u.copy()
    weights[:, -1] = 0.0
    return weights


def _relative_gap(A: Array, costs: Array, at: _Points) -> Array:
    """Return the largest of the relative complementarity and the scaled residuals."""
    margins = _times(A, at.u)
    pull = _pull(A, at.alpha)
    losses = costs * np.maximum(0.0, 1.0 - margins)
    objective = 0.5 * (at.u[:, :-1] ** 2).sum(axis=1) + losses.sum(axis=1)
    products = _products(at)[:, 0]
    stationarity = np.abs(_ridge(at.u) - pull).max(axis=1) / (1.0 + np.abs(pull).max(axis=1))
    primal = np.abs(1.0 - (margins + at.xi - at.s)).max(axis=1)
    worst = np.maximum(np.maximum(products / (1.0 + objective), stationarity), primal)
    return np.where(np.isfinite(worst), worst, np.inf)


def _advance(A: Array, at: _Points) -> _Points:
    """Take one predictor-corrector step (Mehrotra) in every problem."""
    residual = 1.0 - (_times(A, at.u) + at.xi - at.s)
    theta = at.xi / at.beta + at.s / at.alpha
    matrix = np.swapaxes(A, 1, 2) @ (A / theta[..., np.newaxis])
    diagonal = np.arange(A.shape[2] - 1)
    matrix[:, diagonal, diagonal] += 1.0
    first = _pull(A, at.alpha) - _ridge(at.u)

    def step(at_s: Array, at_xi: Array) -> _Points:
        q = residual - at_xi / at.beta + at_s / at.alpha
        rhs = first + _pull(A, q / theta)
        du = np.asarray(np.linalg.solve(matrix, rhs[..., np.newaxis])[..., 0], dtype=np.float64)
        dalpha = (q - _times(A, du)) / theta
        xi = (at_xi + at.xi * dalpha) / at.beta
        return _Points(du, xi, (at_s - at.s * dalpha) / at.alpha, dalpha, -dalpha)

    products_s, products_xi = at.s * at.alpha, at.xi * at.beta
    guess = step(-products_s, -products_xi)
    length = np.minimum(1.0, _longest(at, guess))
    now, then = _products(at), _products(_moved(at, guess, length))
    center = now / (2 * at.s.shape[1]) * (then / now) ** 3
    move = step(
        center - products_s - guess.s * guess.alpha, center - products_xi - guess.xi * guess.beta
    )
    moved = _moved(at, move, np.minimum(1.0, STEP_BACK * _longest(at, move)))
    misled = _products(moved) >= now
    if np.any(misled):  # such steps may go round in circles
        center = CAUTIOUS * now / (2 * at.s.shape[1])
        move = step(center - products_s, center - products_xi)
        cautious = _moved(at, move, np.minimum(1.0, STEP_BACK * _longest(at, move)))
        pairs = zip(vars(cautious).values(), vars(moved).values(), strict=True)
        moved = _Points(*(np.where(misled, a, b) for a, b in pairs))
    return moved


def _products(at: _Points) -> Array:
    """Return the sum of the complementarity products of each problem, as a column."""
    products: Array = at.s * at.alpha + at.xi * at.beta
    return np.asarray(products.sum(axis=1, keepdims=True))


def _longest(at: _Points, move: _Points) -> Array:
    """Return the longest steps that keep all positive, as a column."""
    lengths = np.full((len(at.s), 1), np.inf)
    for values, step in (
        (at.xi, move.xi),
        (at.s, move.s),
        (at.alpha, move.alpha),
        (at.beta, move.beta),
    ):
        ratio = np.where(step < 0, -values / step, np.inf)
        lengths = np.minimum(lengths, ratio.min(axis=1, keepdims=True))
    return lengths


def _moved(at: _Points, move: _Points, length: Array) -> _Points:
    return _Points(
        *(a + length * b for a, b in zip(vars(at).values(), vars(move).values(), strict=True))
    )
