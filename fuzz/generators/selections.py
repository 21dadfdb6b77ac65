"""Random questions to FrugalSelector that brute force can answer."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from fuzz.generators.hitting import as_hitting_sets
from fuzz.generators.prices import random_groups, random_prices
from fuzz.generators.tables import (
    Bools,
    Floats,
    Rng,
    random_labels,
    random_rate,
    random_table,
    random_weights,
    sparse_table,
)
from fuzz.instances import SelectionInstance
from fuzz.reference.gaps import largest_gap, planes, vertex_count
from fuzz.reference.scaling import standardised
from fuzz.reference.selection import SelectionReference
from fuzz.subject import SPARSE, random_setting

LARGEST = {1: 60, 2: 40, 3: 40, 4: 40, 5: 16, 6: 10}
"""Samples of tables with so many features; fewer if that is too much for brute force."""
MOST_VERTICES = 40_000
SPARSE_SHARE = 0.06
"""Of the tables that are given as sparse ones."""
HITTING_SHARE = 0.05
"""Of the questions that are about hitting sets."""
AT_THE_FLOOR = (0.0, 1e-9, -1e-9, 1e-7, -1e-7, 3e-7, -5e-7, 2e-6, -2e-6, 1e-4, -1e-4)


def random_selection(seed: int) -> SelectionInstance:
    """Return the instance of a seed."""
    rng = np.random.default_rng([seed, 1])
    d = int(rng.choice([1, 2, 3, 4, 5, 6], p=[0.08, 0.22, 0.3, 0.24, 0.12, 0.04]))
    n = int(rng.integers(4, LARGEST[d] + 1))
    sparse = bool(np.random.default_rng([seed, 7]).random() < SPARSE_SHARE)
    if sparse:
        d, n = max(3, min(d, 5)), min(n, 10)
    X, positive = within_reach(*(sparse_table if sparse else random_table)(rng, n, d))
    groups_of: list[tuple[int, ...]] = [()] * d
    group_costs: list[float] = []
    if rng.random() < 0.25:
        groups_of, group_costs = random_groups(rng, d)
    weights = random_weights(rng, positive)
    include, exclude = _demands(rng, X[np.array(weights, dtype=bool)] if weights else X)
    instance = SelectionInstance(
        X=tuple(map(tuple, X.tolist())),
        y=tuple(positive.tolist()),
        min_tpr=random_rate(rng, int(positive.sum()), int(rng.choice([0, 2, 4, n // 4]))),
        min_tnr=random_rate(rng, int((~positive).sum()), int(rng.choice([0, 2, 4, n // 4]))),
        feature_costs=tuple(random_prices(rng, d)),
        groups_of=tuple(groups_of),
        group_costs=tuple(group_costs),
        include=include,
        exclude=exclude,
        max_weight=float(
            rng.choice([100.0, 100.0, 1.0, 2.0, 10.0, 1000.0, 10 ** rng.uniform(0, 3)])
        ),
        labels=random_labels(rng),
        n_alternatives=int(rng.choice([0, 0, 0, 3])),
        setting=random_setting(rng) + (SPARSE,) * sparse,
        weights=weights,
        seed=seed,
    )
    other = np.random.default_rng([seed, 11])
    if not sparse and other.random() < HITTING_SHARE:
        return as_hitting_sets(other, instance)
    kind = rng.random()
    if kind < 0.2:
        return _floor_at_a_gap(rng, instance)
    if kind < 0.6:
        return tight_budgets(rng, instance, some_support(rng, SelectionReference(instance)))
    return instance


def _demands(rng: Rng, X: Floats) -> tuple[tuple[int, ...], tuple[int, ...]]:
    """Return features to include and to exclude: mostly none, sometimes some or all."""
    d = X.shape[1]
    varying = ~standardised(X)[1]
    kind = rng.random()
    if kind < 0.6:
        return (), ()
    if kind < 0.63:
        return tuple(np.flatnonzero(varying).tolist()), ()
    if kind < 0.64:
        return (), tuple(range(d))
    include = varying & (rng.random(d) < 0.2)
    exclude = ~include & (rng.random(d) < 0.2)
    return tuple(np.flatnonzero(include).tolist()), tuple(np.flatnonzero(exclude).tolist())


def _floor_at_a_gap(rng: Rng, instance: SelectionInstance) -> SelectionInstance:
    """Choose `max_weight` such that the gap of some support is at the floor, or nearly."""
    reference = SelectionReference(instance)
    gap = reference.gap(some_support(rng, reference))
    if not 1e-3 <= gap <= 10:
        return instance
    return replace(instance, max_weight=float(2.0 / gap * (1 + rng.choice(AT_THE_FLOOR))))


def tight_budgets(
    rng: Rng, instance: SelectionInstance, chosen: frozenset[int]
) -> SelectionInstance:
    """Choose the budgets such that a support just meets them: one error less is too few."""
    reference = SelectionReference(instance)
    support = sorted(chosen)
    points, positive = reference.Z[:, support], reference.positive
    n_pos, n_neg = reference.n_pos, reference.n_neg
    neg = min(n_neg - 1, int(rng.integers(0, 4)))
    for pos in range(n_pos):
        if largest_gap(points, positive, n_pos - pos, n_neg - neg) >= 1.001 * reference.floor:
            return replace(instance, min_tpr=(n_pos - pos) / n_pos, min_tnr=(n_neg - neg) / n_neg)
    return instance


def some_support(rng: Rng, reference: SelectionReference) -> frozenset[int]:
    """Return some of the features that may be used, one at the least."""
    allowed = sorted(reference.allowed())
    if not allowed:
        return frozenset()
    size = int(rng.integers(1, len(allowed) + 1))
    return frozenset(int(k) for k in rng.choice(allowed, size, replace=False))


def within_reach(X: Floats, positive: Bools) -> tuple[Floats, Bools]:
    """Drop samples of the larger class until brute force can judge all the features at once."""
    Z, _ = standardised(X)
    while vertex_count(len(planes(Z, positive)), X.shape[1]) > MOST_VERTICES:
        larger = positive.sum() * 2 >= len(positive)
        kept = np.ones(len(X), dtype=bool)
        kept[np.flatnonzero(positive == larger)[-1]] = False
        X, Z, positive = X[kept], Z[kept], positive[kept]
    return X, positive
