"""The bound on what a cover costs: a packing of cuts into the prices of the features.

Every cut asks for one of its features. Weights y >= 0 on the cuts such that no feature's price
is exceeded by the cuts that hold it add up to a lower bound on the cost of hitting them all;
the best weights are a linear program, and its prices are the fractional cover that tells where
to branch and which cuts are missing. The simplex method starts from y = 0, and the bound is
taken from weights that are checked, so rounding can weaken it but not make it wrong.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from frugalsvm.runtime.compiled import helper, kernel
from frugalsvm.search.problem.reduction import Floats

MAX_PIVOTS = 2_000
PERTURBATION = 1e-7


class Packing(NamedTuple):
    """What :func:`pack_cuts` found.

    Attributes
    ----------
    bound : float
        A proven lower bound; infinity if some cut cannot be hit at all.
    cover : ndarray
        The fractional cover: a value for each row.
    slack : ndarray
        What is left of each row's capacity: the bound rises by it if the row has to be used.
    """

    bound: float
    cover: Floats
    slack: Floats


def pack_cuts(cuts: Floats, gain: Floats, capacity: Floats, enough: float) -> Packing:
    """Maximise gain'y subject to cuts @ y <= capacity, y >= 0; stop early at `enough`.

    `cuts` has a row per priced element and a column per cut, with entries -1, 0 and 1.
    """
    m, n = cuts.shape
    if n == 0:
        return Packing(0.0, np.zeros(m), capacity.copy())
    if m == 0 or bool(np.any((gain > 0) & ~np.any(cuts > 0, axis=0))):
        return Packing(np.inf, np.zeros(m), capacity.copy())
    # Slightly smaller capacities break the ties of equal prices and keep every packing valid.
    noise = np.random.default_rng(m).uniform(0.5, 1.0, m) * PERTURBATION
    weights = np.zeros(n)
    cover = np.zeros(m)
    _simplex(np.ascontiguousarray(cuts), gain, capacity * (1.0 - noise), enough, weights, cover)
    used = cuts @ weights
    excess = np.max(used - capacity, initial=0.0)
    if excess > 0.0:
        with np.errstate(divide="ignore", invalid="ignore"):
            ratio = np.where(used > capacity, capacity / used, 1.0)
        weights *= max(0.0, float(np.min(ratio)))
        used = cuts @ weights
        if np.any(used > capacity * (1.0 + 1e-12)):
            return Packing(0.0, np.clip(cover, 0.0, 1.0), capacity.copy())
    return Packing(float(gain @ weights), np.clip(cover, 0.0, 1.0), capacity - used)


@kernel
def _simplex(
    cuts: Floats, gain: Floats, capacity: Floats, enough: float, weights: Floats, cover: Floats
) -> None:
    """Write the weights and, as prices of the rows, the fractional cover."""
    m, n = cuts.shape
    inverse, value, basis = np.zeros((m, m)), np.zeros(m), np.zeros(m, np.int64)
    for a in range(m):
        inverse[a, a] = 1.0
        value[a] = capacity[a]
        basis[a] = n + a
    reduced, step = np.zeros(n), np.zeros(m)
    for _ in range(MAX_PIVOTS):
        total = 0.0
        for b in range(m):
            cover[b] = 0.0
        for a in range(m):
            if basis[a] < n and gain[basis[a]] != 0.0:
                total += gain[basis[a]] * value[a]
                for b in range(m):
                    cover[b] += gain[basis[a]] * inverse[a, b]
        if total > enough:
            break
        entering = _price(cuts, gain, cover, reduced)
        if entering < 0 or not _exchange(cuts, entering, inverse, value, basis, step):
            break
    for a in range(m):
        if basis[a] < n:
            weights[basis[a]] = max(value[a], 0.0)


@helper
def _price(cuts: Floats, gain: Floats, cover: Floats, reduced: Floats) -> int:
    """Return the column that promises most, those of the slacks last; -1 if none does."""
    m, n = cuts.shape
    for j in range(n):
        reduced[j] = gain[j]
    entering, best = -1, 1e-9
    for b in range(m):
        if cover[b] != 0.0:
            for j in range(n):
                reduced[j] -= cover[b] * cuts[b, j]
        if -cover[b] > best:
            entering, best = n + b, -cover[b]
    for j in range(n):
        if reduced[j] > best:
            entering, best = j, reduced[j]
    return entering


@helper
def _exchange(
    cuts: Floats, entering: int, inverse: Floats, value: Floats, basis: Floats, step: Floats
) -> bool:
    """Bring a column into the basis; False if nothing limits it."""
    m, n = cuts.shape
    leaving, least = -1, np.inf
    for a in range(m):
        total = 0.0
        if entering >= n:
            total = inverse[a, entering - n]
        else:
            for b in range(m):
                if cuts[b, entering] != 0.0:
                    total += inverse[a, b] * cuts[b, entering]
        step[a] = total
        if total > 1e-9 and value[a] / total < least:
            leaving, least = a, value[a] / total
    if leaving < 0:
        return False
    for a in range(m):
        value[a] -= least * step[a]
    value[leaving] = least
    for b in range(m):
        inverse[leaving, b] /= step[leaving]
    for a in range(m):
        if a != leaving and step[a] != 0.0:
            for b in range(m):
                inverse[a, b] -= step[a] * inverse[leaving, b]
    basis[leaving] = entering
    return True
