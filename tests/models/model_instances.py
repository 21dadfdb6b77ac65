"""Random small problems for the models' tests, and a few fixed ones: instances as data."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from frugalsvm.data.costs import CostModel
from frugalsvm.data.problem import CountLimit, MarginProblem, SelectionProblem
from frugalsvm.data.rates import ErrorBudget


def selection_problem(
    X: NDArray[np.float64],
    positive: NDArray[np.bool_],
    pos: int,
    neg: int,
    *,
    costs: CostModel | None = None,
    include: tuple[int, ...] = (),
    exclude: tuple[int, ...] = (),
    max_weight: float = 100.0,
) -> SelectionProblem:
    """Return a selection problem with these error budgets; unit costs by default."""
    X = standardised(np.asarray(X, dtype=float))
    N = X.shape[1]
    costs = CostModel.per_feature(np.ones(N)) if costs is None else costs
    included, excluded = np.zeros(N, dtype=bool), ~X.any(axis=0)
    excluded[list(exclude)] = True
    included[list(include)] = True
    return SelectionProblem(
        X,
        np.asarray(positive, dtype=bool),
        ErrorBudget(pos, neg),
        costs,
        included & ~excluded,
        excluded,
        max_weight,
    )


def standardised(X: NDArray[np.float64]) -> NDArray[np.float64]:
    """Return columns of mean 0 and standard deviation 1; constant ones all zero."""
    centred = X - X.mean(axis=0)
    scale = X.std(axis=0)
    constant = scale <= 1e-12
    return np.where(constant, 0.0, centred / np.where(constant, 1.0, scale))


def random_selection(seed: int, *, largest_n: int = 40) -> SelectionProblem:
    """Return a problem with n <= 40, N <= 6: continuous, binary, tied, duplicate data mixed."""
    rng = np.random.default_rng(seed)
    n = 6 + int((largest_n - 5) * rng.random() ** 2)  # mostly small, to run many
    N = int(rng.integers(1, 7))
    positive = rng.random(n) < rng.uniform(0.3, 0.7)
    positive[:2] = True, False
    X = random_features(rng, positive, N)
    size_pos, size_neg = int(positive.sum()), int((~positive).sum())
    pos = int(rng.integers(0, min(3, size_pos) + 1))
    neg = int(rng.integers(0, min(3, size_neg) + 1))
    chosen = rng.permutation(N)
    include = tuple(chosen[:1]) if rng.random() < 0.2 else ()
    exclude = tuple(chosen[1:2]) if rng.random() < 0.2 else ()
    return selection_problem(
        X, positive, pos, neg, costs=random_costs(rng, N), include=include, exclude=exclude
    )


def random_features(
    rng: np.random.Generator, positive: NDArray[np.bool_], N: int
) -> NDArray[np.float64]:
    """Return features of several kinds, more or less informative about the class."""
    n = len(positive)
    X = np.empty((n, N))
    strength = rng.uniform(0.0, 2.5)
    for k in range(N):
        signal = np.where(positive, strength, -strength) * rng.choice([0.0, 0.5, 1.0])
        values = signal + rng.normal(size=n)
        kind = rng.integers(5)
        if kind == 1:
            values = (values > 0).astype(float)  # binary
        elif kind == 2:
            values = np.round(values)  # tied
        elif kind == 3 and k > 0:
            values = X[:, rng.integers(k)].copy()  # a duplicate column
        X[:, k] = values
    if rng.random() < 0.3:  # duplicate samples, some with the other label
        rows = rng.integers(n, size=(2, max(1, n // 5)))
        X[rows[0]] = X[rows[1]]
    return X


def random_costs(rng: np.random.Generator, N: int) -> CostModel:
    """Return unit, whole, decimal or arbitrary prices, with or without groups."""
    kind = rng.integers(4)
    if kind == 0:
        feature = np.ones(N)
    elif kind == 1:
        feature = rng.integers(0, 6, size=N).astype(float)
    elif kind == 2:
        feature = np.round(rng.uniform(0.05, 9.0, size=N), 2)
    else:
        feature = rng.uniform(0.01, 3.0, size=N)
    if rng.random() < 0.5:
        return CostModel.per_feature(feature)
    group = np.round(rng.uniform(0.0, 4.0, size=2), int(rng.integers(0, 3)))
    groups_of = tuple(tuple(int(g) for g in np.flatnonzero(rng.random(2) < 0.5)) for _ in range(N))
    return CostModel(feature, groups_of, group)


def margin_problem(
    positive: NDArray[np.bool_],
    pos: int,
    neg: int,
    C: float,
    *,
    features: NDArray[np.float64] | None = None,
    gram: NDArray[np.float64] | None = None,
    max_slack: float | None = None,
    further: tuple[CountLimit, ...] = (),
) -> MarginProblem:
    """Return a margin problem with these error budgets."""
    limits = (CountLimit("TPR", positive, pos), CountLimit("TNR", ~positive, neg), *further)
    return MarginProblem(features, gram, positive, limits, C, max_slack)


def random_margin(seed: int, *, kernel: bool = False) -> MarginProblem:
    """Return a tiny rate-constrained SVM, linear or with a radial kernel's matrix."""
    rng = np.random.default_rng(seed)
    n, d = int(rng.integers(6, 10)), int(rng.integers(1, 4))
    positive = rng.random(n) < 0.5
    positive[:2] = True, False
    X = random_features(rng, positive, d)
    further = ()
    if rng.random() < 0.4:
        further = (CountLimit("subgroup", rng.random(n) < 0.5, int(rng.integers(0, 2))),)
    gram = None
    if kernel:
        distance = ((X[:, None, :] - X[None, :, :]) ** 2).sum(axis=2)
        gram = np.exp(-rng.choice([0.2, 1.0]) * distance)
    return margin_problem(
        positive,
        int(rng.integers(0, 3)),
        int(rng.integers(0, 3)),
        float(10.0 ** rng.uniform(-1.5, 1.5)),
        features=None if kernel else X,
        gram=gram,
        further=further,
    )


def hard_selection(seed: int = 0, *, n: int = 400, N: int = 40) -> SelectionProblem:
    """Return a problem with overlapping classes that no model solver closes in seconds."""
    rng = np.random.default_rng(seed)
    positive = rng.random(n) < 0.5
    X = rng.normal(size=(n, N)) + np.where(positive, 0.35, -0.35)[:, None]
    return selection_problem(X, positive, n // 25, n // 25)
