"""What is known about every pair of targets: answers and bounds, carried from pair to pair.

Two facts make one search speak for many pairs. A hyperplane is an answer to every pair whose
budgets it keeps: two sorted lists of scores tell which (it may shift and shrink to fit each). A
lower bound on the cost, proof of infeasibility included, holds for every tighter pair.

Costs and bounds are exact amounts here, as in the search: two that differ may be the same float.
"""

from __future__ import annotations

import math
import threading
from dataclasses import dataclass, replace
from fractions import Fraction
from typing import Any

import numpy as np
from numpy.typing import NDArray

from frugalsvm.data.costs import exactly, nearest, rounded_down
from frugalsvm.data.exceptions import VerificationError
from frugalsvm.data.problem import SelectionProblem
from frugalsvm.data.rates import ErrorBudget
from frugalsvm.data.result import SelectionResult, Status, StopReason

HEADROOM = 1e-6
"""Relative excess of the margins over 1 where ``max_weight`` has room for it."""

Cell = tuple[int, int]
Floats = NDArray[np.float64]
Amount = Fraction | float
"""Money: exact, or infinity."""


@dataclass(frozen=True, eq=False)
class Panel:
    """A set of features with a direction on it.

    Attributes
    ----------
    support : tuple of int
        The features.
    weights : ndarray of shape (n_features,)
        The direction, of any length; zero outside the support.
    cost : Fraction
        What the features cost.
    """

    support: tuple[int, ...]
    weights: Floats
    cost: Fraction


class Ledger:
    """Costs, bounds and panels of a grid of budgets; safe to use from several threads.

    Parameters
    ----------
    problem : SelectionProblem
        The data, prices and limits; its own budget is of no account.
    pos, neg : sequences of int
        Allowed errors of the rows (TPR targets) and columns (TNR targets), descending.
    exact : bool, default=True
        True if bounds are proven for every hyperplane: then one above the cost of a panel that
        keeps the budgets shows a bug. The paper's models as written, with their finite M2, bound
        fewer hyperplanes.
    """

    def __init__(
        self, problem: SelectionProblem, pos: list[int], neg: list[int], *, exact: bool = True
    ) -> None:
        self.exact = exact
        self.problem = problem
        self.pos = np.asarray(pos, dtype=np.int64)
        self.neg = np.asarray(neg, dtype=np.int64)
        shape = (len(pos), len(neg))
        least = problem.costs.amount(np.flatnonzero(problem.include))
        self.cost: NDArray[Any] = np.full(shape, math.inf, dtype=object)
        self.bound: NDArray[Any] = np.full(shape, least, dtype=object)
        self.panels: dict[Cell, Panel] = {}
        self.searched: dict[Cell, float] = {}
        self.lock = threading.RLock()

    @property
    def cells(self) -> list[Cell]:
        """All pairs, row by row."""
        return [(i, j) for i in range(len(self.pos)) for j in range(len(self.neg))]

    def budget(self, cell: Cell) -> ErrorBudget:
        """Return the budget of a pair."""
        return ErrorBudget(int(self.pos[cell[0]]), int(self.neg[cell[1]]))

    def problem_of(self, cell: Cell) -> SelectionProblem:
        """Return the selection problem of a pair."""
        return replace(self.problem, budget=self.budget(cell))

    def scan(self) -> None:
        """Settle what a single feature settles: try each of them, both ways round.

        Where each class has samples that must be right, some feature has to be used, so that
        no panel costs less than the cheapest one.
        """
        problem = self.problem
        included = tuple(int(k) for k in np.flatnonzero(problem.include))
        self.offer(self._panel(included, np.zeros(problem.n_features)))
        allowed = np.flatnonzero(~problem.exclude)
        for k in allowed:
            for sign in (1.0, -1.0):
                weights = np.zeros(problem.n_features)
                weights[k] = sign
                self.offer(self._panel((*included, int(k)), weights))
        if included:
            return
        least = min((problem.costs.amount((int(k),)) for k in allowed), default=math.inf)
        needy = (self.pos < problem.n_positive)[:, None] & (self.neg < problem.n_negative)
        self._raise(needy, least)

    def _panel(self, support: tuple[int, ...], weights: Floats) -> Panel:
        support = tuple(sorted(set(support)))
        return Panel(support, weights, self.problem.costs.amount(support))

    def closed(self) -> NDArray[np.bool_]:
        """Return which pairs are settled: proven cheapest or proven infeasible."""
        with self.lock:
            return _is_true(self.bound >= self.cost)

    def bound_of(self, cell: Cell) -> float:
        """Return a pair's bound as a float, rounded down unless it is a cost."""
        bound = self.bound[cell]
        if bound == math.inf:
            return math.inf
        return nearest(bound) if bound == self.cost[cell] else rounded_down(bound)

    def offer(self, panel: Panel) -> NDArray[np.bool_]:
        """Take a panel for every pair whose budgets it keeps at a lower cost; return which."""
        return self._adopt(panel, self._kept(panel))

    def _adopt(self, panel: Panel, kept: NDArray[np.bool_]) -> NDArray[np.bool_]:
        with self.lock:
            better = kept & _is_true(panel.cost < self.cost)
            self.cost[better] = panel.cost
            for i, j in np.argwhere(better):
                self.panels[int(i), int(j)] = panel
            self._reconcile()
        return better

    def raise_bound(self, budget: ErrorBudget, bound: Amount) -> None:
        """Record a proven lower bound for these budgets and all tighter pairs."""
        with self.lock:
            tighter = (self.pos[:, None] <= budget.pos) & (self.neg[None, :] <= budget.neg)
            self._raise(tighter, bound)
            self._reconcile()

    def _raise(self, where: NDArray[np.bool_], bound: Amount) -> None:
        self.bound[where & _is_true(self.bound < bound)] = bound

    def _reconcile(self) -> None:
        """Let no bound exceed a known cost: costs are exact, so it may only if one is wrong."""
        known = _is_true(self.cost < math.inf)
        wrong = known & _is_true(self.bound > self.cost)
        if self.exact and wrong.any():
            cell = tuple(int(k) for k in np.argwhere(wrong)[0])
            budget = self.budget((cell[0], cell[1]))
            raise VerificationError(
                f"Two searches contradict each other: for at most {budget.pos} and {budget.neg} "
                f"errors, a panel of cost {nearest(self.cost[cell]):g} was found and counted, and "
                f"a bound of {nearest(self.bound[cell]):g} was proven. Nothing was returned. This "
                "is a bug in frugalsvm: please report it with your data and settings."
            )
        self.bound[known] = np.minimum(self.bound, self.cost)[known]

    def record(self, cell: Cell, result: SelectionResult) -> None:
        """Take over everything that a search for a pair found out."""
        with self.lock:
            self.searched[cell] = self.searched.get(cell, 0.0) + result.seconds
            self.take_over(self.budget(cell), result)

    def take_over(self, budget: ErrorBudget, result: SelectionResult) -> None:
        """Take over an answer to these budgets, which need not be a pair's, and its bound."""
        with self.lock:
            if result.has_answer:
                panel = self._panel(result.support, result.weights)
                looser = (self.pos[:, None] >= budget.pos) & (self.neg[None, :] >= budget.neg)
                # There it is kept by the searcher's count, if not by ours.
                self._adopt(panel, self._kept(panel) | looser)
            self.raise_bound(budget, self._proven(result))

    def _proven(self, result: SelectionResult) -> Amount:
        """Return the exact bound that a result's float stands for."""
        if result.status is Status.INFEASIBLE:
            return math.inf
        if result.status is Status.OPTIMAL:
            return self.problem.costs.amount(result.support)
        if math.isinf(result.bound):
            return result.bound
        if not self.exact:
            return exactly(result.bound)
        unit = self.problem.costs.exact.unit  # every cost is a multiple; the float is not above it
        return math.ceil(Fraction(result.bound) / unit) * unit

    def result_of(self, cell: Cell) -> SelectionResult | None:
        """Return the pair's panel as an answer to its problem, not yet verified; None without."""
        with self.lock:
            panel = self.panels.get(cell)
            bound = self.bound_of(cell)
            optimal = bool(self.closed()[cell])
        if panel is None:
            return None
        weights, intercept = fitted_hyperplane(self.problem_of(cell), panel.weights)
        return SelectionResult(
            status=Status.OPTIMAL if optimal else Status.FEASIBLE,
            support=panel.support,
            weights=weights,
            intercept=intercept,
            cost=nearest(panel.cost),
            bound=bound,
            seconds=self.searched.get(cell, 0.0),
            solver="frontier",
            solver_version="",
            stop_reason=StopReason.COMPLETED if optimal else StopReason.TIME_LIMIT,
        )

    def _kept(self, panel: Panel) -> NDArray[np.bool_]:
        """Return the pairs whose budgets the panel's direction keeps with margin 1."""
        problem = self.problem
        need_pos, need_neg = problem.n_positive - self.pos, problem.n_negative - self.neg
        idle = (need_pos[:, None] <= 0) | (need_neg[None, :] <= 0)
        peak = float(np.max(np.abs(panel.weights), initial=0.0))
        if peak == 0:
            return idle
        pos_scores, neg_scores = _sorted_scores(problem, panel.weights / peak)
        p = pos_scores[np.clip(need_pos, 1, None) - 1]
        q = neg_scores[np.clip(need_neg, 1, None) - 1]
        return idle | (p[:, None] - q[None, :] >= 2.0 / problem.max_weight)


