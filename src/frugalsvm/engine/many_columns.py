"""Sparse tables that are too large to fill in: the search is given the columns that tell most.

What it finds is an answer of the whole table. What it proves is about the columns that it was
given; of the panels with any other column something else is known. On a panel all samples with
nothing but zeros there have one score, so that the positives among them are all wrong or the
negatives are. Hence a panel that meets the rates touches all positives but those that may be wrong,
or as many negatives, and what that many entries cost at the least is a bound.
"""

from __future__ import annotations

import math
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import issparse

from frugalsvm.data.costs import ExactCosts, rounded_down
from frugalsvm.data.problem import SelectionProblem
from frugalsvm.data.rates import ErrorBudget
from frugalsvm.data.result import Progress, SelectionResult, Status, StopReason
from frugalsvm.engine.dispatch import Engine, OnProgress
from frugalsvm.inputs.formulate import ReadTerms
from frugalsvm.inputs.standardize import Standardizer
from frugalsvm.inputs.tables import dense_part

MOST_NUMBERS = 50_000_000
"""Numbers of a sparse table up to which it is filled in; of a larger one that many are."""

ROUNDING = 1e-9
"""Share of a sum of prices that its rounding errors are far below."""

Places = NDArray[np.intp]
Floats = NDArray[np.float64]


def too_large(X: Any) -> bool:
    """Return True for a sparse table that is too large to fill in."""
    return bool(issparse(X) and X.shape[0] * X.shape[1] > MOST_NUMBERS)


@dataclass(frozen=True, eq=False)
class GivenColumns:
    """The columns that the search is given, and what is known of panels with others.

    Attributes
    ----------
    ids : ndarray of intp
        Their numbers, ascending.
    n_features : int
        How many columns the table has.
    least : float
        What any panel that meets the rates costs at least; infinity: none does.
    least_with_others : float
        What one with a column that was not given costs at least; infinity if all were given.
    """

    ids: Places
    n_features: int
    least: float
    least_with_others: float

    def bound(self, bound: float) -> float:
        """Return what is proven of the whole table, from what is proven of these columns."""
        return max(self.least, min(bound, self.least_with_others))

    def engine(self, engine: Engine) -> Engine:
        """Return an engine that tells of the whole table's bounds."""
        tell = engine.on_progress
        if tell is None:
            return engine
        told: OnProgress = tell  # known to be callable below

        def whole(progress: Progress) -> None:
            told(self._capped(progress))

        return replace(engine, on_progress=whole)

    def whole(self, result: SelectionResult) -> SelectionResult:
        """Return an answer on these columns as one of the whole table."""
        bound = min(self.bound(result.bound), result.cost)
        weights = np.zeros(self.n_features)
        weights[self.ids] = result.weights
        return replace(
            result,
            status=self._status(result, bound),
            support=self._original(result.support),
            weights=weights,
            bound=bound,
            stop_reason=self._reason(result, bound),
            alternatives=tuple(self._original(support) for support in result.alternatives),
            history=tuple(self._capped(step) for step in result.history),
            details=result.details | {"columns": len(self.ids)},
        )

    def _status(self, result: SelectionResult, bound: float) -> Status:
        if result.has_answer:
            return Status.OPTIMAL if bound >= result.cost else Status.FEASIBLE
        return Status.INFEASIBLE if math.isinf(bound) else Status.UNKNOWN

    def _reason(self, result: SelectionResult, bound: float) -> StopReason:
        if bound >= result.cost:
            return StopReason.COMPLETED
        completed = result.stop_reason is StopReason.COMPLETED
        return StopReason.UNRESOLVED if completed else result.stop_reason

    def _original(self, support: tuple[int, ...]) -> tuple[int, ...]:
        return tuple(self.ids[list(support)].tolist())

    def _capped(self, progress: Progress) -> Progress:
        return replace(progress, bound=min(self.bound(progress.bound), progress.cost))


def given_columns(
    X: Any, positive: NDArray[np.bool_], budget: ErrorBudget, terms: ReadTerms, scaler: Standardizer
) -> GivenColumns:
    """Choose the columns that the search is given."""
    n, d = X.shape
    allowed = np.flatnonzero(~terms.exclude)
    first = np.flatnonzero(terms.include)
    prices = terms.costs.exact
    others = allowed[~terms.include[allowed]]
    ranked = others[_ranks(X, positive, scaler, prices, others)]
    most = max(len(first), MOST_NUMBERS // n)
    ids = np.sort(np.concatenate((first, ranked))[:most])
    left_out = np.setdiff1d(allowed, ids)
    least, least_with_others = _least_costs(X, positive, budget, prices, allowed, left_out)
    return GivenColumns(ids, d, least, least_with_others)


def given_problem(
    X: Any,
    given: GivenColumns,
    positive: NDArray[np.bool_],
    budget: ErrorBudget,
    terms: ReadTerms,
    scaler: Standardizer,
) -> SelectionProblem:
    """Return the selection problem on the columns that the search is given."""
    Z = scaler.of(given.ids).transform(dense_part(X, columns=given.ids))
    return terms.of(given.ids).problem(Z, positive, budget)


def _ranks(
    X: Any,
    positive: NDArray[np.bool_],
    scaler: Standardizer,
    prices: ExactCosts,
    columns: Places,
) -> Places:
    """Rank columns by how far apart the classes are on them, for their price and regardless."""
    side = np.where(positive, 1.0 / positive.sum(), -1.0 / (~positive).sum())
    apart = np.abs(X.T @ side)[columns] / scaler.scale[columns]
    alone = np.maximum(np.array(prices.alone(), np.float64)[columns], 1e-6)
    orders = [np.argsort(-worth, kind="stable") for worth in (apart, apart / alone)]
    both = np.column_stack(orders).ravel()
    _, where = np.unique(both, return_index=True)
    ranks: Places = both[np.sort(where)]
    return ranks


def _least_costs(
    X: Any,
    positive: NDArray[np.bool_],
    budget: ErrorBudget,
    prices: ExactCosts,
    allowed: Places,
    left_out: Places,
) -> tuple[float, float]:
    """Return what any panel costs at least, and what one with a column left out does."""
    own = np.array(prices.feature, np.float64)
    any_panel, with_others = math.inf, math.inf
    for members, errors in ((positive, budget.pos), (~positive, budget.neg)):
        need = max(0, int(members.sum()) - errors)
        touched = np.bincount(X[members].tocoo().col, minlength=X.shape[1]).astype(np.float64)
        useful = allowed[touched[allowed] > 0.0]  # the others would add to the cost alone
        order = useful[np.argsort(own[useful] / touched[useful])]
        reached = np.concatenate(([0.0], np.cumsum(touched[order])))
        paid = np.concatenate(([0.0], np.cumsum(own[order])))
        if need > reached[-1]:
            continue  # all of these columns do not touch that many
        any_panel = min(any_panel, float(np.interp(need, reached, paid)))
        rest = np.interp(np.maximum(need - touched[left_out], 0.0), reached, paid)
        with_others = min(with_others, float(np.min(own[left_out] + rest, initial=math.inf)))
    return _money(any_panel, prices), _money(with_others, prices)


def _money(units: float, prices: ExactCosts) -> float:
    """Return a bound in units, which are whole, as money that is not above it."""
    if math.isinf(units):
        return units
    return rounded_down(math.ceil(units * (1.0 - ROUNDING)) * prices.unit)
