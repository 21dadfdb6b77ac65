"""Walks that judge sets of features in rounds, and open what was not ruled out."""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Generator
from typing import Generic, NamedTuple, Protocol, TypeVar

from frugalsvm.search.problem.reduction import Ints

ROUNDS = 2  # of affordable and of other sets, on their way


class Judged(Protocol):
    """Supports and the verdicts on them."""

    @property
    def verdicts(self) -> Ints:
        """INFEASIBLE and others."""


N = TypeVar("N")
T = TypeVar("T", bound=Judged)
Judge = Callable[[Ints, Ints, bool], Callable[[], T]]


class Round(NamedTuple, Generic[N]):
    """Sets of features that are judged together.

    Attributes
    ----------
    nodes : N
        Whatever the walk knows them by.
    affordable : bool
        True if they are supports within the limit; else they stand for their affordable subsets.
    rows, sizes : ndarray of int64
        The features of each set, the free ones included, and how many they are.
    """

    nodes: N
    affordable: bool
    rows: Ints
    sizes: Ints


class Walk(Protocol[N]):
    """What is judged next, and what is made of the verdicts."""

    @property
    def exhausted(self) -> bool:
        """True if nothing is to be drawn unless verdicts open it."""

    def draw(self) -> list[Round[N]]:
        """Return sets that are to be judged next; there may be none before the end."""

    def learn(self, drawn: Round[N], verdicts: Ints) -> None:
        """Open what was not ruled out."""


def in_rounds(walk: Walk[N], judge: Judge[T], stop: Callable[[], bool]) -> Generator[T, None, None]:
    """Yield the affordable sets with their verdicts, until the walk is exhausted or stopped.

    ``judge(rows, sizes, affordable)`` begins to judge and returns how to get the verdicts. Which
    sets are looked at does not depend on when their verdicts come.
    """
    waiting: deque[tuple[Round[N], Callable[[], T]]] = deque()
    while True:
        while not walk.exhausted and len(waiting) < 2 * ROUNDS and not stop():
            for drawn in walk.draw():
                waiting.append((drawn, judge(drawn.rows, drawn.sizes, drawn.affordable)))
        if not waiting:
            return
        drawn, outcome = waiting.popleft()
        judged = outcome()
        walk.learn(drawn, judged.verdicts)
        if drawn.affordable:
            yield judged
