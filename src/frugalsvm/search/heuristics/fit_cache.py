"""Fits supports for the heuristics: remembers them, offers the feasible ones, counts the work."""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from frugalsvm.search.heuristics.pattern import widened
from frugalsvm.search.heuristics.tuning import (
    CANDIDATES,
    DENSE,
    DENSE_STEP,
    FIT_RIDGE,
    FIT_ROUNDS,
    KNOWN,
    LOOK,
    LOOK_EACH,
    MOST_SPARED,
    NEARBY_ROUNDS,
    NEARER,
    NEARLY,
    POLISH,
    PROOF,
    SLOW_PROOF,
)
from frugalsvm.search.problem.catalogue import Catalogue, catalogue
from frugalsvm.search.problem.fit import Recipe, pull_of, trimmed_fit
from frugalsvm.search.problem.reduction import CoreProblem, Floats
from frugalsvm.search.state import SearchState
from frugalsvm.search.tuning import MOST_CONFLICTS, USUAL_SAMPLES
from frugalsvm.search.verdict import FEASIBLE
from frugalsvm.search.walks.stages import support_count

Support = tuple[int, ...]


def proof_work(core: CoreProblem) -> float:
    """Return the multiplications that deciding a support takes as long as."""
    small = core.budget_pos + core.budget_neg <= MOST_CONFLICTS
    return (PROOF if small else SLOW_PROOF) * max(1.0, core.n_samples / USUAL_SAMPLES)


def supports_to_decide(state: SearchState, features: Catalogue, most: int) -> int:
    """Return how many maximal supports a proof may come to, at most `most`.

    Just below the cost of an answer that holds nearly all features there are few, but on the way
    down from it there are as many as below half the price of all.
    """
    half = state.core.cost(tuple(state.core.priced.tolist())) // 2 + 1
    return support_count(features, min(state.cost, half), most)


@dataclass(frozen=True, eq=False)
class Fit:
    """A fitted support: how far from feasible it looks, and the fit itself.

    ``open``: it just fails, and was not looked at more closely.
    """

    feasible: bool
    gap: float
    open: bool
    loss: float
    direction: Floats
    coefficients: Floats


