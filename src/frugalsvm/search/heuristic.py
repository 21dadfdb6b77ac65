"""Good supports early: trimmed fits while features are added, dropped and exchanged.

The work is counted, not timed, so that the same seed gives the same supports everywhere.
"""

from __future__ import annotations

import math
from dataclasses import dataclass, field, replace

import numpy as np
from numpy.typing import NDArray

from frugalsvm.search.directions import FEASIBLE
from frugalsvm.search.fit import pull_of, trimmed_fit
from frugalsvm.search.oracles import MOST_CONFLICTS, Effort
from frugalsvm.search.reduction import CoreProblem, Floats
from frugalsvm.search.state import SearchState

ROUNDS = 20
RIDGE = 1e-5
WHOLE_FIT = 5e7  # samples times squared features; above, supports are grown from nothing only
WHOLE_WIDTH = 200  # features, likewise
MANY_SAMPLES = 20_000  # above, supports are grown on a part of the samples
CANDIDATES = 24  # features tried for a place, best gradients first
QUICK_WORK = 3e8  # multiplications, some tenths of a second
NEARLY = -0.5  # gap above which an infeasible fit is looked at closely
EMPHASES = (3.0, 1 / 3)
POLISH = Effort(cell_boxes=0, conflict_nodes=12, boxes=0)
KICKS = 100  # in a row without a better support
KICK = 2  # features exchanged at random where the exchanges are stuck

Support = tuple[int, ...]


@dataclass(frozen=True, eq=False)
class Fit:
    """A fitted support: how far from feasible it looks, and the fit itself."""

    feasible: bool
    loss: float
    direction: Floats
    coefficients: Floats


@dataclass(eq=False)
class Fitter:
    """Fits supports, remembers them, offers the feasible ones, and counts the work."""

    state: SearchState
    work: float
    fits: dict[Support, Fit] = field(default_factory=dict)

    def exhausted(self) -> bool:
        """Return True if the work is used up or the search is over."""
        return self.work <= 0 or self.state.finished()

    def fit(self, support: Support) -> Fit:
        """Fit a support of core features together with the free ones."""
        self.work -= 500  # a look at the memory is not free either
        known = self.fits.get(support)
        if known is None:
            known = self._fit(support)
            self.fits[support] = known
        return known

    def _fit(self, support: Support) -> Fit:
        core = self.state.core
        chosen = core.with_free(support)
        points = np.ascontiguousarray(core.columns[chosen].T)
        w, found = np.zeros(len(chosen) + 1), np.zeros(len(chosen))
        gap, loss = self._run_fit(points, 1.0, w, found)
        feasible = bool(gap >= core.floor)
        direction = np.zeros(core.n_features)
        direction[chosen] = found
        if not feasible and gap > NEARLY:
            feasible = self._polish(points, chosen, direction)
        if feasible:
            self.state.offer(direction)
        coefficients = np.zeros(core.n_features + 1)
        coefficients[chosen] = w[:-1]
        coefficients[-1] = w[-1]
        return Fit(feasible, loss, direction, coefficients)

    def _run_fit(
        self, points: Floats, emphasis: float, w: Floats, found: Floats
    ) -> tuple[float, float]:
        core = self.state.core
        gap, loss, steps = trimmed_fit(
            points, core.n_pos, core.weight, core.need_pos, core.need_neg, core.floor,
            ROUNDS, RIDGE, emphasis, w, found,
        )  # fmt: skip
        n, d = points.shape
        self.work -= n * (d + 10) + steps * n * (d + 2) * (d + 10) / 2
        return float(gap), float(loss)

    def _polish(self, points: Floats, chosen: NDArray[np.intp], direction: Floats) -> bool:
        """Look closer where the fit just fails.

        Small budgets: the conflicts separate what a fit only leans to. Large ones: the fit may
        have left the errors to the wrong class.
        """
        core = self.state.core
        if self.state.options.conflicts and core.budget_pos + core.budget_neg <= MOST_CONFLICTS:
            self.work -= 20 * core.n_samples * (len(chosen) + 2)
            rows = chosen.astype(np.int64).reshape(1, -1)
            sizes = np.array([len(chosen)], dtype=np.int64)
            verdicts, directions, _ = self.state.oracles.judge(rows, sizes, POLISH)
            if verdicts[0] == FEASIBLE:
                direction[chosen] = directions[0]
            return bool(verdicts[0] == FEASIBLE)
        for emphasis in EMPHASES:
            w, found = np.zeros(len(chosen) + 1), np.zeros(len(chosen))
            gap, _ = self._run_fit(points, emphasis, w, found)
            if gap >= core.floor:
                direction[chosen] = found
                return True
        return False

    def promising(self, support: Support, count: int = CANDIDATES) -> list[int]:
        """Return the priced features outside with the steepest descent of the loss, per price."""
        core = self.state.core
        fit = self.fit(support)
        used = np.flatnonzero(fit.coefficients[:-1])
        scores = fit.coefficients[used] @ core.columns[used] + fit.coefficients[-1]
        pull = pull_of(scores, core.n_pos, core.weight, core.need_pos, core.need_neg)
        self.work -= core.n_samples * core.n_features
        steepness = np.abs(core.columns @ pull)
        steepness[list(support)] = -1.0
        steepness[core.free] = -1.0
        order = np.argsort(-steepness[core.priced], kind="stable")[:count]
        return [int(k) for k in core.priced[order] if steepness[k] >= 0]


