"""Sample weights that are whole numbers: so many rows of the same kind."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.utils import _safe_indexing, check_consistent_length
from sklearn.utils.validation import _check_sample_weight, _num_samples

MOST_ROWS = 10_000_000
"""Rows that weights may stand for: more would not fit into memory."""


def repeated_rows(X: Any, y: Any, sample_weight: Any, owner: str) -> tuple[Any, Any]:
    """Return the rows that weights stand for: a row of weight 3 is three rows, of 0 none.

    The rates count samples, so that only whole weights have one meaning. Searches merge equal
    rows again, so that weights cost no time.

    Examples
    --------
    >>> X, y = repeated_rows([[1.0], [2.0]], ["a", "b"], [2, 1], "FrugalSVC")
    >>> X, y
    ([[1.0], [1.0], [2.0]], ['a', 'a', 'b'])
    """
    if sample_weight is None or y is None:
        return X, y
    check_consistent_length(X, y)
    probe = np.empty((_num_samples(X), 0))
    weights = _check_sample_weight(sample_weight, probe, dtype=np.float64)
    counts = _whole(weights, owner)
    if (counts == 1).all():
        return X, y
    rows = np.repeat(np.arange(len(counts)), counts)
    return _safe_indexing(X, rows), _safe_indexing(y, rows)


def _whole(weights: NDArray[np.float64], owner: str) -> NDArray[np.intp]:
    odd = np.flatnonzero((weights < 0) | (weights != np.floor(weights)))
    if len(odd):
        raise ValueError(
            f"The 'sample_weight' of {owner}.fit must hold whole numbers >= 0: how many samples "
            f"each row stands for. Got {weights[odd[0]]:g} for row {odd[0]}. Rates count samples; "
            "to weigh errors, change 'min_tpr', 'min_tnr' or 'C'."
        )
    if weights.sum() > MOST_ROWS:
        raise ValueError(
            f"The 'sample_weight' of {owner}.fit must stand for at most {MOST_ROWS:,} samples. "
            f"Got {weights.sum():.0f}."
        )
    return weights.astype(np.intp)
