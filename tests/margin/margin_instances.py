"""Random rate-constrained SVMs, small enough for brute force."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray
from sklearn.datasets import load_breast_cancer
from sklearn.metrics.pairwise import rbf_kernel
from sklearn.model_selection import StratifiedKFold

from frugalsvm.data.problem import CountLimit, MarginProblem
from frugalsvm.data.result import MarginResult
from frugalsvm.margin.job import Job
from frugalsvm.margin.options import Effort, MarginOptions
from frugalsvm.margin.watch import Watch
from frugalsvm.runtime.stopping import Stopper


def two_limits(positive: NDArray[np.bool_], pos: int, neg: int) -> tuple[CountLimit, CountLimit]:
    return CountLimit("tpr", positive, pos), CountLimit("tnr", ~positive, neg)


def tiny_problem(seed: int) -> MarginProblem:
    """Up to nine samples: continuous or on a grid, with duplicates, every kind of limit."""
    rng = np.random.default_rng(seed)
    n, d = int(rng.integers(4, 10)), int(rng.integers(0, 4))
    grid = rng.random() < 0.5
    X = rng.integers(0, 3, size=(n, d)).astype(float) if grid else rng.normal(size=(n, d))
    positive = rng.random(n) < 0.5
    positive[0], positive[-1] = True, False
    if rng.random() < 0.4:  # a duplicate, of the same or of the other class
        X[1] = X[0]
    limits = list(two_limits(positive, int(rng.integers(0, 3)), int(rng.integers(0, 3))))
    if rng.random() < 0.3:
        limits.append(CountLimit("accuracy", np.ones(n, dtype=bool), int(rng.integers(0, 4))))
    if rng.random() < 0.3:
        limits.append(CountLimit("subgroup", rng.random(n) < 0.5, int(rng.integers(0, 2))))
    C = float(10 ** rng.uniform(-2, 2))
    max_slack = float(rng.uniform(0.5, 5.0)) if rng.random() < 0.2 else None
    gram = rbf_kernel(X, gamma=rng.choice([0.1, 1.0, 5.0])) if d and rng.random() < 0.4 else None
    features = X if gram is None else None
    return MarginProblem(features, gram, positive, tuple(limits), C, max_slack)


def overlapping_problem(
    seed: int, n: int = 40, d: int = 2, budgets: tuple[int, int] = (3, 3), C: float = 1.0
) -> MarginProblem:
    """Two Gaussian clouds that overlap: the soft SVM breaks the limits."""
    rng = np.random.default_rng(seed)
    positive = np.arange(n) % 2 == 0
    X = rng.normal(size=(n, d)) + np.where(positive, 1.0, -1.0)[:, None] * 0.9
    return MarginProblem(X, None, positive, two_limits(positive, *budgets), C)


def wisconsin(columns: list[int], budgets: tuple[int, int], C: float) -> MarginProblem:
    """Return fold 0 of the breast cancer data, standardised, on some columns."""
    X, y = load_breast_cancer(return_X_y=True)
    train, _ = next(iter(StratifiedKFold(10, shuffle=True, random_state=0).split(X, y)))
    X, positive = X[train][:, columns], y[train] == 1
    X = (X - X.mean(axis=0)) / X.std(axis=0)
    return MarginProblem(X, None, positive, two_limits(positive, *budgets), C)


def check_answer(problem: MarginProblem, result: MarginResult) -> None:
    """Recompute margins, limits and objective of an answer from the raw data."""
    if problem.features is not None:
        assert result.weights is not None
        scores = problem.features @ result.weights + result.intercept
        expansion = problem.features @ (problem.features.T @ result.dual_coef)
        np.testing.assert_allclose(
            expansion + result.intercept, scores, atol=1e-6 * (1 + np.abs(scores).max())
        )
        norm = float(result.weights @ result.weights)
    else:
        scores = problem.gram @ result.dual_coef + result.intercept
        norm = float(result.dual_coef @ problem.gram @ result.dual_coef)
    margins = problem.y * scores
    assert (margins[result.counted] >= 1 - 1e-6).all()
    for limit in problem.limits:
        assert (limit.members & ~result.counted).sum() <= limit.max_errors, limit.name
    slack = np.where(result.counted, 0.0, 1.0 - margins)
    if problem.max_slack is not None:
        assert slack.max() <= problem.max_slack + 1e-6
    objective = norm + problem.C * slack.sum()
    assert abs(objective - result.objective) <= 1e-6 * max(1.0, result.objective)
    assert result.bound <= result.objective


def job(stop: Stopper | None = None, **changes: object) -> Job:
    """Return a training as it is asked for by default."""
    given = {
        "stop": stop or Stopper(),
        "watch": Watch(),
        "seed": 0,
        "tolerance": 1e-6,
        "effort": Effort.EXACT,
        "options": MarginOptions(),
    }
    return Job(**(given | changes))
