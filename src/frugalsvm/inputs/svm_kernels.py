"""Kernel matrices by scikit-learn's names, by callables, or precomputed."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.spatial.distance import cdist
from sklearn.metrics.pairwise import kernel_metrics, pairwise_kernels

from frugalsvm.inputs.parameters import Rule
from frugalsvm.runtime.stopping import Stopper

BLOCK = 2**21
"""Entries of a kernel matrix that are computed between two looks at the clock."""

PROBE, MOST_TIME = 0.3, 0.8
"""Seconds after which it is clear how long a matrix takes, and the share of the time left that it
may take."""


@dataclass(frozen=True)
class Kernel:
    """K(x, x') with its parameters settled on the training data.

    Attributes
    ----------
    kind : str or callable
        "linear", "precomputed", any name of scikit-learn's ``pairwise_kernels``, or a callable
        that gets two matrices and returns their kernel matrix, as ``SVC`` takes it.
    gamma, degree, coef0 : float
        Parameters of the named kernels; gamma is a number by now.
    """

    kind: str | Callable[[Any, Any], Any]
    gamma: float
    degree: float
    coef0: float

    @property
    def linear(self) -> bool:
        """True if the kernel is the plain inner product."""
        return self.kind == "linear"

    @property
    def precomputed(self) -> bool:
        """True if X is the kernel matrix itself."""
        return self.kind == "precomputed"

    def matrix(self, A: NDArray[np.float64], B: NDArray[np.float64]) -> NDArray[np.float64]:
        """Return K(a, b) for the rows a of `A` and b of `B`."""
        if callable(self.kind):
            K = np.asarray(self.kind(A, B), dtype=np.float64)
            if K.shape != (len(A), len(B)):
                raise ValueError(
                    "The 'kernel' callable must return a matrix with one row per row of its first "
                    f"argument and one column per row of its second, {(len(A), len(B))}. "
                    f"Got shape {K.shape}."
                )
            return K
        if self.kind == "rbf":
            # From differences, not from squares as scikit-learn does: no digits are lost, and a
            # pair has the same value in training and in prediction, whatever stands beside it.
            distance = cdist(A, B, "sqeuclidean")
            distance *= -self.gamma
            return np.asarray(np.exp(distance, out=distance))
        K = pairwise_kernels(
            A,
            B,
            metric=self.kind,
            filter_params=True,
            gamma=self.gamma,
            degree=self.degree,
            coef0=self.coef0,
        )
        return np.ascontiguousarray(K, dtype=np.float64)

    def scores(
        self, A: NDArray[np.float64], B: NDArray[np.float64], dual: NDArray[np.float64]
    ) -> NDArray[np.float64]:
        """Return sum_j dual_j K(a, b_j) for the rows a of `A`, without holding all of K."""
        if len(B) == 0:
            return np.zeros(len(A))
        size = len(A) if callable(self.kind) else max(1, BLOCK // len(B))
        parts = [self.matrix(A[at : at + size], B) @ dual for at in range(0, len(A), size)]
        return np.concatenate(parts) if parts else np.zeros(0)

    def gram(self, Z: NDArray[np.float64], stop: Stopper) -> NDArray[np.float64] | None:
        """Return the symmetric K(z, z') of all rows of `Z`; None if there is no time for it.

        Rows that are equal have equal rows of the matrix, to the last bit: with both labels they
        are a proof, which a rounding error would hide.
        """
        n = len(Z)
        if callable(self.kind):
            return symmetric(self.matrix(Z, Z), stop)
        K = np.empty((n, n))
        size = max(1, BLOCK // max(1, n))
        begun = stop.elapsed
        for at in range(0, n, size):
            if stop() or _hopeless(stop, begun, at / n):
                return None
            end = min(at + size, n)
            part = self.matrix(Z[at:end], Z[at:])
            part[:, : end - at] = 0.5 * (part[:, : end - at] + part[:, : end - at].T)
            K[at:end, at:] = part
            K[at:end, :at] = K[:at, at:end].T  # read from there, written row by row: memory as used
        return K if _equate(K, Z, size, stop) else None

    @property
    def semidefinite(self) -> bool:
        """True if theory says that every matrix of this kernel is positive semidefinite."""
        if self.kind in ("poly", "polynomial"):
            return self.gamma > 0 and self.coef0 >= 0 and self.degree == int(self.degree)
        return self.kind in ("linear", "rbf", "laplacian", "cosine", "chi2")


def _hopeless(stop: Stopper, begun: float, rows: float) -> bool:
    """Return True if, by what a share of the rows took, all of them would leave no time."""
    spent = stop.elapsed - begun
    entries = 1.0 - (1.0 - rows) ** 2  # half of the matrix is computed, the long rows first
    return spent > PROBE and spent * (1.0 / entries - 1.0) > MOST_TIME * stop.remaining


def symmetric(K: NDArray[np.float64], stop: Stopper) -> NDArray[np.float64] | None:
    """Return (K + K') / 2, `K` itself if it is symmetric; None if `stop` says so before."""
    n = len(K)
    size = max(1, BLOCK // max(1, n))
    result = np.ascontiguousarray(K)
    for at in range(0, n, size):
        if stop():
            return None
        rows, columns = K[at : at + size], K[:, at : at + size].T
        if not np.array_equal(rows, columns):
            if result is K or np.shares_memory(result, K):
                result = np.array(K)
            result[at : at + size] = 0.5 * (rows + columns)
    return result


def _equate(K: NDArray[np.float64], Z: NDArray[np.float64], size: int, stop: Stopper) -> bool:
    """Give equal rows of `Z` equal rows and columns of `K`; False if `stop` says so before."""
    _, first, place = np.unique(Z, axis=0, return_index=True, return_inverse=True)
    first = first[place.reshape(-1)]
    again = np.flatnonzero(first != np.arange(len(Z)))
    for at in range(0, len(Z) if len(again) else 0, size):
        if stop():
            return False
        K[at : at + size, again] = K[at : at + size, first[again]]
    for at in range(0, len(again), size):
        if stop():
            return False
        K[again[at : at + size]] = K[first[again[at : at + size]]]
    return True


AUTO = "auto"
"""Where the kernel is to be chosen: linear where that will do."""


def kernel_rule(*more: str) -> Rule:
    """Return the rule for the `kernel` parameter, which may have some more names."""
    names = sorted({*kernel_metrics(), "precomputed", *more})
    return (
        f"callable or one of {', '.join(map(repr, names))}",
        lambda v: callable(v) or (isinstance(v, str) and v in names),
    )


def settle_gamma(gamma: str | float, X: NDArray[np.float64]) -> float:
    """Return gamma as a number, with the meanings that scikit-learn's SVC gives its names."""
    if gamma == "scale":
        variance = float(X.var())
        return 1.0 / (X.shape[1] * variance) if variance > 0 else 1.0
    if gamma == "auto":
        return 1.0 / int(X.shape[1])
    return float(gamma)
