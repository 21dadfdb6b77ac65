"""Exchanges of several features at a time: take some out, refill what the cost then allows.

With prices, one dear feature may stand against three cheap ones, and no chain of single
exchanges that each lower the loss leads from the one to the others. So a move takes out a few
features at random and adds, one by one, the affordable feature that lowers the loss most, by
itself or for its price, until nothing more fits below the best cost.
"""

from __future__ import annotations

import numpy as np

from frugalsvm.search.heuristics.fit_cache import Fitter, Support
from frugalsvm.search.heuristics.tuning import (
    FORBIDDEN,
    MOST_OUT,
    REFILL_MOVES,
    REFILL_MOVES_EACH,
    REFILL_POWERS,
    REFILL_STALE,
    TRIED,
    WORSE,
)
from frugalsvm.search.problem.reduction import CoreProblem


def refill(fitter: Fitter, rng: np.random.Generator) -> None:
    """Look for supports below the best cost until the work is used up or the moves are in vain."""
    state = fitter.state
    while state.best is not None and not fitter.exhausted():
        fitter.spare_work()
        cost = state.cost
        start = cheapened(fitter, state.core.core_support(state.best.support))
        _wander(fitter, filled(fitter, start, (), rng), rng)
        if state.cost == cost:
            return


def _wander(fitter: Fitter, support: Support, rng: np.random.Generator) -> None:
    """Move from support to support until one is feasible."""
    state, cost = fitter.state, fitter.state.cost
    here = least = fitter.fit(support).loss
    stale = 0
    for _ in range(min(REFILL_MOVES, REFILL_MOVES_EACH * len(state.core.priced))):
        if state.cost < cost or fitter.exhausted():
            return
        many = len(support) // 2 if stale > REFILL_STALE else int(rng.integers(1, MOST_OUT + 1))
        out = taken_out(fitter, support, many, rng)
        rest = tuple(k for k in support if k not in out)
        trial = filled(fitter, rest, out if rng.random() < FORBIDDEN else (), rng)
        loss = fitter.fit(trial).loss
        if stale > REFILL_STALE or loss < here * (1.0 + WORSE * rng.random()):
            support, here = trial, loss
        if stale > REFILL_STALE:
            least = here
        stale = 0 if stale > REFILL_STALE or here < least else stale + 1
        least = min(least, here)


def taken_out(fitter: Fitter, support: Support, many: int, rng: np.random.Generator) -> Support:
    """Return some features of a support at random, each with those that share a group with it."""
    groups_of = fitter.state.core.costs.groups_of
    chosen = set(support)
    if many < len(support):
        chosen = {support[i] for i in rng.choice(len(support), many, replace=False)}
    groups = {g for k in chosen for g in groups_of[k]}
    return tuple(k for k in support if k in chosen or not groups.isdisjoint(groups_of[k]))


def filled(fitter: Fitter, support: Support, avoid: Support, rng: np.random.Generator) -> Support:
    """Add features while they can be paid; stop, and drop what is not needed, once feasible."""
    state = fitter.state
    while not fitter.exhausted():
        room = state.cutoff - state.core.cost(support)
        price = fitter.marginal_prices(support)
        open_ = price <= room
        open_[[*support, *avoid, *state.core.free]] = False
        gratis = open_ & (price == 0.0)
        if np.any(gratis):
            support = tuple(sorted((*support, *np.flatnonzero(gratis).tolist())))
            continue
        if not np.any(open_):
            break
        places = np.flatnonzero(open_)
        power = REFILL_POWERS[int(rng.integers(len(REFILL_POWERS)))]
        worth = fitter.slopes(support)[places] / price[places] ** power
        tried = places[np.argsort(-worth, kind="stable")[:TRIED]]
        support = _best_of(fitter, support, tried.tolist())
        if fitter.fit(support).feasible:
            return prune(fitter, support)
    return support


def _best_of(fitter: Fitter, support: Support, features: list[int]) -> Support:
    """Return the support with that one of the features that leaves the least loss."""
    trials = [tuple(sorted((*support, k))) for k in features]
    return min(trials, key=lambda trial: fitter.fit(trial, support).loss)


def cheapened(fitter: Fitter, support: Support) -> Support:
    """Drop features, least loss first, until the cost is below the best."""
    core, state = fitter.state.core, fitter.state
    priced = set(core.priced.tolist())
    support = tuple(k for k in support if k in priced)
    while support and core.cost(support) > state.cutoff and not fitter.exhausted():
        rests = [tuple(j for j in support if j != k) for k in support]
        support = min(rests, key=lambda rest: (fitter.fit(rest).loss, rest))
    return support


def prune(fitter: Fitter, support: Support) -> Support:
    """Drop features, the most expensive per weight first, while the fit stays feasible."""
    core = fitter.state.core
    fit = fitter.fit(support)
    if not fit.feasible:
        return support
    shrunk = True
    while shrunk and not fitter.exhausted():
        shrunk = False
        worth = {k: abs(fit.direction[k]) / added_price(core, k, support) for k in support}
        for k in sorted(support, key=lambda k: (worth[k], -k)):
            rest = tuple(j for j in support if j != k)
            trial = fitter.fit(rest)
            if trial.feasible:
                support, fit, shrunk = rest, trial, True
                break
            if fitter.exhausted():
                break
    return support


def added_price(core: CoreProblem, feature: int, support: Support) -> float:
    """Return what a member of the support adds to its cost (a little, if nothing)."""
    return max(core.costs.added(feature, (j for j in support if j != feature)), 1e-6)
