"""Raw data: ties, coinciding samples, affine and constant columns, outliers, any scale."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float64]
Bools = NDArray[np.bool_]
Rng = np.random.Generator


def random_table(rng: Rng, n: int, d: int) -> tuple[Floats, Bools]:
    """Return samples and classes; each of the quirks below happens with some chance."""
    X = KINDS[int(rng.integers(len(KINDS)))](rng, n, d)
    positive = _classes(rng, X)
    for chance, quirk in QUIRKS:
        if rng.random() < chance:
            X, positive = quirk(rng, X, positive)
    return np.asarray(X), np.asarray(positive)


def _gaussian(rng: Rng, n: int, d: int) -> Floats:
    return rng.standard_normal((n, d))


def _binary(rng: Rng, n: int, d: int) -> Floats:
    return (rng.random((n, d)) < rng.uniform(0.2, 0.8, d)).astype(float)


def _few_valued(rng: Rng, n: int, d: int) -> Floats:
    return np.asarray(np.round(rng.standard_normal((n, d)) * rng.choice([0.7, 1.5, 3.0])))


def _mixed(rng: Rng, n: int, d: int) -> Floats:
    X = rng.standard_normal((n, d))
    discrete = rng.random(d) < 0.5
    X[:, discrete] = np.round(X[:, discrete])
    return X


def _grid(rng: Rng, n: int, d: int) -> Floats:
    return rng.integers(0, 3, (n, d)).astype(float)


def _heavy_tails(rng: Rng, n: int, d: int) -> Floats:
    return np.asarray(rng.standard_t(1.5, (n, d)))


KINDS: tuple[Callable[[Rng, int, int], Floats], ...] = (
    _gaussian, _gaussian, _binary, _few_valued, _mixed, _grid, _heavy_tails,
)  # fmt: skip


def _classes(rng: Rng, X: Floats) -> Bools:
    """Return classes: by a noisy hyperplane, at random, or with one sample of a class."""
    n, d = X.shape
    kind = rng.integers(5)
    if kind <= 2:
        signal = X @ rng.standard_normal(d) + rng.choice([0.0, 0.5, 2.0]) * rng.standard_normal(n)
        positive = signal > np.quantile(signal, rng.uniform(0.25, 0.75))
    elif kind == 3:
        positive = rng.random(n) < 0.5
    else:
        positive = np.arange(n) == rng.integers(n)
        positive = positive if rng.random() < 0.5 else ~positive
    if positive.all() or not positive.any():
        positive = np.arange(n) < max(1, n // 2)
    return np.asarray(positive)


Quirk = Callable[[Rng, Floats, Bools], tuple[Floats, Bools]]


def _coinciding(rng: Rng, X: Floats, positive: Bools) -> tuple[Floats, Bools]:
    """Repeat rows, of the same class or of the other."""
    X = X.copy()
    half = len(X) // 2
    X[half : 2 * half] = X[rng.permutation(half)]
    return X, positive


def _affine_column(rng: Rng, X: Floats, positive: Bools) -> tuple[Floats, Bools]:
    """Let a column repeat another one, up to scale and shift."""
    X = X.copy()
    if X.shape[1] > 1:
        j, k = rng.choice(X.shape[1], 2, replace=False)
        X[:, k] = rng.choice([1.0, -1.0, 2.0, -0.3]) * X[:, j] + rng.choice([0.0, 1.0, 0.1])
    return X, positive


def _combined_column(rng: Rng, X: Floats, positive: Bools) -> tuple[Floats, Bools]:
    """Let a column be a combination of two others, exactly or nearly."""
    X = X.copy()
    if X.shape[1] > 2:
        i, j, k = rng.choice(X.shape[1], 3, replace=False)
        X[:, k] = X[:, i] + X[:, j] + rng.choice([0.0, 1e-3, 1e-6]) * rng.standard_normal(len(X))
    return X, positive


def _constant_column(rng: Rng, X: Floats, positive: Bools) -> tuple[Floats, Bools]:
    X = X.copy()
    if X.shape[1] > 1:
        X[:, rng.integers(X.shape[1])] = rng.choice([0.0, 1.0, 0.1, -1e8])
    return X, positive


def _outlier(rng: Rng, X: Floats, positive: Bools) -> tuple[Floats, Bools]:
    X = X.copy()
    i, k = rng.integers(len(X)), rng.integers(X.shape[1])
    X[i, k] = rng.choice([-1.0, 1.0]) * 10 ** rng.uniform(1, 8)
    return X, positive


def _scales(rng: Rng, X: Floats, positive: Bools) -> tuple[Floats, Bools]:
    """Give every column a unit of its own, sometimes far from zero."""
    scale = 10 ** rng.uniform(-8, 8, X.shape[1])
    shift = np.where(rng.random(X.shape[1]) < 0.3, rng.uniform(-1, 1, X.shape[1]) * 1e4, 0.0)
    return (X + shift) * scale, positive


def _near_tie(rng: Rng, X: Floats, positive: Bools) -> tuple[Floats, Bools]:
    """Move a sample next to one of the other class."""
    X = X.copy()
    i, j = rng.choice(np.flatnonzero(positive)), rng.choice(np.flatnonzero(~positive))
    # A constant column stays one: what remains of a small change to a large number is rounding.
    step = rng.choice([1e-9, 1e-6, 1e-3]) * rng.standard_normal(X.shape[1])
    X[i] = X[j] + np.where(np.ptp(X, axis=0) > 0, step, 0.0)
    return X, positive


QUIRKS: tuple[tuple[float, Quirk], ...] = (
    (0.20, _coinciding),
    (0.20, _affine_column),
    (0.10, _combined_column),
    (0.08, _constant_column),
    (0.05, _near_tie),
    (0.08, _outlier),
    (0.25, _scales),
)


def sparse_table(rng: Rng, n: int, d: int) -> tuple[Floats, Bools]:
    """Return samples most of whose numbers are zero, or all but one, and classes."""
    X = np.zeros((n, d))
    if rng.random() < 0.3:
        X[:] = rng.random((n, d)) < 0.3
    else:
        X[np.arange(n), rng.integers(d, size=n)] = rng.random(n) < rng.choice([0.8, 1.0])
    if rng.random() < 0.5:
        X[:, rng.integers(d)] = 0.0
    if rng.random() < 0.3:
        X *= rng.integers(1, 4, (n, d))
    return X, _classes(rng, X)


def random_labels(rng: Rng) -> tuple[object, object]:
    """Return the labels of the negative and the positive class, in either order."""
    choices: tuple[tuple[object, object], ...] = (
        (0, 1), (1, 0), (-1, 1), (1, 2), ("no", "yes"), ("well", "ill"), (False, True), (2.0, 1.0),
    )  # fmt: skip
    return choices[rng.integers(len(choices))]


def random_weights(rng: Rng, positive: Bools) -> tuple[int, ...]:
    """Return how many samples each row stands for: mostly one each; some of each class."""
    if rng.random() > 0.12:
        return ()
    weights = rng.integers(0, 3, len(positive))
    for members in (positive, ~positive):
        weights[np.flatnonzero(members)[0]] = max(1, weights[np.flatnonzero(members)[0]])
    return tuple(int(w) for w in weights)


def random_rate(rng: Rng, n: int, most: int) -> float:
    """Return a rate that allows 0 to `most` errors among `n`, computed in one of several ways."""
    errors = min(n, int(rng.integers(0, most + 1)))
    kind = rng.integers(6)
    if kind == 0:
        return 1.0 - errors / n
    if kind == 1:
        return (n - errors) * (1.0 / n)
    if kind == 2:
        return float(rng.choice([0.0, 0.5, 0.7, 0.9, 1.0]))
    if kind == 3:
        return round(max(0.0, (n - errors) / n - 1e-3), 3)
    return (n - errors) / n
