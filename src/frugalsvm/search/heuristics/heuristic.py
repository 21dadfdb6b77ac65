"""Good supports early: trimmed fits while features are added, dropped and exchanged.

The work is counted, not timed, so that the same seed gives the same supports everywhere.
"""

from __future__ import annotations

import math

import numpy as np

from frugalsvm.runtime.single_thread import single_threaded_algebra
from frugalsvm.search.heuristics.exchange import Walk
from frugalsvm.search.heuristics.fit_cache import Fitter, Support
from frugalsvm.search.heuristics.forward import forward, ways_forward
from frugalsvm.search.heuristics.refill import added_price, prune, refill
from frugalsvm.search.heuristics.sampled_core import sampled
from frugalsvm.search.heuristics.tuning import (
    EXCHANGE_FIRST_ROUNDS,
    FITS_ALONE,
    GROWTH_POWERS,
    MANY_SAMPLES,
    MOST_AT_ONCE,
    QUICK_WORK,
)
from frugalsvm.search.state import SearchState


class Heuristic:
    """Grow and prune (with seed 0), then exchange; `work` multiplications at most.

    Where the proof is short, so is this: whatever it misses, the proof finds soon.
    """

    name = "heuristic"

    def __init__(self, work: float = QUICK_WORK, seed: int = 0) -> None:
        self.work = work
        self.seed = seed

    def run(self, state: SearchState) -> None:
        """Offer the supports found on the way."""
        if not state.options.heuristic:
            return
        fitter = Fitter(state, self.work * state.options.effort)
        fitter.spare_work()
        core = state.core
        if core.n_samples > MANY_SAMPLES and self.seed == 0:
            offer_everything(state)
            for support in outlined(state, fitter.work):
                prune(fitter, support)
            return
        if self.seed == 0:
            begin_anew(fitter)
        refill(fitter, np.random.default_rng((state.seed, self.seed)))


def begin_anew(fitter: Fitter) -> None:
    """Build supports from nothing: at first by a fit for each feature, then by many.

    Fits alone answer many easy problems: what just fails is looked at more closely after that, and
    what looks closer is compiled where it is needed. The fits are remembered, so that the work on
    them is not counted.
    """
    with single_threaded_algebra():
        rough = [forward(fitter, power, trimmed=way) for power, way in ways_forward(fitter)]
    built = [support for support in rough if support is not None]
    work, fitter.closer = fitter.work, False
    fitter.work = min(work, FITS_ALONE)
    prune_and_grow(fitter, built)
    fitter.work, fitter.closer = work, True
    prune_and_grow(fitter, built)


def prune_and_grow(fitter: Fitter, rough: list[Support]) -> None:
    """Prune supports, and others that grow from nothing."""
    for support in rough:
        if not fitter.exhausted():
            prune(fitter, support)
    for power in GROWTH_POWERS[:1] if fitter.equal_prices else GROWTH_POWERS:
        fitter.spare_work()
        grown = grow(fitter, power)
        if grown is not None:
            prune(fitter, grown)


def offer_everything(state: SearchState) -> None:
    """Offer all features, if they will do: where one fit takes long, a dear answer comes first."""
    core = state.core
    if core.n_samples * core.n_features**2 > MOST_AT_ONCE:
        return
    everything = tuple(int(k) for k in core.priced)
    with single_threaded_algebra():
        Walk.of(Fitter(state, math.inf), everything, np.random.default_rng(0)).fit(
            EXCHANGE_FIRST_ROUNDS
        )


def outlined(state: SearchState, work: float) -> list[Support]:
    """Grow and prune supports on a part of the samples, with its share of the budgets."""
    fitter = Fitter(sampled(state, MANY_SAMPLES // 4), work)
    grown = [grow(fitter, power) for power in GROWTH_POWERS]
    return [prune(fitter, support) for support in grown if support is not None]


def grow(fitter: Fitter, power: float) -> Support | None:
    """Add the feature that lowers the loss most per price**power until feasible; None if stuck."""
    core = fitter.state.core
    support: Support = ()
    limit = min(len(core.priced), core.n_samples)
    while len(support) < limit and not fitter.exhausted():
        here = fitter.fit(support)
        if here.feasible:
            return support
        best, best_worth = None, -math.inf
        for k in fitter.promising(support):
            trial_support = tuple(sorted((*support, k)))
            if core.cost(trial_support) > fitter.state.cutoff:
                continue
            trial = fitter.fit(trial_support)
            worth = (here.loss - trial.loss) / added_price(core, k, trial_support) ** power
            if trial.feasible or worth > best_worth:
                best, best_worth = trial_support, math.inf if trial.feasible else worth
            if trial.feasible or fitter.exhausted():
                break
        if best is None:
            return None
        support = best
    return None
