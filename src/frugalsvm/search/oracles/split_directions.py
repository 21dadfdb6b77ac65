"""One hard support in parts: boxes of directions that several hands open at the same time.

In rounds. All boxes that are left are dealt out to parts, each part opens so many boxes, depth
first, and what it leaves is dealt out again. Neither the parts nor their sizes depend on how many
hands there are, nor does the verdict: of the parts of a round that find a direction the first
counts.
"""

from __future__ import annotations

import time
from collections.abc import Iterator
from contextlib import closing
from dataclasses import dataclass
from functools import partial

import numpy as np
from numpy.typing import NDArray

from frugalsvm.runtime.hands import Halt, Hands
from frugalsvm.search.oracles.direction_boxes import Boxes, open_faces
from frugalsvm.search.oracles.directions import MAX_DEPTH, OnSupport, search_boxes
from frugalsvm.search.tuning import FIRST_ROUND, LONGEST_ROUND, PARTS, ROUND_GROWTH
from frugalsvm.search.verdict import FEASIBLE, OPEN, RULED_OUT, Verdict


@dataclass(frozen=True)
class Opened:
    """What became of a part.

    Attributes
    ----------
    code : int
        FEASIBLE, INFEASIBLE or UNDECIDED.
    direction : ndarray of shape (d,) or None
        Of a feasible one.
    opened, given_up : int
        Boxes that were opened, and those that are too small to be cut further.
    left : Boxes
        Boxes that are still to be opened.
    seconds : float
        That it took.
    """

    code: int
    direction: NDArray[np.float64] | None
    opened: int
    given_up: int
    left: Boxes
    seconds: float


def open_part(on: OnSupport, share: tuple[int, Boxes], halt: Halt) -> Opened:
    """Open at most so many boxes, from those on."""
    started = time.perf_counter()
    most, part = share
    size, d = part.centers.shape
    boxes = Boxes(
        np.concatenate((part.centers, np.zeros((2 * MAX_DEPTH, d)))),
        np.concatenate((part.radii, np.zeros((2 * MAX_DEPTH, d)))),
        np.concatenate((part.depths, np.zeros(2 * MAX_DEPTH, np.int64))),
    )
    found = np.zeros(d)
    code, opened, left, given_up = search_boxes(on, boxes, size, most, halt, found)
    rest = Boxes(boxes.centers[:left], boxes.radii[:left], boxes.depths[:left])
    seconds = time.perf_counter() - started
    return Opened(code, found if code == FEASIBLE else None, opened, given_up, rest, seconds)


class SplitDirections:
    """The directions on one support; :meth:`judge` goes on where it ended the last time."""

    def __init__(self, on: OnSupport) -> None:
        self._work = partial(open_part, on)
        self.opened = 0
        self.seconds = 0.0
        self._parts = list(dealt_out([open_faces(on.points.shape[1], 0)[0]]))
        self._share = FIRST_ROUND
        self._given_up = 0

    def judge(self, most: int, hands: Hands) -> Verdict:
        """Return a verdict on the support alone; undecided after `most` boxes, or at the end."""
        most += self.opened
        while self._parts and self.opened < most:
            verdict = self._round(hands)
            if verdict is not None:
                return verdict
        return RULED_OUT if not self._parts and self._given_up == 0 else OPEN

    def _round(self, hands: Hands) -> Verdict | None:
        """Have all parts opened; return a verdict if one finds a direction, or was halted."""
        left = []
        shares = [(self._share, part) for part in self._parts]
        with closing(hands.in_order(self._work, shares)) as done:
            for part in done:
                if part is None:
                    return OPEN
                self.opened += part.opened
                self.seconds += part.seconds
                if part.code == FEASIBLE:
                    return Verdict(FEASIBLE, part.direction)
                if len(part.left.depths) and part.opened < self._share:
                    return OPEN
                self._given_up += part.given_up
                left.append(part.left)
        self._share = min(ROUND_GROWTH * self._share, LONGEST_ROUND)
        self._parts = list(dealt_out(left))
        return None


def dealt_out(left: list[Boxes]) -> Iterator[Boxes]:
    """Yield all the boxes in a few parts, large and small ones in each."""
    whole = Boxes(*(np.concatenate(arrays) for arrays in zip(*left, strict=True)))
    order = np.argsort(whole.depths, kind="stable")  # a part opens its smallest boxes first
    for first in range(min(PARTS, len(order))):
        chosen = order[first::PARTS]
        yield Boxes(whole.centers[chosen], whole.radii[chosen], whole.depths[chosen])