class Heuristic:
    """Grow and prune (with seed 0), then exchange; `work` multiplications at most."""

    name = "heuristic"

    def __init__(self, work: float = QUICK_WORK, seed: int = 0) -> None:
        self.work = work
        self.seed = seed

    def run(self, state: SearchState) -> None:
        """Offer the supports found on the way."""
        if not state.options.heuristic:
            return
        fitter = Fitter(state, self.work * state.options.effort)
        core = state.core
        if core.n_samples > MANY_SAMPLES and self.seed == 0:
            for support in outlined(state, fitter.work):
                prune(fitter, support)
            return
        small = core.n_features <= WHOLE_WIDTH
        if state.best is None and small and core.n_samples * core.n_features**2 <= WHOLE_FIT:
            full = tuple(int(k) for k in core.priced)
            prune(fitter, full)
        if self.seed == 0:
            for power in (1.0, 0.0):
                grown = grow(fitter, power)
                if grown is not None:
                    prune(fitter, grown)
        exchange(fitter, np.random.default_rng((state.seed, self.seed)))


def outlined(state: SearchState, work: float) -> list[Support]:
    """Grow and prune supports on a part of the samples, with its share of the budgets."""
    core = state.core
    rng = np.random.default_rng(state.seed)
    picked = np.sort(rng.choice(core.n_samples, MANY_SAMPLES // 4, replace=False))
    n_pos = int(np.count_nonzero(picked < core.n_pos))
    weight = core.weight[picked]
    pos, neg = int(weight[:n_pos].sum()), int(weight[n_pos:].sum())
    share_pos = core.need_pos / (core.need_pos + core.budget_pos)
    share_neg = core.need_neg / (core.need_neg + core.budget_neg)
    part = replace(
        core,
        columns=np.ascontiguousarray(core.columns[:, picked]),
        n_pos=n_pos,
        weight=weight,
        need_pos=max(1, math.ceil(share_pos * pos)),
        need_neg=max(1, math.ceil(share_neg * neg)),
    )
    fitter = Fitter(SearchState(part, state.stop, state.options), work)
    grown = [grow(fitter, power) for power in (1.0, 0.0)]
    return [prune(fitter, support) for support in grown if support is not None]


def prune(fitter: Fitter, support: Support) -> Support:
    """Drop features, the most expensive per weight first, while the fit stays feasible."""
    core = fitter.state.core
    fit = fitter.fit(support)
    if not fit.feasible:
        return support
    shrunk = True
    while shrunk and not fitter.exhausted():
        shrunk = False
        worth = {k: abs(fit.direction[k]) / _price(core, k, support) for k in support}
        for k in sorted(support, key=lambda k: (worth[k], -k)):
            rest = tuple(j for j in support if j != k)
            trial = fitter.fit(rest)
            if trial.feasible:
                support, fit, shrunk = rest, trial, True
                break
            if fitter.exhausted():
                break
    return support


def _price(core: CoreProblem, feature: int, support: Support) -> float:
    """Return what a member of the support adds to its cost (a little, if nothing)."""
    rest = tuple(j for j in support if j != feature)
    return max(core.costs.cost(support) - core.costs.cost(rest), 1e-6)


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
            worth = (here.loss - trial.loss) / _price(core, k, trial_support) ** power
            if trial.feasible or worth > best_worth:
                best, best_worth = trial_support, math.inf if trial.feasible else worth
            if trial.feasible or fitter.exhausted():
                break
        if best is None:
            return None
        support = best
    return None


def exchange(fitter: Fitter, rng: np.random.Generator) -> None:
    """Look for a support below the best cost by exchanges, with random kicks where stuck."""
    state = fitter.state
    while state.best is not None and not fitter.exhausted():
        start = cheapened(fitter, state.core.core_support(state.best.support))
        cost = state.cost
        support = descend(fitter, start)
        for _ in range(KICKS):
            if state.cost < cost or fitter.exhausted():
                break
            support = descend(fitter, kicked(fitter, support, rng))
        if state.cost == cost:
            return


def cheapened(fitter: Fitter, support: Support) -> Support:
    """Drop features, least loss first, until the cost is below the best."""
    core, state = fitter.state.core, fitter.state
    priced = set(core.priced.tolist())
    support = tuple(k for k in support if k in priced)
    while support and core.cost(support) > state.cutoff and not fitter.exhausted():
        rests = [tuple(j for j in support if j != k) for k in support]
        support = min(rests, key=lambda rest: (fitter.fit(rest).loss, rest))
    return support


def descend(fitter: Fitter, support: Support) -> Support:
    """Add or exchange single features while that lowers the loss."""
    state = fitter.state
    here = fitter.fit(support)
    improved = True
    while improved and not here.feasible and not fitter.exhausted():
        improved = False
        for out in (None, *support):
            rest = tuple(j for j in support if j != out)
            best = _best_addition(fitter, rest, out)
            if best is not None and fitter.fit(best).loss < here.loss - 1e-9:
                support, here, improved = best, fitter.fit(best), True
            if here.feasible or fitter.exhausted():
                break
    return support if state.core.cost(support) <= state.cutoff else ()


def _best_addition(fitter: Fitter, rest: Support, avoid: int | None) -> Support | None:
    """Return the affordable support rest + one feature with the least loss."""
    core, state = fitter.state.core, fitter.state
    best: Support | None = None
    for k in fitter.promising(rest):
        trial = tuple(sorted((*rest, k)))
        if k == avoid or core.cost(trial) > state.cutoff:
            continue
        fit = fitter.fit(trial)
        if best is None or fit.loss < fitter.fit(best).loss:
            best = trial
        if fit.feasible or fitter.exhausted():
            break
    return best


def kicked(fitter: Fitter, support: Support, rng: np.random.Generator) -> Support:
    """Replace some features at random, within the cost."""
    core, state = fitter.state.core, fitter.state
    kept = list(support)
    for _ in range(min(KICK, len(kept))):
        kept.pop(int(rng.integers(len(kept))))
    pool: NDArray[np.intp] = np.setdiff1d(core.priced, kept)
    for k in rng.permutation(pool)[: 4 * KICK]:
        trial = (*kept, int(k))
        if core.cost(trial) <= state.cutoff:
            kept.append(int(k))
        if len(kept) > len(support):
            break
    return tuple(sorted(kept))
