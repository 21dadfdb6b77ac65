"""Problems too large for brute force whose answer is bounded by a support that was planted."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from fuzz.generators.prices import random_groups
from fuzz.generators.tables import Bools, Floats, Rng
from fuzz.instances import SelectionInstance
from fuzz.reference.scaling import standardised


@dataclass(frozen=True)
class Regime:
    """What the data look like, so that each family of oracles has its turn.

    Attributes
    ----------
    samples, features
        Ranges of their numbers.
    planted
        The largest number of planted features.
    noise
        Largest share of the samples that the planted hyperplane gets wrong.
    columns
        Makes the features.
    priced
        Chance of prices that differ.
    """

    samples: tuple[int, int]
    features: tuple[int, int]
    planted: int
    noise: float
    columns: Callable[[Rng, int, int], Floats]
    priced: float


def _continuous(rng: Rng, n: int, d: int) -> Floats:
    X = rng.standard_normal((n, d))
    return X + rng.uniform(0, 1.5) * rng.standard_normal((n, 1)) * (rng.random(d) < 0.5)


def _binary(rng: Rng, n: int, d: int) -> Floats:
    return (rng.random((n, d)) < rng.uniform(0.2, 0.8, d)).astype(float)


def _few_valued(rng: Rng, n: int, d: int) -> Floats:
    return np.round(rng.standard_normal((n, d)) * rng.uniform(0.5, 1.5, d))


def _mixed(rng: Rng, n: int, d: int) -> Floats:
    X = (rng.random((n, d)) < 0.35).astype(float)
    several = max(1, d // 3)
    X[:, :several] = rng.standard_normal((n, several))
    return X


REGIMES = {
    "no errors": Regime((60, 120), (8, 25), 6, 0.0, _continuous, 0.5),
    "small budgets": Regime((60, 120), (6, 14), 4, 0.1, _continuous, 0.5),
    "large budgets": Regime((200, 400), (4, 8), 4, 0.3, _continuous, 0.9),
    "binary": Regime((80, 300), (10, 18), 6, 0.1, _binary, 0.5),
    "binary, large budgets": Regime((200, 400), (8, 14), 6, 0.3, _binary, 0.7),
    "few values": Regime((80, 200), (8, 14), 5, 0.1, _few_valued, 0.5),
    "mixed": Regime((60, 150), (8, 14), 5, 0.08, _mixed, 0.5),
    "mixed, large budgets": Regime((200, 400), (6, 9), 5, 0.3, _mixed, 0.9),
    "wide": Regime((40, 70), (60, 120), 3, 0.02, _continuous, 0.2),
    "many supports": Regime((40, 80), (20, 32), 5, 0.04, _continuous, 0.0),
}


@dataclass(frozen=True)
class Planted:
    """An instance, the planted support, and the regime's name."""

    instance: SelectionInstance
    support: frozenset[int]
    regime: str


def planted_selection(seed: int, regime: str | None = None) -> Planted:
    """Return the instance of a seed."""
    rng = np.random.default_rng([seed, 3])
    name = regime or list(REGIMES)[seed % len(REGIMES)]
    kind = REGIMES[name]
    n, d = int(rng.integers(*kind.samples)), int(rng.integers(*kind.features))
    X = kind.columns(rng, n, d)
    least = max(1, kind.planted // 2)
    support = np.sort(rng.choice(d, int(rng.integers(least, kind.planted + 1)), replace=False))
    max_weight = float(rng.choice([100.0, 100.0, 30.0, 10.0], p=[0.45, 0.45, 0.05, 0.05]))
    positive, wrong = _labels(rng, X, support, max_weight, rng.uniform(0, kind.noise))
    spare = rng.integers(0, 2, 2) if kind.noise else np.zeros(2, dtype=np.int64)
    groups_of: list[tuple[int, ...]] = [()] * d
    group_costs: list[float] = []
    if rng.random() < 0.2:
        groups_of, _ = random_groups(rng, d)
        used = 1 + max((g for groups in groups_of for g in groups), default=-1)
        group_costs = rng.integers(0, 6, used).astype(float).tolist()
    costs = rng.integers(1, 21, d) if rng.random() < kind.priced else np.ones(d)
    instance = SelectionInstance(
        X=tuple(map(tuple, X.tolist())),
        y=tuple(positive.tolist()),
        min_tpr=_rate(positive, wrong, int(spare[0])),
        min_tnr=_rate(~positive, wrong, int(spare[1])),
        feature_costs=tuple(costs.astype(float).tolist()),
        groups_of=tuple(groups_of),
        group_costs=tuple(group_costs),
        max_weight=max_weight,
        seed=seed,
    )
    return Planted(instance, frozenset(int(k) for k in support), name)


def _labels(
    rng: Rng, X: Floats, support: np.ndarray, max_weight: float, noise: float
) -> tuple[Bools, Bools]:
    """Return classes by a planted hyperplane, some flipped, and which samples it has wrong."""
    Z, _ = standardised(X)
    w = rng.choice([-1.0, 1.0], len(support)) * rng.uniform(0.3, 1.0, len(support))
    w /= np.max(np.abs(w))
    score = Z[:, support] @ w
    score = max_weight * (score - np.quantile(score, rng.uniform(0.3, 0.7)))
    blurred = score + rng.choice([0.0, 1.0, 2.0]) * noise * np.std(score) * rng.standard_normal(
        len(X)
    )
    positive = (blurred > 0) ^ (rng.random(len(X)) < noise / 2)
    if positive.all() or not positive.any():
        positive[0] = not positive[0]
    margin = np.where(positive, score, -score)
    return positive, np.asarray(margin < 1 + 1e-6)


def _rate(members: Bools, wrong: Bools, spare: int) -> float:
    n = int(members.sum())
    return max(0, n - int((members & wrong).sum()) - spare) / n
