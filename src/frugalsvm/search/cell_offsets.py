"""The thresholds of the cells add up: those of all cells follow from a weight per feature.

A cell's threshold is the hyperplane's, less the weights of the discrete features that are on in
it. The best thresholds of the single cells hardly ever come from one set of weights. Those that
do not are found as conflicts are (`wolfe`): "the upper threshold of this cell is at most here" is
a positive sample of that cell that has to be right, "the lower one is above that" a negative one.

The upper threshold of a cell is kept at or below some value and its lower one above another, and
the two are the margin apart: hence both with half of it to spare. A share of the floor may be given
to the tables; each of the two has half of the rest.

What is asked of the continuous features. Let a direction be w0 u, with u in the box, and let R be
how far apart the scores of two samples can be under any u of any box (`_range`; no weight of a
scaled u is above 1). Then a direction moves no two scores further apart than w0 R.

1. If the discrete features alone exceed the budgets in whatever way cells are classified
   (`cells_exceed`), then w0 R >= floor: otherwise no cell has a positive and a negative that are
   both right, since such two lie the floor apart.
2. Otherwise there may be answers with less. Those with w0 R < floor / LONG are, with their
   continuous weights set to zero, hyperplanes of the discrete features with a gap above
   (1 - 1 / LONG) floor. They are judged by themselves, with that floor. The others have
   w0 R >= floor / LONG.

So w0 R >= floor / LONG may be asked for in both cases (the column after those of the thresholds).
Within the box, the weight of a change is w0 t with |t| <= 1. As w0 R >= d, where d is the floor in
case 1 and floor / LONG in case 2, |w0 t| <= w0 <= (1 + WIDER) w0 - WIDER d / R, which is what the
columns of the box ask for, one for each sign: the box is a little wider for them, and they are
samples like others, with the same margin.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from frugalsvm.compiled import helper
from frugalsvm.search.cell_tables import LOWER_LEAST, UPPER_MOST, Tables
from frugalsvm.search.reduction import Floats, Ints
from frugalsvm.search.wolfe import BARRED, USABLE, Hull, hull_of

THRESHOLD_UNIT = 0.01  # so that the threshold of the hyperplane, which is free, is all but free
LONG = 100.0  # the floor over what is asked of the continuous features
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
    values : ndarray of shape (n_cells, k)
        Those of the discrete features.
    middle : ndarray of shape (n_cells,)
        The score of each cell's origin in the middle of the box of directions.
    least : ndarray of shape (n_cells,)
        The least loss of each cell.
    places : ndarray of int64 of shape (n_cells,)
        Where the least loss is.
    at : ndarray of int64 of shape (2 * n_cells,)
        The place that the threshold of a column is asked to be at, at most or at least.
    stack : ndarray of int64 of shape (STACK, 4, n_cells)
        The ranges of nodes that wait.
    multipliers : ndarray of shape (STACK,)
        Their multipliers.
    """

    hull: Hull
    values: Floats
    middle: Floats
    least: Floats
    places: Ints
    at: Ints
    stack: Ints
    multipliers: Floats


