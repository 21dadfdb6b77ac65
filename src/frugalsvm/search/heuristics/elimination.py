"""Backward elimination: from all features down to one, by how little each of them does.

Every support on the way is fitted and offered. Far from the end a tenth of the features goes at a
time; near it one by one. What a feature does is judged by its weight or by how much the loss rises
without it, for its price or regardless of it: none of these is best everywhere, and all are cheap.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from frugalsvm.search.heuristics.fit_cache import Fitter, Support
from frugalsvm.search.heuristics.newton import newton_fit
from frugalsvm.search.problem.reduction import Floats

SHARE = 0.1  # of the features that goes at a time
SINGLY = 40  # features from which on they go one by one
FIRST_ROUNDS, ROUNDS = 12, 4  # Newton steps


@dataclass(frozen=True)
class Criterion:
    """What an elimination goes by.

    Attributes
    ----------
    by_loss : bool
        By the rise of the loss without a feature, or by its weight.
    ridge : float
        Penalty of the weights.
    power : float
        Of the price that it is divided by.
    """

    by_loss: bool
    ridge: float
    power: float


def eliminate(fitter: Fitter, start: Support, criterion: Criterion) -> Support | None:
    """Offer the supports on the way down; return the cheapest feasible one that was met."""
    state, core = fitter.state, fitter.state.core
    left = np.array(start, dtype=np.intp)
    free = core.free
    weights = np.zeros(len(free) + len(left) + 1)
    best, rounds = None, FIRST_ROUNDS
    while len(left) and not fitter.exhausted():
        columns = core.columns[np.concatenate((free, left))]
        fit = newton_fit(core, columns, weights, rounds=rounds, ridge=criterion.ridge, settle=True)
        fitter.charge_newton(columns.shape, fit.steps)
        rounds = ROUNDS
        if fit.gap >= core.floor:
            best = tuple(sorted(left.tolist()))
            direction = np.zeros(core.n_features)
            direction[np.concatenate((free, left))] = fit.direction
            state.offer(direction)
        doing = fit.model.rises() if criterion.by_loss else fit.weights[:-1] ** 2
        worth = doing[len(free) :] / _prices(fitter, left) ** criterion.power
        many = max(1, int(SHARE * len(left))) if len(left) > SINGLY else 1
        kept = np.sort(np.argsort(worth, kind="stable")[many:])
        weights = np.concatenate(
            (fit.weights[: len(free)], fit.weights[len(free) + kept], fit.weights[-1:])
        )
        left = left[kept]
    return best


def _prices(fitter: Fitter, features: NDArray[np.intp]) -> Floats:
    """Return the price of each feature with its share of the groups that it is in."""
    owners, groups = fitter.touches
    own, shared = fitter.prices
    inside = np.isin(owners, features)
    members = np.bincount(groups[inside], minlength=len(shared))
    share = np.zeros(len(own))
    np.add.at(share, owners[inside], shared[groups[inside]] / members[groups[inside]])
    prices: Floats = (own + share)[features]
    return prices
