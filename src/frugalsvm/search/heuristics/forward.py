"""Forward selection on all samples: the feature comes in with which the loss falls most.

The quadratic model of one fit tells of all features at once how much the loss would fall with them,
so that a step costs one fit of the support and one product with the table, however many samples.
"""

from __future__ import annotations

import math

import numpy as np

from frugalsvm.search.heuristics.entering import entering
from frugalsvm.search.heuristics.fit_cache import Fitter, Support
from frugalsvm.search.heuristics.newton import newton_fit
from frugalsvm.search.heuristics.tuning import (
    FORWARD_RIDGE,
    FORWARD_ROUNDS,
    WAYS,
)


def ways_forward(fitter: Fitter) -> tuple[tuple[float, bool], ...]:
    """Return the ways in which forward selections differ."""
    return WAYS[:2] if fitter.equal_prices else WAYS


def forward(fitter: Fitter, power: float, *, trimmed: bool = True) -> Support | None:
    """Add features, by the fall of the loss over price**power, until feasible; None if stuck."""
    state, core = fitter.state, fitter.state.core
    inside: Support = ()
    weights = np.zeros(core.n_features + 1)
    trim_after = 0 if trimmed else math.inf
    limit = min(len(core.priced), core.n_samples)
    while len(inside) <= limit and not fitter.exhausted():
        chosen = core.with_free(inside)
        columns = core.columns[chosen]
        start = np.append(weights[chosen], weights[-1])
        fit = newton_fit(
            core, columns, start, rounds=FORWARD_ROUNDS, ridge=FORWARD_RIDGE, trim_after=trim_after
        )
        fitter.charge_newton(columns.shape, fit.steps)
        weights[chosen], weights[-1] = fit.weights[:-1], fit.weights[-1]
        if fit.gap >= core.floor:
            direction = np.zeros(core.n_features)
            direction[chosen] = fit.direction
            state.offer(direction)
            return inside
        prices = fitter.marginal_prices(inside)
        open_ = prices <= state.cutoff - core.cost(inside)
        open_[chosen] = False
        places = np.flatnonzero(open_)
        if not len(places):
            return None
        price = np.maximum(prices[places], 1e-6) ** power
        inside = tuple(
            sorted((*inside, entering(fitter, fit, chosen, places, price, FORWARD_RIDGE)))
        )
    return None
