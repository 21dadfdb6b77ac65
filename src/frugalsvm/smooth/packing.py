"""Bounds by packing: more disjoint groups of rows than may hold a wrong one.

If at most k rows may be wrong, one of k + 1 disjoint groups is right in all its rows. Each group,
trained with all its rows hard, has a bound of its own, and the least of them is one on every
classifier. The weakest group is given one row more until there is none left for it.
"""

from __future__ import annotations

import math
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from frugalsvm.smooth.choice import short
from frugalsvm.smooth.solver import Solution

Flags = NDArray[np.bool_]
Vector = NDArray[np.float64]


@dataclass(frozen=True)
class Group:
    """Rows that are held right together.

    Attributes
    ----------
    members : tuple of int
        The rows; none: nothing but what the node holds right anyway.
    bound : float
        No classifier has less if all of them are right.
    solution : Solution or None
        The training that says so, unless it was dropped.
    hard : int
        How many rows were hard in it: it is up to date if there are no more now.
    """

    members: tuple[int, ...]
    bound: float
    solution: Solution | None = None
    hard: int = -1


@dataclass(frozen=True)
class Node:
    """Part of the tree: some rows are given up, some must be right.

    Attributes
    ----------
    given, hard : ndarray of bool of shape (n_rows,)
        The rows; the others are undecided.
    groups : tuple of Group
        A packing of undecided rows.
    bound : float
        No classifier of this part has less.
    """

    given: Flags
    hard: Flags
    groups: tuple[Group, ...]
    bound: float

    @property
    def undecided(self) -> Flags:
        """Rows that are neither."""
        return ~self.given & ~self.hard


class Packing:
    """Packings against one limit, or against the sum of several.

    Parameters
    ----------
    use : ndarray of shape (n_rows,)
        How much of it a wrong row uses up.
    cap : float
        The limit.
    """

    def __init__(self, use: Vector, cap: float) -> None:
        self.use, self.cap = use, cap

    def least_use(self, group: Group) -> float:
        """Return what a wrong row of the group takes at the least."""
        return min((float(self.use[i]) for i in group.members), default=math.inf)

    def needed(self, node: Node) -> tuple[Group, ...]:
        """Return the strongest groups of which one must be right, the weakest last."""
        left = self.cap - float(self.use @ node.given)
        kept = []
        taken = 0.0
        for group in sorted(node.groups, key=lambda g: -g.bound):
            kept.append(group)
            taken += self.least_use(group)
            if taken > left:
                return tuple(kept)
        return (*kept, Group((), node.bound))

    def addition(self, node: Node, groups: tuple[Group, ...]) -> int | None:
        """Return the row that the last group misses most and that no group has, None if none."""
        weakest = groups[-1]
        if weakest.solution is None:
            return None
        allowed = node.undecided & short(weakest.solution.margins) & (self.use > 0.0)
        if weakest.members:  # a conflict must not take less than the packing counts on
            allowed &= self.use >= self.least_use(weakest)
        for group in groups:
            allowed[list(group.members)] = False
        rows = np.flatnonzero(allowed)
        if len(rows) == 0:
            return None
        return int(rows[np.argmin(weakest.solution.margins[rows])])

    def seeds(self, node: Node, margins: Vector) -> tuple[Group, ...] | None:
        """Return groups of one row each, the worst, as many as it takes; None if too few miss."""
        rows = np.flatnonzero(node.undecided & short(margins) & (self.use > 0.0))
        rows = rows[np.argsort(margins[rows], kind="stable")]
        enough = np.cumsum(self.use[rows]) > self.cap - float(self.use @ node.given)
        if not enough.any():
            return None
        return tuple(Group((int(i),), node.bound) for i in rows[: int(np.argmax(enough)) + 1])


def without(group: Group, row: int) -> Group:
    """Return the group for a node in which the row is right anyway."""
    return replace(group, members=tuple(i for i in group.members if i != row))


def stripped(group: Group) -> Group:
    """Return the group without its solution, which takes memory."""
    return replace(group, solution=None, hard=-1)
