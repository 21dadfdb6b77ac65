"""The cheapest support by brute force: every support, judged by its largest gap."""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import dataclass, field
from enum import Enum
from fractions import Fraction
from itertools import combinations

import numpy as np

from fuzz.instances import SelectionInstance, repeated
from fuzz.reference.costs import cost
from fuzz.reference.gaps import largest_gap
from fuzz.reference.scaling import allowed_errors, standardised

ABOVE = 1e-7
"""Relative excess of a gap over the floor 2 / max_weight from which a support must be accepted."""
BELOW = 1.1e-6
"""Relative shortfall from which it must not: margins count from 1 - 1e-6, documented."""

FEW_FEATURES = 4

Support = frozenset[int]


class Word(Enum):
    """Whether a support is feasible."""

    YES = "yes"
    NO = "no"
    EITHER = "either"  # its gap is at the floor, within rounding


@dataclass(frozen=True)
class Optimum:
    """The least cost: at least `low`, at most `high` (None: infeasible), exact numbers.

    They differ only if supports whose gap is at the floor are cheaper than all that are surely
    feasible. `low` None: certainly infeasible.
    """

    low: Fraction | None
    high: Fraction | None


@dataclass
class SelectionReference:
    """Answers questions about one instance; remembers what it found out about supports."""

    instance: SelectionInstance
    known: dict[Support, float] = field(default_factory=dict)

    def __post_init__(self) -> None:
        instance = self.instance
        X, self.positive = repeated(instance)
        self.Z, self.constant = standardised(X)
        self.n_pos = int(self.positive.sum())
        self.n_neg = len(self.positive) - self.n_pos
        self.spare_pos = allowed_errors(instance.min_tpr, self.n_pos)
        self.spare_neg = allowed_errors(instance.min_tnr, self.n_neg)
        self.floor = 2.0 / instance.max_weight

    def gap(self, support: Support) -> float:
        """Return the largest gap on a support."""
        if support not in self.known:
            self.known[support] = largest_gap(
                self.Z[:, sorted(support)],
                self.positive,
                self.n_pos - self.spare_pos,
                self.n_neg - self.spare_neg,
            )
        return self.known[support]

    def word(self, support: Support) -> Word:
        """Return whether a support is feasible, with as few looks at supports as possible."""
        for other, gap in self.known.items():  # a larger support never has a smaller gap
            if other <= support and gap >= self.floor * (1 + ABOVE):
                return Word.YES
            if support <= other and gap < self.floor * (1 - BELOW):
                return Word.NO
        gap = self.gap(support)
        if gap >= self.floor * (1 + ABOVE):
            return Word.YES
        return Word.NO if gap < self.floor * (1 - BELOW) else Word.EITHER

    def allowed(self) -> Support:
        """Return all features that may be used."""
        instance = self.instance
        banned = set(instance.exclude) | {int(k) for k in np.flatnonzero(self.constant)}
        return frozenset(range(len(instance.feature_costs))) - banned

    def supports(self) -> Iterator[Support]:
        """Yield every support that holds the included features."""
        included = frozenset(self.instance.include)
        choice = sorted(self.allowed() - included)
        for size in range(len(choice) + 1):
            for extra in combinations(choice, size):
                yield included | frozenset(extra)

    def optimum(self) -> Optimum:
        """Return the least cost."""
        if self.word(self.allowed() | frozenset(self.instance.include)) is Word.NO:
            return Optimum(None, None)
        priced = [(cost(self.instance, s), len(s), sorted(s)) for s in self.supports()]
        low: Fraction | None = None
        for price, _, support in sorted(priced):
            word = self.word(frozenset(support))
            if word is Word.YES:
                return Optimum(price if low is None else low, price)
            if word is Word.EITHER and low is None:
                low = price
        return Optimum(low, None)

    def surely_feasible(self) -> list[Support]:
        """Return supports that are feasible with room to spare, of which no part is.

        All of them for few features, those that were looked at for more.
        """
        few = len(self.allowed()) <= FEW_FEATURES
        judged = self.supports() if few else [s for s in self.known if self.includes(s)]
        sure = [s for s in sorted(judged, key=len) if self.word(s) is Word.YES]
        return [s for i, s in enumerate(sure) if not any(part < s for part in sure[:i])]

    def includes(self, support: Support) -> bool:
        """Return True if a support holds all that it must, and nothing else than it may."""
        included = frozenset(self.instance.include)
        return included <= support <= self.allowed() | included

    def attainable(self, spare_pos: int, spare_neg: int) -> bool:
        """Return whether these budgets can be met, within rounding, by all allowed features."""
        gap = largest_gap(
            self.Z[:, sorted(self.allowed())],
            self.positive,
            self.n_pos - spare_pos,
            self.n_neg - spare_neg,
        )
        return gap >= self.floor * (1 - BELOW) or math.isinf(gap)
