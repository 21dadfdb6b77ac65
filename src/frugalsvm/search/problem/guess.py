"""A direction that meets the budgets on a support, if one of several fits finds it."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from frugalsvm.search.problem.fit import Recipe, trimmed_fit
from frugalsvm.search.problem.reduction import CoreProblem, Floats
from frugalsvm.search.tuning import (
    EMPHASES,
    GUESS_RIDGE,
    GUESS_ROUNDS,
)


def guessed(core: CoreProblem, chosen: NDArray[np.intp]) -> Floats | None:
    """Return a direction that meets the budgets if one of several fits finds it."""
    points = np.ascontiguousarray(core.columns[chosen].T)
    for emphasis in EMPHASES:
        w, found = np.zeros(len(chosen) + 1), np.zeros(len(chosen))
        gap, _, _ = trimmed_fit(
            points, core.n_pos, core.weight, core.needs, core.floor,
            Recipe(GUESS_ROUNDS, GUESS_RIDGE, emphasis), w, found,
        )  # fmt: skip
        if gap >= core.floor:
            direction = np.zeros(core.n_features)
            direction[chosen] = found
            return direction
    return None