def _is_true(compared: Any) -> NDArray[np.bool_]:
    """Return a comparison of exact amounts as an array that masks."""
    return np.asarray(compared, dtype=bool)


def _sorted_scores(problem: SelectionProblem, unit: Floats) -> tuple[Floats, Floats]:
    """Return the positives' scores from the greatest down, the negatives' from the least up."""
    used = np.flatnonzero(unit)
    scores = problem.X[:, used] @ unit[used]
    return np.sort(scores[problem.positive])[::-1], np.sort(scores[~problem.positive])


def fitted_hyperplane(problem: SelectionProblem, direction: Floats) -> tuple[Floats, float]:
    """Return weights and intercept along `direction` that suit the problem's budgets best.

    The threshold is put midway between the last positive and the last negative that have to be
    right, and the weights are scaled until both have margin 1.
    """
    need_pos = problem.n_positive - problem.budget.pos
    need_neg = problem.n_negative - problem.budget.neg
    if need_pos <= 0 or need_neg <= 0:
        return direction, _indifferent_intercept(problem, direction, positive=need_neg <= 0)
    unit = direction / np.max(np.abs(direction))
    pos_scores, neg_scores = _sorted_scores(problem, unit)
    p, q = float(pos_scores[need_pos - 1]), float(neg_scores[need_neg - 1])
    room = 2.0 / (p - q) * (1.0 + HEADROOM) if p > q else math.inf
    scale = min(problem.max_weight, room)
    return unit * scale, -0.5 * scale * (p + q)


def _indifferent_intercept(
    problem: SelectionProblem, direction: Floats, *, positive: bool
) -> float:
    """Return an intercept that puts every sample on one side, where a class may be wrong."""
    reach = float(np.max(np.abs(problem.X @ direction), initial=0.0)) + 1.0
    return reach if positive else -reach
