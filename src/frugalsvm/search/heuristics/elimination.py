"""Backward elimination: from many features to few, by how little each of them does.

Every support on the way is fitted and offered. Far from the end a tenth of the features goes at a
time; near it one by one. What a feature does is judged by its weight or by how much the loss rises
without it, for its price or regardless of it: none of these is best everywhere, and all are cheap.
The first fit begins with all samples: which are to be left out, a step from nothing cannot tell.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from frugalsvm.search.heuristics.fit_cache import Fitter, Support
from frugalsvm.search.heuristics.newton import newton_fit

SHARE = 0.1  # of the features that goes at a time
SINGLY = 40  # features from which on they go one by one
TOO_FEW = 0.5  # of the features of the last feasible support: what is left will not do
FIRST_ROUNDS, ROUNDS = 12, 4  # Newton steps
UNTRIMMED = 6  # of the first ones


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
    best, rounds, trim_after = None, FIRST_ROUNDS, UNTRIMMED
    enough = len(left)  # features of the last feasible support, or to begin with
    while len(left) >= TOO_FEW * enough and len(left) and not fitter.exhausted():
        columns = core.columns[np.concatenate((free, left))]
        fit = newton_fit(
            core,
            columns,
            weights,
            rounds=rounds,
            ridge=criterion.ridge,
            settle=True,
            trim_after=trim_after,
        )
        fitter.charge_newton(columns.shape, fit.steps)
        rounds, trim_after = ROUNDS, 0
        if fit.gap >= core.floor:
            best, enough = tuple(sorted(left.tolist())), len(left)
            direction = np.zeros(core.n_features)
            direction[np.concatenate((free, left))] = fit.direction
            state.offer(direction)
        doing = fit.model.rises() if criterion.by_loss else fit.weights[:-1] ** 2
        worth = doing[len(free) :] / fitter.shared_prices(left) ** criterion.power
        many = max(1, int(SHARE * len(left))) if len(left) > SINGLY else 1
        kept = np.sort(np.argsort(worth, kind="stable")[many:])
        weights = np.concatenate(
            (fit.weights[: len(free)], fit.weights[len(free) + kept], fit.weights[-1:])
        )
        left = left[kept]
    return best


def screened(fitter: Fitter, start: Support, criterion: Criterion, most: int) -> Support:
    """Return at most `most` of many features, by halving them by their weights.

    With a ridge the weights are combinations of the samples, so a fit of more features than samples
    is one of as many features as samples: the rows of a root of the kernel matrix.
    """
    core = fitter.state.core
    left = np.array(start, dtype=np.intp)
    while len(left) > most and not fitter.exhausted():
        columns = core.columns[np.concatenate((core.free, left))]
        kernel = columns.T @ columns
        sizes, axes = np.linalg.eigh(kernel)
        kept = sizes > 1e-10 * sizes[-1]
        root = (axes[:, kept] * np.sqrt(sizes[kept])).T
        fitter.charge_kernel(*columns.shape)
        start_weights = np.zeros(len(root) + 1)
        fit = newton_fit(
            core, root, start_weights, rounds=ROUNDS, ridge=criterion.ridge, settle=True
        )
        fitter.charge_newton(root.shape, fit.steps)
        weights = columns @ (axes[:, kept] / np.sqrt(sizes[kept]) @ fit.weights[:-1])
        worth = weights[len(core.free) :] ** 2 / fitter.shared_prices(left) ** criterion.power
        many = max(most, len(left) // 2)
        left = left[np.sort(np.argsort(-worth, kind="stable")[:many])]
    return tuple(left.tolist())
