"""Deciding a support by conflicts: pack them against the budgets, branch where that is not enough.

Every conflict costs at least one of its samples. Conflicts that share no droppable sample and
together cost more than the budgets prove a support infeasible. Otherwise one conflict is
branched on: each of its samples in turn is given up, the ones before it being kept for good.
A class whose budget is used up cannot give up samples, so conflicts may share its samples.
"""

from __future__ import annotations

import numpy as np

from frugalsvm.compiled import helper, kernel
from frugalsvm.search.copying import copy_into
from frugalsvm.search.directions import FEASIBLE, INFEASIBLE, UNDECIDED
from frugalsvm.search.reduction import Floats, Ints
from frugalsvm.search.selection import kth_smallest
from frugalsvm.search.shared_conflicts import (
    FIXED,
    GONE,
    OPEN,
    droppable,
    shared_conflicts_exceed,
)
from frugalsvm.search.wolfe import CONFLICT, SEPARATED, find_conflict


@kernel
def _pack(
    rows: Floats,
    d: int,
    count: int,
    side: Ints,
    weight: Ints,
    status: Ints,
    left: Ints,
    max_weight: float,
    usable: Ints,
    corral: Ints,
    v: Floats,
    scores: Floats,
    packs: Ints,
    pack_sizes: Ints,
    branch: Ints,
    space: Floats,
) -> tuple[int, int, int]:
    """Collect disjoint conflicts among the samples that are not given up.

    `packs` holds the corrals of the conflicts found last time, as a start, and receives the new
    ones. `branch` receives the droppable samples of the conflict with the fewest.

    Return INFEASIBLE if the conflicts cost more than is left, SEPARATED in the place of a
    verdict if the rest is separated (by v), UNDECIDED on failure; the size of `branch`; and how
    many conflicts there are.
    """
    for j in range(count):
        usable[j] = 0 if status[j] == GONE else 1
    alone = np.zeros(2, np.int64)
    total, fewest = 0, 1 << 30
    for c in range(len(packs)):
        m = pack_sizes[c]
        for i in range(m):
            corral[i] = packs[c, i]
        outcome, m = find_conflict(rows, d, count, usable, max_weight, corral, m, v, scores, space)
        if outcome == SEPARATED:
            return SEPARATED, 0 if fewest == 1 << 30 else fewest, c
        if outcome != CONFLICT:
            return UNDECIDED, 0, c
        pack_sizes[c] = m
        least, classes, number = 1 << 30, 0, 0
        for i in range(m):
            j = corral[i]
            packs[c, i] = j
            if droppable(j, side, weight, status, left):
                least = min(least, weight[j])
                classes |= 1 << side[j]
                number += 1
        if number == 0:
            return INFEASIBLE, 0, c
        total += least
        if classes < 3:
            alone[classes - 1] += least
        if total > left[0] + left[1] or alone[0] > left[0] or alone[1] > left[1]:
            return INFEASIBLE, 0, c
        if number < fewest:
            fewest, at = number, 0
            for i in range(m):
                if droppable(corral[i], side, weight, status, left):
                    branch[at] = corral[i]
                    at += 1
        for i in range(m):
            if droppable(corral[i], side, weight, status, left):
                usable[corral[i]] = 0
    return UNDECIDED, 0, len(packs)


@helper
def _exchange(rows: Floats, d: int, side: Ints, weight: Ints, i: int, j: int) -> None:
    """Swap the places of two samples."""
    for k in range(d + 1):
        rows[k, i], rows[k, j] = rows[k, j], rows[k, i]
    side[i], side[j] = side[j], side[i]
    weight[i], weight[j] = weight[j], weight[i]


@helper
def _extend(
    rows: Floats, d: int, count: int, side: Ints, weight: Ints, v: Floats, scores: Floats
) -> int:
    """Take samples that the separating v gets wrong into the working set; return its size."""
    square = 0.0
    for k in range(d + 1):
        square += v[k] * v[k]
    added = 0
    for j in range(count, len(side)):
        total = 0.0
        for k in range(d + 1):
            total += v[k] * rows[k, j]
        if total < square * (1.0 - 1e-9):
            _exchange(rows, d, side, weight, count + added, j)
            added += 1
            if added == 16:
                break
    return count + added


