"""Nobody waits for work in the background who is told to stop."""

from __future__ import annotations

import threading
import time

from frugalsvm.background import InBackground


def test_who_gives_up_does_not_wait_and_the_work_goes_on() -> None:
    begun, go_on, done = threading.Event(), threading.Event(), threading.Event()

    def work() -> None:
        begun.set()
        go_on.wait(60.0)
        done.set()

    background = InBackground()
    started = time.perf_counter()
    assert not background.ready(work, give_up=begun.is_set)
    assert time.perf_counter() - started < 30.0
    assert not done.is_set()
    go_on.set()
    assert background.ready(work, give_up=lambda: False)
    assert done.is_set()


def test_the_work_is_done_once_for_all_that_wait() -> None:
    calls: list[int] = []
    background = InBackground()

    def wait() -> None:
        background.ready(lambda: calls.append(1) or time.sleep(0.1), give_up=lambda: False)

    threads = [threading.Thread(target=wait) for _ in range(5)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert calls == [1]
