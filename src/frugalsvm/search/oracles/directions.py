"""Branch and bound over the directions of a hyperplane: exact for a few features.

The directions with max |w_k| = 1 are the faces of a cube. A box of directions bounds every
sample's score by an interval, hence the gap from above; it is cut in halves until the bound is
below the floor or a direction in it reaches the floor. The floor is positive, so the boxes need
not become points.

Three things keep the boxes few. The gap does not change when all samples are shifted, and the
intervals are short near the origin: it is the mean of the samples that the box has to tell apart.
A sample that is right (or wrong) in the whole box is taken out of its children. And a box is cut
along the feature whose weight makes the intervals longest.

A search may begin with any boxes and end before the last of them; what it leaves is where another
goes on, in another thread or process.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from frugalsvm.runtime.compiled import helper, kernel, variable
from frugalsvm.search.oracles.direction_boxes import Boxes, open_faces, push_halves, widest
from frugalsvm.search.problem.copying import copy_into
from frugalsvm.search.problem.order_statistics import kth_smallest
from frugalsvm.search.problem.reduction import Floats, Ints
from frugalsvm.search.verdict import FEASIBLE, INFEASIBLE, UNDECIDED

MAX_DEPTH = 60


class OnSupport(NamedTuple):
    """The samples on a support, and what is asked of a direction.

    Attributes
    ----------
    points : ndarray of shape (n_samples, d), C-contiguous
        The samples on all of the support's features, positives first.
    n_pos : int
        How many are positive.
    weight : ndarray of int64 of shape (n_samples,)
        For how many samples of the data each stands.
    need_pos, need_neg : int
        Weight that has to be right in each class.
    floor : float
        The least gap.
    """

    points: Floats
    n_pos: int
    weight: Ints
    need_pos: int
    need_neg: int
    floor: float


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


class Doubts(NamedTuple):
    """The samples that are neither right nor wrong in all of a box, for each level of the tree.

    Attributes
    ----------
    samples : ndarray of int64 of shape (n_levels, n_samples)
        Their indices, positives first.
    counts : ndarray of int64 of shape (n_levels, 2)
        How many positives, and how many samples in all.
    needs : ndarray of int64 of shape (n_levels, 2)
        Weight that has to be right among them.
    origins : ndarray of shape (n_levels, d)
        Their mean.
    """

    samples: Ints
    counts: Ints
    needs: Ints
    origins: Floats


@helper
def _first_doubts(on: OnSupport) -> Doubts:
    """Return all samples as the first level."""
    n, d = on.points.shape
    levels = MAX_DEPTH + 2
    doubts = Doubts(
        np.empty((levels, n), np.int64),
        np.empty((levels, 2), np.int64),
        np.empty((levels, 2), np.int64),
        np.zeros((levels, d)),
    )
    doubts.counts[0, 0], doubts.counts[0, 1] = on.n_pos, n
    doubts.needs[0, 0], doubts.needs[0, 1] = on.need_pos, on.need_neg
    for i in range(n):
        doubts.samples[0, i] = i
    _set_origin(on.points, doubts, variable(0))
    return doubts


@helper
def _set_origin(points: Floats, doubts: Doubts, level: int) -> None:
    """Fill in the mean of the samples of a level."""
    m, origin = doubts.counts[level, 1], doubts.origins[level]
    origin[:] = 0.0
    for a in range(m):
        i = doubts.samples[level, a]
        for k in range(len(origin)):
            origin[k] += points[i, k]
    for k in range(len(origin)):
        origin[k] /= max(1, m)


@helper
def _score(
    points: Floats,
    doubts: Doubts,
    level: int,
    center: Floats,
    radius: Floats,
    effect: Floats,
    scores: Scores,
) -> None:
    """Fill in the intervals of scores in a box, and what each feature adds to their lengths."""
    m_pos, m, origin = doubts.counts[level, 0], doubts.counts[level, 1], doubts.origins[level]
    effect[:] = 0.0
    for a in range(m):
        i = doubts.samples[level, a]
        middle, shift = 0.0, 0.0
        for k in range(len(center)):
            offset = points[i, k] - origin[k]
            reach = radius[k] * abs(offset)
            middle += center[k] * offset
            shift += reach
            effect[k] += reach
        scores.middle[a] = -middle if a < m_pos else middle
        scores.shift[a] = shift


@helper
def _thresholds(
    scores: Scores, sign: float, weight: Ints, doubts: Doubts, level: int
) -> tuple[float, float]:
    """Return both classes' thresholds if each score moves by so many of its shifts.

    Negated scores: of the positives the one that enough of them reach, likewise of the negatives.
    """
    values, mass, active = scores.values, scores.mass, doubts.samples[level]
    m_pos, m = doubts.counts[level, 0], doubts.counts[level, 1]
    for a in range(m):
        values[a] = scores.middle[a] + sign * scores.shift[a]
        mass[a] = weight[active[a]]
    p = -kth_smallest(values, mass, m_pos, doubts.needs[level, 0])
    q = kth_smallest(values[m_pos:], mass[m_pos:], m - m_pos, doubts.needs[level, 1])
    return float(p), float(q)


@helper
def _keep_doubtful(
    on: OnSupport,
    scores: Scores,
    doubts: Doubts,
    level: int,
    highest: tuple[float, float],
    lowest: tuple[float, float],
) -> None:
    """List for the next level who is neither right nor wrong in the whole box, lower the needs.

    `highest` and `lowest` are the thresholds where all scores are as good as can be, and as bad.
    """
    middle, shift, active = scores.middle, scores.shift, doubts.samples[level]
    m_pos, m = doubts.counts[level, 0], doubts.counts[level, 1]
    target, needs = doubts.samples[level + 1], doubts.needs[level + 1]
    needs[0], needs[1] = doubts.needs[level, 0], doubts.needs[level, 1]
    kept = 0
    for a in range(m_pos):
        if -middle[a] - shift[a] > highest[0]:
            needs[0] -= on.weight[active[a]]
        elif -middle[a] + shift[a] >= lowest[0]:
            target[kept] = active[a]
            kept += 1
    doubts.counts[level + 1, 0] = kept
    for a in range(m_pos, m):
        if middle[a] + shift[a] < highest[1]:
            needs[1] -= on.weight[active[a]]
        elif middle[a] - shift[a] <= lowest[1]:
            target[kept] = active[a]
            kept += 1
    doubts.counts[level + 1, 1] = kept
    _set_origin(on.points, doubts, level + 1)


@kernel
def search_boxes(
    on: OnSupport, boxes: Boxes, size: int, most: int, halt: Ints, found: Floats
) -> tuple[int, int, int, int]:
    """Decide whether some direction in the boxes has a gap of at least the floor.

    Parameters
    ----------
    on : OnSupport
        What is asked.
    boxes : Boxes
        A stack with room for 2 * MAX_DEPTH more; what was not decided is left there.
    size : int
        How many boxes are on it.
    most : int
        Boxes to be opened.
    halt : ndarray of one int64
        Set to nonzero from outside, it ends the search undecided.
    found : ndarray of shape (d,)
        Receives the direction if there is one.

    Returns
    -------
    verdict : int
        FEASIBLE, INFEASIBLE or UNDECIDED.
    opened, left, given_up : int
        Boxes that were opened, that are left, and that are too small to be cut further.
    """
    doubts = _first_doubts(on)
    n, d = on.points.shape
    levels = np.zeros(len(boxes.depths), np.int64)
    center, radius, effect = np.empty(d), np.empty(d), np.empty(d)
    scores = Scores(np.empty(n), np.empty(n), np.empty(n), np.empty(n, np.int64))
    opened, given_up = 0, 0
    while size > 0:
        if opened >= most or halt[0] != 0:
            return UNDECIDED, opened, size, given_up
        size -= 1
        opened += 1
        depth, level = boxes.depths[size], levels[size]
        copy_into(boxes.centers[size], center)
        copy_into(boxes.radii[size], radius)
        _score(on.points, doubts, level, center, radius, effect, scores)
        highest = _thresholds(scores, -1.0, on.weight, doubts, level)
        if highest[0] - highest[1] < on.floor:
            continue
        p, q = _thresholds(scores, 0.0, on.weight, doubts, level)
        if p - q >= on.floor:
            copy_into(center, found)
            return FEASIBLE, opened, size, given_up
        if depth >= MAX_DEPTH:
            given_up += 1
            continue
        lowest = _thresholds(scores, 1.0, on.weight, doubts, level)
        _keep_doubtful(on, scores, doubts, level, highest, lowest)
        size = push_halves(boxes, size, center, radius, widest(effect), depth + 1)
        levels[size - 2], levels[size - 1] = level + 1, level + 1
    return (INFEASIBLE if given_up == 0 else UNDECIDED), opened, 0, given_up


@helper
def search_directions(on: OnSupport, most: int, halt: Ints, found: Floats) -> tuple[int, int]:
    """Decide whether some direction has a gap of at least the floor; return the boxes, too."""
    boxes, size = open_faces(on.points.shape[1], 2 * MAX_DEPTH)
    verdict, opened, _, _ = search_boxes(on, boxes, size, most, halt, found)
    return verdict, opened
