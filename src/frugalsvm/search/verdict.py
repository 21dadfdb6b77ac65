"""What an oracle knows about a set of features: one type, and its codes for compiled kernels."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

FEASIBLE, INFEASIBLE, UNDECIDED = 1, -1, 0
"""The codes, as kernels write them."""


@dataclass(frozen=True, eq=False)
class Verdict:
    """An oracle's word on a support; a feasible one comes with its direction.

    Attributes
    ----------
    code : int
        FEASIBLE, INFEASIBLE or UNDECIDED.
    direction : ndarray of shape (n_core_features,) or None
        For a feasible support: any w with gap(w) >= floor * max |w_k|, zero outside of it.
    """

    code: int
    direction: NDArray[np.float64] | None = None

    @property
    def infeasible(self) -> bool:
        """True if no hyperplane on the support meets the budgets."""
        return self.code == INFEASIBLE

    @property
    def feasible(self) -> bool:
        """True if a hyperplane on the support meets the budgets."""
        return self.code == FEASIBLE

    @property
    def decided(self) -> bool:
        """True if either is known."""
        return self.code != UNDECIDED

    def on(self, support: NDArray[np.int64], n_features: int) -> Verdict:
        """Return a verdict on the features of a support alone as one on all features."""
        if self.direction is None:
            return self
        direction = np.zeros(n_features)
        direction[support] = self.direction
        return Verdict(self.code, direction)


RULED_OUT = Verdict(INFEASIBLE)
OPEN = Verdict(UNDECIDED)
