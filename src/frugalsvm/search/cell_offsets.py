"""The thresholds of the cells add up: those of all cells follow from a weight per feature.

A cell's threshold is the hyperplane's, less the weights of the discrete features that are on in
it. The best thresholds of the single cells hardly ever come from one set of weights. Those that
do not are found as conflicts are (`wolfe`): "the upper threshold of this cell is at most here" is
a positive sample of that cell that has to be right, "the lower one is above that" a negative one.

A loss of at most `level` in a cell keeps its upper threshold at or below some value and its lower
one above another, and the two are the margin apart: hence both with half of it to spare. A share
of the floor may be given to the tables; each of the two has half of the rest.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from frugalsvm.compiled import helper
from frugalsvm.search.cell_tables import (
    EXCESS,
    LOWER_LEAST,
    UPPER_MOST,
    Tables,
    first_upper,
    last_lower,
    lower_loss,
    upper_loss,
)
from frugalsvm.search.reduction import Floats, Ints
from frugalsvm.search.wolfe import BARRED, USABLE, Hull, find_conflict, hull_of

WIDER = 0.25  # by how much a box is wider for the conflicts
STACK = 400  # nodes that may wait


class Offsets(NamedTuple):
    """Room for the branch and bound over the thresholds of one support.

    Attributes
    ----------
    hull : Hull
        The thresholds as samples: column c asks the upper threshold of cell c to be at most, the
        column ``n_cells + c`` the lower one to be above a value. The next asks the continuous
        features for a weight that can separate anything, the others for directions in the box.
        The rows: the continuous features' common weight, its changes within the box, the
        weights of the discrete features, the threshold.
    middle : ndarray of shape (n_cells,)
        The score of each cell's origin in the middle of the box of directions.
    least, level : ndarray of shape (n_cells,)
        The least loss of each cell, and what was charged to it so far.
    places : ndarray of int64 of shape (n_cells,)
        Where the least loss is.
    regret, at : ndarray of shape (2 * n_cells,)
        The least loss if the threshold of a column is elsewhere, and the place that it is asked to
        be at, at most or at least.
    kept, kept_at : ndarray of int64
        The columns of the conflict to branch on, and their places.
    kept_regret : ndarray of float
        What it costs, beyond the least loss, to have their thresholds elsewhere.
    stack : ndarray of int64 of shape (STACK, 4, n_cells)
        The ranges of nodes that wait.
    multipliers : ndarray of shape (STACK,)
        Their multipliers.
    """

    hull: Hull
    middle: Floats
    least: Floats
    level: Floats
    places: Ints
    regret: Floats
    at: Ints
    kept: Ints
    kept_at: Ints
    kept_regret: Floats
    stack: Ints
    multipliers: Floats


@helper
def offsets_of(
    values: Floats,
    free: int,
    continuous_range: float,
    floor: float,
    share: float,
    least: Floats,
    places: Ints,
) -> Offsets:
    """Make room for a support with these values of its discrete features, a row a cell.

    `free` is the number of features whose weights vary in a box, `share` the part of the floor
    that the tables have; `least` and `places` become the attributes of these names.
    """
    number, k = values.shape
    rows = np.zeros((1 + free + k + 1, 2 * number + 1 + 2 * free))
    for c in range(number):
        for j in range(k):
            at = 1 + free + j
            rows[at, c], rows[at, number + c] = values[c, j], -values[c, j]
        rows[-1, c], rows[-1, number + c] = 1.0, -1.0
    # With less weight than the floor over their range, the continuous features separate nothing.
    margin = 0.5 - 0.5 * share
    rows[0, 2 * number] = continuous_range * margin
    for j in range(free):
        for side in range(2):
            column = 2 * number + 1 + 2 * j + side
            rows[0, column] = continuous_range * margin * (1.0 + WIDER) / WIDER
            rows[1 + j, column] = continuous_range * margin * (1.0 - 2.0 * side) / WIDER
    hull = hull_of(rows, 1.0 / (floor * margin))
    for column in range(2 * number, rows.shape[1]):
        hull.barred[column] = USABLE
    room = len(hull.corral) + 1
    return Offsets(
        hull,
        np.empty(number),
        least,
        np.empty(number),
        places,
        np.empty(2 * number),
        np.empty(2 * number, np.int64),
        np.empty(room, np.int64),
        np.empty(room, np.int64),
        np.empty(room),
        np.empty((STACK, 4, number), np.int64),
        np.empty(STACK),
    )


@helper
def set_box(offsets: Offsets, means: Floats, center: Floats, radius: Floats, free: int) -> None:
    """Take over a box of directions, given the cells' origins."""
    number, rows = len(offsets.least), offsets.hull.rows
    for c in range(number):
        offsets.middle[c] = 0.0
        for k in range(len(center)):
            offsets.middle[c] += center[k] * means[c, k]
        for k in range(free):
            shift = radius[k] * means[c, k]
            rows[1 + k, c], rows[1 + k, number + c] = shift, -shift


@helper
def _ask_upper(
    offsets: Offsets, tables: Tables, ranges: Ints, c: int, level: float, multiplier: float
) -> None:
    """Ask the upper threshold of cell c to be where the loss is at most `level`."""
    highest, beyond = -1, np.inf
    for j in range(ranges[UPPER_MOST, c], first_upper(ranges, c) - 1, -1):
        loss = upper_loss(tables, ranges, c, j, multiplier)
        if loss <= level + EXCESS:
            highest = j
            break
        beyond = min(beyond, loss)
    offsets.regret[c], offsets.at[c] = beyond, highest
    if highest < tables.counts[c]:
        value = tables.values[tables.first[c] + highest]
        offsets.hull.rows[0, c] = offsets.middle[c] + value
        offsets.hull.barred[c] = USABLE
    else:
        offsets.hull.barred[c] = BARRED


@helper
def _ask_lower(
    offsets: Offsets, tables: Tables, ranges: Ints, c: int, level: float, multiplier: float
) -> None:
    """Ask the lower threshold of cell c to be where the loss is at most `level`."""
    column = len(offsets.least) + c
    last = last_lower(ranges, c)
    lowest, beyond = last, np.inf
    for j in range(ranges[LOWER_LEAST, c], last + 1):
        loss = lower_loss(tables, ranges, c, j, multiplier)
        if loss <= level + EXCESS:
            lowest = j
            break
        beyond = min(beyond, loss)
    offsets.regret[column], offsets.at[column] = beyond, lowest
    if lowest > 0:
        value = tables.values[tables.first[c] + lowest - 1]
        offsets.hull.rows[0, column] = -(offsets.middle[c] + value)
        offsets.hull.barred[column] = USABLE
    else:
        offsets.hull.barred[column] = BARRED


@helper
def look(
    offsets: Offsets, tables: Tables, ranges: Ints, step: float, multiplier: float
) -> tuple[int, int]:
    """Look for a conflict of thresholds that cost at most `step` beyond the levels."""
    number = len(offsets.least)
    for c in range(number):
        level = offsets.level[c] + step
        _ask_upper(offsets, tables, ranges, c, level, multiplier)
        _ask_lower(offsets, tables, ranges, c, level, multiplier)
    outcome, m = find_conflict(offsets.hull, offsets.hull.rows.shape[1], 0)
    return int(outcome), int(m)
