"""Judging many supports at a time: the kernels behind the enumeration and behind `decide`."""

from __future__ import annotations

import numpy as np
from numba import njit

from frugalsvm.search.directions import UNDECIDED, search_directions
from frugalsvm.search.reduction import CoreProblem, Floats, Ints


@njit(cache=True, nogil=True)
def _gather(columns: Floats, chosen: Ints) -> Floats:
    """Return the samples on the chosen features, one row a sample."""
    n, d = columns.shape[1], len(chosen)
    points = np.empty((n, d))
    for k in range(d):
        column = columns[chosen[k]]
        for i in range(n):
            points[i, k] = column[i]
    return points


@njit(cache=True, nogil=True)
def _judge(
    columns: Floats,
    n_pos: int,
    weight: Ints,
    need_pos: int,
    need_neg: int,
    floor: float,
    max_nodes: int,
    rows: Ints,
    sizes: Ints,
    verdicts: Ints,
    directions: Floats,
) -> int:
    """Judge supports one by one; return the boxes opened."""
    total = 0
    for r in range(len(rows)):
        d = sizes[r]
        points = _gather(columns, rows[r, :d])
        verdicts[r], nodes = search_directions(
            points, n_pos, weight, need_pos, need_neg, floor, max_nodes, directions[r, :d]
        )
        total += nodes
    return total


def judge(core: CoreProblem, rows: Ints, sizes: Ints, max_nodes: int) -> tuple[Ints, Floats]:
    """Return the verdicts on supports given as rows of core features, and directions.

    The rows hold the free features too; the directions are in the order of the rows.
    """
    verdicts = np.full(len(rows), UNDECIDED, dtype=np.int64)
    directions = np.zeros(rows.shape)
    _judge(
        core.columns, core.n_pos, core.weight, core.need_pos, core.need_neg, core.floor,
        max_nodes, rows, sizes, verdicts, directions,
    )  # fmt: skip
    return verdicts, directions
