"""Wolfe's min-norm point, as a source of conflicts: samples that cannot all be right.

Let a_i = y_i (x_i, 1) on the support. If the convex hull of some a_i comes so close to the
origin that no hyperplane within the weights' box can give them all margin 1, they are in
conflict: for a point v = sum l_i a_i of the hull, all of them right would mean
1 <= sum l_i y_i (w'x_i + b) = (w, b)'v <= max_weight |v_x|_1 + |b| |v_b|, where b is bounded by
max_weight times the largest |x_i|_1 among them if both classes are there. (Samples of one class
are never in conflict: a great intercept gets them all right.) This is checked on the numbers
themselves, with what rounding may hide in their sums, so a conflict never rests on a tolerance of
the iterations. Wolfe's method finds such
a point with at most |S| + 2 samples, or the nearest point to the origin, whose direction
separates them all.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from frugalsvm.runtime.compiled import helper, kernel, variable, without_nan
from frugalsvm.search.problem.reduction import Floats, Ints

CONFLICT, SEPARATED, FAILED = 1, 2, 0

MAX_STEPS = 400
CONFLICT_MARGIN = 1.0 - 1e-6
UNIT = 2.3e-16  # relative rounding of one operation, and a little more
RIDGE = 1e-12  # relative, on the diagonal of Gram matrices
LEAST = 1e-12  # weights of samples in the corral

USABLE, BARRED = 0.0, np.inf


class Hull(NamedTuple):
    """The samples on a support, the point of their hull that was reached, and room to work in.

    Attributes
    ----------
    rows : ndarray of shape (d + 1, n_samples)
        Column j holds y_j (x_j, 1), in units of its rows.
    units : ndarray of shape (d + 1,)
        What a 1 in each row stands for. The nearest point is the nearest in these units; what is a
        conflict does not depend on them.
    max_weight : float
        The box of the weights.
    barred : ndarray of shape (n_samples,)
        USABLE, or BARRED for samples that may not be in a conflict; added to the scores.
    corral : ndarray of int64 of shape (d + 4,)
        The samples that the point is made of.
    lam : ndarray of shape (d + 4,)
        Their weights.
    v : ndarray of shape (d + 1,)
        The point; the separating direction if there is no conflict.
    scores : ndarray of shape (n_samples,)
        a_j'v.
    gram, factor : ndarray of shape (d + 4, d + 4)
        a_i'a_j in the corral, below the diagonal; and the Cholesky factor of 1 + a_i'a_j, with
        the reciprocals of its diagonal.
    mu, halfway : ndarray of shape (d + 4,)
        The weights of the affine minimum, and the solution of the factor's first system.
    """

    rows: Floats
    units: Floats
    max_weight: float
    barred: Floats
    corral: Ints
    lam: Floats
    v: Floats
    scores: Floats
    gram: Floats
    factor: Floats
    mu: Floats
    halfway: Floats


@helper
def hull_of(rows: Floats, max_weight: float) -> Hull:
    """Return the hull of samples given as columns y_j (x_j, 1), none of them usable yet."""
    room, n = rows.shape[0] + 3, rows.shape[1]
    return Hull(
        rows,
        np.ones(rows.shape[0]),
        max_weight,
        np.full(n, BARRED),
        np.zeros(room, np.int64),
        np.zeros(room),
        np.zeros(room - 3),
        np.empty(n),
        np.empty((room, room)),
        np.empty((room, room)),
        np.empty(room),
        np.empty(room),
    )


@helper
def _affine_minimum(hull: Hull, m: int, known: int) -> bool:
    """Compute the weights of the min-norm point in the affine hull of the corral of m.

    They solve a system with the matrix 1 + a_i'a_j. The first `known` rows of its factor are
    right already: samples come and go at the end more often than not.
    """
    factor, halfway, mu = hull.factor, hull.halfway, hull.mu
    for i in range(known, m):
        row = factor[i]
        square, first = 1.0 + (1.0 + RIDGE) * hull.gram[i, i], 1.0
        for j in range(i):
            other = factor[j]
            total = 1.0 + hull.gram[i, j]
            for k in range(j):
                total -= row[k] * other[k]
            total *= other[j]
            row[j] = total
            square -= total * total
            first -= total * halfway[j]
        if square <= 1e-14:
            return False
        row[i] = 1.0 / np.sqrt(square)
        halfway[i] = first * row[i]
    for i in range(m):
        mu[i] = halfway[i]
    for i in range(m - 1, -1, -1):
        row = factor[i]
        mu[i] *= row[i]
        for k in range(i):
            mu[k] -= row[k] * mu[i]
    total = 0.0
    for i in range(m):
        total += mu[i]
    if not total > 0.0:
        return False
    for i in range(m):
        mu[i] /= total
    return True


@helper
def _remove(hull: Hull, at: int, m: int) -> None:
    """Take the sample at a place out of the corral of m."""
    corral, lam, gram = hull.corral, hull.lam, hull.gram
    for i in range(at, m - 1):
        corral[i] = corral[i + 1]
        lam[i] = lam[i + 1]
        for j in range(at):
            gram[i, j] = gram[i + 1, j]
        for j in range(at, i + 1):
            gram[i, j] = gram[i + 1, j + 1]


@helper
def _append(hull: Hull, m: int, sample: int) -> None:
    """Add a sample to the corral of m, without weight."""
    rows, corral = hull.rows, hull.corral
    corral[m] = sample
    hull.lam[m] = 0.0
    for i in range(m + 1):
        total = 0.0
        for k in range(rows.shape[0]):
            total += rows[k, corral[i]] * rows[k, sample]
        hull.gram[m, i] = total


@helper
def _settle(hull: Hull, m: int, known: int) -> int:
    """Wolfe's minor cycle: move to the affine minimum, dropping what gets a negative weight.

    Return the new size of the corral, 0 on numerical failure.
    """
    lam, mu = hull.lam, hull.mu
    while True:
        if not _affine_minimum(hull, m, known):
            return 0
        step, inside = 1.0, True
        for i in range(m):
            if mu[i] <= LEAST:
                inside = False
                if lam[i] - mu[i] > 0.0:
                    step = min(step, lam[i] / (lam[i] - mu[i]))
        if inside:
            for i in range(m):
                lam[i] = mu[i]
            return m
        for i in range(m):
            lam[i] += step * (mu[i] - lam[i])
        kept, known = m, m
        for i in range(m - 1, -1, -1):
            if lam[i] <= LEAST:
                _remove(hull, i, kept)
                kept -= 1
                known = i
        if kept == m or kept == 0:
            return 0
        m = kept


@helper
def is_conflict(hull: Hull, m: int) -> bool:
    """Compute v = sum lam_i a_i and check that no hyperplane in the box gets all right."""
    rows, corral, lam, v = hull.rows, hull.corral, hull.lam, hull.v
    d, units = len(v) - 1, hull.units
    for k in range(d + 1):
        v[k] = 0.0
    reach, positive, negative = 0.0, False, False
    for i in range(m):
        length = 0.0
        for k in range(d):
            value = rows[k, corral[i]]
            v[k] += lam[i] * value
            length += abs(value) * units[k]
        v[d] += lam[i] * rows[d, corral[i]]
        positive |= rows[d, corral[i]] > 0.0
        negative |= rows[d, corral[i]] < 0.0
        reach = max(reach, length)
    spread = 0.0
    for k in range(d):
        spread += abs(v[k]) * units[k]
    hidden = UNIT * (m + 1) * reach  # of both terms: the weights sum to 1
    excess = hull.max_weight * (spread + reach * abs(v[d]) * units[d] + hidden)
    return bool(positive and negative and excess < CONFLICT_MARGIN)


@without_nan
def _smallest(values: Floats, count: int) -> float:
    """Return the smallest of the first values."""
    least = np.inf
    for j in range(count):
        least = min(least, values[j])
    return least


@helper
def _most_wrong(hull: Hull, count: int) -> int:
    """Return the usable sample with the smallest a_j'v, -1 if there is none."""
    v, scores = hull.v, hull.scores
    d = len(v) - 1
    for j in range(count):
        scores[j] = v[d] * hull.rows[d, j] + hull.barred[j]
    for k in range(d):
        row = hull.rows[k]
        factor = v[k]
        for j in range(count):
            scores[j] += factor * row[j]
    least = _smallest(scores, count)
    if least < np.inf:
        for j in range(count):
            if scores[j] == least:
                return j
    return -1


