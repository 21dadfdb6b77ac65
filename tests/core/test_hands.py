"""Threads that work together: in order, few pieces ahead, and gone when they are not needed."""

from __future__ import annotations

import threading
import time

import numpy as np

from frugalsvm.runtime.hands import AHEAD, Halt, Threads


def threads(count: int) -> Threads:
    return Threads(count, np.zeros(1, np.int64), lambda: None)


def test_outcomes_come_in_the_order_of_the_pieces() -> None:
    hands = threads(3)

    def later_first(piece: int, _halt: Halt) -> int:
        time.sleep(0.002 * (10 - piece))
        return piece**2

    assert list(hands.in_order(later_first, range(10))) == [k**2 for k in range(10)]
    hands.dismiss()


def test_pieces_are_done_at_the_same_time() -> None:
    hands = threads(2)
    both = threading.Barrier(2, timeout=30.0)
    assert len(list(hands.in_order(lambda _piece, _halt: both.wait(), range(4)))) == 4
    hands.dismiss()


def test_what_is_not_needed_is_not_drawn() -> None:
    hands, drawn = threads(2), []

    def pieces():
        for k in range(1_000):
            drawn.append(k)
            yield k

    done = hands.in_order(lambda piece, _halt: piece, pieces())
    assert next(done) == 0
    done.close()
    assert len(drawn) <= AHEAD * hands.count
    hands.dismiss()


def test_whoever_waits_looks_at_the_clock() -> None:
    halt = np.zeros(1, np.int64)

    def look() -> None:
        halt[0] = 1

    hands = Threads(1, halt, look)

    def until_halted(_piece: int, halt: Halt) -> bool:
        give_up = time.monotonic() + 30.0
        while halt[0] == 0 and time.monotonic() < give_up:
            time.sleep(0.001)
        return bool(halt[0])

    assert list(hands.in_order(until_halted, [0])) == [True]
    hands.dismiss()
