"""Wolfe's min-norm point, as a source of conflicts: samples that cannot all be right.

Let a_i = y_i (x_i, 1) on the support. If the convex hull of some a_i comes so close to the
origin that no hyperplane within the weights' box can give them all margin 1, they are in
conflict: for a point v = sum l_i a_i of the hull, all of them right would mean
1 <= sum l_i y_i (w'x_i + b) = (w, b)'v <= max_weight |v_x|_1 + |b| |v_b|, where b is bounded by
max_weight times the largest |x_i|_1 among them if both classes are there. (Samples of one class
are never in conflict: a great intercept gets them all right.) This is checked on the numbers
themselves, so a conflict never rests on a tolerance of the iterations. Wolfe's method finds such
a point with at most |S| + 2 samples, or the nearest point to the origin, whose direction
separates them all.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from frugalsvm.compiled import helper, kernel
from frugalsvm.search.fit import solve_spd
from frugalsvm.search.reduction import Floats, Ints

CONFLICT, SEPARATED, FAILED = 1, 2, 0

MAX_STEPS = 400
CONFLICT_MARGIN = 1.0 - 1e-6


class Hull(NamedTuple):
    """The samples on a support, the point of their hull that was reached, and room to work in.

    Attributes
    ----------
    rows : ndarray of shape (d + 1, n_samples)
        Column j holds y_j (x_j, 1).
    max_weight : float
        The box of the weights.
    usable : ndarray of int64 of shape (n_samples,)
        Zero for samples that may not be in a conflict.
    corral : ndarray of int64 of shape (d + 4,)
        The samples that the point is made of.
    v : ndarray of shape (d + 1,)
        The point; the separating direction if there is no conflict.
    scores : ndarray of shape (n_samples,)
        a_j'v.
    space : ndarray of shape (2 d + 10, d + 4)
        Room for weights and Gram matrices.
    """

    rows: Floats
    max_weight: float
    usable: Ints
    corral: Ints
    v: Floats
    scores: Floats
    space: Floats


@helper
def hull_of(rows: Floats, max_weight: float) -> Hull:
    """Return the hull of samples given as columns y_j (x_j, 1), none of them usable yet."""
    d, n = rows.shape[0] - 1, rows.shape[1]
    return Hull(
        rows,
        max_weight,
        np.zeros(n, np.int64),
        np.zeros(d + 4, np.int64),
        np.zeros(d + 1),
        np.empty(n),
        np.empty((2 * d + 10, d + 4)),
    )


@helper
def _affine_minimum(gram: Floats, m: int, mu: Floats, matrix: Floats) -> bool:
    """Return the weights of the min-norm point in the affine hull of the first m samples."""
    trace = 0.0
    for i in range(m):
        trace += gram[i, i]
    ridge = 1e-13 * trace + 1e-300
    for i in range(m):
        for j in range(i + 1):
            matrix[i, j] = gram[i, j] + 1.0
        matrix[i, i] += ridge
        mu[i] = 1.0
    if not solve_spd(matrix[:m, :m], mu[:m]):
        return False
    total = 0.0
    for i in range(m):
        total += mu[i]
    if not total > 0.0:
        return False
    for i in range(m):
        mu[i] /= total
    return True


@helper
def _remove(at: int, m: int, corral: Ints, lam: Floats, gram: Floats) -> None:
    """Take the sample at a place out of the corral of m."""
    for i in range(at, m - 1):
        corral[i] = corral[i + 1]
        lam[i] = lam[i + 1]
    for i in range(at, m - 1):
        for j in range(m):
            gram[i, j] = gram[i + 1, j]
    for j in range(at, m - 1):
        for i in range(m - 1):
            gram[i, j] = gram[i, j + 1]


@kernel
def _settle(m: int, corral: Ints, lam: Floats, gram: Floats, mu: Floats, matrix: Floats) -> int:
    """Wolfe's minor cycle: move to the affine minimum, dropping what gets a negative weight.

    Return the new size of the corral, 0 on numerical failure.
    """
    while True:
        if not _affine_minimum(gram, m, mu, matrix):
            return 0
        step, inside = 1.0, True
        for i in range(m):
            if mu[i] <= 1e-12:
                inside = False
                if lam[i] - mu[i] > 0.0:
                    step = min(step, lam[i] / (lam[i] - mu[i]))
        if inside:
            for i in range(m):
                lam[i] = mu[i]
            return m
        for i in range(m):
            lam[i] += step * (mu[i] - lam[i])
        kept = m
        for i in range(m - 1, -1, -1):
            if lam[i] <= 1e-12:
                _remove(i, kept, corral, lam, gram)
                kept -= 1
        if kept == m or kept == 0:
            return 0
        m = kept


@helper
def _is_conflict(hull: Hull, m: int, lam: Floats) -> bool:
    """Compute v = sum lam_i a_i and check that no hyperplane in the box gets all right."""
    rows, corral, v = hull.rows, hull.corral, hull.v
    d = len(v) - 1
    for k in range(d + 1):
        v[k] = 0.0
    reach, positive, negative = 0.0, False, False
    for i in range(m):
        length = 0.0
        for k in range(d):
            value = rows[k, corral[i]]
            v[k] += lam[i] * value
            length += abs(value)
        v[d] += lam[i] * rows[d, corral[i]]
        positive |= rows[d, corral[i]] > 0.0
        negative |= rows[d, corral[i]] < 0.0
        reach = max(reach, length)
    spread = 0.0
    for k in range(d):
        spread += abs(v[k])
    excess = hull.max_weight * (spread + reach * abs(v[d]))
    return bool(positive and negative and excess < CONFLICT_MARGIN)


@helper
def _most_wrong(hull: Hull, count: int) -> int:
    """Return the usable sample with the smallest a_j'v, -1 if there is none."""
    v, scores = hull.v, hull.scores
    d = len(v) - 1
    for j in range(count):
        scores[j] = v[d] * hull.rows[d, j]
    for k in range(d):
        row = hull.rows[k]
        factor = v[k]
        for j in range(count):
            scores[j] += factor * row[j]
    best, at = np.inf, -1
    for j in range(count):
        if scores[j] < best and hull.usable[j] > 0:
            best, at = scores[j], j
    return at


