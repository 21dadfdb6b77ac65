"""Separable or in conflict: a small simplex method that always ends with a certificate.

For some samples and some features T, the linear program

    min sum_{k in T} |v_k|   over   v = (a mean of the positives) - (a mean of the negatives)

(the means with free weights) has the value max gap(w) over |w_k| <= 1 on T. A mean with value
below the margin floor proves that its samples cannot all be counted correct: for any such w,
gap(w) <= w'v <= sum |v_k|. Only the samples of positive weight matter, at most |T| + 2. If the
value reaches the floor, the dual prices are a separating direction. Both are recomputed from
the data before they are believed, so rounding inside the simplex method can cost time only.

A basis holds one column per feature and two more; samples that are switched off later stay in
it at a high price until they leave, and features can be appended: every solve starts warm.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from frugalsvm.runtime.compiled import helper, kernel
from frugalsvm.search.problem.reduction import Bools, CoreProblem, Floats, Ints

SEPARATED, CONFLICT, OPEN, GO_ON = 0, 1, 2, 3

PENALTY = 50.0  # price of a switched-off sample in the basis; the floor is far below it
CERTAINTY = 1e-10  # by how much a conflict has to be below the floor
MANY_PIVOTS = 300  # pivots after which rounding may have spoilt the inverse


class Points(NamedTuple):
    """The samples: `columns` holds a row per feature, positives first.

    `shift` moves the right-hand sides by some 1e-6 of the floor, without which the many ties
    of binary data would let the simplex method stall.
    """

    columns: Floats
    n_pos: int
    floor: float
    shift: Floats


class Tableau(NamedTuple):
    """The simplex method's memory: a basis (samples, then two slacks per feature), its inverse.

    `pivots` counts those since the start of the basis.
    """

    basis: Ints
    inverse: Floats
    value: Floats
    price: Floats
    score: Floats
    column: Floats
    step: Floats
    pivots: Ints


def points_of(core: CoreProblem) -> Points:
    """Return the samples of a problem; the shift is the same in every run."""
    noise = np.random.default_rng(0).uniform(0.5, 1.0, core.n_features + 1)
    return Points(core.columns, core.n_pos, core.floor, noise * core.floor * 1e-4)


def new_tableau(n_samples: int, width: int) -> Tableau:
    """Return a tableau for up to `width` features."""
    m = width + 2
    return Tableau(
        basis=np.zeros(m, np.int64),
        inverse=np.zeros((m, m)),
        value=np.zeros(m),
        price=np.zeros(m),
        score=np.zeros(n_samples),
        column=np.zeros(m),
        step=np.zeros(m),
        pivots=np.zeros(1, np.int64),
    )


@kernel
def _nearest(points: Points, chosen: Ints, d: int, active: Bools, other: int) -> int:
    """Return the active sample of the other class that is nearest to a sample on the features."""
    first, last = (points.n_pos, len(active)) if other < points.n_pos else (0, points.n_pos)
    best, found = np.inf, -1
    for i in range(first, last):
        if active[i]:
            distance = 0.0
            for k in range(d):
                row = points.columns[chosen[k]]
                distance += abs(row[i] - row[other])
                if distance >= best:
                    break
            if distance < best:
                best, found = distance, i
    return found


@kernel
def start(points: Points, chosen: Ints, d: int, active: Bools, tableau: Tableau) -> bool:
    """Set up the basis of a positive and a negative that are close; False if a class is empty."""
    neg = -1
    for i in range(points.n_pos, len(active)):
        if active[i]:
            neg = i
            break
    if neg < 0:
        return False
    pos = _nearest(points, chosen, d, active, neg)
    if pos < 0:
        return False
    neg = _nearest(points, chosen, d, active, pos)
    n = len(active)
    inverse = tableau.inverse
    for a in range(d + 2):
        for b in range(d + 2):
            inverse[a, b] = 0.0
    for k in range(d):
        row = points.columns[chosen[k]]
        v = row[pos] - row[neg] - points.shift[k]
        sign = 1.0 if v >= 0 else -1.0
        tableau.basis[k] = n + 2 * k + (0 if v >= 0 else 1)
        tableau.value[k] = abs(v)
        inverse[k, k] = -sign
        inverse[k, d] = sign * row[pos]
        inverse[k, d + 1] = -sign * row[neg]
    tableau.basis[d], tableau.basis[d + 1] = pos, neg
    for a in range(d, d + 2):
        inverse[a, a] = 1.0
        tableau.value[a] = 1.0
    tableau.pivots[0] = 0
    return True


@helper
def _fill_column(points: Points, chosen: Ints, d: int, j: int, column: Floats) -> None:
    """Write the j-th column of the program: a sample's, or the slack of a feature."""
    n = points.columns.shape[1]
    for k in range(d + 2):
        column[k] = 0.0
    if j < n:
        sign = 1.0 if j < points.n_pos else -1.0
        for k in range(d):
            column[k] = sign * points.columns[chosen[k], j]
        column[d if j < points.n_pos else d + 1] = 1.0
    else:
        column[(j - n) // 2] = -1.0 if (j - n) % 2 == 0 else 1.0


@kernel
def append(points: Points, chosen: Ints, d: int, feature: int, tableau: Tableau) -> None:
    """Add a feature as ``chosen[d]``: a row, and its slack in the basis."""
    n = points.columns.shape[1]
    m = d + 2
    inverse = tableau.inverse
    v = -points.shift[d]
    for a in range(m):
        inverse[a, d + 2] = inverse[a, d + 1]
        inverse[a, d + 1] = inverse[a, d]
        inverse[a, d] = 0.0
        j = tableau.basis[a]
        entry = 0.0
        if j < n:
            entry = points.columns[feature, j] if j < points.n_pos else -points.columns[feature, j]
        tableau.column[a] = entry
        v += entry * tableau.value[a]
    sign = -1.0 if v >= 0 else 1.0
    for b in range(m + 1):
        total = 0.0
        for a in range(m):
            total += tableau.column[a] * inverse[a, b]
        inverse[m, b] = -total / sign
    inverse[m, d] = 1.0 / sign
    tableau.basis[m] = n + 2 * d + (0 if v >= 0 else 1)
    tableau.value[m] = abs(v)
    chosen[d] = feature


@helper
def _set_prices(d: int, active: Bools, tableau: Tableau) -> tuple[float, float]:
    """Set the dual prices; return the objective, and the weight of switched-off samples."""
    m, n = d + 2, len(active)
    price = tableau.price
    for b in range(m):
        price[b] = 0.0
    objective, off = 0.0, 0.0
    for a in range(m):
        j = tableau.basis[a]
        cost = 1.0 if j >= n else 0.0
        if j < n and not active[j]:
            cost = PENALTY
            off += tableau.value[a]
        if cost != 0.0:
            objective += cost * tableau.value[a]
            for b in range(m):
                price[b] += cost * tableau.inverse[a, b]
    return objective, off


@helper
def _extremes(
    points: Points, chosen: Ints, d: int, active: Bools, tableau: Tableau
) -> tuple[int, int, float]:
    """Score the samples by the direction -price; return the worst of each class and max |w|."""
    score, n = tableau.score, len(active)
    for i in range(n):
        score[i] = 0.0
    largest = 0.0
    for k in range(d):
        w = -tableau.price[k]
        largest = max(largest, abs(w))
        if w != 0.0:
            row = points.columns[chosen[k]]
            for i in range(n):
                score[i] += w * row[i]
    pos, neg = -1, -1
    low, high = np.inf, -np.inf
    for i in range(points.n_pos):
        if active[i] and score[i] < low:
            low, pos = score[i], i
    for i in range(points.n_pos, n):
        if active[i] and score[i] > high:
            high, neg = score[i], i
    return pos, neg, largest


@helper
def _entering(d: int, pos: int, neg: int, tableau: Tableau) -> int:
    """Return the column of the most negative reduced cost, -1 if there is none."""
    price, n = tableau.price, len(tableau.score)
    best, column = -1e-9, -1
    if tableau.score[pos] - price[d] < best:
        best, column = tableau.score[pos] - price[d], pos
    if -tableau.score[neg] - price[d + 1] < best:
        best, column = -tableau.score[neg] - price[d + 1], neg
    for k in range(d):
        reduced = 1.0 - abs(price[k])
        if reduced < best:
            best = reduced
            column = n + 2 * k + (0 if price[k] < 0 else 1)
    return column


@helper
def _pivot(m: int, entering: int, tableau: Tableau) -> bool:
    """Bring a column (in `tableau.column`) into the basis; False if that is impossible."""
    inverse, value, step = tableau.inverse, tableau.value, tableau.step
    leaving = -1
    least = np.inf
    for a in range(m):
        total = 0.0
        for b in range(m):
            total += inverse[a, b] * tableau.column[b]
        step[a] = total
        if total > 1e-9:
            ratio = value[a] / total
            tie = leaving >= 0 and ratio <= least + 1e-13
            if ratio < least - 1e-13 or (tie and total > step[leaving]):
                least, leaving = ratio, a
    if leaving < 0:
        return False
    for a in range(m):
        value[a] -= least * step[a]
    value[leaving] = least
    pivot = 1.0 / step[leaving]
    for b in range(m):
        inverse[leaving, b] *= pivot
    for a in range(m):
        if a != leaving and step[a] != 0.0:
            factor = step[a]
            for b in range(m):
                inverse[a, b] -= factor * inverse[leaving, b]
    tableau.basis[leaving] = entering
    tableau.pivots[0] += 1
    return True


@kernel
def separate(
    points: Points, chosen: Ints, d: int, active: Bools, tableau: Tableau, max_pivots: int
) -> int:
    """Continue from the tableau's basis until the active samples are separated or in conflict.

    SEPARATED: ``-tableau.price[:d]`` is a direction that separates them with the margin floor.
    CONFLICT: :func:`conflict_of` gives the samples. OPEN: neither can be reached. GO_ON: neither
    was reached with so many pivots.
    """
    for _ in range(max_pivots):
        objective, off = _set_prices(d, active, tableau)
        if objective < points.floor and off <= 1e-9:
            return CONFLICT
        pos, neg, largest = _extremes(points, chosen, d, active, tableau)
        if pos < 0 or neg < 0:
            return OPEN
        gap = tableau.score[pos] - tableau.score[neg]
        if gap >= points.floor * largest and gap > 0.0:
            return SEPARATED
        entering = _entering(d, pos, neg, tableau)
        if entering < 0:
            return OPEN
        _fill_column(points, chosen, d, entering, tableau.column)
        if not _pivot(d + 2, entering, tableau):
            return OPEN
    return GO_ON


@kernel
def conflict_of(
    points: Points, chosen: Ints, d: int, active: Bools, tableau: Tableau, members: Ints
) -> int:
    """Write the samples of the conflict; return how many, or -1 if the data do not confirm it."""
    n = len(active)
    count, total_pos, total_neg = 0, 0.0, 0.0
    share = tableau.step
    for a in range(d + 2):
        j = tableau.basis[a]
        if j < n and active[j] and tableau.value[a] > 1e-10:
            members[count] = j
            share[count] = tableau.value[a]
            count += 1
            if j < points.n_pos:
                total_pos += tableau.value[a]
            else:
                total_neg += tableau.value[a]
    if total_pos < 0.5 or total_neg < 0.5:
        return -1
    distance, reach = 0.0, 1.0
    for k in range(d):
        row = points.columns[chosen[k]]
        v = 0.0
        for c in range(count):
            x = row[members[c]]
            reach = max(reach, abs(x))
            if members[c] < points.n_pos:
                v += share[c] / total_pos * x
            else:
                v -= share[c] / total_neg * x
        distance += abs(v)
    return count if distance < points.floor - CERTAINTY * reach else -1
