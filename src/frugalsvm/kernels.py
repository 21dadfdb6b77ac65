"""Kernel matrices by scikit-learn's names, by callables, or precomputed."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.metrics.pairwise import kernel_metrics, pairwise_kernels

from frugalsvm.parameters import Rule


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


def kernel_rule() -> Rule:
    """Return the rule for the `kernel` parameter."""
    names = sorted(set(kernel_metrics()) | {"precomputed"})
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
