"""Better answers before a long proof: eliminations from all features, then exchanges.

What a proof of the present answer would take is the most that is spent on a better one, and no more
than a share of the time that was given; both are counted as work, so that runs repeat.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass
from functools import partial

import numpy as np

from frugalsvm.runtime.single_thread import single_threaded_algebra
from frugalsvm.search.heuristics.elimination import eliminate, screened
from frugalsvm.search.heuristics.exchange import exchange
from frugalsvm.search.heuristics.fit_cache import Fitter, Support, proof_work, supports_to_decide
from frugalsvm.search.heuristics.forward import forward, ways_forward
from frugalsvm.search.heuristics.refill import prune
from frugalsvm.search.heuristics.sampled_core import sampled
from frugalsvm.search.heuristics.tuning import (
    CRITERIA,
    EXCHANGES,
    EXCHANGES_EACH,
    IMPROVEMENT_SHARE,
    IN_VAIN,
    LARGE_TABLE,
    LOOKED_AT_WHOLE,
    MANY_NUMBERS,
    MOST_COUNTED,
    MOST_WHOLE,
    NO_LIMIT,
    PART_SHARE,
    PER_SECOND,
    RAISED,
    Criterion,
)
from frugalsvm.search.problem.catalogue import catalogue
from frugalsvm.search.state import SearchState


class Improvement:
    """Eliminations by several criteria, and exchanges around the best answer."""

    name = "improvement"

    def run(self, state: SearchState) -> None:
        """Offer what is found on the way."""
        if not worthwhile(state):
            return
        with single_threaded_algebra():
            if state.core.n_samples > LOOKED_AT_WHOLE:
                on_many_samples(state)
            else:
                fitter = Fitter(state, 0.0)
                improve(fitter, allowed_work(state), partial(prune, fitter))


def worthwhile(state: SearchState) -> bool:
    """Return True unless a proof may well be over before this is: it finds what was missed."""
    core = state.core
    if state.best is None:
        return True
    if state.regime.covers_first:
        return core.columns.size > LARGE_TABLE
    most = min(MOST_COUNTED, int(PER_SECOND * time_limit(state) / proof_work(core)) + 1)
    return supports_to_decide(state, catalogue(core), most) >= most


def time_limit(state: SearchState) -> float:
    """Return the seconds that were given, in steps of factors of two, so that runs repeat."""
    limit = state.stop.deadline - state.stop.started
    return 2.0 ** round(math.log2(NO_LIMIT if math.isinf(limit) else max(limit, 1e-3)))


def allowed_work(state: SearchState) -> float:
    """Return the work for the time that was given."""
    return IMPROVEMENT_SHARE * PER_SECOND * time_limit(state) * state.options.effort


@dataclass
class Purse:
    """What may still be spent: less as bound and cost are closer, or a proof is short."""

    fitter: Fitter
    total: float
    spent: float = 0.0
    given: float = 0.0

    def refill(self) -> bool:
        """Give the fitter what is left; return False if that is nothing."""
        state = self.fitter.state
        self.spent += self.given - self.fitter.work
        gap = 1.0 if state.best is None else 1.0 - state.bound / max(state.cost, 1)
        self.fitter.work = gap * self.total - self.spent
        self.fitter.spare_work()
        self.given = self.fitter.work
        return not self.fitter.exhausted()


def improve(fitter: Fitter, work: float, use: Callable[[Support], object]) -> None:
    """Eliminate by each criterion, `use` what that leaves, exchange around the best answer."""
    state = fitter.state
    purse = Purse(fitter, work)
    everything = tuple(int(k) for k in state.core.priced)
    if state.core.columns.size > MANY_NUMBERS:
        select_forward(purse)
    for criterion in criteria_for(fitter):
        if not (worthwhile(state) and purse.refill()):
            return
        found = eliminate(fitter, screened(fitter, everything, criterion, MOST_WHOLE), criterion)
        if found is not None:
            use(found)
    exchange_on(purse)


def criteria_for(fitter: Fitter) -> list[Criterion]:
    """Return the criteria that differ with these prices."""
    if not fitter.equal_prices:
        return list(CRITERIA)
    return list({(c.by_loss, c.ridge): c for c in reversed(CRITERIA)}.values())[::-1]


def select_forward(purse: Purse) -> None:
    """Select forward for prices and regardless of them, each time without what is not needed."""
    fitter = purse.fitter
    for power, trimmed in ways_forward(fitter):
        if not (worthwhile(fitter.state) and purse.refill()):
            return
        selected = forward(fitter, power, trimmed=trimmed)
        if selected is not None:
            eliminate(fitter, selected, CRITERIA[0])


def exchange_on(purse: Purse) -> None:
    """Exchange around the best answer until the work is used up or starts are in vain."""
    fitter, state = purse.fitter, purse.fitter.state
    rng = np.random.default_rng((state.seed, len(CRITERIA)))
    in_vain, moves = 0, min(EXCHANGES, EXCHANGES_EACH * len(state.core.priced))
    while state.best is not None and in_vain < IN_VAIN and worthwhile(state) and purse.refill():
        cost = state.cost
        exchange(fitter, state.core.core_support(state.best.support), rng, moves)
        in_vain = 0 if state.cost < cost else in_vain + 1


def on_many_samples(state: SearchState) -> None:
    """Select forward on all samples, improve on a part of them, then exchange on all again.

    The part's rates are raised first, so that what is found on it holds for all.
    """
    whole = Fitter(state, 0.0)
    work = allowed_work(state)
    purse = Purse(whole, (1.0 - PART_SHARE * len(RAISED)) * work)
    select_forward(purse)
    for errors in RAISED:
        part = sampled(state, LOOKED_AT_WHOLE // 2, errors)
        improve(Fitter(part, 0.0), PART_SHARE * work, partial(prune, whole))
        if part.best is not None:
            state.offer(part.best.weights[state.core.feature_ids])
            prune(whole, state.core.core_support(part.best.support))
    exchange_on(purse)
