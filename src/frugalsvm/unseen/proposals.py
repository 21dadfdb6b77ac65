"""Which panels are worth a cross-validation.

Cheap subsets of small squared loss, the included features alone, and all features: nothing looks at
cross-validated rates.
"""

from __future__ import annotations

import numpy as np

from frugalsvm.data.problem import SelectionProblem
from frugalsvm.runtime.stopping import Stopper
from frugalsvm.unseen.subsets import Support, priced_subsets

ALMOST = 1e-9


def propose(problem: SelectionProblem, *, max_cost: float | None, stop: Stopper) -> list[Support]:
    """Return the panels to look at, by cost; none of them is dearer than `max_cost`.

    Parameters
    ----------
    problem : SelectionProblem
        Data, prices, and which features may be used; the targets are of no account.
    max_cost : float or None
        The most that a panel may cost.
    stop : Stopper
        Ends the work; there is always a panel.
    """
    found = {tuple(np.flatnonzero(~problem.exclude).tolist())}
    found.update(priced_subsets(problem, stop))
    found.add(tuple(np.flatnonzero(problem.include).tolist()))
    if max_cost is not None:
        most = max_cost * (1 + ALMOST)
        found = {support for support in found if problem.costs.cost(support) <= most}
    return sorted(found, key=lambda support: (problem.costs.cost(support), len(support), support))
