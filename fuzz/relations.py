"""Changes to a selection problem whose effect on the answer is known.

A relation makes a variant, and says how its features correspond to the base's. `both` means that
a support is feasible here if and only if it is there; "looser" that what is feasible in the base
is feasible in the variant; "tighter" the converse.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np

from fuzz.instances import SelectionInstance
from fuzz.subject import random_setting

Rng = np.random.Generator


@dataclass(frozen=True)
class Variant:
    """A changed problem.

    Attributes
    ----------
    name
        What was done.
    instance
        The problem.
    place
        The base's number of each feature; -1 for a new one.
    direction
        "both", "looser" or "tighter".
    extra
        Further parameters of the estimator.
    """

    name: str
    instance: SelectionInstance
    place: tuple[int, ...]
    direction: str = "both"
    extra: dict[str, Any] = field(default_factory=dict)

    def to_base(self, support: frozenset[int]) -> frozenset[int] | None:
        """Return a support of the variant in the base's numbers; None if it has new features."""
        found = frozenset(self.place[k] for k in support)
        return None if -1 in found else found

    def from_base(self, support: frozenset[int]) -> frozenset[int]:
        """Return a support of the base in the variant's numbers."""
        return frozenset(k for k, old in enumerate(self.place) if old in support)


Relation = Callable[[Rng, SelectionInstance], Variant]


def _rows(X: np.ndarray) -> tuple[tuple[float, ...], ...]:
    return tuple(map(tuple, X.tolist()))


def _same(instance: SelectionInstance) -> tuple[int, ...]:
    return tuple(range(len(instance.feature_costs)))


def permuted_rows(rng: Rng, base: SelectionInstance) -> Variant:
    """Change the order of the samples."""
    order = rng.permutation(len(base.y))
    instance = replace(base, X=tuple(base.X[i] for i in order), y=tuple(base.y[i] for i in order))
    return Variant("rows permuted", instance, _same(base))


def permuted_columns(rng: Rng, base: SelectionInstance) -> Variant:
    """Change the order of the features."""
    order = rng.permutation(len(base.feature_costs))
    where = {int(old): new for new, old in enumerate(order)}
    instance = replace(
        base,
        X=_rows(np.array(base.X)[:, order]),
        feature_costs=tuple(base.feature_costs[k] for k in order),
        groups_of=tuple(base.groups_of[k] for k in order),
        include=tuple(where[k] for k in base.include),
        exclude=tuple(where[k] for k in base.exclude),
    )
    return Variant("columns permuted", instance, tuple(int(k) for k in order))


def other_units(rng: Rng, base: SelectionInstance) -> Variant:
    """Scale and shift the columns, which the standardisation undoes."""
    X = np.array(base.X)
    scale = rng.choice([-1.0, 1.0], X.shape[1]) * 10 ** rng.uniform(-4, 4, X.shape[1])
    shift = rng.choice([0.0, 1.0, -20.0], X.shape[1])
    return Variant("other units", replace(base, X=_rows((X + shift) * scale)), _same(base))


def dearer_copy(rng: Rng, base: SelectionInstance) -> Variant:
    """Add a copy of a column at a higher price; two copies may carry twice the weight."""
    X = np.array(base.X)
    k = int(rng.integers(X.shape[1]))
    instance = replace(
        base,
        X=_rows(np.column_stack((X, -3.0 * X[:, k] + 1.0))),
        feature_costs=(*base.feature_costs, base.feature_costs[k] + 1.0),
        groups_of=(*base.groups_of, base.groups_of[k]),
    )
    return Variant("dearer copy of a column", instance, (*_same(base), -1), "looser")


def new_feature(rng: Rng, base: SelectionInstance) -> Variant:
    """Add a column of noise."""
    X = np.array(base.X)
    instance = replace(
        base,
        X=_rows(np.column_stack((X, rng.standard_normal(len(X))))),
        feature_costs=(*base.feature_costs, float(rng.integers(0, 9))),
        groups_of=(*base.groups_of, ()),
    )
    return Variant("another feature", instance, (*_same(base), -1), "looser")


def scaled_prices(rng: Rng, base: SelectionInstance) -> Variant:
    """Express the prices in another unit: a power of two, or of ten."""
    unit = float(rng.choice([2.0**-30, 2.0**20, 1e-10, 1e-3, 1e6, 1e10]))
    instance = replace(
        base,
        feature_costs=tuple(unit * p for p in base.feature_costs),
        group_costs=tuple(unit * p for p in base.group_costs),
    )
    return Variant(f"prices times {unit:g}", instance, _same(base))


def swapped_labels(rng: Rng, base: SelectionInstance) -> Variant:
    """Exchange the classes and the rates."""
    instance = replace(
        base, y=tuple(not v for v in base.y), min_tpr=base.min_tnr, min_tnr=base.min_tpr
    )
    return Variant("labels swapped", instance, _same(base))


def tighter_target(rng: Rng, base: SelectionInstance) -> Variant:
    """Ask for more of one class."""
    sizes = sum(base.y), len(base.y) - sum(base.y)
    more = int(rng.integers(1, 3))
    tpr, tnr = base.min_tpr, base.min_tnr
    if rng.random() < 0.5:
        tpr = min(1.0, tpr + more / sizes[0])
    else:
        tnr = min(1.0, tnr + more / sizes[1])
    return Variant(
        "tighter target", replace(base, min_tpr=tpr, min_tnr=tnr), _same(base), "tighter"
    )


def larger_weights(rng: Rng, base: SelectionInstance) -> Variant:
    """Let narrower margins count."""
    instance = replace(base, max_weight=base.max_weight * float(rng.choice([1.5, 4.0])))
    return Variant("larger max_weight", instance, _same(base), "looser")


def doubled_samples(rng: Rng, base: SelectionInstance) -> Variant:
    """Have every sample twice: the rates, means and deviations stay what they are."""
    instance = replace(base, X=base.X + base.X, y=base.y + base.y)
    return Variant("samples doubled", instance, _same(base))


def other_setting(rng: Rng, base: SelectionInstance) -> Variant:
    """Switch tactics off, or move thresholds of the search: an optimum must not change."""
    setting: tuple[str, ...] = ()
    while not setting:
        setting = random_setting(rng)
    return Variant("another setting", replace(base, setting=setting), _same(base))


def two_threads(rng: Rng, base: SelectionInstance) -> Variant:
    """Search on two threads, with another seed."""
    extra = {"n_jobs": 2, "random_state": int(rng.integers(1000))}
    return Variant("two threads", base, _same(base), extra=extra)


RELATIONS: tuple[Relation, ...] = (
    permuted_rows,
    permuted_columns,
    other_units,
    dearer_copy,
    new_feature,
    scaled_prices,
    swapped_labels,
    tighter_target,
    larger_weights,
    doubled_samples,
    other_setting,
    other_setting,
    other_setting,
    other_setting,
    two_threads,
)
