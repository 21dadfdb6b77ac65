"""What the budgets, values and prices of a problem call for: decided here and nowhere else."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from frugalsvm.search import tuning
from frugalsvm.search.problem.reduction import CoreProblem


@dataclass(frozen=True)
class Regime:
    """What kind of problem it is.

    Attributes
    ----------
    errors : int
        Allowed in both classes together.
    packs_conflicts : bool
        The budgets are small enough for conflicts; otherwise boxes, cells and cuts do the work.
    fits_covers : bool
        The table is small enough for the linear programs of covers.
    covers_first : bool
        Cuts are likely to be strong: no errors allowed, or features with few values.
    """

    errors: int
    packs_conflicts: bool
    fits_covers: bool
    covers_first: bool


def regime_of(core: CoreProblem) -> Regime:
    """Return what kind of problem it is."""
    errors = core.budget_pos + core.budget_neg
    small = len(core.priced) <= tuning.LARGEST_WIDTH and core.columns.size <= tuning.LARGEST_SIZE
    return Regime(
        errors=errors,
        packs_conflicts=errors <= tuning.MOST_CONFLICTS,
        fits_covers=small,
        covers_first=small and _strong_cuts(core, errors),
    )


def _strong_cuts(core: CoreProblem, errors: int) -> bool:
    if errors == 0:
        return core.n_samples > 2 * core.n_features
    return all(len(np.unique(column)) <= tuning.FEW_VALUES for column in core.columns)
