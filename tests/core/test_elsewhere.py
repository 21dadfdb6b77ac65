"""Work through joblib's backends: in order, again where it was lost, unpacked once.

joblib's threads stand for the workers: what is sent to them is pickled all the same.
"""

from __future__ import annotations

import threading
import time
from collections import Counter
from collections.abc import Iterator

import numpy as np
import pytest
from joblib import parallel_config
from joblib.parallel import get_active_backend

from frugalsvm.runtime.elsewhere import MOST_FAILURES, Elsewhere, Workers
from frugalsvm.runtime.hands import Halt
from frugalsvm.runtime.stopping import Stopper

unpacked: Counter[str] = Counter()
begun: Counter[int] = Counter()


class Square:
    """Squares numbers; loses some of them so many times."""

    def __init__(self, name: str, lost: dict[int, int] | None = None) -> None:
        self.name = name
        self.lost = lost or {}

    def __setstate__(self, state: dict) -> None:
        self.__dict__.update(state)
        unpacked[self.name] += 1

    def __call__(self, piece: int, _halt: Halt) -> int:
        begun[piece] += 1
        time.sleep(0.001 * (7 - piece % 7))
        if begun[piece] <= self.lost.get(piece, 0):
            raise OSError("a worker is lost")
        return piece**2


def until_halted(_piece: int, halt: Halt) -> bool:
    give_up = time.monotonic() + 30.0
    while halt[0] == 0 and time.monotonic() < give_up:
        time.sleep(0.001)
    return bool(halt[0])


@pytest.fixture
def hands() -> Elsewhere:
    begun.clear()
    return elsewhere(Stopper(60.0))


def elsewhere(stop: Stopper) -> Elsewhere:
    with parallel_config(backend="threading", n_jobs=2):
        return Elsewhere(Workers(get_active_backend()[0], 2), stop)


def test_outcomes_come_in_the_order_of_the_pieces(hands: Elsewhere) -> None:
    work = Square("order")
    assert list(hands.in_order(work, range(30))) == [k**2 for k in range(30)]
    assert list(hands.in_order(work, range(9))) == [k**2 for k in range(9)]
    assert unpacked["order"] == 1
    assert list(hands.in_order(Square("order"), [])) == []


def test_what_is_lost_is_done_again(hands: Elsewhere) -> None:
    work = Square("lost", {0: 1, 5: 2, 11: 1})
    assert list(hands.in_order(work, range(20))) == [k**2 for k in range(20)]
    assert begun[5] == 3


def test_what_is_always_lost_is_an_error(hands: Elsewhere) -> None:
    with pytest.raises(OSError, match="a worker is lost"):
        list(hands.in_order(Square("never", {3: 10**6}), range(4)))
    assert MOST_FAILURES < begun[3] <= 2 * MOST_FAILURES


def test_an_error_of_who_makes_the_pieces_is_no_lost_worker(hands: Elsewhere) -> None:
    def pieces() -> Iterator[int]:
        yield from range(5)
        raise LookupError("no piece")

    with pytest.raises(LookupError, match="no piece"):
        list(hands.in_order(Square("source"), pieces()))


def test_at_the_limit_kernels_are_halted_and_nothing_is_forgotten() -> None:
    hands = elsewhere(Stopper(0.5))
    started = time.perf_counter()
    done = list(hands.in_order(until_halted, range(100)))
    assert time.perf_counter() - started < 3.0
    assert set(done) <= {True, None}
    assert None in done
    hands.dismiss()


def test_whatever_was_drawn_is_heard_of_when_time_is_over() -> None:
    """Else a set that nobody has judged would count as ruled out."""
    drawn: list[int] = []

    def pieces() -> Iterator[int]:
        for piece in range(1_000):
            time.sleep(0.002)
            drawn.append(piece)
            yield piece

    for seconds in (0.05, 0.1, 0.2):
        drawn.clear()
        begun.clear()
        hands = elsewhere(Stopper(seconds))
        done = list(hands.in_order(Square("drawn"), pieces()))
        heard = len(done)
        time.sleep(0.1)
        assert heard == len(drawn)
        assert all(outcome in (None, k**2) for k, outcome in enumerate(done))
        hands.dismiss()


def test_on_ctrl_c_nobody_is_waited_for() -> None:
    stop = Stopper(3.0)
    hands = elsewhere(stop)
    threading.Timer(0.3, stop.interrupt).start()
    started = time.perf_counter()
    assert set(hands.in_order(until_halted, range(4))) == {None}
    hands.dismiss()
    assert time.perf_counter() - started < 1.3


def test_one_kind_of_work_ends_before_the_next_begins(hands: Elsewhere) -> None:
    for _ in range(3):
        some = hands.in_order(Square("part"), range(50))
        assert next(some) == 0
        some.close()
    assert np.array_equal(list(hands.in_order(Square("next"), range(4))), [0, 1, 4, 9])
    assert sum(begun.values()) < 150