@helper
def _begin(hull: Hull, count: int, m: int) -> int:
    """Keep what is usable of a corral of m, or begin one with a single sample; return its size."""
    corral, lam, v = hull.corral, hull.lam, hull.v
    kept: int = variable(0)
    total = 0.0
    for i in range(min(m, len(v) + 1)):
        if hull.barred[corral[i]] == USABLE:
            sample, weight = corral[i], lam[i]
            _append(hull, kept, sample)
            lam[kept] = weight
            total += weight
            kept += 1
    if kept > 0:
        for i in range(kept):
            lam[i] /= total
        return kept
    for k in range(len(v)):
        v[k] = 0.0
    v[-1] = 1.0
    sample = _most_wrong(hull, count)
    if sample < 0:
        return 0
    _append(hull, variable(0), sample)
    lam[0] = 1.0
    return 1


@kernel
def find_conflict(hull: Hull, count: int, m: int) -> tuple[int, int]:
    """Look for a conflict among the first `count` samples, from a corral of m (may be 0).

    Returns
    -------
    outcome, m : int
        CONFLICT, SEPARATED or FAILED, and the size of the conflict, which is in the corral.
    """
    corral, v = hull.corral, hull.v
    m = _begin(hull, count, m)
    if m == 0:
        return SEPARATED, 0
    known = variable(0)
    for _ in range(MAX_STEPS):
        m = _settle(hull, m, known)
        if m == 0:
            return FAILED, 0
        if is_conflict(hull, m):
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
        if m == len(corral) - 1:
            return FAILED, 0
        _append(hull, m, j)
        known = m
        m += 1
    return FAILED, 0
