"""Generated data of a size: tall, wide, sparse and wide; and tables to train on."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
import scipy.sparse as sp
from numpy.typing import NDArray

from answers_data import balanced_rate
from frugalsvm.data.costs import CostModel

BELOW = 0.02  # how far the targets are below what the planted score reaches
FURTHER_BELOW = 0.15  # in training, where a margin of 1 counts
NOISE = 0.5  # of the labels, relative to the spread of the planted score
LEVELS = 100  # of each categorical variable
BLOCK = 50_000  # rows, or columns, that are made at a time


@dataclass(frozen=True, eq=False)
class Data:
    """A table, its labels, both rates to be reached, and prices."""

    X: Any
    y: NDArray[np.bool_]
    rate: float
    prices: NDArray[np.float64]

    @property
    def costs(self) -> CostModel:
        """The prices as the search takes them."""
        return CostModel.per_feature(self.prices)


def _labelled(X: Any, score: NDArray[np.float64], rng: np.random.Generator, priced: bool) -> Data:
    """Return data whose labels follow a score with noise, at rates just below the score's own."""
    noisy = score + NOISE * score.std() * rng.standard_normal(len(score))
    y = noisy > np.median(noisy)
    d = X.shape[1]
    prices = rng.integers(1, 21, d).astype(float) if priced else np.ones(d)
    return Data(X, y, round(balanced_rate(y, score) - BELOW, 3), prices)


def normal(n: int, d: int, many: int, seed: int, *, priced: bool = False) -> Data:
    """Continuous features, neighbours of which correlate; `many` of them matter."""
    rng = np.random.default_rng(seed)
    X = np.empty((n, d))
    for start in range(0, n, BLOCK):
        block = X[start : start + BLOCK]
        rng.standard_normal(out=block)
        block[:, 1:] += 0.5 * block[:, :-1]
    chosen = rng.choice(d, many, replace=False)
    return _labelled(X, X[:, chosen] @ rng.uniform(0.5, 1.5, many), rng, priced)


def mixed(n: int, d: int, many: int, seed: int) -> Data:
    """Half of the features are normal, half have the values 0 and 1; with prices."""
    rng = np.random.default_rng(seed)
    data = normal(n, d, 1, seed)
    for k in range(1, d, 2):
        data.X[:, k] = data.X[:, k] > rng.normal(0.0, 0.8)
    chosen = rng.choice(d, many, replace=False)
    return _labelled(data.X, data.X[:, chosen] @ rng.uniform(0.5, 1.5, many), rng, priced=True)


def text(n: int, d: int, many: int, seed: int) -> Data:
    """Word counts: few of many words in a row, some words common; the labels by some of those."""
    rng = np.random.default_rng(seed)
    often = np.minimum(0.3, 20.0 / np.arange(20, 20 + d))
    often *= 0.001 * d / often.sum()
    drawn = rng.poisson(n * often)
    columns = np.repeat(np.arange(d), drawn)
    rows = rng.integers(0, n, len(columns))
    X = sp.csr_array((np.ones(len(columns)), (rows, columns)), shape=(n, d))
    X.sum_duplicates()
    score = X[:, np.arange(many)] @ rng.choice((-1.0, 1.0), many)
    return _labelled(X, score + 0.05 * rng.standard_normal(n), rng, priced=False)


def one_hot(n: int, variables: int, many: int, seed: int) -> Data:
    """Levels of categorical variables as columns, the first ones common, without the zeros."""
    rng = np.random.default_rng(seed)
    drawn = (LEVELS * rng.random((n, variables)) ** 3).astype(np.int64)
    effects = rng.normal(0.0, 1.0, (many, LEVELS))
    score = effects[np.arange(many), drawn[:, :many]].sum(axis=1)
    columns = (drawn + LEVELS * np.arange(variables)).ravel()
    rows = np.repeat(np.arange(n), variables)
    shape = (n, LEVELS * variables)
    X = sp.csr_array((np.ones(len(columns)), (rows, columns)), shape=shape)
    return _labelled(X, score, rng, priced=False)


def trained(n: int, seed: int) -> Data:
    """Eight features to train on, at rates further below what the planted score reaches."""
    data = normal(n, 8, 8, seed)
    return replace(data, rate=round(data.rate - FURTHER_BELOW, 3))


SELECTION: dict[str, Callable[[int], Data]] = {
    "normal, 1,000,000 x 50": lambda seed: normal(1_000_000, 50, 8, seed),
    "normal with prices, 1,000,000 x 50": lambda s: normal(1_000_000, 50, 8, s, priced=True),
    "mixed with prices, 1,000,000 x 50": lambda seed: mixed(1_000_000, 50, 8, seed),
    "normal, 500 x 100,000": lambda seed: normal(500, 100_000, 10, seed),
    "normal with prices, 500 x 100,000": lambda s: normal(500, 100_000, 10, s, priced=True),
    "text, 2,000 x 200,000": lambda seed: text(2_000, 200_000, 20, seed),
    "one-hot, 2,000 x 200,000": lambda seed: one_hot(2_000, 2_000, 4, seed),
    "normal with prices, 20,000 x 50": lambda s: normal(20_000, 50, 8, s, priced=True),
}
TRAINING: dict[str, tuple[str, Callable[[int], Data]]] = {
    "linear, 100,000 x 8": ("linear", lambda seed: trained(100_000, seed)),
    "linear, 1,000,000 x 8": ("linear", lambda seed: trained(1_000_000, seed)),
    "radial, 5,000 x 8": ("rbf", lambda seed: trained(5_000, seed)),
    "radial, 20,000 x 8": ("rbf", lambda seed: trained(20_000, seed)),
}
