"""Compiled work that is told to end."""

from __future__ import annotations

import pytest

from frugalsvm.margin.slots import FLAG
from frugalsvm.margin.watch import Watch, watched
from frugalsvm.runtime.stopping import Stopper


def test_a_watch_obeys_the_stopper_it_was_last_given() -> None:
    watch = Watch()
    watch.look()
    assert watch.halt[FLAG] == 0
    stop = Stopper()
    watch.obey(stop)
    stop.interrupt()
    watch.look()
    assert watch.halt[FLAG] == 1
    watch.obey(Stopper())
    assert watch.halt[FLAG] == 0


def test_what_is_watched_returns_something() -> None:
    assert watched(lambda watch: int(watch.halt[FLAG]), Stopper()) == 0
    with pytest.raises(TypeError, match="has to return something"):
        watched(lambda watch: None, Stopper())
