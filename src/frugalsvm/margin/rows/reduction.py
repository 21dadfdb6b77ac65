"""The problem as the solvers see it: identical samples merged, limits as integer matrices."""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np

from frugalsvm.data.problem import MarginProblem
from frugalsvm.margin.arrays import Flags, Floats, Ints
from frugalsvm.margin.tuning import ENTRIES, FLAT_SPREAD, LARGE_MATRIX, MERGED_SHARE, MOST_PRODUCTS
from frugalsvm.runtime.stopping import Stopper


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
        Median of the rows' features: an outlier does not move it, and costs the others no digits.
    basis : ndarray of shape (n_given_features, n_features) or None
        Features are the given ones minus `center`, times this; None: the centred ones themselves.
    y, target, weight : ndarray of shape (n_rows,)
        Labels, required margins, and how many samples a row stands for.
    use : ndarray of shape (n_limits, n_rows)
        How much of a limit is used up if the row is wrong.
    caps : ndarray of shape (n_limits,)
        The limits.
    fixed : ndarray of bool of shape (n_rows,)
        Ints that hold without a slack whatever is chosen.
    group_of : ndarray of int of shape (n_samples,)
        The row of each sample.
    first : ndarray of int of shape (n_rows,)
        A sample of each row.
    n_groups : int
        How many rows stand for samples.
    """

    linear: bool
    Z: Floats
    K: Floats
    center: Floats
    y: Floats
    target: Floats
    weight: Floats
    use: Floats
    caps: Floats
    fixed: Flags
    group_of: Ints
    first: Ints
    n_groups: int
    basis: Floats | None = None

    @property
    def n_rows(self) -> int:
        """Number of rows."""
        return len(self.y)

    def soft_box(self, C: float) -> Floats:
        """Return each row's largest multiplier when it may have a slack."""
        return np.where(self.fixed, np.inf, C * self.weight)

    def given_weights(self, weights: Floats) -> Floats:
        """Return weights of the rows' features as weights of the given ones."""
        return weights if self.basis is None else np.asarray(self.basis @ weights)


def reduce(problem: MarginProblem, stop: Stopper, *, merge: bool = True) -> Reduced:
    """Return the problem's rows; C is left out, so all values of a path share them.

    Its kernel matrix is the problem's own unless many samples coincide; `stop` ends the look for
    those that do.
    """
    members = np.array([limit.members for limit in problem.limits], dtype=bool)
    members = members.reshape(len(problem.limits), len(problem.positive))
    first, group_of = (
        _groups(problem, members, stop) if merge else _no_groups(len(problem.positive))
    )
    weight = np.bincount(group_of, minlength=len(first)).astype(np.float64)
    use = np.ascontiguousarray(members[:, first] * weight)
    caps = np.array([float(limit.max_errors) for limit in problem.limits])
    y = problem.y[first]
    linear = problem.features is not None
    if problem.features is not None:
        Z, K = problem.features[first].astype(np.float64), np.empty((0, 0))
    else:
        gram = np.asarray(problem.gram, dtype=np.float64)
        whole = len(first) == len(gram)
        Z, K = np.empty((len(first), 0)), gram if whole else gram[np.ix_(first, first)]
    center = np.median(Z, axis=0) if len(Z) else np.zeros(Z.shape[1])
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
        first=first,
        n_groups=len(first),
    )
    return reduced if problem.max_slack is None else _with_slack_bound(reduced, problem.max_slack)


def _no_groups(n: int) -> tuple[Ints, Ints]:
    return np.arange(n), np.arange(n)


def _groups(problem: MarginProblem, members: Flags, stop: Stopper) -> tuple[Ints, Ints]:
    """Return a representative of each group of interchangeable samples, and each one's group."""
    labels = np.vstack([problem.positive, members]).T.astype(np.float64)
    if stop():
        return _no_groups(len(labels))
    if problem.features is not None:
        where = problem.features
    else:
        where = _coincidence(np.asarray(problem.gram), stop)[:, None].astype(np.float64)
    keys = np.hstack([labels, where]) + 0.0  # minus zero and zero are the same value
    if _all_differ(keys):
        return _no_groups(len(keys))
    _, first, group_of = np.unique(keys, axis=0, return_index=True, return_inverse=True)
    if (
        problem.gram is not None
        and len(keys) > LARGE_MATRIX
        and len(first) > MERGED_SHARE * len(keys)
    ):
        return _no_groups(len(keys))
    # Groups in the order of their first samples: rows keep the order of the data.
    order = np.argsort(first)
    rank = np.empty_like(order)
    rank[order] = np.arange(len(order))
    return first[order].astype(np.int64), rank[group_of.reshape(-1)].astype(np.int64)


def _all_differ(keys: Floats) -> bool:
    """Return True if one number for each row shows that no two are equal; it is much faster."""
    weights = np.random.default_rng(0).normal(size=keys.shape[1])
    return len(np.unique((keys * weights).sum(axis=1))) == len(keys)


def _coincidence(gram: Floats, stop: Stopper) -> Ints:
    """Return for each sample the first sample with the same row of the kernel matrix.

    Ints that differ in a last digit may be two places: they are not merged. Those that there was
    no time to look at are taken for places of their own, which changes no answer.
    """
    weights = np.random.default_rng(0).normal(size=len(gram))
    marks = np.full(len(gram), np.nan)
    size = max(1, ENTRIES // max(1, len(gram)))
    for at in range(0, len(gram), size):
        if stop():
            break
        marks[at : at + size] = (gram[at : at + size] * weights).sum(axis=1)
    first = np.arange(len(gram))
    seen: dict[float, int] = {}
    for i, mark in enumerate(marks.tolist()):
        j = seen.setdefault(mark, i)
        if j != i and np.array_equal(gram[i], gram[j]):
            first[i] = j
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
        first=np.tile(rows.first, 2),
        n_groups=m,
    )


def evened(rows: Reduced) -> Reduced:
    """Return the rows with features of unit size that do not correlate.

    Which rows can hold together does not depend on it: a linear map of the features that keeps
    their rank keeps the classifiers. It changes their norm only, and the rounding errors.
    """
    if not rows.linear or rows.Z.shape[1] == 0:
        return rows
    size = np.abs(rows.Z)
    typical = np.array([np.median(c[c > 0.0]) if c.any() else 1.0 for c in size.T])
    scaled = rows.Z / typical
    if rows.n_rows * rows.Z.shape[1] ** 2 > MOST_PRODUCTS:
        return replace(rows, Z=np.ascontiguousarray(scaled), basis=np.diag(1.0 / typical))
    scaled /= np.maximum(1.0, np.linalg.norm(scaled, axis=1))[:, None]  # outliers decide nothing
    _, spread, directions = np.linalg.svd(scaled, full_matrices=False)
    kept = spread > FLAT_SPREAD * spread[0]
    if not kept.any():
        return rows
    basis = (directions[kept] / spread[kept, None]).T * np.sqrt(rows.n_rows) / typical[:, None]
    return replace(rows, Z=np.ascontiguousarray(rows.Z @ basis), basis=basis)