@dataclass(eq=False)
class Fitter:
    """Fits supports, remembers them, offers the feasible ones, and counts the work.

    ``closer``: fits that just fail are looked at more closely, also those made without before.
    """

    state: SearchState
    work: float
    fits: dict[Support, Fit] = field(default_factory=dict)
    closer: bool = True

    def exhausted(self) -> bool:
        """Return True if the work is used up or the search is over."""
        return self.work <= 0 or self.state.finished()

    def spare_work(self) -> None:
        """Keep no more work than deciding all supports below the best cost would be."""
        each = proof_work(self.state.core)
        provable = self.state.options.enumeration and self.state.best is not None
        if not provable or self.work <= each:
            return
        most = int(min(self.work, MOST_SPARED) / each) + 1
        count = supports_to_decide(self.state, self._catalogue, most)
        if count < most:
            self.work = min(self.work, each * count)

    def fit(self, support: Support, near: Support | None = None) -> Fit:
        """Fit a support of core features together with the free ones.

        The fit starts from that of a support near by, if one is given, and is shorter then.
        """
        self.work -= KNOWN
        known = self.fits.get(support)
        if known is None:
            known = self._fit(support, None if near is None else self.fit(near))
            self.fits[support] = known
        if known.open and self.closer:
            known = self._looked_closer(support, known)
            self.fits[support] = known
        return known

    def _fit(self, support: Support, start: Fit | None) -> Fit:
        core = self.state.core
        chosen = core.with_free(support)
        points = np.ascontiguousarray(core.columns[chosen].T)
        w, found = np.zeros(len(chosen) + 1), np.zeros(len(chosen))
        if start is not None:
            w[:-1], w[-1] = start.coefficients[chosen], start.coefficients[-1]
        gap, loss = self._run_fit(points, w, found, FIT_ROUNDS if start is None else NEARBY_ROUNDS)
        feasible = bool(gap >= core.floor)
        direction = np.zeros(core.n_features)
        direction[chosen] = found
        if feasible:
            self.state.offer(direction)
        coefficients = np.zeros(core.n_features + 1)
        coefficients[chosen] = w[:-1]
        coefficients[-1] = w[-1]
        return Fit(feasible, gap, not feasible and gap > NEARLY, loss, direction, coefficients)

    def _looked_closer(self, support: Support, fit: Fit) -> Fit:
        """Return a fit that just fails after a closer look."""
        direction = fit.direction.copy()
        feasible = self.polish(self.state.core.with_free(support), direction, fit.gap)
        if feasible:
            self.state.offer(direction)
        return replace(fit, feasible=feasible, open=False, direction=direction)

    def _run_fit(
        self, points: Floats, w: Floats, found: Floats, rounds: int
    ) -> tuple[float, float]:
        core = self.state.core
        gap, loss, steps = trimmed_fit(
            points,
            core.n_pos,
            core.weight,
            core.needs,
            core.floor,
            Recipe(rounds, FIT_RIDGE),
            w,
            found,
        )
        n, d = points.shape
        self.work -= n * (d + 10) + steps * n * (d + 2) * (d + 10) / 2
        return float(gap), float(loss)

    def charge_newton(self, shape: tuple[int, ...], steps: int) -> None:
        """Count the work of a fit by dense linear algebra."""
        d, n = shape
        self.work -= (steps + 1) * (DENSE_STEP + (n * (d + 2) * (d + 30) + d**3) / DENSE)

    def charge_kernel(self, d: int, n: int) -> None:
        """Count the work of a kernel matrix and its eigenvectors."""
        self.work -= (n * n * d + 10 * n**3) / DENSE

    def charge_look(self, columns: int) -> None:
        """Count the work of a product of so many columns with the samples."""
        self.work -= LOOK / DENSE + columns * self.state.core.n_samples / DENSE

    def shared_prices(self, features: NDArray[np.intp]) -> Floats:
        """Return the price of each feature with its share of the groups that it is in."""
        owners, groups = self.touches
        own, shared = self.prices
        inside = np.isin(owners, features)
        members = np.bincount(groups[inside], minlength=len(shared))
        share = np.zeros(len(own))
        np.add.at(share, owners[inside], shared[groups[inside]] / members[groups[inside]])
        prices: Floats = (own + share)[features]
        return prices

    def polish(self, chosen: NDArray[np.intp], direction: Floats, gap: float) -> bool:
        """Look closer where a fit just fails; True if `direction` is now feasible.

        Small budgets: the conflicts separate what a fit only leans to. Large ones: steps along
        single features.
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
        if gap < NEARER:
            return False
        gap, looks = widened(core, chosen, direction, self.state.halt)
        self.work -= LOOK_EACH * looks * core.n_samples
        return gap >= core.floor

    def slopes(self, support: Support) -> Floats:
        """Return how steeply each feature would lower the loss of the support's fit."""
        core = self.state.core
        fit = self.fit(support)
        used = np.flatnonzero(fit.coefficients[:-1])
        scores = fit.coefficients[used] @ core.columns[used] + fit.coefficients[-1]
        pull = pull_of(scores, core.n_pos, core.weight, core.need_pos, core.need_neg)
        self.work -= core.n_samples * core.n_features + LOOK
        descent: Floats = np.abs(core.columns @ pull)
        return descent

    def marginal_prices(self, support: Support) -> Floats:
        """Return what each feature would add to the cost of a support."""
        core = self.state.core
        own, shared = self.prices
        unpaid = shared.copy()
        unpaid[list(core.costs.groups_touched(support))] = 0.0
        owners, groups = self.touches
        return own + np.bincount(owners, unpaid[groups], core.n_features)

    @cached_property
    def _catalogue(self) -> Catalogue:
        """The priced features as the enumeration sees them."""
        return catalogue(self.state.core)

    @cached_property
    def prices(self) -> tuple[Floats, Floats]:
        """The prices of features and groups; heuristics do with their nearest floats."""
        costs = self.state.core.costs
        return np.array(costs.feature, np.float64), np.array(costs.group, np.float64)

    @cached_property
    def equal_prices(self) -> bool:
        """True if all features cost the same: what divides by prices then need not vary how."""
        own, shared = self.prices
        return not np.any(shared) and len(set(own[self.state.core.priced].tolist())) <= 1

    @cached_property
    def touches(self) -> tuple[NDArray[np.intp], NDArray[np.intp]]:
        """Each feature and group that it touches, as two columns."""
        groups_of = self.state.core.costs.groups_of
        pairs = [(k, g) for k, touched in enumerate(groups_of) for g in touched]
        owners, groups = np.array(pairs, dtype=np.intp).reshape(-1, 2).T
        return owners, groups

    def promising(self, support: Support) -> list[int]:
        """Return the priced features outside with the steepest descent of the loss."""
        core = self.state.core
        steepness = self.slopes(support)
        steepness[list(support)] = -1.0
        steepness[core.free] = -1.0
        order = np.argsort(-steepness[core.priced], kind="stable")[:CANDIDATES]
        return [int(k) for k in core.priced[order] if steepness[k] >= 0]
