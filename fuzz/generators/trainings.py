"""Random questions to RateSVC that brute force can answer."""

from __future__ import annotations

from typing import Any

import numpy as np

from fuzz.generators.tables import (
    Bools,
    Floats,
    Rng,
    random_labels,
    random_rate,
    random_table,
    random_weights,
)
from fuzz.instances import Measure, TrainingInstance
from fuzz.reference.kernels import gram
from fuzz.reference.scaling import standardised

KERNELS = ("linear",) * 6 + ("rbf", "rbf", "poly", "laplacian", "cosine", "precomputed")


def random_training(seed: int) -> TrainingInstance:
    """Return the instance of a seed."""
    rng = np.random.default_rng([seed, 2])
    n, d = int(rng.integers(4, 10)), int(rng.integers(1, 4))
    X, positive = random_table(rng, n, d)
    kernel = KERNELS[rng.integers(len(KERNELS))]
    narrow = rng.random() < 0.15
    if narrow:
        X, kernel = _narrow(rng, n, d, positive), "linear"
    standardize = bool(rng.random() < 0.6)
    if kernel in ("poly", "precomputed", "cosine") and np.max(np.abs(X)) > 1e3:
        kernel = "linear"
    if kernel == "cosine" and np.any(_lengths(X, standardize) < 1e-6):
        kernel = "rbf"  # the cosine of next to nothing is rounding errors
    if kernel == "precomputed":
        X = gram(X, "rbf" if rng.random() < 0.5 else "linear", 0.5, 3, 0.0)
    most = 0 if narrow else int(rng.choice([0, 1, 2, n]))
    few = n <= 6 and kernel != "precomputed"
    weights = random_weights(rng, positive) if few else ()
    return TrainingInstance(
        X=tuple(map(tuple, X.tolist())),
        y=tuple(positive.tolist()),
        min_tpr=random_rate(rng, int(positive.sum()), most),
        min_tnr=random_rate(rng, int((~positive).sum()), most),
        C=_random_penalty(rng),
        kernel=kernel,
        gamma=_random_gamma(rng),
        degree=int(rng.integers(1, 4)),
        coef0=float(rng.choice([0.0, 1.0])),
        standardize=standardize,
        max_slack=_random_slack(rng),
        measures=() if weights else tuple(_random_measures(rng, positive)),
        weights=weights,
        labels=random_labels(rng),
        seed=seed,
    )


def _narrow(rng: Rng, n: int, d: int, positive: Bools) -> Floats:
    """Return samples with next to no room between the classes: a proof may not overlook it."""
    X = rng.standard_normal((n, d))
    w = rng.standard_normal(d)
    w /= np.linalg.norm(w)
    beyond = rng.choice([0.0, 0.0, 1.0], n) * rng.random(n)
    score = np.where(positive, 1.0, -1.0) * (10 ** rng.uniform(-6, -1) + beyond)
    return np.asarray(X + np.outer(score - X @ w, w))


def _lengths(X: Floats, standardize: bool) -> Floats:
    Z = standardised(X)[0] if standardize else X
    return np.asarray(np.sqrt((Z * Z).sum(axis=1)))


def _random_penalty(rng: Rng) -> float:
    kind = rng.random()
    if kind < 0.3:
        return 1.0
    return float(10 ** (rng.uniform(-2, 4) if kind < 0.6 else rng.uniform(-6, 12)))


def _random_gamma(rng: Rng) -> Any:
    gammas: tuple[Any, ...] = ("scale", "scale", "auto", 0.1, 1.0, 10.0)
    return gammas[rng.integers(len(gammas))]


def _random_slack(rng: Rng) -> float | None:
    kind = rng.random()
    if kind < 0.75:
        return None
    if kind < 0.82:
        return float(rng.choice([2.0, 1.0, 100.0]))
    if kind < 0.9:  # samples of both classes at one place just have room
        return float(2.0 + 10 ** rng.uniform(-7, -3))
    return float(10 ** rng.uniform(-1, 2))


def _random_measures(rng: Rng, positive: Bools) -> list[Measure]:
    n = len(positive)
    measures = []
    if rng.random() < 0.2:
        measures.append(Measure(random_rate(rng, n, 3)))
    if rng.random() < 0.2:
        label = (None, True, False)[rng.integers(3)]
        where = rng.random(n) < 0.5
        members = where if label is None else where & (positive == label)
        if members.any():
            rate = random_rate(rng, int(members.sum()), 2)
            measures.append(Measure(rate, label, tuple(where.tolist())))
    return measures
