"""The problem as the solvers see it: identical samples merged, limits as integer matrices."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from scipy.linalg import LinAlgError, cholesky

from frugalsvm.problem import MarginProblem

Vector = NDArray[np.float64]

SAME = 1e-12
"""Rows of a kernel matrix that differ by less, relative to its diagonal, are one sample."""

INDEFINITE = 1e-8
"""Eigenvalues below minus this times the largest diagonal entry are no rounding errors."""


@dataclass(frozen=True)
class Reduced:
    """Weighted rows y f(x) >= target - xi, some of which must hold without a slack.

    The first `n_groups` rows are the merged samples. With a bound M on every slack, as many
    rows follow that demand y f(x) >= 1 - M of the same samples.

    Attributes
    ----------
    linear : bool
        Whether `Z` holds features (then `K` is empty) or `K` a kernel matrix (then `Z` is empty).
    Z, K : ndarray
        Features minus `center`, of shape (n_rows, n_features); kernel matrix of shape
        (n_rows, n_rows). The intercept is free, so centring changes numbers only.
    center : ndarray of shape (n_features,)
        Mean of the rows' features.
    y, target, weight : ndarray of shape (n_rows,)
        Labels, required margins, and how many samples a row stands for.
    use : ndarray of shape (n_limits, n_rows)
        How much of a limit is used up if the row is wrong.
    caps : ndarray of shape (n_limits,)
        The limits.
    fixed : ndarray of bool of shape (n_rows,)
        Rows that hold without a slack whatever is chosen.
    group_of : ndarray of int of shape (n_samples,)
        The row of each sample.
    n_groups : int
        How many rows stand for samples.
    """

    linear: bool
    Z: Vector
    K: Vector
    center: Vector
    y: Vector
    target: Vector
    weight: Vector
    use: Vector
    caps: Vector
    fixed: NDArray[np.bool_]
    group_of: NDArray[np.int64]
    n_groups: int

    @property
    def n_rows(self) -> int:
        """Number of rows."""
        return len(self.y)

    def soft_box(self, C: float) -> Vector:
        """Return each row's largest multiplier when it may have a slack."""
        return np.where(self.fixed, np.inf, C * self.weight)


def reduce(problem: MarginProblem, *, merge: bool = True) -> Reduced:
    """Return the problem's rows; C is left out, so all values of a path share them.

    Raises
    ------
    ValueError
        If the kernel matrix is not symmetric positive semidefinite: the problem would not be
        convex even for known wrong samples, and no bound would hold.
    """
    members = np.array([limit.members for limit in problem.limits], dtype=bool)
    members = members.reshape(len(problem.limits), len(problem.positive))
    if problem.gram is not None:
        check_kernel(problem.gram)
    first, group_of = _groups(problem, members) if merge else _no_groups(len(problem.positive))
    weight = np.bincount(group_of, minlength=len(first)).astype(np.float64)
    use = np.ascontiguousarray(members[:, first] * weight)
    caps = np.array([float(limit.max_errors) for limit in problem.limits])
    y = problem.y[first]
    linear = problem.features is not None
    if problem.features is not None:
        Z, K = problem.features[first].astype(np.float64), np.empty((0, 0))
    else:
        gram = np.asarray(problem.gram, dtype=np.float64)
        Z, K = np.empty((len(first), 0)), gram[np.ix_(first, first)]
    center = Z.mean(axis=0)
    free = ~members[:, first].any(axis=0)
    fixed = np.asarray((use > caps[:, None]).any(axis=0) & ~free)
    reduced = Reduced(
        linear=linear,
        Z=np.ascontiguousarray(Z - center),
        K=np.ascontiguousarray(K),
        center=center,
        y=y,
        target=np.ones(len(first)),
        weight=weight,
        use=use,
        caps=caps,
        fixed=fixed,
        group_of=group_of,
        n_groups=len(first),
    )
    return reduced if problem.max_slack is None else _with_slack_bound(reduced, problem.max_slack)


def check_kernel(gram: Vector) -> None:
    """Raise ValueError unless the matrix is finite, symmetric and positive semidefinite."""
    if not np.isfinite(gram).all():
        raise ValueError("The kernel matrix holds NaN or infinite values.")
    scale = max(float(np.abs(np.diag(gram)).max(initial=0.0)), np.finfo(float).tiny)
    if np.abs(gram - gram.T).max(initial=0.0) > INDEFINITE * scale:
        raise ValueError("The kernel matrix is not symmetric, so it is no kernel's matrix.")
    shifted = gram + INDEFINITE * scale * np.eye(len(gram))
    try:
        cholesky(shifted, lower=True, check_finite=False)
    except LinAlgError as error:
        raise ValueError(
            "The kernel matrix is not positive semidefinite on these samples (the sigmoid kernel "
            "often is not), so the training problem is not convex and nothing could be proven. "
            "Choose other kernel parameters or another kernel."
        ) from error


def _no_groups(n: int) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    return np.arange(n), np.arange(n)


def _groups(
    problem: MarginProblem, members: NDArray[np.bool_]
) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """Return a representative of each group of interchangeable samples, and each one's group."""
    labels = np.vstack([problem.positive, members]).T.astype(np.float64)
    if problem.features is not None:
        where = problem.features
    else:
        where = _coincidence(np.asarray(problem.gram))[:, None].astype(np.float64)
    keys = np.hstack([labels, where]) + 0.0  # minus zero and zero are the same value
    _, first, group_of = np.unique(keys, axis=0, return_index=True, return_inverse=True)
    # Groups in the order of their first samples: rows keep the order of the data.
    order = np.argsort(first)
    rank = np.empty_like(order)
    rank[order] = np.arange(len(order))
    return first[order].astype(np.int64), rank[group_of.reshape(-1)].astype(np.int64)


def _coincidence(gram: Vector) -> NDArray[np.int64]:
    """Return for each sample the first sample at the same place of the kernel's space."""
    diagonal = np.diag(gram)
    tolerance = SAME * max(float(np.abs(diagonal).max(initial=0.0)), np.finfo(float).tiny)
    first = np.arange(len(gram))
    near = np.abs(diagonal[:, None] + diagonal[None, :] - 2.0 * gram) <= tolerance
    for i in np.flatnonzero(np.tril(near, -1).any(axis=1)):
        for j in np.flatnonzero(near[i, :i]):
            if first[j] == j and np.abs(gram[i] - gram[j]).max() <= tolerance:
                first[i] = j
                break
    return first


def _with_slack_bound(rows: Reduced, max_slack: float) -> Reduced:
    """Append y f(x) >= 1 - max_slack for every row."""
    m = rows.n_groups
    return Reduced(
        linear=rows.linear,
        Z=np.vstack([rows.Z, rows.Z]),
        K=np.tile(rows.K, (2, 2)),
        center=rows.center,
        y=np.tile(rows.y, 2),
        target=np.concatenate([np.ones(m), np.full(m, 1.0 - max_slack)]),
        weight=np.concatenate([rows.weight, np.zeros(m)]),
        use=np.hstack([rows.use, np.zeros_like(rows.use)]),
        caps=rows.caps,
        fixed=np.concatenate([rows.fixed, np.ones(m, dtype=bool)]),
        group_of=rows.group_of,
        n_groups=m,
    )
