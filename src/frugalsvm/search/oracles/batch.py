"""Judging many supports at a time: the kernels behind the enumeration and behind `decide`.

A support goes through the oracles from the cheapest to the surest: cells, conflicts,
directions. A support of discrete features only is first shrunk to its cells.
"""

from __future__ import annotations

import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from frugalsvm.search.door import Door
from frugalsvm.search.options import SearchOptions
from frugalsvm.search.oracles.arrays import Arrays
from frugalsvm.search.oracles.batch_kernels import (
    by_cells,
    by_conflicts,
    by_directions,
    on_support,
)
from frugalsvm.search.oracles.coincidence import find_levels
from frugalsvm.search.oracles.directions import OnSupport
from frugalsvm.search.problem.reduction import CoreProblem, Floats, Ints
from frugalsvm.search.problem.telling import hardest_first
from frugalsvm.search.regime import Regime
from frugalsvm.search.tuning import Effort
from frugalsvm.search.verdict import FEASIBLE, INFEASIBLE, UNDECIDED


class Judged(NamedTuple):
    """Supports and the verdicts on them, as the kernels take them.

    Attributes
    ----------
    rows, sizes : ndarray of int64
        The core features of each support, free ones included, and how many they are.
    verdicts : ndarray of int64
        FEASIBLE, INFEASIBLE or UNDECIDED.
    directions : ndarray of float, shaped as the rows
        Of the feasible ones.
    """

    rows: Ints
    sizes: Ints
    verdicts: Ints
    directions: Floats


class Outcome(NamedTuple):
    """Verdicts, directions in the order of the rows, and the nodes and boxes opened."""

    verdicts: Ints
    directions: Floats
    work: Ints


def allowed(effort: Effort, options: SearchOptions) -> Effort:
    """Return the effort without the oracles that are switched off."""
    return Effort(
        cell_boxes=effort.cell_boxes if options.cells else 0,
        conflict_nodes=effort.conflict_nodes if options.conflicts else 0,
        boxes=effort.boxes if options.directions else 0,
    )


def undecided(rows: Ints, sizes: Ints) -> Judged:
    """Return supports that nothing is known about."""
    verdicts = np.full(len(rows), UNDECIDED, dtype=np.int64)
    return Judged(rows, sizes, verdicts, np.zeros(rows.shape))


@dataclass(frozen=True, eq=False)
class Oracles:
    """The oracles of one problem."""

    core: CoreProblem
    arrays: Arrays
    door: Door

    @property
    def pack_conflicts(self) -> bool:
        """True if the budgets are small enough for conflicts."""
        return bool(self.arrays.signed.shape[1] > 0)

    def judge(
        self, rows: Ints, sizes: Ints, effort: Effort, options: SearchOptions | None = None
    ) -> Outcome:
        """Return verdicts on supports given as rows of core features, directions, and work.

        The rows hold the free features too. With switches given, the effort is cut to what they
        allow and scaled to the number of samples.
        """
        if options is not None:
            effort = allowed(effort, options).scaled(self.core.n_samples)
        judged = undecided(rows, sizes)
        arrays = self.arrays
        coded = effort.cell_boxes > 0 if arrays.codes.shape[1] > 0 else None
        work = np.zeros(2, dtype=np.int64)
        if coded:
            with self._tallied("cells", judged):
                by_cells(arrays, effort.cell_boxes, *judged[:3])
        if self.pack_conflicts and effort.conflict_nodes > 0 and not judged.verdicts.all():
            with self._tallied("conflicts", judged):
                work[0] = by_conflicts(arrays, coded, effort.conflict_nodes, *judged)
        if effort.boxes > 0 and not judged.verdicts.all():
            with self._tallied("directions", judged):
                work[1] = by_directions(arrays, coded, effort.boxes, *judged)
        return Outcome(judged.verdicts, judged.directions, work)

    def on_support(self, chosen: Ints, options: SearchOptions) -> OnSupport:
        """Return the samples on a support, merged if coinciding samples may be looked at."""
        coded = options.cells if self.arrays.codes.shape[1] > 0 else None
        on: OnSupport = on_support(self.arrays, coded, chosen)
        return on

    @contextmanager
    def _tallied(self, oracle: str, judged: Judged) -> Iterator[None]:
        """Count what an oracle decides of supports, and how long it takes."""
        started, before = time.perf_counter(), judged.verdicts.copy()
        yield
        news = (before == UNDECIDED) & (judged.verdicts != UNDECIDED)
        found = int(np.count_nonzero(judged.verdicts[news] == FEASIBLE))
        asked = int(np.count_nonzero(before == UNDECIDED))
        self.door.count(oracle, asked, 0, found, time.perf_counter() - started)
        gone = news & (judged.verdicts == INFEASIBLE)
        self.door.rule_out_rows(judged.rows, judged.sizes, gone, oracle)


def prepare_oracles(core: CoreProblem, regime: Regime, halt: Ints, door: Door) -> Oracles:
    """Make the arrays that the kernels need; they look at `halt` while they run."""
    levels = find_levels(core)
    orders = np.zeros((core.n_features, 0), dtype=np.int64)
    if levels.any_discrete:
        orders = np.argsort(core.columns, axis=1, kind="stable")
    hard = hardest_first(core)
    y = np.where(hard < core.n_pos, 1.0, -1.0)
    empty = np.zeros((core.n_features, 0))
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
        signed=np.ascontiguousarray(core.columns[:, hard] * y if regime.packs_conflicts else empty),
        side=(hard >= core.n_pos).astype(np.int64),
        mass=core.weight[hard],
        halt=halt,
    )
    return Oracles(core, arrays, door)