@helper
def _product(rows: Floats, i: int, j: int) -> float:
    """Return a_i'a_j."""
    total = 0.0
    for k in range(rows.shape[0]):
        total += rows[k, i] * rows[k, j]
    return total


@helper
def _begin(hull: Hull, count: int, m: int) -> int:
    """Keep what is usable of a corral of m, or begin one with a single sample; return its size."""
    corral, v = hull.corral, hull.v
    kept = 0
    for i in range(min(m, len(v) + 1)):
        if hull.usable[corral[i]] > 0:
            corral[kept] = corral[i]
            kept += 1
    if kept > 0:
        return kept
    for k in range(len(v)):
        v[k] = 0.0
    v[-1] = 1.0
    corral[0] = _most_wrong(hull, count)
    return 1 if corral[0] >= 0 else 0


@kernel
def find_conflict(hull: Hull, count: int, m: int) -> tuple[int, int]:
    """Look for a conflict among the first `count` samples, from a corral of m (may be 0).

    Returns
    -------
    outcome, m : int
        CONFLICT, SEPARATED or FAILED, and the size of the conflict, which is in the corral.
    """
    rows, corral, v = hull.rows, hull.corral, hull.v
    room = len(corral)
    lam, mu = hull.space[0], hull.space[1]
    gram, matrix = hull.space[2 : room + 2], hull.space[room + 2 : 2 * room + 2]
    m = _begin(hull, count, m)
    if m == 0:
        return SEPARATED, 0
    for i in range(m):
        lam[i] = 1.0 / m
        for j in range(i + 1):
            gram[i, j] = gram[j, i] = _product(rows, corral[i], corral[j])
    for _ in range(MAX_STEPS):
        m = _settle(m, corral, lam, gram, mu, matrix)
        if m == 0:
            return FAILED, 0
        if _is_conflict(hull, m, lam):
            return CONFLICT, m
        square = 0.0
        for k in range(len(v)):
            square += v[k] * v[k]
        j = _most_wrong(hull, count)
        if hull.scores[j] >= square * (1.0 - 1e-10):
            return SEPARATED, m
        for i in range(m):
            if corral[i] == j:
                return (SEPARATED if hull.scores[j] >= 0.5 * square else FAILED), m
        if m == room - 1:
            return FAILED, 0
        corral[m] = j
        lam[m] = 0.0
        for i in range(m + 1):
            gram[i, m] = gram[m, i] = _product(rows, corral[i], j)
        m += 1
    return FAILED, 0
