"""Deciding a support by conflicts: pack them against the budgets, branch where that is not enough.

Every conflict costs at least one of its samples. Conflicts that share no droppable sample and
together cost more than the budgets prove a support infeasible. Otherwise one conflict is
branched on: each of its samples in turn is given up, the ones before it being kept for good.
A class whose budget is used up cannot give up samples, so conflicts may share its samples.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from frugalsvm.runtime.compiled import helper, inlined, variable
from frugalsvm.search.oracles.arrays import Arrays
from frugalsvm.search.oracles.conflicts.given_up import (
    FIXED,
    GONE,
    OPEN,
    Packing,
    Samples,
    droppable,
)
from frugalsvm.search.oracles.conflicts.min_norm_point import (
    BARRED,
    CONFLICT,
    SEPARATED,
    USABLE,
    Hull,
    find_conflict,
    hull_of,
)
from frugalsvm.search.problem.copying import copy_into
from frugalsvm.search.problem.order_statistics import kth_smallest
from frugalsvm.search.problem.reduction import Floats, Ints
from frugalsvm.search.verdict import FEASIBLE, INFEASIBLE, UNDECIDED

MOST_ADDED = 16  # samples to the working set at a time


class Branches(NamedTuple):
    """The conflicts branched on, from the root down.

    Attributes
    ----------
    lists : ndarray of int64 of shape (deepest, most members)
        The droppable samples of each.
    sizes, places : ndarray of int64 of shape (deepest,)
        How many they are, and which of them is given up now (-1: none yet).
    """

    lists: Ints
    sizes: Ints
    places: Ints


@inlined
def _pack(
    hull: Hull, samples: Samples, count: int, packing: Packing, branch: Ints
) -> tuple[int, int]:
    """Collect disjoint conflicts among the samples that are not given up.

    `packing` holds the conflicts found last time, as a start, and receives the new ones.
    `branch` receives the droppable samples of the conflict with the fewest.

    Return INFEASIBLE if the conflicts cost more than is left, SEPARATED in the place of a
    verdict if the rest is separated (by v), UNDECIDED on failure; and the size of `branch`.
    """
    corral, barred, left = hull.corral, hull.barred, samples.left
    for j in range(count):
        barred[j] = BARRED if samples.status[j] == GONE else USABLE
    alone = np.zeros(2, np.int64)
    total, fewest = 0, 1 << 30
    for c in range(len(packing.sizes)):
        m = min(packing.sizes[c], len(corral))  # the similar support may have been larger
        copy_into(packing.corrals[c, :m], corral)
        copy_into(packing.weights[c, :m], hull.lam)
        outcome, m = find_conflict(hull, count, m)
        if outcome == SEPARATED:
            return SEPARATED, 0 if fewest == 1 << 30 else fewest
        if outcome != CONFLICT:
            return UNDECIDED, 0
        packing.sizes[c] = m
        copy_into(corral[:m], packing.corrals[c])
        copy_into(hull.lam[:m], packing.weights[c])
        least, classes, number = 1 << 30, 0, 0
        for i in range(m):
            j = corral[i]
            if droppable(samples, j):
                least = min(least, samples.weight[j])
                classes |= 1 << samples.side[j]
                number += 1
        if number == 0:
            return INFEASIBLE, 0
        total += least
        if classes < 3:
            alone[classes - 1] += least
        if total > left[0] + left[1] or alone[0] > left[0] or alone[1] > left[1]:
            return INFEASIBLE, 0
        shortest = number < fewest
        fewest, at = min(fewest, number), 0
        for i in range(m):
            j = corral[i]
            if droppable(samples, j):
                barred[j] = BARRED
                if shortest:
                    branch[at] = j
                    at += 1
    return UNDECIDED, 0


@helper
def _exchange(rows: Floats, samples: Samples, i: int, j: int) -> None:
    """Swap the places of two samples."""
    side, weight = samples.side, samples.weight
    for k in range(rows.shape[0]):
        rows[k, i], rows[k, j] = rows[k, j], rows[k, i]
    side[i], side[j] = side[j], side[i]
    weight[i], weight[j] = weight[j], weight[i]


@helper
def _extend(hull: Hull, samples: Samples, count: int) -> int:
    """Take samples that the separating v gets wrong into the working set; return its size."""
    rows, v = hull.rows, hull.v
    square = 0.0
    for k in range(len(v)):
        square += v[k] * v[k]
    added = 0
    for j in range(count, len(samples.side)):
        total = 0.0
        for k in range(len(v)):
            total += v[k] * rows[k, j]
        if total < square * (1.0 - 1e-9):
            _exchange(rows, samples, count + added, j)
            added += 1
            if added == MOST_ADDED:
                break
    return count + added


@helper
def _gap(rows: Floats, samples: Samples, needs: Ints, v: Floats) -> float:
    """Return gap(v_x) over all samples, for max |w_k| = 1."""
    n, d = len(samples.side), len(v) - 1
    top = 0.0
    for k in range(d):
        top = max(top, abs(v[k]))
    if top == 0.0:
        return -np.inf
    ends = np.zeros(2)
    for s in range(2):
        values, mass = np.empty(n), np.empty(n, np.int64)
        size = variable(0)
        for j in range(n):
            if samples.side[j] == s:
                total = 0.0
                for k in range(d):
                    total += v[k] * rows[k, j]
                values[size] = -total
                mass[size] = samples.weight[j]
                size += 1
        ends[s] = -kth_smallest(values, mass, size, needs[s])
    return float((ends[0] + ends[1]) / top)


@helper
def _next_child(branches: Branches, samples: Samples, depth: int) -> int:
    """Give up the next sample of the deepest conflict that has one; return the depth, 0 at the end.

    The sample given up before it is kept for good in what follows below that conflict.
    """
    lists, places = branches.lists, branches.places
    while depth > 0:
        at = depth - 1
        if places[at] >= 0:
            j = lists[at, places[at]]
            samples.status[j] = FIXED
            samples.left[samples.side[j]] += samples.weight[j]
        places[at] += 1
        if places[at] < branches.sizes[at]:
            j = lists[at, places[at]]
            samples.status[j] = GONE
            samples.left[samples.side[j]] -= samples.weight[j]
            return depth
        for i in range(branches.sizes[at]):
            samples.status[lists[at, i]] = OPEN
        depth -= 1
    return 0


@inlined
def branch_conflicts(
    arrays: Arrays,
    rows: Floats,
    side: Ints,
    weight: Ints,
    count: int,
    max_nodes: int,
    packing: Packing,
    found: Floats,
) -> tuple[int, int]:
    """Decide a support by conflicts.

    Parameters
    ----------
    rows : ndarray of shape (d + 1, >= n)
        Column j holds y_j (x_j, 1); the first `count` samples are the working set, which grows.
    side, weight : ndarray of int64 of shape (n,)
        0 for positives and 1 for negatives; how many samples each stands for.
    packing : Packing
        The conflicts of a similar support, to start from; receives those of this one.
    found : ndarray of shape (d,)
        Receives a direction if the support is feasible.

    Returns
    -------
    verdict, nodes : int
        FEASIBLE, INFEASIBLE or UNDECIDED, and the nodes opened.
    """
    d = len(found)
    hull = hull_of(rows, arrays.max_weight)
    samples = Samples(side, weight, np.zeros(len(side), np.int64), arrays.budgets.copy())
    deepest = samples.left[0] + samples.left[1] + 1
    branches = Branches(
        np.zeros((deepest, d + 4), np.int64),
        np.zeros(deepest, np.int64),
        np.zeros(deepest, np.int64),
    )
    branch = np.zeros(d + 4, np.int64)
    depth, nodes, verdict = 0, 0, INFEASIBLE
    while True:
        nodes += 1
        if nodes > max_nodes or arrays.halt[0] != 0:
            return UNDECIDED, nodes
        outcome, number = _pack(hull, samples, count, packing, branch)
        if outcome == SEPARATED:
            if _gap(rows, samples, arrays.needs, hull.v) >= arrays.floor:
                copy_into(hull.v[:d], found)
                return FEASIBLE, nodes
            extended = _extend(hull, samples, count)
            if extended > count:
                count = extended
                continue
            if number > 0:
                copy_into(branch[:number], branches.lists[depth])
                branches.sizes[depth], branches.places[depth] = number, -1
                depth += 1
        if outcome == UNDECIDED or (outcome == SEPARATED and number == 0):
            verdict = UNDECIDED
        depth = _next_child(branches, samples, depth)
        if depth == 0:
            return verdict, nodes
