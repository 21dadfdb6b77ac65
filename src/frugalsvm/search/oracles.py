"""Judging many supports at a time: the kernels behind the enumeration and behind `decide`.

A support goes through the oracles from the cheapest to the surest: cells, conflicts,
directions. A support of discrete features only is first shrunk to its cells.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numba import njit
from numpy.typing import NDArray

from frugalsvm.search.attain import telling_features
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
    """How far each oracle may go: nodes of the conflicts' tree, boxes of directions; 0: not."""

    cells: bool
    conflict_nodes: int
    boxes: int

    def allowed_by(self, options: SearchOptions) -> Effort:
        """Return the effort without the tactics that are switched off."""
        return Effort(
            cells=self.cells and options.cells,
            conflict_nodes=self.conflict_nodes if options.conflicts else 0,
            boxes=self.boxes if options.directions else 0,
        )


@dataclass(frozen=True, eq=False)
class Oracles:
    """The arrays that the kernels need, made once per problem.

    Attributes
    ----------
    core : CoreProblem
        The problem.
    codes, counts : ndarray
        The discrete columns as codes, see :class:`frugalsvm.search.cells.Levels`.
    orders : ndarray of int32 of shape (n_features, n_samples), or empty
        The samples by ascending value of each column, if there are discrete columns.
    hard : ndarray of int64 of shape (n_samples,)
        The samples from the hardest to the easiest: conflicts are among the hard ones.
    """

    core: CoreProblem
    codes: NDArray[np.int16]
    counts: Ints
    orders: Ints
    hard: Ints

    def judge(self, rows: Ints, sizes: Ints, effort: Effort) -> tuple[Ints, Floats, Ints]:
        """Return verdicts on supports given as rows of core features, directions, and work.

        The rows hold the free features too; the directions are in the order of the rows; the
        work counts the supports that each oracle decided, and the nodes and boxes opened.
        """
        core = self.core
        verdicts = np.full(len(rows), UNDECIDED, dtype=np.int64)
        directions = np.zeros(rows.shape)
        work = np.zeros(6, dtype=np.int64)
        small = core.budget_pos + core.budget_neg <= MOST_CONFLICTS
        _judge(
            core.columns, core.n_pos, core.weight, core.budget_pos, core.budget_neg,
            core.need_pos, core.need_neg, core.max_weight, core.floor,
            self.codes, self.counts, self.orders, self.hard,
            effort.cells, effort.conflict_nodes if small else 0, effort.boxes,
            rows, sizes, verdicts, directions, work,
        )  # fmt: skip
        return verdicts, directions, work


def prepare_oracles(core: CoreProblem) -> Oracles:
    """Make the arrays that the kernels need."""
    levels = find_levels(core)
    orders = np.zeros((core.n_features, 0), dtype=np.int64)
    if levels.any_discrete and core.n_samples > 0:
        orders = np.argsort(core.columns, axis=1, kind="stable")
    return Oracles(core, levels.codes, levels.counts, orders, hardest_first(core))


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
    columns: Floats,
    n_pos: int,
    weight: Ints,
    budget_pos: int,
    budget_neg: int,
    codes: NDArray[np.int16],
    counts: Ints,
    orders: Ints,
    chosen: Ints,
    cells: Ints,
    firsts: Ints,
) -> tuple[bool, int]:
    """Return True if the cells prove the support infeasible; and their number if all discrete."""
    continuous, which = 0, 0
    for k in chosen:
        if counts[k] == 0:
            continuous += 1
            which = k
    if continuous > 1 or (continuous == 1 and len(chosen) == 1):
        return False, 0
    number = assign_cells(codes, counts, chosen, cells, firsts)
    if number < 0:
        return False, 0
    if continuous == 0:
        return cells_exceed(cells, number, n_pos, weight, budget_pos, budget_neg), number
    exceeded = thresholds_exceed(
        columns[which], orders[which], cells, number, n_pos, weight, budget_pos, budget_neg
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
def _signed_rows(
    points: Floats, n_pos: int, order: Ints, weight: Ints, side: Ints, mass: Ints
) -> Floats:
    """Return y_i (x_i, 1) as columns in the given order of the samples."""
    n, d = points.shape
    rows = np.empty((d + 1, n))
    for a in range(n):
        i = order[a]
        y = 1.0 if i < n_pos else -1.0
        for k in range(d):
            rows[k, a] = y * points[i, k]
        rows[d, a] = y
        side[a] = 0 if i < n_pos else 1
        mass[a] = weight[i]
    return rows


@njit(cache=True, nogil=True)
def _judge(
    columns: Floats,
    n_pos: int,
    weight: Ints,
    budget_pos: int,
    budget_neg: int,
    need_pos: int,
    need_neg: int,
    max_weight: float,
    floor: float,
    codes: NDArray[np.int16],
    counts: Ints,
    orders: Ints,
    hard: Ints,
    use_cells: bool,
    conflict_nodes: int,
    boxes: int,
    rows: Ints,
    sizes: Ints,
    verdicts: Ints,
    directions: Floats,
    work: Ints,
) -> None:
    """Judge supports one by one."""
    n = columns.shape[1]
    budgets, needs = np.array([budget_pos, budget_neg]), np.array([need_pos, need_neg])
    every = np.arange(n)
    cells, firsts = np.empty(n, np.int64), np.empty(n, np.int64)
    samples, merged, side, mass = (
        np.empty(n, np.int64),
        np.empty(n, np.int64),
        np.empty(n, np.int64),
        np.empty(n, np.int64),
    )
    room = budget_pos + budget_neg + 2 if conflict_nodes > 0 else 1
    packs = np.zeros((room, rows.shape[1] + 4), np.int64)
    pack_sizes = np.zeros(room, np.int64)
    last_n = -1
    for r in range(len(rows)):
        chosen = rows[r, : sizes[r]]
        d = len(chosen)
        number = 0
        if use_cells and codes.shape[1] > 0:
            exceeded, number = _by_cells(
                columns,
                n_pos,
                weight,
                budget_pos,
                budget_neg,
                codes,
                counts,
                orders,
                chosen,
                cells,
                firsts,
            )
            if exceeded:
                verdicts[r] = INFEASIBLE
                work[0] += 1
                continue
        if number > 0:
            count, positives = _merge_cells(cells, number, n_pos, weight, samples, merged)
            points = _gather(columns, chosen, samples, count)
            masses, order = merged[:count], every[:count]
        else:
            count, positives = n, n_pos
            points = _gather(columns, chosen, every, n)
            masses, order = weight, hard
        if conflict_nodes > 0:
            signed = _signed_rows(points, positives, order, masses, side[:count], mass[:count])
            if number > 0 or count != last_n:
                pack_sizes[:] = 0
            last_n = count if number == 0 else -1
            verdicts[r], nodes = branch_conflicts(
                signed,
                d,
                min(WORKING_SET, count),
                side[:count],
                mass[:count],
                budgets,
                needs,
                max_weight,
                floor,
                conflict_nodes,
                packs,
                pack_sizes,
                directions[r, :d],
            )
            work[4] += nodes
            if verdicts[r] != UNDECIDED:
                work[1] += 1
                continue
        if boxes > 0:
            verdicts[r], nodes = search_directions(
                points, positives, masses, need_pos, need_neg, floor, boxes, directions[r, :d]
            )
            work[5] += nodes
            if verdicts[r] != UNDECIDED:
                work[2] += 1
                continue
        work[3] += 1