@helper
def _gap(rows: Floats, d: int, side: Ints, weight: Ints, needs: Ints, v: Floats) -> float:
    """Return gap(v_x) over all samples, for max |w_k| = 1."""
    n = len(side)
    top = 0.0
    for k in range(d):
        top = max(top, abs(v[k]))
    if top == 0.0:
        return -np.inf
    ends = np.zeros(2)
    for s in range(2):
        values, mass = np.empty(n), np.empty(n, np.int64)
        size = 0
        for j in range(n):
            if side[j] == s:
                total = 0.0
                for k in range(d):
                    total += v[k] * rows[k, j]
                values[size] = -total
                mass[size] = weight[j]
                size += 1
        ends[s] = -kth_smallest(values, mass, size, needs[s])
    return float((ends[0] + ends[1]) / top)


@helper
def _next_child(
    depth: int,
    lists: Ints,
    sizes: Ints,
    places: Ints,
    side: Ints,
    weight: Ints,
    status: Ints,
    left: Ints,
) -> int:
    """Give up the next sample of the deepest conflict that has one; return the depth, 0 at the end.

    The sample given up before it is kept for good in what follows below that conflict.
    """
    while depth > 0:
        at = depth - 1
        if places[at] >= 0:
            j = lists[at, places[at]]
            status[j] = FIXED
            left[side[j]] += weight[j]
        places[at] += 1
        if places[at] < sizes[at]:
            j = lists[at, places[at]]
            status[j] = GONE
            left[side[j]] -= weight[j]
            return depth
        for i in range(sizes[at]):
            status[lists[at, i]] = OPEN
        depth -= 1
    return 0


@helper
def branch_conflicts(
    rows: Floats,
    d: int,
    count: int,
    side: Ints,
    weight: Ints,
    budgets: Ints,
    needs: Ints,
    max_weight: float,
    floor: float,
    max_nodes: int,
    halt: Ints,
    packs: Ints,
    pack_sizes: Ints,
    found: Floats,
) -> tuple[int, int]:
    """Decide a support by conflicts.

    Parameters
    ----------
    rows : ndarray of shape (d + 1, n)
        Column j holds y_j (x_j, 1); the first `count` samples are the working set, which grows.
    side, weight : ndarray of int64 of shape (n,)
        0 for positives and 1 for negatives; how many samples each stands for.
    halt : ndarray of one int64
        Set to nonzero from outside, it ends the search undecided.
    packs, pack_sizes : ndarray of int64
        The conflicts of a similar support, to start from; receives those of this one.
    found : ndarray of shape (d,)
        Receives a direction if the support is feasible.

    Returns
    -------
    verdict, nodes : int
        FEASIBLE, INFEASIBLE or UNDECIDED, and the nodes opened.
    """
    n = len(side)
    status, usable = np.zeros(n, np.int64), np.zeros(n, np.int64)
    left = budgets.copy()
    corral, branch = np.zeros(d + 4, np.int64), np.zeros(d + 4, np.int64)
    v, scores = np.zeros(d + 1), np.empty(n)
    space = np.empty((2 * d + 10, d + 4))
    deepest = budgets[0] + budgets[1] + 1
    lists = np.zeros((deepest, d + 4), np.int64)
    sizes, places = np.zeros(deepest, np.int64), np.zeros(deepest, np.int64)
    depth, nodes, verdict = 0, 0, INFEASIBLE
    while True:
        nodes += 1
        if nodes > max_nodes or halt[0] != 0:
            return UNDECIDED, nodes
        outcome, number, packed = _pack(
            rows,
            d,
            count,
            side,
            weight,
            status,
            left,
            max_weight,
            usable,
            corral,
            v,
            scores,
            packs,
            pack_sizes,
            branch,
            space,
        )
        if outcome == SEPARATED:
            if _gap(rows, d, side, weight, needs, v) >= floor:
                copy_into(v[:d], found)
                return FEASIBLE, nodes
            extended = _extend(rows, d, count, side, weight, v, scores)
            if extended > count:
                count = extended
                continue
            if number > 0 and not shared_conflicts_exceed(
                rows,
                d,
                count,
                side,
                weight,
                status,
                left,
                max_weight,
                usable,
                corral,
                v,
                scores,
                packs,
                pack_sizes,
                packed,
                space,
            ):
                copy_into(branch[:number], lists[depth])
                sizes[depth], places[depth] = number, -1
                depth += 1
        if outcome == UNDECIDED or (outcome == SEPARATED and number == 0):
            verdict = UNDECIDED
        depth = _next_child(depth, lists, sizes, places, side, weight, status, left)
        if depth == 0:
            return verdict, nodes
