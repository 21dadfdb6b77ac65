"""What a set of features costs: prices per feature, and prices paid once per group.

Prices are decimal numbers, as people write them: 2.1 means 21/10, not the nearest binary number.
They become whole multiples of one unit once, in :class:`ExactCosts`; whatever compares costs
compares those, and no tolerance is left to choose.
"""

from __future__ import annotations

import math
import sys
from collections.abc import Iterable
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property

import numpy as np
from numpy.typing import NDArray


def exactly(price: float) -> Fraction:
    """Return the decimal number that a price is written as: the shortest that reads back as it.

    Examples
    --------
    >>> exactly(2.1), exactly(1e-10), exactly(0.1 + 0.2) == exactly(0.3)
    (Fraction(21, 10), Fraction(1, 10000000000), False)
    """
    return Fraction(repr(float(price)))


def nearest(amount: Fraction) -> float:
    """Return an amount as a float; infinity where it is beyond all floats."""
    try:
        return float(amount)
    except OverflowError:
        return math.inf


def rounded_down(amount: Fraction) -> float:
    """Return the largest float that is not above an amount.

    Examples
    --------
    >>> rounded_down(Fraction(1, 2)), rounded_down(Fraction(2, 3)) <= Fraction(2, 3)
    (0.5, True)
    """
    value = min(nearest(amount), sys.float_info.max)
    return value if Fraction(value) <= amount else math.nextafter(value, -math.inf)


@dataclass(frozen=True, eq=False)
class ExactCosts:
    """Prices as whole numbers of a unit, so that costs add up and compare exactly.

    Attributes
    ----------
    unit : Fraction
        What 1 is worth; the prices have no larger unit in common.
    feature : tuple of int
        Price of each feature.
    groups_of : tuple of tuples of int, one per feature
        The groups that each feature touches.
    group : tuple of int
        Price of each group, paid once.

    Examples
    --------
    >>> costs = ExactCosts.of([Fraction(3, 2), Fraction(3)], ((0,), ()), [Fraction(6)])
    >>> costs.unit, costs.feature, costs.group, costs.cost([0, 1])
    (Fraction(3, 2), (1, 2), (4,), 7)
    """

    unit: Fraction
    feature: tuple[int, ...]
    groups_of: tuple[tuple[int, ...], ...]
    group: tuple[int, ...]

    @classmethod
    def of(
        cls,
        feature: Iterable[Fraction],
        groups_of: tuple[tuple[int, ...], ...],
        group: Iterable[Fraction],
    ) -> ExactCosts:
        """Return exact prices in the largest unit that they have in common."""
        own, shared = list(feature), list(group)
        denominator = math.lcm(*(price.denominator for price in {*own, *shared}))
        whole = [[int(price * denominator) for price in prices] for prices in (own, shared)]
        divisor = math.gcd(*whole[0], *whole[1]) or denominator
        feature_units, group_units = (tuple(u // divisor for u in units) for units in whole)
        return cls(Fraction(divisor, denominator), feature_units, groups_of, group_units)

    def groups_touched(self, support: Iterable[int]) -> set[int]:
        """Return the groups that `support` pays for."""
        return {g for k in support for g in self.groups_of[k]}

    def cost(self, support: Iterable[int]) -> int:
        """Return the cost of a set of features, in units."""
        chosen = {int(k) for k in support}
        shared = sum(self.group[g] for g in self.groups_touched(chosen))
        return sum(self.feature[k] for k in chosen) + shared

    def added(self, feature: int, others: Iterable[int]) -> int:
        """Return what a feature adds to the cost of others, in units.

        Examples
        --------
        >>> costs = ExactCosts(Fraction(1), (1, 1, 4), ((0,), (0,), ()), (10,))
        >>> costs.added(0, []), costs.added(0, [1]), costs.added(2, [0, 1])
        (11, 1, 4)
        """
        touched = self.groups_of[feature]
        if not touched:
            return self.feature[feature]
        paid = self.groups_touched(others)
        return self.feature[feature] + sum(self.group[g] for g in touched if g not in paid)

    def alone(self) -> tuple[int, ...]:
        """Return what each feature costs if it is the only one, in units."""
        return tuple(
            own + sum(self.group[g] for g in touched)
            for own, touched in zip(self.feature, self.groups_of, strict=True)
        )


@dataclass(frozen=True)
class CostModel:
    """cost(S) = sum of the features' costs over S + sum of the costs of the groups S touches.

    A feature may belong to no group, to one (a panel paid once), or to several (a product of
    two raw measurements needs both).

    Attributes
    ----------
    feature : ndarray of shape (n_features,)
        Cost of each feature, >= 0.
    groups_of : tuple of tuples of int, one per feature
        The groups that each feature touches.
    group : ndarray of shape (n_groups,)
        Cost of each group, >= 0, paid once.
    """

    feature: NDArray[np.float64]
    groups_of: tuple[tuple[int, ...], ...]
    group: NDArray[np.float64]

    @classmethod
    def per_feature(cls, costs: NDArray[np.float64]) -> CostModel:
        """Return a model without groups.

        Examples
        --------
        >>> import numpy as np
        >>> CostModel.per_feature(np.array([1.0, 2.5])).cost([1])
        2.5
        """
        costs = np.asarray(costs, dtype=np.float64)
        return cls(costs, ((),) * len(costs), np.zeros(0))

    @property
    def n_features(self) -> int:
        """Number of features."""
        return len(self.feature)

    @property
    def has_groups(self) -> bool:
        """True if any group has a price."""
        return bool(np.any(self.group > 0))

    @cached_property
    def exact(self) -> ExactCosts:
        """The prices as exact numbers."""
        known = {price: exactly(price) for price in {*self.feature.tolist(), *self.group.tolist()}}
        feature = [known[price] for price in self.feature.tolist()]
        return ExactCosts.of(feature, self.groups_of, [known[g] for g in self.group.tolist()])

    def groups_touched(self, support: Iterable[int]) -> set[int]:
        """Return the groups that `support` pays for."""
        return {g for k in support for g in self.groups_of[k]}

    def cost(self, support: Iterable[int]) -> float:
        """Return the cost of a set of features (given as indices), correctly rounded.

        Examples
        --------
        >>> import numpy as np
        >>> costs = CostModel(np.array([1.0, 1.0, 4.0]), ((0,), (0,), ()), np.array([10.0]))
        >>> costs.cost([0]), costs.cost([0, 1]), costs.cost([1, 2]), costs.cost([])
        (11.0, 12.0, 15.0, 0.0)
        >>> CostModel.per_feature(np.array([0.1, 0.2, 0.3])).cost([0, 1])
        0.3
        """
        return nearest(self.amount(support))

    def amount(self, support: Iterable[int]) -> Fraction:
        """Return the exact cost of a set of features (given as indices)."""
        return self.exact.cost(support) * self.exact.unit
