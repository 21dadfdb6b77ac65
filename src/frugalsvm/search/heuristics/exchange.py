"""Exchanges below the best cost: a feature comes in, others go until the rest can be paid.

Which one comes and which go is told by the quadratic model of one fit: how much the loss would fall
with a feature, and rise without it. What went stays out for a while, and what came stays in, so
that the walk leaves supports from which no single exchange leads down.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from frugalsvm.search.heuristics.entering import entering
from frugalsvm.search.heuristics.fit_cache import Fitter, Support
from frugalsvm.search.heuristics.newton import TrimmedFit, newton_fit
from frugalsvm.search.heuristics.tuning import (
    DRAWN_ANEW,
    EXCHANGE_FIRST_ROUNDS,
    EXCHANGE_POWERS,
    EXCHANGE_RIDGE,
    EXCHANGE_ROUNDS,
    EXCHANGE_STALE,
    LONGEST_HOLD,
    NEARLY,
    SHORTEST_HOLD,
)
from frugalsvm.search.problem.reduction import Floats


def exchange(fitter: Fitter, start: Support, rng: np.random.Generator, moves: int) -> None:
    """Walk below the best cost; every feasible support on the way is offered."""
    walk = Walk.of(fitter, start, rng)
    fit = walk.fit(EXCHANGE_FIRST_ROUNDS)
    least, stale = np.inf, 0
    for _ in range(moves):
        if fitter.exhausted():
            return
        cost = fitter.state.cost
        power = EXCHANGE_POWERS[int(rng.integers(len(EXCHANGE_POWERS)))]
        if stale > EXCHANGE_STALE:
            walk.draw_anew(DRAWN_ANEW)
            fit, least, stale = walk.fit(), np.inf, 0
        if not walk.affordable():
            walk.drop(fit, power)
            fit = walk.fit()
        else:
            walk.add(fit, power)
            fit = walk.fit()
            continue
        stale = 0 if fit.loss < least or fitter.state.cost < cost else stale + 1
        least = min(least, fit.loss)


@dataclass(eq=False)
class Walk:
    """A support on its way, with the weights of its fit and what may not move."""

    fitter: Fitter
    rng: np.random.Generator
    inside: NDArray[np.bool_]
    weights: Floats
    held_until: NDArray[np.int64]
    moves: int = 0

    @classmethod
    def of(cls, fitter: Fitter, support: Support, rng: np.random.Generator) -> Walk:
        """Return a walk that starts at a support."""
        core = fitter.state.core
        inside = np.zeros(core.n_features, dtype=np.bool_)
        inside[list(support)] = True
        inside[core.free] = False
        held = np.full(core.n_features, -1, dtype=np.int64)
        return cls(fitter, rng, inside, np.zeros(core.n_features + 1), held)

    def affordable(self) -> bool:
        """Return True if the support costs less than the best answer."""
        state = self.fitter.state
        return state.core.cost(self._support()) <= state.cutoff

    def fit(self, rounds: int = EXCHANGE_ROUNDS) -> TrimmedFit:
        """Fit the support from the last weights; offer it if it is feasible."""
        core = self.fitter.state.core
        chosen = core.with_free(self._support())
        columns = core.columns[chosen]
        start = np.append(self.weights[chosen], self.weights[-1])
        fit = newton_fit(core, columns, start, rounds=rounds, ridge=EXCHANGE_RIDGE)
        self.fitter.charge_newton(columns.shape, fit.steps)
        self.weights[:] = 0.0
        self.weights[chosen], self.weights[-1] = fit.weights[:-1], fit.weights[-1]
        if fit.gap > NEARLY and self.affordable():
            direction = np.zeros(core.n_features)
            direction[chosen] = fit.direction
            if fit.gap >= core.floor or self.fitter.polish(chosen, direction, fit.gap):
                self.fitter.state.offer(direction)
        return fit

    def drop(self, fit: TrimmedFit, power: float) -> None:
        """Take features out, those that do least for their price first, until it can be paid."""
        core = self.fitter.state.core
        chosen = core.with_free(self._support())
        rises = np.full(core.n_features, np.inf)
        rises[chosen] = fit.model.rises()
        rises[self.held_until > self.moves] = np.inf
        inside = np.flatnonzero(self.inside)
        worth = rises[inside] / self.fitter.shared_prices(inside) ** power
        for k in inside[np.argsort(worth, kind="stable")]:
            if self.affordable():
                return
            self._move(int(k), into=False)

    def add(self, fit: TrimmedFit, power: float) -> None:
        """Let the feature in with which the loss falls most for its price."""
        state, core = self.fitter.state, self.fitter.state.core
        open_ = ~self.inside & (self.held_until <= self.moves)
        open_[core.free] = False
        price = self.fitter.marginal_prices(self._support())
        open_ &= price <= state.cutoff
        places = np.flatnonzero(open_)
        self.moves += 1
        if not len(places):
            return
        price = np.maximum(price[places], 1e-6) ** power
        inside = core.with_free(self._support())
        self._move(entering(self.fitter, fit, inside, places, price, EXCHANGE_RIDGE), into=True)

    def draw_anew(self, share: float) -> None:
        """Take out a part of the support at random."""
        for k in np.flatnonzero(self.inside):
            if self.rng.random() < share:
                self._move(int(k), into=False)

    def _move(self, feature: int, *, into: bool) -> None:
        self.inside[feature] = into
        self.held_until[feature] = self.moves + int(
            self.rng.integers(SHORTEST_HOLD, LONGEST_HOLD + 1)
        )

    def _support(self) -> Support:
        return tuple(np.flatnonzero(self.inside).tolist())
