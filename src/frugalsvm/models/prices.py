"""The unit in which a solver counts costs, so that its absolute tolerances mean something.

Prices of 1e-7 vanish below a solver's tolerance on reduced costs, and prices in cents are whole
numbers that a solver given 7.27 and 12.5 does not see. Costs are counted in a common unit where
there is one, and then every cost is a whole number; otherwise in units of the largest price.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np

from frugalsvm.data.problem import SelectionProblem

MANY_UNITS = 1e5
"""With more units than this in all, one unit is too close to a solver's relative tolerance."""

SAME_COST = 1e-6
"""A bound this close to a cost, relatively, has met it: the solvers' own precision."""


@dataclass(frozen=True)
class PriceUnit:
    """What one unit of the program's objective is worth, and whether every cost is whole in it."""

    worth: float
    whole: bool

    def bound(self, units: float, floor: float) -> float:
        """Return the proven bound on the cost for a solver's bound in units, at least `floor`.

        Rounded up to the next possible cost, but only where every cost is a whole number of units.
        """
        if math.isnan(units) or units * self.worth <= floor:
            return floor
        if self.whole and math.isfinite(units):
            units = math.ceil(units - SAME_COST * max(1.0, units))
        return max(floor, units * self.worth)


def price_unit(problem: SelectionProblem) -> PriceUnit:
    """Return the unit of a problem's prices.

    Examples
    --------
    >>> import numpy as np
    >>> from frugalsvm.data.costs import CostModel
    >>> from frugalsvm.data.rates import ErrorBudget
    >>> no = np.zeros(2, dtype=bool)
    >>> def unit_of(*prices):
    ...     costs = CostModel.per_feature(np.array(prices))
    ...     X, y = np.eye(2), np.array([True, False])
    ...     return price_unit(SelectionProblem(X, y, ErrorBudget(0, 0), costs, no, no))
    >>> unit_of(10.0, 30.0), unit_of(7.25, 0.5)
    (PriceUnit(worth=10.0, whole=True), PriceUnit(worth=0.25, whole=True))
    >>> unit_of(1.0, 1 / 3).whole
    False
    """
    costs, exact = problem.costs, problem.costs.exact
    usable = [int(k) for k in np.flatnonzero(~problem.exclude)]
    groups = sorted(costs.groups_touched(usable))
    units = [*(exact.feature[k] for k in usable), *(exact.group[g] for g in groups)]
    divisor = math.gcd(*units)
    if divisor == 0:
        return PriceUnit(1.0, whole=True)
    if sum(units) <= MANY_UNITS * divisor:
        return PriceUnit(float(divisor * exact.unit), whole=True)
    return PriceUnit(float(max(units) * exact.unit), whole=False)
