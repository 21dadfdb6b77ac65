"""Waiting for other threads, and dropping what is not needed any more."""

from __future__ import annotations

import threading
from concurrent.futures import ThreadPoolExecutor

import pytest

from frugalsvm.runtime.stopping import Stopper
from frugalsvm.search.problem.reduction import reduce_problem
from frugalsvm.search.state import SearchState
from frugalsvm.search.tactics.futures import abandon, finished
from reference_selection import large_budgets


def new_state(stop: Stopper | None = None) -> SearchState:
    return SearchState(reduce_problem(large_budgets(0)), stop or Stopper(60.0))


def until_halted(state: SearchState) -> str:
    """Work like a kernel: until it is asked to come to an end."""
    while not state.halt[0]:
        pass
    return "halted"


def test_an_outcome_is_waited_for_and_errors_come_through() -> None:
    def wrong() -> None:
        raise KeyError("wrong")

    with ThreadPoolExecutor(1) as pool:
        assert finished(new_state(), pool.submit(lambda: 7)) == 7
        with pytest.raises(KeyError, match="wrong"):
            finished(new_state(), pool.submit(wrong))


def test_when_it_is_time_to_stop_kernels_are_halted() -> None:
    stop = Stopper(60.0)
    state = new_state(stop)
    with ThreadPoolExecutor(1) as pool:
        future = pool.submit(until_halted, state)
        stop.interrupt()
        assert finished(state, future) == "halted"
    assert state.halt[0] == 1


def test_what_was_begun_is_ended_and_what_was_not_is_dropped() -> None:
    state, begun = new_state(), threading.Event()
    done: list[int] = []

    def work() -> None:
        begun.set()
        until_halted(state)

    with ThreadPoolExecutor(1) as pool:
        futures = [pool.submit(work), pool.submit(done.append, 1)]
        begun.wait()
        abandon(state, futures)
        assert futures[0].done()
        assert futures[1].cancelled()
    assert done == []
    assert state.halt[0] == 0  # kernels may run again


def test_kernels_stay_halted_when_it_is_time_to_stop() -> None:
    stop = Stopper(60.0)
    state, begun = new_state(stop), threading.Event()

    def work() -> None:
        begun.set()
        until_halted(state)

    with ThreadPoolExecutor(1) as pool:
        future = pool.submit(work)
        begun.wait()
        stop.interrupt()
        abandon(state, [future])
    assert state.halt[0] == 1
