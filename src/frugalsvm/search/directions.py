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

import numpy as np

from frugalsvm.compiled import helper, kernel
from frugalsvm.search.copying import copy_into
from frugalsvm.search.reduction import Floats, Ints
from frugalsvm.search.selection import kth_smallest

FEASIBLE, INFEASIBLE, UNDECIDED = 1, -1, 0

MAX_DEPTH = 60


@helper
def _score(points: Floats, active: Ints, count: int, center: Floats, scores: Floats) -> None:
    for a in range(count):
        i = active[a]
        total = 0.0
        for k in range(len(center)):
            total += center[k] * points[i, k]
        scores[a] = total


@helper
def _threshold(
    base: Floats,
    shift: Floats,
    sign: float,
    weight: Ints,
    active: Ints,
    first: int,
    last: int,
    need: int,
    values: Floats,
    mass: Ints,
) -> float:
    """Return the `need`-th smallest of base + sign * shift over active[first:last]."""
    for a in range(first, last):
        values[a - first] = base[a] + sign * shift[a]
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


@kernel
def _spread(
    points: Floats, active: Ints, count: int, origin: Floats, radius: Floats, shift: Floats
) -> None:
    for a in range(count):
        i = active[a]
        total = 0.0
        for k in range(len(radius)):
            total += radius[k] * abs(points[i, k] - origin[k])
        shift[a] = total


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
    scores: Floats,
    shift: Floats,
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
    kept = 0
    for a in range(m_pos):
        if -scores[a] - shift[a] > p_up:
            needs[0] -= weight[active[a]]
        elif -scores[a] + shift[a] >= p_low:
            target[kept] = active[a]
            kept += 1
    positives = kept
    for a in range(m_pos, m):
        if scores[a] + shift[a] < q_low:
            needs[1] -= weight[active[a]]
        elif scores[a] - shift[a] <= q_up:
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
    center, radius, origin = np.empty(d), np.empty(d), np.empty(d)
    scores, shift, values, mass = np.empty(n), np.empty(n), np.empty(n), np.empty(n, np.int64)
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
        _score(points, active, m, center, scores)
        # Scores of positives are negated so that both thresholds are "smallest" selections.
        for a in range(m_pos):
            scores[a] = -scores[a]
            shift[a] = 0.0
        for a in range(m_pos, m):
            shift[a] = 0.0
        p = -_threshold(scores, shift, 1.0, weight, active, 0, m_pos, k_pos, values, mass)
        q = _threshold(scores, shift, 1.0, weight, active, m_pos, m, k_neg, values, mass)
        if p - q >= floor:
            copy_into(center, found)
            return FEASIBLE, nodes
        i = active[_nearest(scores, 0, m_pos, -p)]
        j = active[_nearest(scores, m_pos, m, q)]
        moved = 0.0
        for k in range(d):
            origin[k] = 0.5 * (points[i, k] + points[j, k])
            moved += center[k] * origin[k]
        _spread(points, active, m, origin, radius, shift)
        for a in range(m_pos):
            scores[a] += moved
        for a in range(m_pos, m):
            scores[a] -= moved
        p_up = -_threshold(scores, shift, -1.0, weight, active, 0, m_pos, k_pos, values, mass)
        q_low = _threshold(scores, shift, -1.0, weight, active, m_pos, m, k_neg, values, mass)
        if p_up - q_low < floor:
            continue
        if depth >= MAX_DEPTH:
            verdict = UNDECIDED
            continue
        p_low = -_threshold(scores, shift, 1.0, weight, active, 0, m_pos, k_pos, values, mass)
        q_up = _threshold(scores, shift, 1.0, weight, active, m_pos, m, k_neg, values, mass)
        needs[depth + 1, 0], needs[depth + 1, 1] = k_pos, k_neg
        pos_count[depth + 1], all_count[depth + 1] = _keep_doubtful(
            scores,
            shift,
            weight,
            active,
            m_pos,
            m,
            p_up,
            p_low,
            q_low,
            q_up,
            lists[depth + 1],
            needs[depth + 1],
        )
        size = push_halves(centers, radii, size, center, radius)
        depths[size - 2], depths[size - 1] = depth + 1, depth + 1
    return verdict, nodes
