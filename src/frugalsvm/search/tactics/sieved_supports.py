"""Maximal supports that coinciding samples do not rule out, batch by batch."""

from __future__ import annotations

from collections import deque
from concurrent.futures import Future, ThreadPoolExecutor

import numpy as np

from frugalsvm.search.oracles.sieve import Sieve
from frugalsvm.search.problem.reduction import Ints
from frugalsvm.search.state import SearchState
from frugalsvm.search.tactics.futures import finished
from frugalsvm.search.tuning import BATCH, SLOW_BATCH
from frugalsvm.search.walks.maximal_supports import MaximalSupports


class Sifted:
    """The supports of a walk that coinciding samples do not rule out, in small batches.

    Larger batches are sifted ahead, on all threads, and used in their order.
    """

    def __init__(self, state: SearchState, walk: MaximalSupports, pool: ThreadPoolExecutor) -> None:
        self.state = state
        self.walk = walk
        self.pool = pool
        most = BATCH if state.regime.packs_conflicts else SLOW_BATCH
        self.size = max(1, int(most * min(1.0, 600 / state.core.n_samples)))
        self._sieve = state.sieve
        self._ahead: deque[Future[tuple[Ints, Ints]]] = deque()
        self._rows = np.zeros((0, walk.width), np.int64)
        self._sizes = np.zeros(0, np.int64)

    @property
    def over(self) -> bool:
        """True if all supports were drawn."""
        return self.walk.over and not self._ahead and len(self._sizes) == 0

    def draw(self) -> tuple[Ints, Ints] | None:
        """Return the next supports with the free features added; None at the end.

        A batch may be empty before the end: the work between two calls is limited.
        """
        if self.over:
            return None
        if len(self._sizes) == 0:
            rows, self._sizes = self._passing()
            self._rows = self.walk.catalogue.features[rows]
        rows, self._rows = self._rows[: self.size], self._rows[self.size :]
        sizes, self._sizes = self._sizes[: self.size], self._sizes[self.size :]
        free = self.state.core.free
        whole = np.zeros((len(rows), rows.shape[1] + len(free)), np.int64)
        whole[:, : len(free)] = free
        whole[:, len(free) :] = rows
        return whole, sizes + len(free)

    def _passing(self) -> tuple[Ints, Ints]:
        """Walk on; return the next supports that pass the sieve."""
        if self._sieve is None:
            return self.walk.next_batch(self.size)
        while not self.walk.over and len(self._ahead) < self.state.threads + 1:
            walked = self.walk.next_batch(self._sieve.batch)
            self._ahead.append(self.pool.submit(self._sift, self._sieve, *walked))
        return finished(self.state, self._ahead.popleft())

    def _sift(self, sieve: Sieve, rows: Ints, sizes: Ints) -> tuple[Ints, Ints]:
        passing = sieve.passing(rows, sizes)
        features = self.walk.catalogue.features
        self.state.door.rule_out_rows(features[rows], sizes, ~passing, "sieve")
        return rows[passing], sizes[passing]
