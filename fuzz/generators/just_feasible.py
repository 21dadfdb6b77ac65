"""Questions whose answer is as narrow as can be: some support just meets the rates, and no more.

A proof that goes a little too far does no harm where a support is feasible in many ways, or not at
all. Here the budgets leave no error to spare, and the gap is next to the floor.
"""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from fuzz.generators.prices import random_prices
from fuzz.generators.selections import some_support, tight_budgets, within_reach
from fuzz.generators.tables import Floats, Rng, random_table, random_weights
from fuzz.instances import SelectionInstance
from fuzz.reference.selection import SelectionReference

LARGEST = {1: 80, 2: 60, 3: 40, 4: 30}
NEAREST, FARTHEST = -5.0, -0.3
"""How far the floor is below the gap, relative to it: powers of ten."""
WEIGHTS = (0.1, 1e4)
"""Between these is `max_weight`."""


def just_feasible(seed: int) -> SelectionInstance:
    """Return the instance of a seed."""
    rng = np.random.default_rng([seed, 5])
    d = int(rng.choice([1, 2, 3, 4], p=[0.1, 0.3, 0.4, 0.2]))
    n = int(rng.integers(6, LARGEST[d] + 1))
    X, positive = random_table(rng, n, d)
    if rng.random() < 0.5:
        X = _some_discrete(rng, X)
    X, positive = within_reach(X, positive)
    instance = SelectionInstance(
        X=tuple(map(tuple, X.tolist())),
        y=tuple(positive.tolist()),
        min_tpr=1.0,
        min_tnr=1.0,
        feature_costs=tuple(random_prices(rng, d)) if rng.random() < 0.5 else (1.0,) * d,
        weights=random_weights(rng, positive),
        setting=("few levels",) if rng.random() < 0.5 else (),
        seed=seed,
    )
    support = some_support(rng, SelectionReference(instance))
    return _floor_below_the_gap(rng, tight_budgets(rng, instance, support), support)


def _some_discrete(rng: Rng, X: Floats) -> Floats:
    """Let some columns have two or three values, beside others that have many."""
    X = X.copy()
    for k in np.flatnonzero(rng.random(X.shape[1]) < 0.4):
        borders = np.quantile(X[:, k], rng.choice([[0.5], [0.3, 0.7]][int(rng.integers(2))], 2))
        X[:, k] = np.searchsorted(np.sort(borders), X[:, k])
    return X


def _floor_below_the_gap(
    rng: Rng, instance: SelectionInstance, support: frozenset[int]
) -> SelectionInstance:
    gap = SelectionReference(instance).gap(support)
    if not (np.isfinite(gap) and gap > 0):
        return instance
    max_weight = float(2.0 / gap * (1 + 10 ** rng.uniform(NEAREST, FARTHEST)))
    if not WEIGHTS[0] <= max_weight <= WEIGHTS[1]:
        return instance
    return replace(instance, max_weight=max_weight)
