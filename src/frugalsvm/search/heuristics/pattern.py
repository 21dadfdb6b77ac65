"""Steps along single features that widen the gap of a direction.

A fit leans to where most samples are; whether the budgets are met is decided by a few. Between the
two lie the last percent that a smooth loss does not see: so the direction that a fit found is
moved along one feature at a time, by steps of many lengths, wherever that widens the gap itself.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from frugalsvm.runtime.compiled import helper, kernel, variable
from frugalsvm.search.heuristics.tuning import (
    MOST_SWEEPS,
    STEP_LENGTHS,
)
from frugalsvm.search.problem.order_statistics import kth_smallest
from frugalsvm.search.problem.reduction import CoreProblem, Floats, Ints


class Scores(NamedTuple):
    """The samples' scores, and room to select among them."""

    scores: Floats
    values: Floats
    mass: Ints


@helper
def _gap(
    columns: Floats,
    k: int,
    change: float,
    n_pos: int,
    weight: Ints,
    needs: tuple[int, int],
    room: Scores,
) -> float:
    """Return the gap of the scores after a change of one weight."""
    scores, values, mass = room.scores, room.values, room.mass
    n = len(scores)
    for i in range(n_pos):
        values[i] = -(scores[i] + change * columns[k, i])
        mass[i] = weight[i]
    for i in range(n_pos, n):
        values[i] = scores[i] + change * columns[k, i]
        mass[i] = weight[i]
    p = -kth_smallest(values[:n_pos], mass[:n_pos], n_pos, needs[0])
    q = kth_smallest(values[n_pos:], mass[n_pos:], n - n_pos, needs[1])
    return float(p - q)


@helper
def _largest(w: Floats, without: int) -> float:
    top = 0.0
    for k in range(len(w)):
        if k != without:
            top = max(top, abs(w[k]))
    return top


@kernel
def widen_gap(
    columns: Floats,
    n_pos: int,
    weight: Ints,
    needs: tuple[int, int],
    floor: float,
    w: Floats,
    halt: Ints,
) -> tuple[float, int]:
    """Move `w` in place until its gap reaches the floor or no step widens it.

    Parameters
    ----------
    columns : ndarray of shape (d, n_samples)
        The features of the support, positives first.
    w : ndarray of shape (d,)
        The direction to start from; not zero.
    halt : ndarray of one int64
        Nonzero: leave it at that.

    Returns
    -------
    gap : float
        The gap reached, for max |w_k| = 1.
    looks : int
        Gaps computed.
    """
    d, n = columns.shape
    scores = np.zeros(n)
    room = Scores(scores, np.empty(n), np.empty(n, np.int64))
    for k in range(d):
        for i in range(n):
            scores[i] += w[k] * columns[k, i]
    best = _gap(columns, variable(0), 0.0, n_pos, weight, needs, room)
    best /= _largest(w, variable(-1))
    looks = 1
    for _ in range(MOST_SWEEPS):
        moved = False
        for k in range(d):
            others = _largest(w, k)
            if halt[0]:
                return best, looks
            for length in STEP_LENGTHS:
                for sign in (-1.0, 1.0):
                    change = sign * length * max(others, abs(w[k]))
                    top = max(others, abs(w[k] + change))
                    if top == 0.0:
                        continue
                    looks += 1
                    gap = _gap(columns, k, change, n_pos, weight, needs, room)
                    if gap / top > best + 1e-12:
                        best, moved = gap / top, True
                        w[k] += change
                        for i in range(n):
                            scores[i] += change * columns[k, i]
                        if best >= floor:
                            return best, looks
        if not moved:
            break
    return best, looks


def widened(
    core: CoreProblem, chosen: NDArray[np.intp], direction: Floats, halt: Ints
) -> tuple[float, int]:
    """Widen the gap of a direction of core features, in place; return it and the looks taken."""
    w = direction[chosen]
    if not np.any(w):
        return -np.inf, 0
    columns = np.ascontiguousarray(core.columns[chosen])
    gap, looks = widen_gap(columns, core.n_pos, core.weight, core.needs, core.floor, w, halt)
    direction[chosen] = w
    return float(gap), int(looks)
