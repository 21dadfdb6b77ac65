"""Which samples coincide on some features, from the ranks of their values."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float64]
Ints = NDArray[np.int64]

LARGEST_KEY = 1 << 40  # above, the keys are numbered anew


class Ranks:
    """The ranks of the values within their columns, made when they are first asked for.

    Parameters
    ----------
    columns : ndarray of shape (n_features, n_samples)
        One row per feature.
    """

    def __init__(self, columns: Floats) -> None:
        self._columns = columns
        self._known: dict[int, tuple[Ints, int]] = {}

    def keys(self, support: Ints) -> Ints:
        """Return numbers, equal for samples that coincide and ordered as their values are.

        Examples
        --------
        >>> columns = np.array([[0.5, -1.0, 0.5, 0.5], [2.0, 3.0, 1.0, 2.0]])
        >>> Ranks(columns).keys(np.array([0, 1]))
        array([4, 2, 3, 4])
        """
        keys = np.zeros(self._columns.shape[1], dtype=np.int64)
        largest = 1
        for k in support:
            ranks, levels = self._of(int(k))
            keys = keys * levels + ranks
            largest *= levels
            if largest > LARGEST_KEY:
                distinct, keys = np.unique(keys, return_inverse=True)
                largest = len(distinct)
        return keys

    def _of(self, feature: int) -> tuple[Ints, int]:
        """Return the ranks of a feature, and how many there are."""
        if feature not in self._known:
            distinct, ranks = np.unique(self._columns[feature], return_inverse=True)
            self._known[feature] = ranks.astype(np.int64), len(distinct)
        return self._known[feature]