@helper
def offsets_of(
    values: Floats,
    free: int,
    continuous_range: float,
    floor: float,
    share: float,
    alone: bool,
    least: Floats,
    places: Ints,
) -> Offsets:
    """Make room for a support with these values of its discrete features, a row a cell.

    `free` is the number of features whose weights vary in a box, `share` the part of the floor
    that the tables have, `alone` whether the discrete features might do without the continuous
    ones; `least` and `places` become the attributes of these names.
    """
    number, k = values.shape
    rows = np.zeros((1 + free + k + 1, 2 * number + 1 + 2 * free))
    margin = 0.5 - 0.5 * share
    rows[0, 2 * number] = LONG * continuous_range * margin
    asked = continuous_range * margin * (LONG if alone else 1.0) / WIDER
    for j in range(free):
        for side in range(2):
            column = 2 * number + 1 + 2 * j + side
            rows[0, column] = asked * (1.0 + WIDER)
            rows[1 + j, column] = asked * (1.0 - 2.0 * side)
    hull = hull_of(rows, 1.0 / (floor * margin))
    for column in range(2 * number, rows.shape[1]):
        hull.barred[column] = USABLE
    hull.units[-1] = THRESHOLD_UNIT
    for c in range(number):
        rows[-1, c], rows[-1, number + c] = 1.0 / THRESHOLD_UNIT, -1.0 / THRESHOLD_UNIT
    write_values(hull, values)
    return Offsets(
        hull,
        values,
        np.empty(number),
        least,
        places,
        np.empty(2 * number, np.int64),
        np.empty((STACK, 4, number), np.int64),
        np.empty(STACK),
    )


@helper
def write_values(hull: Hull, values: Floats) -> None:
    """Write the values of the discrete features into the hull, in its units."""
    number, k = values.shape
    for j in range(k):
        at = len(hull.units) - 1 - k + j
        for c in range(number):
            value = values[c, j] / hull.units[at]
            hull.rows[at, c], hull.rows[at, number + c] = value, -value


@helper
def set_box(offsets: Offsets, origins: Floats, center: Floats, radius: Floats, free: int) -> None:
    """Take over a box of directions, given the cells' origins, and go back to plain units."""
    number, rows = len(offsets.least), offsets.hull.rows
    for c in range(number):
        offsets.middle[c] = 0.0
        for k in range(len(center)):
            offsets.middle[c] += center[k] * origins[c, k]
        for k in range(free):
            shift = radius[k] * origins[c, k]
            rows[1 + k, c], rows[1 + k, number + c] = shift, -shift
    k = offsets.values.shape[1]
    offsets.hull.units[len(rows) - 1 - k : len(rows) - 1] = 1.0
    write_values(offsets.hull, offsets.values)


@helper
def ask(offsets: Offsets, tables: Tables, ranges: Ints, elsewhere: Floats, share: float) -> None:
    """Ask the thresholds to be where, by a solution's shares, all but so many are."""
    number, half = len(offsets.places), len(elsewhere) // 2
    for c in range(number):
        at, column = tables.first[c] + c, number + c
        place = ranges[UPPER_MOST, c]
        while place > 0 and elsewhere[at + place - 1] <= share:
            place -= 1
        offsets.at[c], offsets.hull.barred[c] = place, BARRED
        if place < tables.counts[c]:
            offsets.hull.rows[0, c] = offsets.middle[c] + tables.values[tables.first[c] + place]
            offsets.hull.barred[c] = USABLE
        place = ranges[LOWER_LEAST, c]
        while place < tables.counts[c] and elsewhere[half + at + place + 1] <= share:
            place += 1
        offsets.at[column], offsets.hull.barred[column] = place, BARRED
        if place > 0:
            value = tables.values[tables.first[c] + place - 1]
            offsets.hull.rows[0, column] = -(offsets.middle[c] + value)
            offsets.hull.barred[column] = USABLE


@helper
def keeps(offsets: Offsets, tables: Tables, budgets: Ints) -> bool:
    """Return True if the thresholds at the hull's point keep both budgets."""
    rows, v = offsets.hull.rows, offsets.hull.v
    lost, wrong = 0.0, 0.0
    for c in range(len(tables.counts)):
        offset = 0.0
        for k in range(1, len(v)):
            offset += v[k] * rows[k, c]
        threshold = -offset / v[0] - offsets.middle[c]
        place = 0
        while place < tables.counts[c] and tables.values[tables.first[c] + place] < threshold:
            place += 1
        lost += tables.lost[tables.first[c] + c + place]
        wrong += tables.wrong[tables.first[c] + c + place]
    return bool(v[0] > 0.0 and lost <= budgets[0] and wrong <= budgets[1])
