"""Whether a matrix is one of a kernel: symmetric and positive semidefinite."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
from scipy.linalg import LinAlgError, cholesky, solve_triangular

from frugalsvm.data.result import MarginResult, Status
from frugalsvm.margin.arrays import Floats
from frugalsvm.margin.tuning import COLUMNS, ENTRIES, INDEFINITE, PRODUCTS
from frugalsvm.runtime.stopping import Stopper


def check_kernel(gram: Floats, stop: Stopper, *, semidefinite: bool = False) -> bool:
    """Raise ValueError unless the matrix is finite, symmetric and positive semidefinite.

    Parameters
    ----------
    gram : ndarray of shape (n, n)
        The matrix.
    stop : Stopper
        Time limit and interrupt.
    semidefinite : bool
        Whether all but the first is known.

    Returns
    -------
    bool
        False if `stop` has ended the check.
    """
    scale = max(float(np.abs(np.diag(gram)).max(initial=0.0)), np.finfo(float).tiny)
    size = max(1, ENTRIES // max(1, len(gram)))
    for at in range(0, len(gram), size):
        if stop():
            return False
        rows, columns = gram[at : at + size], gram[:, at : at + size].T
        if not np.isfinite(rows).all():
            raise ValueError("The kernel matrix holds NaN or infinite values.")
        if not semidefinite and np.abs(rows - columns).max(initial=0.0) > INDEFINITE * scale:
            raise ValueError("The kernel matrix is not symmetric, so it is no kernel's matrix.")
    if semidefinite:
        return True
    try:
        return _factorised(gram + np.diag(np.full(len(gram), INDEFINITE * scale)), stop)
    except LinAlgError as error:
        raise ValueError(
            "The kernel matrix is not positive semidefinite on these samples (the sigmoid kernel "
            "often is not), so the training problem is not convex and nothing could be proven. "
            "Choose other kernel parameters or another kernel."
        ) from error


def without_proof(result: MarginResult) -> MarginResult:
    """Return what is known if the matrix may be none of a kernel: the classifier, but no bound."""
    return replace(
        result,
        status=Status.FEASIBLE if result.has_answer else Status.UNKNOWN,
        bound=0.0,
        history=tuple(replace(step, bound=0.0) for step in result.history),
    )


def _factorised(A: Floats, stop: Stopper) -> bool:
    """Overwrite the matrix with its Cholesky factor; False if `stop` says so before."""
    n = len(A)
    for at in range(0, n, COLUMNS):
        end = min(at + COLUMNS, n)
        known = A[at:end, :at]
        corner = cholesky(A[at:end, at:end] - known @ known.T, lower=True, check_finite=False)
        size = max(1, int(PRODUCTS / (COLUMNS * max(1, at))))
        for row in range(end, n, size):
            if stop():
                return False
            rest = A[row : row + size, at:end] - A[row : row + size, :at] @ known.T
            A[row : row + size, at:end] = solve_triangular(
                corner, rest.T, lower=True, check_finite=False
            ).T
    return True
