"""A hash of training data, to tell later whether two models saw the same."""

from __future__ import annotations

import hashlib
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import issparse


def data_hash(X: Any, y: NDArray[Any]) -> str:
    """Return the SHA-256 of a matrix and its labels, in their order.

    A sparse matrix has a hash of its own, of its entries.

    Examples
    --------
    >>> import numpy as np
    >>> X, y = np.array([[1.0], [2.0]]), np.array(["ill", "well"])
    >>> data_hash(X, y) == data_hash(X.copy(), y.astype(object))
    True
    >>> data_hash(X, y) == data_hash(X[::-1], y)
    False
    """
    digest = hashlib.sha256(repr(X.shape).encode())
    for part in _parts(X):
        digest.update(np.ascontiguousarray(part).data)
    digest.update("\0".join(str(label) for label in y.tolist()).encode("utf-8", "surrogatepass"))
    return digest.hexdigest()


def _parts(X: Any) -> list[NDArray[Any]]:
    if not issparse(X):
        return [np.asarray(X, dtype=np.float64)]
    rows = X.tocsr(copy=True)
    rows.sum_duplicates()  # sorts, too
    kinds = (np.int64, np.int64, np.float64)
    parts = zip((rows.indptr, rows.indices, rows.data), kinds, strict=True)
    return [part.astype(kind) for part, kind in parts]
