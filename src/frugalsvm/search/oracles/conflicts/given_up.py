"""Which samples of a support are given up, what is left of the budgets, and the known conflicts."""

from __future__ import annotations

from typing import NamedTuple

from frugalsvm.runtime.compiled import helper
from frugalsvm.search.problem.reduction import Floats, Ints

OPEN, GONE, FIXED = 0, 1, 2


class Samples(NamedTuple):
    """The samples of a support at a node of the tree of conflicts.

    Attributes
    ----------
    side, weight : ndarray of int64 of shape (n_samples,)
        0 for positives and 1 for negatives; how many samples each stands for.
    status : ndarray of int64 of shape (n_samples,)
        OPEN, GONE (given up) or FIXED (kept for good).
    left : ndarray of two int64
        What is left of the budgets of positives and negatives.
    """

    side: Ints
    weight: Ints
    status: Ints
    left: Ints


class Packing(NamedTuple):
    """Conflicts that share no droppable sample; those of a similar support are a good start.

    Attributes
    ----------
    corrals : ndarray of int64 of shape (most conflicts, most members)
        The members of each.
    weights : ndarray of shape (most conflicts, most members)
        Their weights in the point of the hull that proves the conflict.
    sizes : ndarray of int64 of shape (most conflicts,)
        How many they are.
    """

    corrals: Ints
    weights: Floats
    sizes: Ints


@helper
def droppable(samples: Samples, j: int) -> bool:
    """Return True if the sample may still be given up."""
    return bool(samples.status[j] == OPEN and samples.weight[j] <= samples.left[samples.side[j]])
