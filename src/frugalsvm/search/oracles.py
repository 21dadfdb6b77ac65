"""Judging many supports at a time: the kernels behind the enumeration and behind `decide`.

A support goes through the oracles from the cheapest to the surest: cells, conflicts,
directions. A support of discrete features only is first shrunk to its cells.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
from numba import njit
from numpy.typing import NDArray

from frugalsvm.search.attain import telling_features
from frugalsvm.search.cell_directions import cell_directions_exceed
from frugalsvm.search.cells import assign_cells, cells_exceed, find_levels, thresholds_exceed
from frugalsvm.search.conflicts import branch_conflicts
from frugalsvm.search.directions import INFEASIBLE, UNDECIDED, search_directions
from frugalsvm.search.fit import trimmed_fit
from frugalsvm.search.options import SearchOptions
from frugalsvm.search.reduction import CoreProblem, Floats, Ints

WORKING_SET = 120
"""Samples that the conflicts are looked for in, at first."""

MOST_CONFLICTS = 40
"""Budgets above this leave no hope of packing conflicts in excess of them."""


@dataclass(frozen=True, eq=False)
class Effort:
    """How far each oracle may go on one support; 0: not at all.

    Attributes
    ----------
    cell_boxes : int
        Boxes of directions with a threshold per cell; any positive number allows the cells.
    conflict_nodes : int
        Nodes of the tree of conflicts.
    boxes : int
        Boxes of directions.
    """

    cell_boxes: int
    conflict_nodes: int
    boxes: int

    def allowed_by(self, options: SearchOptions) -> Effort:
        """Return the effort without the tactics that are switched off."""
        return Effort(
            cell_boxes=self.cell_boxes if options.cells else 0,
            conflict_nodes=self.conflict_nodes if options.conflicts else 0,
            boxes=self.boxes if options.directions else 0,
        )

    def scaled(self, n_samples: int) -> Effort:
        """Return the effort for this many samples: boxes cost more with more of them."""
        if n_samples <= 2_000:
            return self
        share = 2_000 / n_samples
        return Effort(
            cell_boxes=min(self.cell_boxes, max(10, int(share * self.cell_boxes))),
            conflict_nodes=min(self.conflict_nodes, max(10, int(share * self.conflict_nodes))),
            boxes=min(self.boxes, max(20, int(share * self.boxes))),
        )


class Arrays(NamedTuple):
    """What the kernels read, made once per problem.

    Attributes
    ----------
    columns, n_pos, weight, budgets, needs, max_weight, floor
        As in :class:`~frugalsvm.search.reduction.CoreProblem`; budgets and needs as pairs.
    codes, counts : ndarray
        The discrete columns as codes, see :class:`~frugalsvm.search.cells.Levels`.
    orders : ndarray of int64 of shape (n_features, n_samples), or empty
        The samples by ascending value of each column, if there are discrete columns.
    signed : ndarray of shape (n_features, n_samples), or empty
        y_i x_i with the samples from the hardest to the easiest, as conflicts are among the hard
        ones; made only if the budgets are small enough for conflicts.
    side, mass : ndarray of int64 of shape (n_samples,)
        The samples' classes (0 positive, 1 negative) and weights in that order.
    halt : ndarray of one int64
        Nonzero asks running kernels to leave the rest undecided.
    """

    columns: Floats
    n_pos: int
    weight: Ints
    budgets: Ints
    needs: Ints
    max_weight: float
    floor: float
    codes: NDArray[np.int16]
    counts: Ints
    orders: Ints
    signed: Floats
    side: Ints
    mass: Ints
    halt: Ints


@dataclass(frozen=True, eq=False)
class Oracles:
    """The oracles of one problem."""

    arrays: Arrays

    def halt(self) -> None:
        """Ask running kernels to come to an end."""
        self.arrays.halt[0] = 1

    def judge(self, rows: Ints, sizes: Ints, effort: Effort) -> tuple[Ints, Floats, Ints]:
        """Return verdicts on supports given as rows of core features, directions, and work.

        The rows hold the free features too; the directions are in the order of the rows; the
        work counts the supports that each oracle decided, and the nodes and boxes opened.
        """
        verdicts = np.full(len(rows), UNDECIDED, dtype=np.int64)
        directions = np.zeros(rows.shape)
        work = np.zeros(6, dtype=np.int64)
        nodes = effort.conflict_nodes if self.arrays.signed.shape[1] > 0 else 0
        cells = effort.cell_boxes if self.arrays.codes.shape[1] > 0 else 0
        _judge(self.arrays, cells, nodes, effort.boxes, rows, sizes, verdicts, directions, work)
        return verdicts, directions, work


def prepare_oracles(core: CoreProblem) -> Oracles:
    """Make the arrays that the kernels need."""
    levels = find_levels(core)
    orders = np.zeros((core.n_features, 0), dtype=np.int64)
    if levels.any_discrete:
        orders = np.argsort(core.columns, axis=1, kind="stable")
    hard = hardest_first(core)
    y = np.where(hard < core.n_pos, 1.0, -1.0)
    small = core.budget_pos + core.budget_neg <= MOST_CONFLICTS
    arrays = Arrays(
        columns=core.columns,
        n_pos=core.n_pos,
        weight=core.weight,
        budgets=np.array([core.budget_pos, core.budget_neg], dtype=np.int64),
        needs=np.array([core.need_pos, core.need_neg], dtype=np.int64),
        max_weight=float(core.max_weight),
        floor=core.floor,
        codes=levels.codes,
        counts=levels.counts,
        orders=orders,
        signed=core.columns[:, hard] * y if small else np.zeros((core.n_features, 0)),
        side=(hard >= core.n_pos).astype(np.int64),
        mass=core.weight[hard],
        halt=np.zeros(1, dtype=np.int64),
    )
    return Oracles(arrays)


def hardest_first(core: CoreProblem) -> Ints:
    """Order the samples by their margin under one fit on the most telling features."""
    chosen = telling_features(core)
    points = np.ascontiguousarray(core.columns[chosen].T)
    w, found = np.zeros(len(chosen) + 1), np.zeros(len(chosen))
    trimmed_fit(
        points, core.n_pos, core.weight, core.need_pos, core.need_neg, np.inf,
        10, 1e-2, 1.0, w, found,
    )  # fmt: skip
    margin = points @ w[:-1] + w[-1]
    margin[core.n_pos :] *= -1.0
    return np.argsort(margin, kind="stable").astype(np.int64)


@njit(cache=True, nogil=True)
def _gather(columns: Floats, chosen: Ints, samples: Ints, count: int) -> Floats:
    """Return the samples on the chosen features, one row a sample."""
    d = len(chosen)
    points = np.empty((count, d))
    for k in range(d):
        column = columns[chosen[k]]
        for i in range(count):
            points[i, k] = column[samples[i]]
    return points


@njit(cache=True, nogil=True)
def _by_cells(
    arrays: Arrays, boxes: int, chosen: Ints, cells: Ints, firsts: Ints
) -> tuple[bool, int]:
    """Return True if the cells prove the support infeasible; and their number if all discrete."""
    continuous = np.empty(len(chosen), np.int64)
    several = 0
    for k in chosen:
        if arrays.counts[k] == 0:
            continuous[several] = k
            several += 1
    if several == len(chosen):
        return False, 0
    number = assign_cells(arrays.codes, arrays.counts, chosen, cells, firsts)
    if number < 0:
        return False, 0
    n_pos, weight, budgets = arrays.n_pos, arrays.weight, arrays.budgets
    if several == 0:
        return cells_exceed(cells, number, n_pos, weight, budgets[0], budgets[1]), number
    if several == 1:
        column, order = arrays.columns[continuous[0]], arrays.orders[continuous[0]]
        exceeded = thresholds_exceed(
            column, order, cells, number, n_pos, weight, budgets[0], budgets[1]
        )
        return exceeded, 0
    points = _gather(arrays.columns, continuous[:several], np.arange(len(cells)), len(cells))
    exceeded = cell_directions_exceed(
        points, cells, number, n_pos, weight, budgets[0], budgets[1], boxes, arrays.halt
    )
    return exceeded, 0


@njit(cache=True, nogil=True)
def _merge_cells(
    cells: Ints, number: int, n_pos: int, weight: Ints, samples: Ints, merged: Ints
) -> tuple[int, int]:
    """Merge samples of one class and cell; return how many are left, and how many positives.

    `samples` receives a representative of each, positives first, `merged` their weights.
    """
    place = np.full(number, -1, np.int64)
    count = 0
    positives = 0
    for i in range(len(cells)):
        if i == n_pos:
            positives = count
            for c in range(number):
                place[c] = -1
        c = cells[i]
        if place[c] < 0:
            place[c] = count
            samples[count] = i
            merged[count] = 0
            count += 1
        merged[place[c]] += weight[i]
    return count, positives


@njit(cache=True, nogil=True)
def _signed_points(points: Floats, n_pos: int, rows: Floats, side: Ints) -> None:
    """Fill in y_i (x_i, 1) as columns, and the classes."""
    n, d = points.shape
    for i in range(n):
        y = 1.0 if i < n_pos else -1.0
        for k in range(d):
            rows[k, i] = y * points[i, k]
        rows[d, i] = y
        side[i] = 0 if i < n_pos else 1


@njit(cache=True, nogil=True)
def _hard_rows(arrays: Arrays, chosen: Ints, rows: Floats, side: Ints, mass: Ints) -> None:
    """Fill in y_i (x_i, 1) as columns, the hardest samples first, with classes and weights."""
    d = len(chosen)
    for k in range(d):
        rows[k, :] = arrays.signed[chosen[k]]
    for i in range(len(side)):
        side[i] = arrays.side[i]
        mass[i] = arrays.mass[i]
        rows[d, i] = 1.0 - 2.0 * side[i]


@njit(cache=True, nogil=True)
def _judge(
    arrays: Arrays,
    cell_boxes: int,
    conflict_nodes: int,
    boxes: int,
    rows: Ints,
    sizes: Ints,
    verdicts: Ints,
    directions: Floats,
    work: Ints,
) -> None:
    """Judge supports one by one: cells, then conflicts, then directions."""
    n = arrays.columns.shape[1]
    every = np.arange(n)
    cells, samples, merged, side, mass = (
        np.empty(n, np.int64),
        np.empty(n, np.int64),
        np.empty(n, np.int64),
        np.empty(n, np.int64),
        np.empty(n, np.int64),
    )
    room = arrays.budgets.sum() + 2 if conflict_nodes > 0 else 1
    packs = np.zeros((room, rows.shape[1] + 4), np.int64)
    pack_sizes = np.zeros(room, np.int64)
    space = np.empty((rows.shape[1] + 1, n if conflict_nodes > 0 else 0))
    for r in range(len(rows)):
        chosen = rows[r, : sizes[r]]
        d = len(chosen)
        number, count, positives = 0, n, arrays.n_pos
        if cell_boxes > 0:
            exceeded, number = _by_cells(arrays, cell_boxes, chosen, cells, samples)
            if exceeded:
                verdicts[r] = INFEASIBLE
                work[0] += 1
                continue
        masses = arrays.weight
        if number > 0:
            count, positives = _merge_cells(
                cells, number, arrays.n_pos, arrays.weight, samples, merged
            )
            masses = merged[:count]
        points = np.empty((0, d))
        if conflict_nodes > 0:
            if number > 0:
                points = _gather(arrays.columns, chosen, samples, count)
                _signed_points(points, positives, space, side)
                mass[:count] = masses
                pack_sizes[:] = 0
            else:
                _hard_rows(arrays, chosen, space, side, mass)
            verdicts[r], nodes = branch_conflicts(
                space,
                d,
                min(WORKING_SET, count),
                side[:count],
                mass[:count],
                arrays.budgets,
                arrays.needs,
                arrays.max_weight,
                arrays.floor,
                conflict_nodes,
                arrays.halt,
                packs,
                pack_sizes,
                directions[r, :d],
            )
            work[4] += nodes
            if verdicts[r] != UNDECIDED:
                work[1] += 1
                continue
        if boxes > 0:
            points = _gather(arrays.columns, chosen, samples if number > 0 else every, count)
            verdicts[r], nodes = search_directions(
                points,
                positives,
                masses,
                arrays.needs[0],
                arrays.needs[1],
                arrays.floor,
                boxes,
                arrays.halt,
                directions[r, :d],
            )
            work[5] += nodes
            if verdicts[r] != UNDECIDED:
                work[2] += 1
                continue
        work[3] += 1
