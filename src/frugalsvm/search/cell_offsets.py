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
    LOWER_MOST,
    UPPER_LEAST,
    UPPER_MOST,
    Tables,
)
from frugalsvm.search.reduction import Bools, Floats, Ints
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
    least : ndarray of shape (n_cells,)
        The least loss of each cell.
    upper, lower : ndarray of shape (n_samples + n_cells,)
        What a cell loses by its upper and by its lower threshold at each place, less what was
        charged there so far; laid out as in the tables.
    regret : ndarray of shape (2 * (n_samples + n_cells),)
        What it costs at least to have the upper threshold above a place, and the lower one below
        it, beyond the least loss; `above` and `below` are its halves.
    stale : ndarray of bool of shape (n_cells,)
        Whether a cell has to be asked again.
    places : ndarray of int64 of shape (n_cells,)
        Where the least loss is.
    at : ndarray of int64 of shape (2 * n_cells,)
        The place that the threshold of a column is asked to be at, at most or at least.
    kept, kept_at : ndarray of int64
        The columns of the conflict to branch on, and their places.
    kept_regret : ndarray of float
        What it costs, as the places are charged, to have their thresholds elsewhere.
    stack : ndarray of int64 of shape (STACK, 4, n_cells)
        The ranges of nodes that wait.
    multipliers : ndarray of shape (STACK,)
        Their multipliers.
    """

    hull: Hull
    middle: Floats
    least: Floats
    upper: Floats
    lower: Floats
    regret: Floats
    above: Floats
    below: Floats
    stale: Bools
    places: Ints
    at: Ints
    kept: Ints
    kept_at: Ints
    kept_regret: Floats
    stack: Ints
    multipliers: Floats


@helper
def offsets_of(
    values: Floats,
    n_samples: int,
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
    room, members = n_samples + number, len(hull.corral) + 1
    regret = np.empty(2 * room)
    return Offsets(
        hull,
        np.empty(number),
        least,
        np.empty(room),
        np.empty(room),
        regret,
        regret[:room],
        regret[room:],
        np.empty(number, np.bool_),
        places,
        np.empty(2 * number, np.int64),
        np.empty(members, np.int64),
        np.empty(members, np.int64),
        np.empty(members),
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
def reset(offsets: Offsets, tables: Tables, ranges: Ints, multiplier: float) -> None:
    """Take back all charges."""
    for c in range(len(offsets.least)):
        at = tables.first[c] + c
        for j in range(at, at + tables.counts[c] + 1):
            offsets.upper[j] = multiplier * tables.lost[j]
            offsets.lower[j] = tables.wrong[j]
        refresh(offsets, tables, ranges, c)


@helper
def refresh(offsets: Offsets, tables: Tables, ranges: Ints, c: int) -> None:
    """Find what it costs to have the thresholds of cell c beyond each place."""
    at, count, least = tables.first[c] + c, tables.counts[c], offsets.least[c]
    above, below = offsets.above, offsets.below
    best = np.inf
    for j in range(count + 1):  # the least cost of a lower threshold up to here
        if ranges[LOWER_LEAST, c] <= j <= ranges[LOWER_MOST, c]:
            best = min(best, offsets.lower[at + j])
        above[at + j] = best
    best, regret = np.inf, np.inf
    for j in range(count, -1, -1):
        here = above[at + j]
        above[at + j] = regret
        if ranges[UPPER_LEAST, c] <= j <= ranges[UPPER_MOST, c]:
            regret = min(regret, offsets.upper[at + j] + here - least)
            best = min(best, offsets.upper[at + j])
        below[at + j] = best
    regret = np.inf
    for j in range(count + 1):
        here = below[at + j]
        below[at + j] = regret
        if ranges[LOWER_LEAST, c] <= j <= ranges[LOWER_MOST, c]:
            regret = min(regret, offsets.lower[at + j] + here - least)
    offsets.stale[c] = True


@helper
def _ask(offsets: Offsets, tables: Tables, ranges: Ints, c: int, step: float) -> None:
    """Ask the thresholds of cell c to be where they cost at most `step`, as it is charged."""
    column, at = len(offsets.least) + c, tables.first[c] + c
    above, below = offsets.above, offsets.below
    place = ranges[UPPER_MOST, c]
    while place > 0 and above[at + place - 1] > step + EXCESS:
        place -= 1
    offsets.at[c], offsets.hull.barred[c] = place, BARRED
    if place < tables.counts[c]:
        offsets.hull.rows[0, c] = offsets.middle[c] + tables.values[tables.first[c] + place]
        offsets.hull.barred[c] = USABLE
    place = ranges[LOWER_LEAST, c]
    while place < tables.counts[c] and below[at + place + 1] > step + EXCESS:
        place += 1
    offsets.at[column], offsets.hull.barred[column] = place, BARRED
    if place > 0:
        value = tables.values[tables.first[c] + place - 1]
        offsets.hull.rows[0, column] = -(offsets.middle[c] + value)
        offsets.hull.barred[column] = USABLE
    offsets.stale[c] = False


@helper
def look(
    offsets: Offsets, tables: Tables, ranges: Ints, step: float, again: bool, m: int
) -> tuple[int, int]:
    """Look for a conflict of thresholds that cost at most `step`; `again` with the same step.

    From a corral of m columns, and to one.
    """
    for c in range(len(offsets.least)):
        if offsets.stale[c] or not again:
            _ask(offsets, tables, ranges, c, step)
    outcome, m = find_conflict(offsets.hull, offsets.hull.rows.shape[1], m)
    return int(outcome), int(m)
