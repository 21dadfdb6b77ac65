"""The largest gap that a hyperplane on some features leaves, by looking at every vertex.

Let p be the lowest score among the best positives that must be right, q the highest among the
best negatives. p - q is piecewise linear in the weights: it changes its slope only where two
samples of one class change places, on a plane w'(x_i - x_j) = 0. So on the box |w_k| <= 1 it is
largest at a point where planes of this kind and sides of the box meet, and there are finitely many.
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from itertools import combinations, product

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float64]
Bools = NDArray[np.bool_]

MOST_VERTICES = 200_000
OUTSIDE = 1e-9
FLAT = 1e-13
"""Determinant, over the product of the rows' lengths, of planes that do not meet in a point."""


class TooLargeError(ValueError):
    """There are too many vertices."""


def largest_gap(points: Floats, positive: Bools, need_pos: int, need_neg: int) -> float:
    """Return the largest p - q over all weights with |w_k| <= 1; infinity if a need is 0."""
    if need_pos <= 0 or need_neg <= 0:
        return math.inf
    d = points.shape[1]
    if d == 0:
        return -math.inf
    normals = planes(points, positive)
    if vertex_count(len(normals), d) > MOST_VERTICES:
        raise TooLargeError(f"{vertex_count(len(normals), d)} vertices")
    best = -math.inf
    for directions in vertices(normals, d):
        best = max(best, float(gaps(directions, points, positive, need_pos, need_neg).max()))
    return best


def gaps(
    directions: Floats, points: Floats, positive: Bools, need_pos: int, need_neg: int
) -> Floats:
    """Return p - q of each direction and of its opposite, whichever is larger."""
    scores = directions @ points.T
    pos, neg = np.sort(scores[:, positive], axis=1), np.sort(scores[:, ~positive], axis=1)
    ahead = pos[:, pos.shape[1] - need_pos] - neg[:, need_neg - 1]
    back = -pos[:, need_pos - 1] + neg[:, neg.shape[1] - need_neg]
    return np.asarray(np.maximum(ahead, back))


def vertex_count(n_planes: int, d: int) -> int:
    """Return how many vertices :func:`vertices` looks at."""
    return sum(math.comb(d, f) * 2 ** (f - 1) * math.comb(n_planes, d - f) for f in range(1, d + 1))


def vertices(normals: Floats, d: int) -> Iterator[Floats]:
    """Yield all vertices in the box, up to their sign, as rows.

    Some coordinates are at a side of the box, the first of them at 1; planes fix the others.
    """
    for at_sides in range(1, d + 1):
        chosen = np.array(list(combinations(range(len(normals)), d - at_sides)), dtype=np.intp)
        if d > at_sides and len(chosen) == 0:
            continue
        for sides in combinations(range(d), at_sides):
            for signs in product((1.0, -1.0), repeat=at_sides - 1):
                found = _meeting_points(normals, chosen, d, sides, np.array((1.0, *signs)))
                if len(found):
                    yield found


def _meeting_points(
    normals: Floats, chosen: NDArray[np.intp], d: int, sides: tuple[int, ...], at: Floats
) -> Floats:
    rest = [k for k in range(d) if k not in sides]
    if not rest:
        corner = np.empty((1, d))
        corner[0, list(sides)] = at
        return corner
    systems = normals[chosen][:, :, rest]
    right = -(normals[chosen][:, :, list(sides)] @ at)
    meet = np.abs(np.linalg.det(systems)) > FLAT
    if not meet.any():
        return np.zeros((0, d))
    solved = np.linalg.solve(systems[meet], right[meet][:, :, np.newaxis])[:, :, 0]
    inside = np.max(np.abs(solved), axis=1) <= 1 + OUTSIDE
    found = np.empty((int(inside.sum()), d))
    found[:, list(sides)] = at
    found[:, rest] = np.clip(solved[inside], -1.0, 1.0)
    return found


def planes(points: Floats, positive: Bools) -> Floats:
    """Return the normals, of length 1, of the planes on which samples of a class change places."""
    normals = np.vstack((_differences(points[positive]), _differences(points[~positive])))
    length = np.linalg.norm(normals, axis=1)
    normals = normals[length > 0] / length[length > 0, np.newaxis]
    lead = normals[np.arange(len(normals)), np.argmax(np.abs(normals) > 1e-12, axis=1)]
    normals = normals * np.sign(lead)[:, np.newaxis]
    _, first = np.unique(np.round(normals, 12), axis=0, return_index=True)
    return np.asarray(normals[np.sort(first)])


def _differences(points: Floats) -> Floats:
    i, j = np.triu_indices(len(points), 1)
    return np.asarray(points[i] - points[j])
