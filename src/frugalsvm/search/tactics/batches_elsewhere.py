"""Batches of supports that leave the process: larger ones, and what comes back passes the door."""

from __future__ import annotations

from collections.abc import Callable, Generator, Iterator
from contextlib import closing

from frugalsvm.runtime.hands import Hands
from frugalsvm.search.oracles.batch import Judged, undecided
from frugalsvm.search.oracles.distant_judge import Batch
from frugalsvm.search.state import SearchState
from frugalsvm.search.tuning import LONGEST_ERRAND, SHORTEST_ERRAND, Effort

Source = Callable[[], Batch | None]


class _Errands:
    """Batches put together, so many that a worker has enough to do to be worth the way."""

    def __init__(self, state: SearchState, source: Source, effort: Effort) -> None:
        self.state = state
        self.effort = effort
        self.source = source
        self.together = 1
        self.sent: list[list[Batch]] = []

    def __iter__(self) -> Iterator[tuple[Effort, list[Batch]]]:
        drained = False
        while not drained and not self.state.stop():
            batches: list[Batch] = []
            while not drained and len(batches) < self.together and not self.state.stop():
                drawn = self.source()
                drained = drawn is None
                if drawn is not None and len(drawn[1]):
                    batches.append(drawn)
            if batches:
                self.sent.append(batches)
                yield self.effort, batches

    def learn(self, seconds: float) -> None:
        """Put more or fewer together next time; what is found does not depend on it."""
        if seconds < SHORTEST_ERRAND:
            self.together *= 2
        elif seconds > LONGEST_ERRAND and self.together > 1:
            self.together //= 2


def in_order_elsewhere(
    state: SearchState, hands: Hands, source: Source, effort: Effort
) -> Generator[Judged, None, None]:
    """Have batches judged by workers; yield them in the order in which they were drawn."""
    errands = _Errands(state, source, effort)
    with closing(hands.in_order(state.distant_judge, errands)) as reports:
        for number, report in enumerate(reports):
            batches, errands.sent[number] = errands.sent[number], []
            if report is None:
                yield from (undecided(*batch) for batch in batches)
                continue
            errands.learn(report.seconds)
            for (rows, sizes), (outcome, minutes) in zip(batches, report.outcomes, strict=True):
                state.door.take_over(minutes, rows, sizes)
                state.count_work(outcome.work)
                yield Judged(rows, sizes, outcome.verdicts, outcome.directions)
