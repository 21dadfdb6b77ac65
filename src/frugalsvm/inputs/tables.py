"""Tables that may be sparse, and the dense parts of them that are needed."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import issparse

BLOCK, NARROWEST = 4_000_000, 8
"""Numbers that are looked at together, and columns at the least: a line of the cache."""


def dense_part(X: Any, rows: Any = slice(None), columns: Any = slice(None)) -> NDArray[np.float64]:
    """Return some rows or columns of a table as an ordinary array.

    Examples
    --------
    >>> from scipy.sparse import csr_array
    >>> dense_part(csr_array(([1.0], ([0], [2])), shape=(2, 3)), columns=[0, 2]).tolist()
    [[0.0, 1.0], [0.0, 0.0]]
    """
    part = X[rows][:, columns]
    dense: NDArray[np.float64] = part.toarray() if issparse(part) else part
    return dense


def column_blocks(n_samples: int, n_features: int) -> Iterator[slice]:
    """Yield the columns of a table in blocks small enough for a copy or two."""
    step = max(NARROWEST, BLOCK // max(1, n_samples))
    for start in range(0, n_features, step):
        yield slice(start, min(start + step, n_features))


def column_ranges(X: Any) -> list[tuple[float, float]]:
    """Return the least and the greatest value of each column."""
    low, high = X.min(axis=0), X.max(axis=0)
    if issparse(X):
        low, high = low.toarray().ravel(), high.toarray().ravel()
    return list(zip(low.tolist(), high.tolist(), strict=True))
