"""The library under test, one oracle at a time: what each says about a set of features, alone.

Whole searches ask an oracle only what the ones before it left open, and seldom about a support that
is feasible: a heuristic has found it. Here everyone is asked about everything.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from itertools import combinations

import numpy as np

from frugalsvm.data.costs import CostModel
from frugalsvm.data.problem import SelectionProblem
from frugalsvm.data.rates import ErrorBudget
from frugalsvm.runtime.stopping import Stopper
from frugalsvm.search.options import SearchOptions
from frugalsvm.search.oracles.ladder import climb
from frugalsvm.search.problem.catalogue import catalogue
from frugalsvm.search.problem.reduction import Ints, reduce_problem
from frugalsvm.search.state import SearchState
from frugalsvm.search.tactics.cover.cuts import Grower
from frugalsvm.search.tuning import Effort, Rung
from frugalsvm.search.verdict import FEASIBLE, INFEASIBLE, UNDECIDED
from frugalsvm.search.walks.maximal_supports import MaximalSupports
from frugalsvm.search.walks.unions import Unions
from fuzz.reference.selection import SelectionReference, Support

SECONDS = 60.0
KERNELS = {
    "cells": Effort(5_000, 0, 0),
    "conflicts": Effort(0, 5_000, 0),
    "directions": Effort(0, 0, 20_000),
    "conflicts of cells": Effort(1, 5_000, 0),
    "directions of cells": Effort(1, 0, 20_000),
}
LADDERS = {
    "errors": Rung("errors", nodes=5_000),
    "cuts": Rung("cuts", nodes=500),
    "few cuts": Rung("cuts", nodes=3),
}
WORDS = {FEASIBLE: True, INFEASIBLE: False, UNDECIDED: None}


@dataclass(frozen=True)
class Walked:
    """Sets of features that a walk delivered for a limit of cost, and which of them are open."""

    name: str
    limit: float
    open: tuple[Support, ...]


class Judges:
    """All that can rule out a set of features of one problem."""

    def __init__(self, reference: SelectionReference) -> None:
        instance = reference.instance
        nothing = np.zeros(len(instance.feature_costs), dtype=bool)
        problem = SelectionProblem(
            reference.Z,
            reference.positive,
            ErrorBudget(reference.spare_pos, reference.spare_neg),
            CostModel.per_feature(np.array(instance.feature_costs)),
            nothing,
            reference.constant,
            instance.max_weight,
        )
        self.core = reduce_problem(problem)
        self.state = SearchState(self.core, Stopper(SECONDS), SearchOptions(), threads=1)
        self._trivial = self.core.need_pos == 0 or self.core.need_neg == 0

    @property
    def trivial(self) -> bool:
        """True if no oracle would ever be asked: a class needs none of its samples right."""
        return self._trivial or self.core.n_features == 0

    def supports(self) -> list[tuple[int, ...]]:
        """Return all supports, as the numbers of core features, free ones included."""
        free = set(self.core.free.tolist())
        priced = self.core.priced.tolist()
        return [
            tuple(sorted(free | set(extra)))
            for size in range(len(priced) + 1)
            for extra in combinations(priced, size)
            if extra or free
        ]

    def original(self, chosen: tuple[int, ...]) -> Support:
        """Return a support in the numbers of the user's features."""
        return frozenset(int(self.core.feature_ids[k]) for k in chosen)

    def words(self, chosen: tuple[int, ...]) -> Iterator[tuple[str, bool | None]]:
        """Yield every judge's name, and whether a support is feasible; None: it cannot say."""
        row, size = np.array([chosen], dtype=np.int64), np.array([len(chosen)], dtype=np.int64)
        for name, effort in KERNELS.items():
            yield name, WORDS[int(self.state.oracles.judge(row, size, effort).verdicts[0])]
        for name, rung in LADDERS.items():
            yield name, WORDS[climb(self.state, chosen, (rung,)).code]

    def ruled_out(self) -> Iterator[tuple[str, Support]]:
        """Yield sets that are ruled out at once, with who does it: the sieve, growing cuts."""
        features, sieve = catalogue(self.core).features, self.state.sieve
        if sieve is not None:
            rows, sizes = _in_depth_first_order(len(features))
            for r in np.flatnonzero(~sieve.passing(rows, sizes)):
                yield "sieve", self._set(features[rows[r, : sizes[r]]])
        without = SearchState(self.core, Stopper(SECONDS), SearchOptions(cells=False))
        for grower in (Grower(self.state), Grower(without)):
            yield from self._grown(grower)

    def _grown(self, grower: Grower) -> Iterator[tuple[str, Support]]:
        free = set(self.core.free.tolist())
        for chosen in self.supports():
            fixed = [k for k in chosen if k not in free]
            others = [k for k in range(self.core.n_features) if k not in chosen]
            grown, _ = grower.grow(np.array(fixed, np.int64), np.array(others, np.int64))
            if grown is not None:
                yield "growing cuts", self.original(tuple(int(k) for k in grown))

    def walks(self, word: Callable[[Support], int]) -> Iterator[Walked]:
        """Yield what the walks leave open if each set that they ask about is given this code."""
        if (self.core.copy_of >= 0).any() or len(self.core.priced) == 0:
            return  # a copy is walked beside its original only
        listed = catalogue(self.core)
        for limit in sorted({self.core.cost(s) for s in self.supports()}):
            walk, sets = MaximalSupports(listed, listed.limit(limit)), list[Support]()
            while not walk.over:
                rows, sizes = walk.next_batch(3)
                sets += [
                    self._set(listed.features[row[:size]])
                    for row, size in zip(rows, sizes, strict=True)
                ]
            yield Walked("maximal supports", limit, tuple(sets))
            yield Walked("unions", limit, tuple(self._unions(listed.limit(limit), word)))

    def _unions(self, limit: float, word: Callable[[Support], int]) -> Iterator[Support]:
        def begin(rows: Ints, sizes: Ints, affordable: bool) -> Callable[[], _Judged]:
            sets = [self._set(row[:size]) for row, size in zip(rows, sizes, strict=True)]
            codes = np.array([word(chosen) for chosen in sets], dtype=np.int64)
            return lambda: _Judged(sets, codes)

        for judged in Unions(self.core, catalogue(self.core), limit).walk(begin, lambda: False):
            for chosen, code in zip(judged.sets, judged.verdicts.tolist(), strict=True):
                if code != INFEASIBLE:
                    yield chosen

    def _set(self, features: Ints) -> Support:
        return self.original(tuple({int(k) for k in features} | set(self.core.free.tolist())))


@dataclass(frozen=True, eq=False)
class _Judged:
    sets: list[Support]
    verdicts: Ints


def _in_depth_first_order(n: int) -> tuple[Ints, Ints]:
    """Return all sets but the empty one of the first n numbers, as a walk visits them."""
    sets = sorted(s for size in range(1, n + 1) for s in combinations(range(n), size))
    rows = np.zeros((len(sets), n), np.int64)
    for r, chosen in enumerate(sets):
        rows[r, : len(chosen)] = chosen
    return rows, np.array([len(s) for s in sets], dtype=np.int64)
