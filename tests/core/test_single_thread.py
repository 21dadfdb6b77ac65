"""Linear algebra on one thread, for as long as anybody asks for it."""

from __future__ import annotations

import threading
from collections.abc import Iterator

import pytest
from threadpoolctl import threadpool_info, threadpool_limits

from frugalsvm.runtime.single_thread import single_threaded_algebra


def threads() -> set[int]:
    """Return with how many threads the libraries of linear algebra work."""
    return {
        library["num_threads"] for library in threadpool_info() if library["user_api"] == "blas"
    }


@pytest.fixture(autouse=True)
def two_threads() -> Iterator[None]:
    with threadpool_limits(2, user_api="blas"):
        if threads() != {2}:
            pytest.skip("no library here that could use two threads")
        yield


def test_it_is_one_thread_inside_and_as_before_outside() -> None:
    with single_threaded_algebra():
        assert threads() == {1}
    assert threads() == {2}


def test_the_last_one_to_leave_puts_it_back() -> None:
    inside, leave = threading.Event(), threading.Event()

    def other() -> None:
        with single_threaded_algebra():
            inside.set()
            leave.wait(10)

    with single_threaded_algebra():
        thread = threading.Thread(target=other)
        thread.start()
        inside.wait(10)
    assert threads() == {1}
    leave.set()
    thread.join()
    assert threads() == {2}


def test_an_error_inside_puts_it_back() -> None:
    with pytest.raises(ValueError, match="inside"), single_threaded_algebra():
        raise ValueError("inside")
    assert threads() == {2}


def test_any_thread_can_ask_after_another_one_has() -> None:
    """The first thread to set it kept it for itself: others asked in vain."""
    with single_threaded_algebra():
        pass
    seen: list[set[int]] = []

    def other() -> None:
        with single_threaded_algebra():
            seen.append(threads())

    thread = threading.Thread(target=other)
    thread.start()
    thread.join()
    assert seen == [{1}]
    assert threads() == {2}
