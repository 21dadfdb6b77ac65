"""Kernel matrices written out."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float64]


def settled_gamma(gamma: Any, X: Floats) -> float:
    """Return gamma as a number: "scale" is 1 / (d var X), "auto" is 1 / d."""
    if gamma == "scale":
        variance = float(np.mean((X - X.mean()) ** 2))
        return 1.0 / (X.shape[1] * variance) if variance > 0 else 1.0
    return 1.0 / X.shape[1] if gamma == "auto" else float(gamma)


def gram(X: Floats, kernel: str, gamma: float, degree: int, coef0: float) -> Floats:
    """Return the kernel matrix of the rows of `X`."""
    if kernel == "precomputed":
        return (X + X.T) / 2
    inner = X @ X.T
    apart = X[:, np.newaxis, :] - X[np.newaxis, :, :]
    if kernel == "linear":
        return inner
    if kernel == "rbf":
        return np.asarray(np.exp(-gamma * (apart**2).sum(axis=2)))
    if kernel == "laplacian":
        return np.asarray(np.exp(-gamma * np.abs(apart).sum(axis=2)))
    if kernel in ("poly", "polynomial"):
        return np.asarray((gamma * inner + coef0) ** degree)
    if kernel == "cosine":
        length = np.sqrt((X**2).sum(axis=1))
        unit = X / np.where(length > 0, length, 1.0)[:, np.newaxis]
        return np.asarray(unit @ unit.T)
    raise ValueError(f"no such kernel here: {kernel!r}")
