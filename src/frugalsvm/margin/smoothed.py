"""The soft SVM of many samples: its direction and a bound, by Newton's method on a smoothed hinge.

The hinge max(0, t) is smoothed to a parabola for t below a width, which shrinks. A step costs one
pass over the samples and one system of as many equations as features. The slopes of the smoothed
hinge are multipliers of the soft SVM's dual; the dual's value is a bound whatever they are, and
limits on errors or slacks only raise what it bounds.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np

from frugalsvm.margin.arrays import Flags, Floats
from frugalsvm.margin.tuning import (
    BLOCK_NUMBERS,
    FIRST_WIDTH,
    LEAST_WIDTH,
    NARROWER,
    SMOOTH_DIAGONAL,
    SMOOTH_HALVINGS,
    SMOOTH_SETTLED,
    SMOOTH_STEPS,
    SUM_ROUNDING,
)
from frugalsvm.runtime.stopping import Stopper


@dataclass(frozen=True)
class SoftSVM:
    """A soft SVM, nearly.

    Attributes
    ----------
    weights : ndarray of shape (n_features,)
        Its direction.
    intercept : float
        Its intercept.
    alpha : ndarray of shape (n_samples,)
        Feasible multipliers: between 0 and C, of the same sum in both classes.
    bound : float
        The dual's value at them, less what rounding may do: nothing is below it.
    """

    weights: Floats
    intercept: float
    alpha: Floats
    bound: float


def soft_svms(X: Floats, positive: Flags, C: float, stop: Stopper) -> Iterator[SoftSVM]:
    """Yield ever better ones, each for a smaller width of the parabola, until `stop` says so."""
    y = np.where(positive, 1.0, -1.0)
    w, width = np.zeros(X.shape[1] + 1), FIRST_WIDTH
    while width >= LEAST_WIDTH and not stop():
        w = _settled(X, y, C, w, width, stop)
        alpha = C * np.clip(_shortfall(X, y, w) / width, 0.0, 1.0)
        alpha = balanced(alpha, positive)
        pull = (alpha * y) @ X
        bound = dual_value(float(alpha.sum()), float(pull @ pull))
        yield SoftSVM(w[:-1], float(w[-1]), alpha, bound)
        width /= NARROWER


def balanced(alpha: Floats, positive: Flags) -> Floats:
    """Return multipliers of the same sum in both classes: the larger ones are scaled down."""
    up, down = float(alpha[positive].sum()), float(alpha[~positive].sum())
    if min(up, down) <= 0.0:
        return np.zeros_like(alpha)
    least = min(up, down)
    return np.asarray(alpha * np.where(positive, least / up, least / down))


def dual_value(total: float, square: float) -> float:
    """Return the dual's value of multipliers of a sum and a squared pull, less rounding errors."""
    if not np.isfinite(total + square):
        return 0.0
    return max(0.0, total - 0.25 * square - SUM_ROUNDING * (total + square))


def _shortfall(X: Floats, y: Floats, w: Floats) -> Floats:
    """Return 1 minus the margins."""
    return np.asarray(1.0 - y * (X @ w[:-1] + w[-1]))


def _objective(w: Floats, short: Floats, C: float, width: float) -> float:
    inside = np.clip(short, 0.0, width)
    beyond = np.maximum(short - width, 0.0)
    return float(w[:-1] @ w[:-1] + C * (inside @ inside / (2.0 * width) + beyond.sum()))


def _settled(X: Floats, y: Floats, C: float, w: Floats, width: float, stop: Stopper) -> Floats:
    """Return the minimiser of the objective with the smoothed hinge, from weights near by."""
    short = _shortfall(X, y, w)
    value = _objective(w, short, C, width)
    for _ in range(SMOOTH_STEPS):
        if stop():
            break
        step = _newton_step(X, y, C, w, short, width)
        size, before = 1.0, value
        for _ in range(SMOOTH_HALVINGS):
            trial = w + size * step
            short = _shortfall(X, y, trial)
            value = _objective(trial, short, C, width)
            if value < before:
                w = trial
                break
            size *= 0.5
        if value >= before * (1.0 - SMOOTH_SETTLED):
            break
    return w


def _newton_step(X: Floats, y: Floats, C: float, w: Floats, short: Floats, width: float) -> Floats:
    slope = C * y * np.clip(short / width, 0.0, 1.0)
    gradient = np.append(2.0 * w[:-1] - slope @ X, -slope.sum())
    curved = np.flatnonzero((short > 0.0) & (short < width))
    d = X.shape[1]
    hessian = np.zeros((d + 1, d + 1))
    block = max(1, BLOCK_NUMBERS // (d + 1))
    for start in range(0, len(curved), block):
        rows = X[curved[start : start + block]]
        sums = rows.sum(axis=0)
        hessian[:d, :d] += rows.T @ rows
        hessian[d, :d] += sums
        hessian[:d, d] += sums
        hessian[d, d] += len(rows)
    hessian *= C / width
    hessian[np.arange(d), np.arange(d)] += 2.0
    hessian[d, d] += SMOOTH_DIAGONAL * (1.0 + hessian[d, d])
    return np.asarray(np.linalg.lstsq(hessian, -gradient, rcond=None)[0])
