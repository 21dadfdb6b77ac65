"""Classifiers that cost next to nothing: a direction, its intercept set so that the limits hold.

For a direction g it is easy to tell whether some b and some factor make s (g + b) keep the limits:
all but as many positives as may be wrong must lie above all but as many negatives. Directions come
from discriminant analysis of the samples that are to be right, and of a small sample of the data
from the trainer itself. Where time runs out, or the data are too many for more, this is the answer.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np

from frugalsvm.data.problem import MarginProblem
from frugalsvm.margin.arrays import Flags, Floats
from frugalsvm.margin.classifiers.answer import Classifier, expansion, settled
from frugalsvm.margin.rows.sample import sampled
from frugalsvm.margin.tuning import (
    ATTEMPTS,
    DISCRIMINANTS,
    ENOUGH_SAMPLES,
    LEAST_RIDGE,
    MOST_CENTERS,
    MOST_FEATURES,
    RIDGE,
    RIGHT,
)
from frugalsvm.runtime.stopping import Stopper


def cheap_answer(problem: MarginProblem, stop: Stopper) -> Classifier | None:
    """Return the best classifier that the directions of discriminant analysis give.

    Where `stop` asks for an end, it makes a few attempts.
    """
    found: list[Cut] = []
    with np.errstate(over="ignore", invalid="ignore"):  # what is not finite is not placed
        for number, direction in enumerate(_directions(problem)):
            cut = _placed(problem, *direction)
            if cut is not None:
                found.append(cut)
            if stop() and (found or number >= ATTEMPTS):
                break
    for cut in sorted(found, key=lambda cut: cut.loss):
        answer = cut.settled(problem)
        if answer is not None:
            return answer
    return None


def shifted(problem: MarginProblem, dual: Floats, weights: Floats | None) -> Classifier | None:
    """Return the direction with the intercept and the factor that keep the limits, if any do."""
    cut = _placed(problem, dual, weights)
    return None if cut is None else cut.settled(problem)


@dataclass(frozen=True)
class Cut:
    """A direction, placed; `loss` is the sum of its slacks."""

    dual: Floats
    weights: Floats | None
    intercept: float
    wrong: Flags
    loss: float

    def settled(self, problem: MarginProblem) -> Classifier | None:
        """Return the classifier, None if it breaks a limit."""
        dual = self.dual
        if self.weights is not None:
            dual = expansion(problem, self.weights, dual)
        return settled(problem, dual, self.weights, self.intercept, self.wrong)


def place(problem: MarginProblem, scores: Floats) -> tuple[float, float] | None:
    """Return the factor and the intercept of scores that keep both classes' limits, if any do."""
    if not np.isfinite(scores).all():
        return None
    positive = problem.positive
    above = _kth(scores[positive], _allowed(problem, positive))
    below = -_kth(-scores[~positive], _allowed(problem, ~positive))
    if np.isinf(above) and np.isinf(below):  # all may be wrong: most of them had better not be
        above, below = float(np.median(scores[positive])), float(np.median(scores[~positive]))
    elif np.isinf(above) or np.isinf(below):  # a whole class may be wrong: the other one decides
        above, below = (below + 1.0, below) if np.isinf(above) else (above, above - 1.0)
    if not above > below:
        return None
    scale = 2.0 / (above - below)
    return (scale, -0.5 * scale * (above + below)) if np.isfinite(scale) else None


def _placed(problem: MarginProblem, dual: Floats, weights: Floats | None) -> Cut | None:
    with np.errstate(over="ignore", invalid="ignore"):
        scores = _scores(problem, dual, weights)
    if (found := place(problem, scores)) is None:
        return None
    scale, intercept = found
    slack = np.maximum(0.0, 1.0 - problem.y * (scale * scores + intercept))
    given = None if weights is None else scale * weights
    return Cut(scale * dual, given, intercept, slack > RIGHT, float(slack.sum()))


def _allowed(problem: MarginProblem, members: Flags) -> int:
    """Return how many of a class may be wrong."""
    same = (limit for limit in problem.limits if np.array_equal(limit.members, members))
    return min((limit.max_errors for limit in same), default=len(members))


def _kth(values: Floats, k: int) -> float:
    """Return the value with k smaller ones, infinity if there are not as many."""
    return float(np.partition(values, k)[k]) if k < len(values) else np.inf


def _scores(problem: MarginProblem, dual: Floats, weights: Floats | None) -> Floats:
    if weights is not None:
        return np.asarray(np.asarray(problem.features) @ weights)
    used = np.flatnonzero(dual)
    return np.asarray(np.asarray(problem.gram)[:, used] @ dual[used])


def _directions(problem: MarginProblem) -> Iterator[tuple[Floats, Floats | None]]:
    """Yield directions: the difference of the means, and discriminants of fewer and fewer.

    Each of them both ways: an outlier may turn a mean round.
    """
    n = len(problem.positive)
    part = problem
    if problem.features is not None:
        if n > ENOUGH_SAMPLES:
            part, _ = sampled(problem, ENOUGH_SAMPLES, seed=0)
        X, used = np.asarray(part.features), np.zeros(0, dtype=np.int64)
    else:
        used = np.unique(np.linspace(0, n - 1, min(n, MOST_CENTERS)).astype(np.int64))
        X = np.asarray(problem.gram)[:, used]
    for found in _discriminants(X, part):
        for direction in (found, -found):
            dual = np.zeros(n)
            dual[used] = direction[: len(used)]
            yield dual, (None if problem.features is None else direction)


def _discriminants(X: Floats, problem: MarginProblem) -> Iterator[Floats]:
    if X.shape[1] == 0:
        yield np.zeros(0)
        return
    center = np.median(X, axis=0)
    size = np.abs(X - center).mean(axis=0)
    size[size == 0.0] = 1.0
    Z = (X - center) / size
    kept = np.ones(len(Z), dtype=np.bool_)
    for _ in range(DISCRIMINANTS):
        up, down = Z[kept & problem.positive], Z[kept & ~problem.positive]
        if len(up) == 0 or len(down) == 0:
            return
        gap = up.mean(axis=0) - down.mean(axis=0)
        yield gap / size
        if Z.shape[1] > MOST_FEATURES:
            return
        scatter = _scatter(up) + _scatter(down)
        ridge = RIDGE * max(float(np.trace(scatter)) / len(scatter), LEAST_RIDGE)
        direction = np.linalg.solve(scatter + ridge * np.eye(len(scatter)), gap)
        yield direction / size
        kept = _kept(Z @ direction, problem)


def _scatter(part: Floats) -> Floats:
    moved = part - part.mean(axis=0)
    return np.asarray(moved.T @ moved)


def _kept(scores: Floats, problem: MarginProblem) -> Flags:
    """Return which samples the direction would count, the allowed errors given up."""
    positive = problem.positive
    above = _kth(scores[positive], _allowed(problem, positive))
    below = -_kth(-scores[~positive], _allowed(problem, ~positive))
    return np.asarray(np.where(positive, scores >= above, scores <= below))
