"""Settling the grid: workers that search for one pair after another until none is open."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass, field, replace

from joblib import Parallel, delayed

from frugalsvm.dispatch import Engine
from frugalsvm.result import Progress, SelectionResult, Status, StopReason
from frugalsvm.search import Knowledge
from frugalsvm.stopping import Stopper
from frugalsvm.tradeoff.ledger import Cell, Ledger
from frugalsvm.tradeoff.schedule import between_failures, next_cell

SHORT_SHARE = 0.1
"""Part of a pair's time limit that it gets at first; the rest only if no other pair settles it."""
SHORTEST = 1.0
"""Seconds of that first attempt at the least."""

OnResult = Callable[[Cell, SelectionResult, float], None]


class _PairStopper(Stopper):
    """Stops a pair's search with the whole, at its own limit, or once others have settled it."""

    def __init__(self, whole: Stopper, seconds: float, settled: Callable[[], bool]) -> None:
        super().__init__(min(seconds, whole.remaining))
        self._whole = whole
        self._settled = settled

    def __call__(self) -> bool:
        return super().__call__() or self._whole() or self._settled()

    def interrupt(self) -> None:
        self._whole.interrupt()

    @property
    def interrupted(self) -> bool:
        return self._whole.interrupted

    @property
    def reason(self) -> StopReason:
        return StopReason.INTERRUPTED if self.interrupted else super().reason


@dataclass(eq=False)
class Settlement:
    """The common work of all threads on one ledger.

    Attributes
    ----------
    ledger : Ledger
        What is known.
    engine : Engine
        How to search; its threads are used within one search.
    stop : Stopper
        Of the whole.
    time_limit : float or None
        Seconds for a pair.
    on_result : callable
        Told the cell, the search's result and the seconds it was given (0 if it was cut short
        with the whole), under the ledger's lock.
    on_progress : callable
        Told the cell and how its search gets on, from whichever thread.
    given_up : dict from cell to float
        Pairs that a search of so many seconds did not settle.
    knowledge : Knowledge
        What the searches leave for one another: good supports, and infeasible ones.
    """

    ledger: Ledger
    engine: Engine
    stop: Stopper
    time_limit: float | None
    on_result: OnResult
    on_progress: Callable[[Cell, Progress], None]
    given_up: dict[Cell, float] = field(default_factory=dict)
    knowledge: Knowledge = field(default_factory=Knowledge)
    _running: set[Cell] = field(default_factory=set)

    def run(self, n_workers: int) -> None:
        """Search until every pair is settled, given up, or time is over."""
        limit = math.inf if self.time_limit is None else self.time_limit
        short = max(SHORTEST, SHORT_SHARE * limit) if math.isfinite(limit) else 10 * SHORTEST
        for seconds in (min(short, limit), limit):
            workers = (delayed(self._work)(seconds) for _ in range(n_workers))
            Parallel(n_jobs=n_workers, require="sharedmem")(workers)

    def _work(self, seconds: float) -> None:
        while not self.stop():
            cell = self._take(seconds)
            if cell is None:
                return
            try:
                result = self._search(cell, seconds)
            finally:
                with self.ledger.lock:
                    self._running.discard(cell)
            with self.ledger.lock:
                self.ledger.record(cell, result)
                self._conclude(cell, result, seconds)

    def _take(self, seconds: float) -> Cell | None:
        with self.ledger.lock:
            tried = {cell for cell, spent in self.given_up.items() if spent >= seconds}
            hopeless = {c for c in self.ledger.cells if between_failures(self.ledger, c, tried)}
            cell = next_cell(self.ledger, tried | hopeless | self._running, tried)
            if cell is not None:
                self._running.add(cell)
            return cell

    def _search(self, cell: Cell, seconds: float) -> SelectionResult:
        def settled() -> bool:
            return bool(self.ledger.closed()[cell])

        def pass_on(progress: Progress) -> None:
            self.on_progress(cell, progress)

        stop = _PairStopper(self.stop, seconds, settled)
        engine = replace(self.engine, on_progress=pass_on)
        return engine.select(self.ledger.problem_of(cell), stop, knowledge=self.knowledge)

    def _conclude(self, cell: Cell, result: SelectionResult, seconds: float) -> None:
        """Give the pair up for this round unless it is settled; tell the world."""
        finished = result.status in (Status.OPTIMAL, Status.INFEASIBLE)
        cut_short = not finished and self.stop()
        if not finished and not cut_short:
            unresolved = result.stop_reason in (StopReason.UNRESOLVED, StopReason.COMPLETED)
            self.given_up[cell] = math.inf if unresolved else seconds
        self.on_result(cell, result, 0.0 if cut_short else seconds)
