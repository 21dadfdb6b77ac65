"""Neighbours of a walk over supports, several at a time.

Neighbours share most of their features, so their union has few more than each of them. If it is
infeasible so are they all. Where that does not work for some neighbours it hardly works for the
next ones, so it is not tried again before all of a group are ruled out one by one.
"""

from __future__ import annotations

import numpy as np

from frugalsvm.search.directions import INFEASIBLE, UNDECIDED
from frugalsvm.search.oracles import Effort, Oracles
from frugalsvm.search.reduction import Floats, Ints

GROUP = 8


def judge_in_groups(
    oracles: Oracles, rows: Ints, sizes: Ints, effort: Effort
) -> tuple[Ints, Floats, Ints]:
    """Judge supports as `Oracles.judge` does, unions of neighbours first."""
    verdicts = np.full(len(rows), UNDECIDED, dtype=np.int64)
    directions, work = np.zeros(rows.shape), np.zeros(6, dtype=np.int64)
    together = True
    for first in range(0, len(rows), GROUP):
        part = slice(first, first + GROUP)
        if together and _union_fails(oracles, rows[part], sizes[part], effort):
            verdicts[part] = INFEASIBLE
            work[0] += len(sizes[part])
        else:
            verdicts[part], directions[part], spent = oracles.judge(rows[part], sizes[part], effort)
            work += spent
            together = bool(np.all(verdicts[part] == INFEASIBLE))
    return verdicts, directions, work


def _union_fails(oracles: Oracles, rows: Ints, sizes: Ints, effort: Effort) -> bool:
    """Return True if cells rule out the union of supports."""
    if len(rows) < 2 or effort.cell_boxes == 0:
        return False
    union = np.unique(np.concatenate([row[:size] for row, size in zip(rows, sizes, strict=True)]))
    by_cells = Effort(effort.cell_boxes, 0, 0, offsets=False)
    verdicts, _, _ = oracles.judge(union[None, :], np.array([len(union)]), by_cells)
    return bool(verdicts[0] == INFEASIBLE)
