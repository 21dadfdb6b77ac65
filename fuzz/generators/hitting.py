"""Questions whose answers are hitting sets: what a search by covers has the most to say about.

The negatives are all at zero. A positive has ones in some of the features, and is right if one of
them is in the panel. Where these sets are the edges of odd cycles, the fractional cover is half of
each feature, so that bounds have to be rounded and nodes to be branched on.
"""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from fuzz.generators.tables import Rng
from fuzz.instances import SelectionInstance

FEWEST, MOST = 3, 5
"""Features."""
ALONE = ("cover first", "-heuristic", "-scan", "-enumeration", "-merged", "-cells", "-sieve")
"""Covers have to find the answer."""


def as_hitting_sets(rng: Rng, instance: SelectionInstance) -> SelectionInstance:
    """Return a question of hitting sets with the prices of another one, as far as they go."""
    d = len(instance.feature_costs)
    if not FEWEST <= d <= MOST:
        return instance
    sets = np.zeros((d, d))
    for k in range(d):
        sets[k, [k, (k + 1) % d]] = 1.0
    if rng.random() < 0.5:  # any sets, instead of a cycle
        sets[rng.random((d, d)) < 0.2] = 1.0
    sets = sets[sets.any(axis=1)] * rng.choice([1.0, 3.0])
    n_zero = int(rng.integers(1, 3))
    may_fail = int(rng.random() < 0.25)
    return replace(
        instance,
        X=tuple(map(tuple, np.vstack([sets, np.zeros((n_zero, d))]).tolist())),
        y=(True,) * len(sets) + (False,) * n_zero,
        min_tpr=1.0 - may_fail / len(sets),
        min_tnr=1.0,
        include=(),
        exclude=(),
        weights=(),
        max_weight=100.0,
        setting=ALONE,
    )
