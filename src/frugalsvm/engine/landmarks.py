"""A kernel's classifier of many samples without their matrix: by landmarks, with a bound.

On some of the samples, the landmarks, a positive semidefinite kernel is an inner product of as many
features, and not far from one of them on the others. The soft SVM on these features gives
multipliers of all samples. They are feasible for the kernel itself, so that the dual's value at
them, computed with the kernel block by block, is a bound.
"""

from __future__ import annotations

from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

from frugalsvm.data.losses import total_loss
from frugalsvm.data.problem import MarginProblem
from frugalsvm.data.result import MarginResult, Progress, Status, StopReason
from frugalsvm.data.verify import counted_correct
from frugalsvm.inputs.svm_kernels import Kernel
from frugalsvm.runtime.stopping import Stopper
from frugalsvm.version import VERSION

MANY = 10_000
"""Samples from which on the matrix of all pairs is not worth its memory."""

LANDMARKS, MOST_NUMBERS = 300, 30_000_000
"""How many there are at the most, and how many numbers the features of all samples may be."""

FLAT = 1e-10
"""Share of the largest eigenvalue of their matrix up to which one is rounding errors."""

SHARE = 0.5
"""Most of the time limit that the soft SVM takes."""

UNIT = 2.3e-16
"""Relative rounding of one operation, and a little more."""

BLOCK = 2**21
"""Entries of the matrix between two looks at the clock."""

Floats = NDArray[np.float64]


def train_by_landmarks(
    problem: MarginProblem, kernel: Kernel, Z: Floats, stop: Stopper, seed: int
) -> MarginResult | None:
    """Return a classifier that keeps the limits, with a bound; None if none was found."""
    from frugalsvm.margin.smoothed import soft_svms

    many = min(LANDMARKS, len(Z), 1 + MOST_NUMBERS // len(Z))
    rows = np.random.default_rng(seed).choice(len(Z), many, replace=False)
    matrix = kernel.matrix(Z[rows], Z[rows])
    if not np.isfinite(matrix).all():
        return None
    features, back = _features(kernel, Z, Z[rows], matrix)
    part = stop.within(SHARE * stop.remaining)
    best: MarginResult | None = None
    last = None
    for last in soft_svms(features, problem.positive, problem.C, part):
        dual = np.zeros(len(Z))
        dual[rows] = back @ last.weights
        best = _better(best, placed(problem, dual, features @ last.weights, stop))
    if last is None:
        return best
    pulls = last.alpha * problem.y
    found = _scores(kernel, Z, 0.5 * pulls, stop)
    if found is None:
        return best
    scores, largest = found
    best = _better(best, placed(problem, 0.5 * pulls, scores, stop))
    square = 4.0 * max(0.0, float(0.5 * pulls @ scores))
    square += hidden_by_rounding(last.alpha, largest)
    return None if best is None else _bounded(best, float(last.alpha.sum()), square, stop)


def placed(
    problem: MarginProblem, dual: Floats, scores: Floats, stop: Stopper
) -> MarginResult | None:
    """Return a direction with factor and intercept such that all limits hold, if any do.

    Parameters
    ----------
    dual : ndarray of shape (n_samples,)
        The direction's coefficients.
    scores : ndarray of shape (n_samples,)
        Its scores: the kernel's matrix times the coefficients.
    """
    from frugalsvm.margin.classifiers.shifted import place

    found = place(problem, scores)
    if found is None:
        return None
    scale, intercept = found
    dual, scores = scale * dual, scale * scores
    margins = problem.y * (scores + intercept)
    slack = np.maximum(0.0, 1.0 - margins)
    counted = counted_correct(scores + intercept, problem.positive)
    if any((limit.members & ~counted).sum() > limit.max_errors for limit in problem.limits):
        return None
    if problem.max_slack is not None and slack.max() > problem.max_slack:
        return None
    objective = float(dual @ scores) + problem.C * total_loss(problem.loss, margins)
    return MarginResult(
        status=Status.FEASIBLE,
        dual_coef=dual,
        weights=None,
        intercept=intercept,
        counted=counted,
        objective=objective,
        bound=0.0,
        seconds=stop.elapsed,
        solver="frugalsvm",
        solver_version=VERSION,
        stop_reason=StopReason.INTERRUPTED if stop.interrupted else StopReason.TIME_LIMIT,
        history=(Progress(stop.elapsed, objective, 0.0, "sample"),),
    )


def _features(
    kernel: Kernel, Z: Floats, landmarks: Floats, matrix: Floats
) -> tuple[Floats, Floats]:
    """Return features whose inner products are the kernel's on the landmarks, and a map.

    The map makes coefficients of the landmarks from weights of the features.
    """
    sizes, axes = np.linalg.eigh(matrix)
    kept = sizes > FLAT * sizes[-1]
    back = axes[:, kept] / np.sqrt(sizes[kept])
    return kernel.matrix(Z, landmarks) @ back, back


def _scores(kernel: Kernel, Z: Floats, dual: Floats, stop: Stopper) -> tuple[Floats, float] | None:
    """Return the kernel's matrix times the coefficients, and its largest entry.

    None if there is no time for it.
    """
    used, begun = np.flatnonzero(dual), stop.elapsed
    parts, step = [], max(1, BLOCK // max(1, len(used)))
    largest = 0.0
    for start in range(0, len(Z), step):
        left = (stop.elapsed - begun) * (len(Z) / start - 1.0) if start else 0.0
        if stop() or left > stop.remaining:
            return None
        K = kernel.matrix(Z[start : start + step], Z[used])
        largest = max(largest, float(K.max(initial=0.0)), -float(K.min(initial=0.0)))
        parts.append(K @ dual[used])
    return np.concatenate(parts), largest


def hidden_by_rounding(alpha: Floats, largest: float) -> float:
    """Return what rounding may have taken from a squared pull, large parts of which cancel."""
    return int(np.count_nonzero(alpha)) * UNIT * largest * float(alpha.sum()) ** 2


def _bounded(best: MarginResult, total: float, square: float, stop: Stopper) -> MarginResult:
    """Return the answer with the dual's value at the best multiple of the multipliers."""
    from frugalsvm.margin.smoothed import dual_value

    share = min(1.0, 2.0 * total / square) if square > 0.0 else 1.0
    bound = min(dual_value(share * total, share * share * square), best.objective)
    history = (*best.history, Progress(stop.elapsed, best.objective, bound, "soft SVM"))
    return replace(best, bound=bound, seconds=stop.elapsed, history=history)


def _better(one: MarginResult | None, other: MarginResult | None) -> MarginResult | None:
    """Return the one with the smaller objective."""
    found = [result for result in (one, other) if result is not None]
    return min(found, key=lambda result: result.objective, default=None)
