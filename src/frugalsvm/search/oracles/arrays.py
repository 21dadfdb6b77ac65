"""What the kernels read of a problem, made once."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from frugalsvm.search.problem.reduction import Floats, Ints


class Arrays(NamedTuple):
    """A problem as the kernels read it.

    Attributes
    ----------
    columns, n_pos, weight, budgets, needs, max_weight, floor
        As in :class:`~frugalsvm.search.problem.reduction.CoreProblem`; budgets and needs as pairs.
    codes, counts : ndarray
        The discrete columns as codes, see :class:`~frugalsvm.search.oracles.coincidence.Levels`.
    orders : ndarray of int64 of shape (n_features, n_samples), or empty
        The samples by ascending value of each column, if there are discrete columns.
    signed : ndarray of shape (n_features, n_samples), or empty
        y_i x_i with the samples from the hardest to the easiest, as conflicts are among the hard
        ones; made only if the budgets are small enough for conflicts.
    side, mass : ndarray of int64 of shape (n_samples,)
        The samples' classes (0 positive, 1 negative) and weights in that order.
    halt : ndarray of one int64
        Nonzero asks running kernels to leave the rest undecided.
    """

    columns: Floats
    n_pos: int
    weight: Ints
    budgets: Ints
    needs: Ints
    max_weight: float
    floor: float
    codes: NDArray[np.int16]
    counts: Ints
    orders: Ints
    signed: Floats
    side: Ints
    mass: Ints
    halt: Ints
