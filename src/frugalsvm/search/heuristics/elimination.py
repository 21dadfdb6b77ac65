"""Backward elimination: from many features to few, by how little each of them does.

Every support on the way is fitted and offered. Far from the end a tenth of the features goes at a
time; near it one by one. What a feature does is judged by its weight or by how much the loss rises
without it, for its price or regardless of it: none of these is best everywhere, and all are cheap.
The first fit begins with all samples: which are to be left out, a step from nothing cannot tell.
"""

from __future__ import annotations

import numpy as np

from frugalsvm.search.heuristics.fit_cache import Fitter, Support
from frugalsvm.search.heuristics.newton import newton_fit
from frugalsvm.search.heuristics.tuning import (
    ELIMINATED_SHARE,
    ELIMINATION_FIRST_ROUNDS,
    ELIMINATION_ROUNDS,
    SINGLY,
    TOO_FEW,
    UNTRIMMED,
    Criterion,
)


def eliminate(fitter: Fitter, start: Support, criterion: Criterion) -> Support | None:
    """Offer the supports on the way down; return the cheapest feasible one that was met."""
    state, core = fitter.state, fitter.state.core
    left = np.array(start, dtype=np.intp)
    free = core.free
    weights = np.zeros(len(free) + len(left) + 1)
    best, rounds, trim_after = None, ELIMINATION_FIRST_ROUNDS, UNTRIMMED
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
        rounds, trim_after = ELIMINATION_ROUNDS, 0
        if fit.gap >= core.floor:
            best, enough = tuple(sorted(left.tolist())), len(left)
            direction = np.zeros(core.n_features)
            direction[np.concatenate((free, left))] = fit.direction
            state.offer(direction)
        doing = fit.model.rises() if criterion.by_loss else fit.weights[:-1] ** 2
        worth = doing[len(free) :] / fitter.shared_prices(left) ** criterion.power
        many = max(1, int(ELIMINATED_SHARE * len(left))) if len(left) > SINGLY else 1
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
            core, root, start_weights, rounds=ELIMINATION_ROUNDS, ridge=criterion.ridge, settle=True
        )
        fitter.charge_newton(root.shape, fit.steps)
        weights = columns @ (axes[:, kept] / np.sqrt(sizes[kept]) @ fit.weights[:-1])
        worth = weights[len(core.free) :] ** 2 / fitter.shared_prices(left) ** criterion.power
        many = max(most, len(left) // 2)
        left = left[np.sort(np.argsort(-worth, kind="stable")[:many])]
    return tuple(left.tolist())
