"""Fits on merged samples: better answers where features have few values and budgets are large.

On a support of few-valued features the samples are few and heavy, and a fit moves quickly
through many ways to divide them. Whenever a division is within the budgets, a linear program
finds the direction that carries it with the widest gap, which the fit itself often misses.
"""

from __future__ import annotations

import itertools

import numpy as np

from frugalsvm.search.cover_errors import ConflictOracle
from frugalsvm.search.fit import trimmed_fit
from frugalsvm.search.maximal import MaximalSupports, catalogue
from frugalsvm.search.reduction import CoreProblem, Floats, Ints
from frugalsvm.search.state import SearchState

MOST_WALKED = 20_000  # supports of the walk
MOST_FITTED = 40  # of those that the sieve leaves
EMPHASES = (1.0, 0.5, 2.0, 0.7, 1.4, 1 / 3, 3.0, 0.6, 1.7, 0.4, 2.5)
RIDGES = (1e-5, 1e-4, 1e-3)
LOOKS = 8  # at a fit on its way
STEPS = 2  # between two looks
TIE = 1e-7  # scores nearer than this are not divided


class MergedFits:
    """Looks for feasible supports just below the best cost, until there is none to be found."""

    name = "merged fits"

    def run(self, state: SearchState) -> None:
        """Improve the best answer, one support at a time."""
        sieve = state.sieve
        if not state.options.heuristic or sieve is None or not sieve.all_discrete:
            return
        oracle = ConflictOracle.of(state.core)
        while not state.finished() and self._improve(state, oracle):
            state.count("merged fits that improved")

    def _improve(self, state: SearchState, oracle: ConflictOracle) -> bool:
        """Return True if one of the supports below the best cost was found feasible."""
        for support in _candidates(state):
            if state.stop():
                return False
            direction = fitted(state.core, oracle, support)
            if direction is not None and state.offer(direction):
                return True
        return False


def _candidates(state: SearchState) -> list[Ints]:
    """Return maximal supports below the best cost that coinciding samples do not rule out."""
    if state.sieve is None or state.best is None:
        return []
    features = catalogue(state.core)
    limit = state.cutoff - state.core.base_cost
    rows, sizes = MaximalSupports(features, limit).next_batch(MOST_WALKED)
    passing = np.flatnonzero(state.sieve.passing(rows, sizes))[:MOST_FITTED]
    free = state.core.free.astype(np.int64)
    return [np.union1d(features.features[rows[r, : sizes[r]]], free) for r in passing]


def fitted(core: CoreProblem, oracle: ConflictOracle, support: Ints) -> Floats | None:
    """Return a direction on the support that meets the budgets, if a fit comes across one."""
    merged = oracle.on(support)
    points = np.ascontiguousarray(merged.points.columns.T)
    d = len(support)
    for emphasis, ridge in itertools.product(EMPHASES, RIDGES):
        w, best = np.zeros(d + 1), np.zeros(d)
        for _ in range(LOOKS):
            trimmed_fit(
                points, merged.points.n_pos, merged.weight, core.need_pos, core.need_neg,
                np.inf, STEPS, ridge, emphasis, w, best,
            )  # fmt: skip
            found = _separated(merged, points @ w[:-1])
            if found is not None:
                direction = np.zeros(core.n_features)
                direction[support] = found
                return direction
    return None


def _separated(merged: ConflictOracle, scores: Floats) -> Floats | None:
    """Return a direction that divides the samples as some threshold on the scores does."""
    positive = merged.side == 0
    order = np.argsort(-scores, kind="stable")
    weight = merged.weight[order]
    right_pos = np.cumsum(np.where(positive[order], weight, 0))
    wrong_neg = np.cumsum(np.where(positive[order], 0, weight))
    divided = np.append(scores[order[:-1]] - scores[order[1:]] > TIE, False)
    within = (right_pos[-1] - right_pos <= merged.budgets[0]) & (wrong_neg <= merged.budgets[1])
    places = np.flatnonzero(divided & within)
    chosen = np.arange(merged.n_features)
    for place in places[:1]:
        above = np.zeros(len(scores), np.bool_)
        above[order[: place + 1]] = True
        active = above == positive
        if not merged.start(chosen, active):
            return None
        members = merged.conflict(chosen, active)
        if members is not None and len(members) == 0:
            return merged.direction(chosen)
    return None
