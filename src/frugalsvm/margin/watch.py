"""Compiled training that hears time limits and Ctrl-C: an array that the kernels look at."""

from __future__ import annotations

import threading
from collections.abc import Callable
from typing import TypeVar

import numpy as np

from frugalsvm.margin.slots import FLAG
from frugalsvm.runtime.stopping import Stopper
from frugalsvm.runtime.watch import watched as watched_work

T = TypeVar("T")


class Watch:
    """Tells compiled work to end when a stopper says so.

    Attributes
    ----------
    halt : ndarray of int of shape (1,)
        Other than 0: end.
    """

    def __init__(self) -> None:
        self.halt = np.zeros(1, dtype=np.int64)
        self._stop: Stopper | None = None
        self._lock = threading.Lock()

    def obey(self, stop: Stopper) -> None:
        """Listen to this stopper from now on, for the next piece of work."""
        with self._lock:
            self._stop = stop
            self.halt[FLAG] = int(stop())

    def look(self) -> None:
        """Ask the stopper once."""
        with self._lock:
            if self._stop is not None and self._stop():
                self.halt[FLAG] = 1


def watched(work: Callable[[Watch], T], stop: Stopper) -> T:
    """Return what the work returns, or raise what it raises; it ends soon after `stop` says so.

    Parameters
    ----------
    work : callable
        Gets a watch for its compiled parts.
    stop : Stopper
        Interrupted if the caller is torn out of waiting, by a second Ctrl-C say.
    """
    watch = Watch()
    outcome = watched_work(lambda: work(watch), stop, watch.look, patient=True)
    if outcome is None:
        raise TypeError("work that is watched has to return something")
    return outcome
