"""The few supports below the best cost that coinciding samples do not rule out, one by one.

Where features have few values and budgets are large, the sieve leaves few supports, and on each
of them the samples merge into few heavy ones: branch and cut over what to give up judges them.
All of them get a short look before any gets a longer one, as a feasible one may be easy.
"""

from __future__ import annotations

from functools import partial

import numpy as np

from frugalsvm.search.oracles.errors.branch_and_cut import ErrorCuts
from frugalsvm.search.problem.catalogue import catalogue, cheaper_parts
from frugalsvm.search.state import SearchState
from frugalsvm.search.tuning import (
    MERGED_NODES,
    MOST_JUDGED,
    MOST_WALKED,
)
from frugalsvm.search.walks.maximal_supports import MaximalSupports


class MergedSupports:
    """Finds a better answer among the supports just below the best cost, or rules them out."""

    name = "merged supports"

    def run(self, state: SearchState) -> None:
        """Improve the best answer until it is proven or what is left is too much."""
        sieve = state.sieve
        if not state.options.cuts or sieve is None or not sieve.all_discrete:
            return
        while not state.finished():
            supports = remaining(state)
            if supports is None or not self._improve(state, supports):
                return

    def _improve(self, state: SearchState, supports: list[tuple[int, ...]]) -> bool:
        """Return True if the best answer was improved or proven."""
        core = state.core
        waiting = [ErrorCuts(core, np.array(chosen, np.int64), state.stop) for chosen in supports]
        waiting.sort(key=ErrorCuts.outlook)
        for nodes in MERGED_NODES:
            left = []
            for judge in waiting:
                verdict = state.door.ask("error cuts", judge.support, partial(judge.judge, nodes))
                if verdict.direction is not None and state.offer(verdict.direction):
                    return True
                if state.stop():
                    return False
                if not verdict.infeasible:
                    left.append(judge)
            waiting = left
        if not waiting:
            state.raise_bound(state.cost)
        return not waiting


def remaining(state: SearchState) -> list[tuple[int, ...]] | None:
    """Return the maximal supports below the best cost that pass the sieve; None if too many."""
    if state.sieve is None or state.best is None:
        return None
    features = catalogue(state.core, state.cost)
    walk = MaximalSupports(features, features.limit(state.cutoff))
    free = state.core.free.astype(np.int64)
    found: list[tuple[int, ...]] = []
    walked = 0
    while not walk.over:
        rows, sizes = walk.next_batch(state.sieve.batch)
        walked += len(rows)
        passes = state.sieve.passing(rows, sizes)
        state.door.rule_out_rows(features.features[rows], sizes, ~passes, "sieve")
        passing = np.flatnonzero(passes)
        found.extend(
            tuple(np.union1d(features.features[rows[r, : sizes[r]]], free).tolist())
            for r in passing
        )
        if walked > MOST_WALKED or len(found) > MOST_JUDGED or state.stop():
            return None
    return cheaper_parts(state.core, features, found, state.cost)
