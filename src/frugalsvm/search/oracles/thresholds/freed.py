"""Discrete features that join the continuous ones: which of them, one choice after the other.

A threshold for each cell is more than a hyperplane can do: its thresholds add up from one discrete
feature to the next. A freed feature has one weight for all cells, as the continuous features have,
and the cells are those of the others. Boxes then have a dimension more; with all discrete features
freed they would be the boxes of :mod:`~frugalsvm.search.oracles.directions`. One or two are mostly
enough, and one of the choices often takes a few boxes where all together take a million.
"""

from __future__ import annotations

from typing import NamedTuple

from frugalsvm.runtime.compiled import helper
from frugalsvm.search.problem.reduction import Ints
from frugalsvm.search.tuning import FREE_ONE, FREE_SEVERAL, MOST_CHOICES, MOST_FREED, WIDEST_BOXES


class Freed(NamedTuple):
    """A choice of features to free.

    Attributes
    ----------
    discrete : ndarray of int64
        The discrete features of the support, in its first places.
    picked : ndarray of int64
        Places of those that are freed, ascending.
    many : ndarray of int64 of shape (4,)
        How many choices there are of as many features; how many features are discrete, continuous,
        and freed.
    """

    discrete: Ints
    picked: Ints
    many: Ints


@helper
def begin(freed: Freed, counts: Ints, chosen: Ints) -> None:
    """Begin with no feature freed."""
    several = 0
    for k in chosen:
        if counts[k] > 0:
            freed.discrete[several] = k
            several += 1
    freed.many[0], freed.many[1], freed.many[2], freed.many[3] = (
        1,
        several,
        len(chosen) - several,
        0,
    )


@helper
def set_counts(freed: Freed, counts: Ints, without: Ints) -> None:
    """Fill in the counts of levels, 0 for the features that are freed."""
    for place in range(freed.many[1]):
        k = freed.discrete[place]
        without[k] = counts[k]
    for a in range(freed.many[3]):
        without[freed.discrete[freed.picked[a]]] = 0


@helper
def free_others(freed: Freed, boxes: int) -> bool:
    """Go to the next choice; False if there is none that is worth so many boxes."""
    discrete, several = freed.many[1], freed.many[3]
    for a in range(several - 1, -1, -1):
        if freed.picked[a] < discrete - several + a:
            freed.picked[a] += 1
            for b in range(a + 1, several):
                freed.picked[b] = freed.picked[b - 1] + 1
            return True
    several += 1
    most = MOST_FREED if boxes >= FREE_SEVERAL else 1 if boxes >= FREE_ONE else 0
    choices = freed.many[0] * (discrete - several + 1) // several
    if several > most or several >= discrete or freed.many[2] + several > WIDEST_BOXES:
        return False
    if choices > MOST_CHOICES:
        return False
    freed.many[0], freed.many[3] = choices, several
    for a in range(several):
        freed.picked[a] = a
    return True
