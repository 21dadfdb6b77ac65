"""What an oracle knows about a support."""

from __future__ import annotations

from dataclasses import dataclass
from enum import Enum

import numpy as np
from numpy.typing import NDArray


class Feasibility(Enum):
    """What an oracle knows about a support."""

    FEASIBLE = 1
    INFEASIBLE = -1
    UNDECIDED = 0


@dataclass(frozen=True, eq=False)
class Verdict:
    """An oracle's word on a support; a feasible one comes with its direction.

    Attributes
    ----------
    feasibility : Feasibility
        What is known.
    direction : ndarray of shape (n_core_features,) or None
        For a feasible support: any w with gap(w) >= floor * max |w_k|, zero outside of it.
    """

    feasibility: Feasibility
    direction: NDArray[np.float64] | None = None

    @property
    def infeasible(self) -> bool:
        """True if no hyperplane on the support meets the budgets."""
        return self.feasibility is Feasibility.INFEASIBLE

    @property
    def feasible(self) -> bool:
        """True if a hyperplane on the support meets the budgets."""
        return self.feasibility is Feasibility.FEASIBLE

    @property
    def decided(self) -> bool:
        """True if either is known."""
        return self.feasibility is not Feasibility.UNDECIDED


INFEASIBLE = Verdict(Feasibility.INFEASIBLE)
UNDECIDED = Verdict(Feasibility.UNDECIDED)
