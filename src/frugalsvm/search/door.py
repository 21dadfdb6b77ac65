"""The one door for "infeasible": every set that is ruled out passes here, with the oracle's name.

Each oracle's calls, successes and seconds are counted. Under :attr:`SearchOptions.witnesses` every
set that is ruled out is compared with the supports that are known to be feasible, those passed in
and those found on the way, and every answer with all that was ruled out before it: a wrong proof
raises an error at the moment it is made, or seen to be wrong, and the error names the oracle.
"""

from __future__ import annotations

import threading
import time
from collections.abc import Callable, Iterable
from dataclasses import asdict, dataclass, field

import numpy as np

from frugalsvm.data.exceptions import VerificationError
from frugalsvm.search.problem.reduction import Bools, CoreProblem, Ints
from frugalsvm.search.verdict import Verdict


class FalseProofError(VerificationError):
    """A set of features was called infeasible although an answer within it is known."""


@dataclass
class Tally:
    """What one oracle did: sets asked about, ruled out, found feasible; and its seconds.

    Of a tactic or a walk: how often it ran, raised the bound, found a better answer.
    """

    asked: int = 0
    ruled_out: int = 0
    found: int = 0
    seconds: float = 0.0

    def add(self, asked: int, ruled_out: int, found: int, seconds: float) -> None:
        """Count more of the same."""
        self.asked += asked
        self.ruled_out += ruled_out
        self.found += found
        self.seconds += seconds


@dataclass
class Minutes:
    """What an oracle elsewhere tells the door about one batch of supports.

    Attributes
    ----------
    tallies : dict from str to Tally
        By the oracles' names; without what they ruled out.
    gone : list of (str, ndarray of bool)
        By whom which of the rows were ruled out.
    """

    tallies: dict[str, Tally] = field(default_factory=dict)
    gone: list[tuple[str, Bools]] = field(default_factory=list)


class Door:
    """Counts the verdicts of the oracles, and checks them where something to check by is known.

    Parameters
    ----------
    core : CoreProblem
        The problem.
    witnesses : iterable of supports or None
        Supports, in the original problem's features, that are known to be feasible; None: nothing
        is checked.
    """

    def __init__(
        self, core: CoreProblem, witnesses: Iterable[tuple[int, ...]] | None = None
    ) -> None:
        self.core = core
        self.watching = witnesses is not None
        self.tallies: dict[str, Tally] = {}
        self.tactics: dict[str, Tally] = {}
        self._lock = threading.Lock()
        self._known: list[tuple[int, int]] = []  # the features of an answer as bits, its cost
        self._gone: list[tuple[int, str]] = []  # the features of a set as bits, who ruled it out
        for support in witnesses or ():
            self.accept(support)

    def ask(self, oracle: str, chosen: Iterable[int], judge: Callable[[], Verdict]) -> Verdict:
        """Return an oracle's verdict on a set of core features (free ones included)."""
        started = time.perf_counter()
        verdict = judge()
        self.count(oracle, 1, 0, int(verdict.feasible), time.perf_counter() - started)
        if verdict.infeasible:
            self.rule_out(chosen, oracle)
        return verdict

    def rule_out(self, chosen: Iterable[int], by: str) -> None:
        """Take note of a set of core features that is proven infeasible."""
        self.count(by, 0, 1, 0, 0.0)
        if self.watching:
            self._check(_bits(chosen) | _bits(self.core.free), by)

    def rule_out_rows(self, rows: Ints, sizes: Ints, which: Bools, by: str) -> None:
        """Take note of those sets, rows of core features, that are proven infeasible."""
        self.count(by, 0, int(np.count_nonzero(which)), 0, 0.0)
        if self.watching:
            for r in np.flatnonzero(which):
                self._check(_bits(rows[r, : sizes[r]]) | _bits(self.core.free), by)

    def take_over(self, minutes: Minutes, rows: Ints, sizes: Ints) -> None:
        """Take note of what was said elsewhere about sets, rows of core features."""
        for name, tally in minutes.tallies.items():
            self.count(name, tally.asked, 0, tally.found, tally.seconds)
        for by, which in minutes.gone:
            self.rule_out_rows(rows, sizes, which, by)

    def accept(self, support: Iterable[int]) -> None:
        """Take note of a support, in the original problem's features, that is feasible."""
        if not self.watching:
            return
        chosen = self.core.core_support(tuple(support))
        bits = _bits(chosen) | _bits(self.core.free)
        with self._lock:
            self._known.append((bits, self.core.cost(chosen)))
            guilty = sorted({by for gone, by in self._gone if bits & ~gone == 0})
        if guilty:
            raise FalseProofError(
                f"The search has ruled out a set that holds the answer {sorted(support)}: "
                f"{', '.join(guilty)}. This is a bug in frugalsvm: please report it."
            )

    def check_bound(self, bound: float, by: str) -> None:
        """Raise an error if an answer is known that costs less than a bound, in units."""
        with self._lock:
            below = [cost for _, cost in self._known if cost < bound]
        if below:
            raise FalseProofError(
                f"A bound of {bound} was proven by {by!r}, but an answer of cost {min(below)} is "
                "known. This is a bug in frugalsvm: please report it."
            )

    def count(self, by: str, asked: int, ruled_out: int, found: int, seconds: float) -> None:
        """Add to an oracle's tally."""
        with self._lock:
            self.tallies.setdefault(by, Tally()).add(asked, ruled_out, found, seconds)

    def count_run(self, tactic: str, raised: bool, found: bool, seconds: float) -> None:
        """Add a run to the tally of a tactic or a walk."""
        with self._lock:
            self.tactics.setdefault(tactic, Tally()).add(1, int(raised), int(found), seconds)

    def summary(self) -> dict[str, dict[str, dict[str, float]]]:
        """Return the tallies of the oracles and of the tactics as plain data."""
        with self._lock:
            both = {"oracles": self.tallies, "tactics": self.tactics}
            return {
                kind: {name: asdict(tally) for name, tally in sorted(tallies.items())}
                for kind, tallies in both.items()
            }

    def _check(self, bits: int, by: str) -> None:
        with self._lock:
            self._gone.append((bits, by))
            wrong = any(answer & ~bits == 0 for answer, _ in self._known)
        if wrong:
            features = [k for k in range(self.core.n_features) if bits >> k & 1]
            raise FalseProofError(
                f"The oracle {by!r} has ruled out the features "
                f"{list(self.core.original_support(tuple(features)))}, but an answer within them "
                "is known. This is a bug in frugalsvm: please report it."
            )


class DistantDoor(Door):
    """A door in a worker, that keeps the minutes of one batch for the door of the search."""

    def __init__(self, core: CoreProblem) -> None:
        super().__init__(core)
        self.minutes = Minutes(self.tallies)

    def rule_out_rows(self, rows: Ints, sizes: Ints, which: Bools, by: str) -> None:
        """Note which of the rows are ruled out, and by whom."""
        self.minutes.gone.append((by, which))


def _bits(features: Iterable[int]) -> int:
    """Return a set of features as the bits of a number."""
    bits = 0
    for k in features:
        bits |= 1 << int(k)
    return bits
