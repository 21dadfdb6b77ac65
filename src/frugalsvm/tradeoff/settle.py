"""Settling the grid: workers that search for one pair after another until none is open."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field, replace

from joblib import Parallel, delayed

from frugalsvm.data.exceptions import VerificationError
from frugalsvm.data.result import Progress, SelectionResult, Status, StopReason
from frugalsvm.engine.dispatch import Engine
from frugalsvm.runtime.elsewhere import MOST_FAILURES, Workers
from frugalsvm.runtime.stopping import Stopper
from frugalsvm.search import Knowledge
from frugalsvm.tradeoff.elsewhere import PairSearch, Task, search_elsewhere
from frugalsvm.tradeoff.ledger import Cell, Ledger
from frugalsvm.tradeoff.schedule import between_failures, easiest_cell, next_cell

SHORT_SHARE = 0.1
"""Part of a pair's time limit that it gets at first; the rest only if no other pair settles it."""
SHORTEST = 1.0
"""Seconds of that first attempt at the least."""
SURVEY_SHARE = 0.25
"""Part of a limit on the whole after which every open pair has had its first attempt."""
QUICKEST = 0.05
"""Seconds of an attempt within a limit on the whole, at the least."""
GROWTH = 4.0
"""How much longer the next attempt at a pair is."""

OnResult = Callable[[Cell, SelectionResult, float], None]


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

    def run(self, n_workers: int, workers: Workers | None = None) -> None:
        """Search until every pair is settled, given up, or time is over.

        By threads of this process, or by workers elsewhere.
        """
        limit = math.inf if self.time_limit is None else self.time_limit
        if n_workers > 1 and workers is None:
            self.engine.load()
        for number, seconds in enumerate(self._attempts(limit)):
            easy_first = number > 0 and math.isfinite(self.stop.remaining)
            if workers is not None:
                self._work_elsewhere(workers, seconds, easy_first)
                continue
            threads = (delayed(self._work)(seconds, easy_first) for _ in range(n_workers))
            Parallel(n_jobs=n_workers, require="sharedmem")(threads)

    def _attempts(self, limit: float) -> Iterator[float]:
        """Yield the seconds of the attempts at a pair.

        Without a limit on the whole a short one and the pair's full time: in the end every pair
        has had it. Where time runs out before that, every pair gets a little, then more, so that
        none is left without an answer because of one that is hard.
        """
        whole = self.stop.remaining
        if math.isinf(whole):
            short = max(SHORTEST, SHORT_SHARE * limit) if math.isfinite(limit) else 10 * SHORTEST
            yield from (min(short, limit), limit)
            return
        n_open = int((~self.ledger.closed()).sum())
        seconds = max(QUICKEST, SURVEY_SHARE * whole / max(1, n_open))
        while seconds < min(limit, self.stop.remaining):
            yield seconds
            seconds *= GROWTH
        yield limit

    def _work(self, seconds: float, easy_first: bool) -> None:
        while not self.stop():
            cell = self._take(seconds, easy_first)
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

    def _work_elsewhere(self, workers: Workers, seconds: float, easy_first: bool) -> None:
        """Have workers elsewhere search, one round after another while pairs are open."""

        def tasks(cell: Cell | None) -> Iterator[Task]:
            while cell is not None:
                with self.ledger.lock:
                    budget = self.ledger.budget(cell)
                    seeds = tuple(self.knowledge.seeds)
                yield Task(cell, budget, min(seconds, self.stop.remaining), seeds)
                cell = None if self.stop() else self._take(seconds, easy_first)

        def record(task: Task, result: SelectionResult) -> None:
            with self.ledger.lock:
                self._running.discard(task.cell)
                if result.has_answer and result.support not in self.knowledge.seeds:
                    self.knowledge.seeds.append(result.support)
                self.ledger.record(task.cell, result)
                self._conclude(task.cell, result, seconds)

        search, failures = PairSearch(self.ledger.problem, self.engine), 0
        while not self.stop():
            first = self._take(seconds, easy_first)
            if first is None:
                return
            try:
                search_elsewhere(workers, search, tasks(first), record, self.stop)
            except VerificationError:
                raise  # two searches contradict each other: no other search mends that
            except Exception:  # whatever a backend raises when workers are lost
                failures += 1
                if failures > MOST_FAILURES:
                    raise
                self._running.clear()  # searched for again

    def _take(self, seconds: float, easy_first: bool) -> Cell | None:
        with self.ledger.lock:
            tried = {cell for cell, spent in self.given_up.items() if spent >= seconds}
            hopeless = {c for c in self.ledger.cells if between_failures(self.ledger, c, tried)}
            skip = tried | hopeless | self._running
            choose = easiest_cell if easy_first else next_cell
            cell = choose(self.ledger, skip, tried)
            if cell is not None:
                self._running.add(cell)
            return cell

    def _search(self, cell: Cell, seconds: float) -> SelectionResult:
        def settled() -> bool:
            return bool(self.ledger.closed()[cell])

        def pass_on(progress: Progress) -> None:
            self.on_progress(cell, progress)

        stop = self.stop.within(seconds, until=settled)
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
