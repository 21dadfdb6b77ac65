"""Branch and bound over the directions of a hyperplane: exact for a few features.

The directions with max |w_k| = 1 are the faces of a cube. A box of directions bounds every
sample's score by an interval, hence the gap from above; it is cut in halves until the bound is
below the floor or a direction in it reaches the floor. The floor is positive, so the boxes need
not become points.

Two things keep the boxes few. The gap does not change when all samples are shifted, and the
intervals are short near the origin: each box moves the origin between the two samples that
decide its gap. And a sample that is right (or wrong) in the whole box is taken out of its
children.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from frugalsvm.compiled import helper, kernel
from frugalsvm.search.problem.copying import copy_into
from frugalsvm.search.problem.order_statistics import kth_smallest
from frugalsvm.search.problem.reduction import Floats, Ints
from frugalsvm.search.verdict import FEASIBLE, INFEASIBLE, UNDECIDED

MAX_DEPTH = 60


class Scores(NamedTuple):
    """The active samples' scores in a box, positives negated, and room to select among them.

    Attributes
    ----------
    middle, shift : ndarray of shape (n_samples,)
        The middle of each interval of scores, and half its length. The scores of positives are
        negated so that the thresholds of both classes are "smallest" selections.
    values, mass : ndarray of shape (n_samples,)
        Room for a selection.
    """

    middle: Floats
    shift: Floats
    values: Floats
    mass: Ints


@helper
def _score(
    points: Floats, active: Ints, m_pos: int, m: int, center: Floats, scores: Scores
) -> None:
    """Fill in the scores at the center of a box, without shifts."""
    for a in range(m):
        i = active[a]
        total = 0.0
        for k in range(len(center)):
            total += center[k] * points[i, k]
        scores.middle[a] = -total if a < m_pos else total
        scores.shift[a] = 0.0


@helper
def _threshold(
    scores: Scores, sign: float, weight: Ints, active: Ints, first: int, last: int, need: int
) -> float:
    """Return the `need`-th smallest of middle + sign * shift over active[first:last]."""
    values, mass = scores.values, scores.mass
    for a in range(first, last):
        values[a - first] = scores.middle[a] + sign * scores.shift[a]
        mass[a - first] = weight[active[a]]
    return float(kth_smallest(values, mass, last - first, need))


@kernel
def _nearest(base: Floats, first: int, last: int, value: float) -> int:
    best, at = np.inf, first
    for a in range(first, last):
        distance = abs(base[a] - value)
        if distance < best:
            best, at = distance, a
    return at


@helper
def _spread(
    points: Floats,
    active: Ints,
    m_pos: int,
    m: int,
    center: Floats,
    radius: Floats,
    decisive: tuple[int, int],
    scores: Scores,
) -> None:
    """Move the origin between the two decisive samples, and fill in the shifts of a box."""
    d = len(center)
    origin = np.empty(d)
    moved = 0.0
    for k in range(d):
        origin[k] = 0.5 * (points[decisive[0], k] + points[decisive[1], k])
        moved += center[k] * origin[k]
    for a in range(m):
        i = active[a]
        total = 0.0
        for k in range(d):
            total += radius[k] * abs(points[i, k] - origin[k])
        scores.shift[a] = total
        scores.middle[a] += moved if a < m_pos else -moved


@helper
def open_faces(centers: Floats, radii: Floats) -> int:
    """Put the faces of the cube on the stack; return how many they are."""
    d = centers.shape[1]
    for k in range(d):
        for side in range(2):
            face = 2 * k + side
            centers[face, :] = 0.0
            radii[face, :] = 1.0
            radii[face, k] = 0.0
            centers[face, k] = 1.0 - 2.0 * side
    return int(2 * d)


@helper
def push_halves(centers: Floats, radii: Floats, size: int, center: Floats, radius: Floats) -> int:
    """Put the two halves of a box, cut where it is widest, on the stack; return its new size."""
    widest = 0
    for k in range(len(radius)):
        if radius[k] > radius[widest]:
            widest = k
    half = 0.5 * radius[widest]
    for side in range(2):
        copy_into(center, centers[size])
        copy_into(radius, radii[size])
        centers[size, widest] += half * (2.0 * side - 1.0)
        radii[size, widest] = half
        size += 1
    return size


@helper
def _keep_doubtful(
    scores: Scores,
    weight: Ints,
    active: Ints,
    m_pos: int,
    m: int,
    p_up: float,
    p_low: float,
    q_low: float,
    q_up: float,
    target: Ints,
    needs: Ints,
) -> tuple[int, int]:
    """List the samples that are neither right nor wrong in the whole box, lower the needs.

    Return how many positives and how many samples are listed.
    """
    middle, shift = scores.middle, scores.shift
    kept = 0
    for a in range(m_pos):
        if -middle[a] - shift[a] > p_up:
            needs[0] -= weight[active[a]]
        elif -middle[a] + shift[a] >= p_low:
            target[kept] = active[a]
            kept += 1
    positives = kept
    for a in range(m_pos, m):
        if middle[a] + shift[a] < q_low:
            needs[1] -= weight[active[a]]
        elif middle[a] - shift[a] <= q_up:
            target[kept] = active[a]
            kept += 1
    return positives, kept


@helper
def search_directions(
    points: Floats,
    n_pos: int,
    weight: Ints,
    need_pos: int,
    need_neg: int,
    floor: float,
    max_nodes: int,
    halt: Ints,
    found: Floats,
) -> tuple[int, int]:
    """Decide whether some direction on all the columns of `points` has gap >= floor.

    Parameters
    ----------
    points : ndarray of shape (n_samples, d), C-contiguous
        The samples on the support, positives first.
    halt : ndarray of one int64
        Set to nonzero from outside, it ends the search undecided.
    found : ndarray of shape (d,)
        Receives the direction if there is one.

    Returns
    -------
    verdict, nodes : int
        FEASIBLE, INFEASIBLE or UNDECIDED (more than `max_nodes` boxes), and the boxes opened.
    """
    n, d = points.shape
    lists = np.empty((MAX_DEPTH + 2, n), np.int64)
    pos_count = np.empty(MAX_DEPTH + 2, np.int64)
    all_count = np.empty(MAX_DEPTH + 2, np.int64)
    needs = np.empty((MAX_DEPTH + 2, 2), np.int64)
    for i in range(n):
        lists[0, i] = i
    pos_count[0], all_count[0] = n_pos, n
    needs[0, 0], needs[0, 1] = need_pos, need_neg
    capacity = 2 * d + MAX_DEPTH + 4
    centers = np.zeros((capacity, d))
    radii = np.zeros((capacity, d))
    depths = np.zeros(capacity, np.int64)
    size = open_faces(centers, radii)
    center, radius = np.empty(d), np.empty(d)
    scores = Scores(np.empty(n), np.empty(n), np.empty(n), np.empty(n, np.int64))
    nodes = 0
    verdict = INFEASIBLE
    while size > 0:
        size -= 1
        depth = depths[size]
        copy_into(centers[size], center)
        copy_into(radii[size], radius)
        nodes += 1
        if nodes > max_nodes or halt[0] != 0:
            return UNDECIDED, nodes
        active = lists[depth]
        m_pos, m = pos_count[depth], all_count[depth]
        k_pos, k_neg = needs[depth, 0], needs[depth, 1]
        _score(points, active, m_pos, m, center, scores)
        p = -_threshold(scores, 1.0, weight, active, 0, m_pos, k_pos)
        q = _threshold(scores, 1.0, weight, active, m_pos, m, k_neg)
        if p - q >= floor:
            copy_into(center, found)
            return FEASIBLE, nodes
        i = active[_nearest(scores.middle, 0, m_pos, -p)]
        j = active[_nearest(scores.middle, m_pos, m, q)]
        _spread(points, active, m_pos, m, center, radius, (i, j), scores)
        p_up = -_threshold(scores, -1.0, weight, active, 0, m_pos, k_pos)
        q_low = _threshold(scores, -1.0, weight, active, m_pos, m, k_neg)
        if p_up - q_low < floor:
            continue
        if depth >= MAX_DEPTH:
            verdict = UNDECIDED
            continue
        p_low = -_threshold(scores, 1.0, weight, active, 0, m_pos, k_pos)
        q_up = _threshold(scores, 1.0, weight, active, m_pos, m, k_neg)
        needs[depth + 1, 0], needs[depth + 1, 1] = k_pos, k_neg
        pos_count[depth + 1], all_count[depth + 1] = _keep_doubtful(
            scores, weight, active, m_pos, m, p_up, p_low, q_low, q_up,
            lists[depth + 1], needs[depth + 1],
        )  # fmt: skip
        size = push_halves(centers, radii, size, center, radius)
        depths[size - 2], depths[size - 1] = depth + 1, depth + 1
    return verdict, nodes
