"""Logistic regression without rate constraints: small, linear, and trained many times."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray
from scipy.special import expit

Floats = NDArray[np.float64]

MOST_STEPS, MOST_HALVINGS = 50, 30
FLAT = 1e-6
"""Newton's decrement, relative to the objective, at which the work ends: rates are counted."""
RIDGE = 1e-10  # on the intercept, so that Newton's matrix is never singular


def logistic_plane(Z: Floats, y: Floats, c: float) -> tuple[Floats, float]:
    """Minimise 1/2 ||w||^2 + c sum_i ln(1 + exp(-y_i (z_i'w + b))) by Newton's method.

    Parameters
    ----------
    Z : ndarray of shape (n_samples, n_features)
        Features.
    y : ndarray of shape (n_samples,)
        Labels +1 and -1.
    c : float
        The price of the losses.

    Returns
    -------
    tuple of ndarray and float
        Weights and intercept.

    Examples
    --------
    >>> weights, intercept = logistic_plane(np.array([[1.0], [-1.0]]), np.array([1.0, -1.0]), 1.0)
    >>> weights.round(2).tolist(), round(abs(intercept), 2)
    ([0.67], 0.0)
    """
    if Z.shape[1] > len(Z):  # the weights lie in the span of the samples
        axes = np.linalg.svd(Z, full_matrices=False)[2]
        weights, intercept = logistic_plane(Z @ axes.T, y, c)
        return weights @ axes, intercept
    A = y[:, np.newaxis] * np.column_stack((Z, np.ones(len(Z))))
    ridge = np.append(np.ones(Z.shape[1]), RIDGE)
    u = np.zeros(A.shape[1])
    for _ in range(MOST_STEPS):
        wrong = expit(-(A @ u))
        slope = ridge * u - c * (wrong @ A)
        curved = A * (c * wrong * (1 - wrong))[:, np.newaxis]
        step = np.linalg.solve(A.T @ curved + np.diag(ridge), slope)
        value, decrement = _objective(A, ridge, c, u), float(slope @ step)
        if decrement <= FLAT * value:
            break
        u = u - _length(A, ridge, c, u, step, value) * step
    return u[:-1], float(u[-1])


def _objective(A: Floats, ridge: Floats, c: float, u: Floats) -> float:
    return float(0.5 * (ridge * u) @ u + c * np.logaddexp(0.0, -(A @ u)).sum())


def _length(A: Floats, ridge: Floats, c: float, u: Floats, step: Floats, value: float) -> float:
    """Return the first of 1, 1/2, 1/4, ... with which the step lowers the objective."""
    length = 1.0
    for _ in range(MOST_HALVINGS):
        if _objective(A, ridge, c, u - length * step) < value:
            return length
        length /= 2
    return 0.0
