"""What a set of features costs: prices per feature, and prices paid once per group."""

from __future__ import annotations

import math
from collections.abc import Iterable
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray


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
        """
        chosen = sorted({int(k) for k in support})
        paid = [float(self.feature[k]) for k in chosen]
        paid += [float(self.group[g]) for g in sorted(self.groups_touched(chosen))]
        return math.fsum(paid)

    def added(self, feature: int, others: Iterable[int]) -> float:
        """Return what a feature adds to the cost of others.

        Examples
        --------
        >>> import numpy as np
        >>> costs = CostModel(np.array([1.0, 1.0, 4.0]), ((0,), (0,), ()), np.array([10.0]))
        >>> costs.added(0, []), costs.added(0, [1]), costs.added(2, [0, 1])
        (11.0, 1.0, 4.0)
        """
        price = float(self.feature[feature])
        touched = self.groups_of[feature]
        if not touched:
            return price
        paid = self.groups_touched(others)
        return price + sum(float(self.group[g]) for g in touched if g not in paid)

    def alone(self) -> NDArray[np.float64]:
        """Return what each feature costs if it is the only one.

        Examples
        --------
        >>> import numpy as np
        >>> CostModel(np.array([1.0, 4.0]), ((0,), ()), np.array([10.0])).alone()
        array([11.,  4.])
        """
        if not self.has_groups:
            return self.feature
        touched = [sum(float(self.group[g]) for g in groups) for groups in self.groups_of]
        return np.asarray(self.feature + np.array(touched))

    def subset(self, columns: NDArray[np.intp]) -> CostModel:
        """Return the model of these columns alone, in this order; the groups keep their numbers."""
        return CostModel(
            self.feature[columns], tuple(self.groups_of[int(k)] for k in columns), self.group
        )
