"""From the selection problem to the arrays that the tactics work on, and back.

The reduction is exact. Excluded and constant columns go; identical samples of one class merge
into one weighted sample; what every support pays anyway (included features and their groups)
becomes a constant. Repeated columns stay, because two copies together may carry twice the
weight that ``max_weight`` allows one of them; but a copy that is dominated in price is only
worth trying beside its original, see :attr:`CoreProblem.copy_of`.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from frugalsvm.data.costs import ExactCosts, rounded_down
from frugalsvm.data.problem import SelectionProblem
from frugalsvm.search.problem.coinciding import Ranks

MARGIN_TOLERANCE = 1e-6
"""Relative shortfall of a margin from 1 that still counts as reaching it."""

SAME_COLUMN = 1e-13
"""How far the values of two columns may be apart by the rounding of a standardisation."""

NEGLIGIBLE = 1e-8
"""Part of the margin floor that exchanging two such columns may cost: far below the tolerance."""

BLOCK, LEAST_ROWS = 200_000, 8
"""Numbers transposed at a time, and rows at the least: a line of the cache."""

Floats = NDArray[np.float64]
Bools = NDArray[np.bool_]
Ints = NDArray[np.int64]


@dataclass(frozen=True, eq=False)
class CoreProblem:
    """The reduced selection problem. Features and samples are numbered anew.

    A support S (always together with the `free` features) is feasible iff some w with
    max |w_k| = 1 and w = 0 outside S has gap(w) >= `floor`, where gap(w) is the lowest score of
    the best ``need_pos`` positives minus the highest score of the best ``need_neg`` negatives
    (by weight). No intercept and no big M is left.

    Attributes
    ----------
    columns : ndarray of shape (n_features, n_samples), C-contiguous
        One row per feature; the positives are the first `n_pos` samples.
    n_pos : int
        Number of (merged) positive samples.
    weight : ndarray of int64 of shape (n_samples,)
        How many original samples each stands for.
    need_pos, need_neg, budget_pos, budget_neg : int
        How many original samples of a class must be right, and may be wrong.
    floor : float
        The smallest gap that counts: 2 / max_weight, less half of the tolerance of the
        verification, so that what is accepted here is accepted there.
    max_weight : float
        M3.
    costs : ExactCosts
        Prices of the core features beyond what every support pays, as whole numbers; free
        features cost nothing. All costs and bounds of the search are whole numbers of this kind.
    base : Fraction
        What every support pays, in money.
    free : ndarray of intp
        Features without a further price: part of every support that is tested.
    priced : ndarray of intp
        All the others: what the search chooses from.
    copy_of : ndarray of intp of shape (n_features,)
        For a column that repeats another (up to sign) at no lower price: that other one. Some
        optimal support holds the copy only if it holds the original. -1 otherwise.
    feature_ids : ndarray of intp of shape (n_features,)
        The features' numbers in the original problem.
    source : SelectionProblem
        The original problem; answers are verified against it.
    """

    columns: Floats
    n_pos: int
    weight: Ints
    need_pos: int
    need_neg: int
    budget_pos: int
    budget_neg: int
    floor: float
    max_weight: float
    costs: ExactCosts
    base: Fraction
    free: NDArray[np.intp]
    priced: NDArray[np.intp]
    copy_of: NDArray[np.intp]
    feature_ids: NDArray[np.intp]
    source: SelectionProblem

    @property
    def n_features(self) -> int:
        """Number of features left."""
        return int(self.columns.shape[0])

    @property
    def n_samples(self) -> int:
        """Number of merged samples."""
        return int(self.columns.shape[1])

    @property
    def needs(self) -> tuple[int, int]:
        """How many positives and how many negatives have to be right."""
        return self.need_pos, self.need_neg

    @property
    def budgets(self) -> tuple[int, int]:
        """How many positives and how many negatives may be wrong."""
        return self.budget_pos, self.budget_neg

    @cached_property
    def ranks(self) -> Ranks:
        """The ranks of the columns' values, by which samples that coincide are found."""
        return Ranks(self.columns)

    def cost(self, support: tuple[int, ...]) -> int:
        """Cost of a support of core features beyond what every support pays, in units."""
        return self.costs.cost(support)

    def money(self, units: float) -> Fraction | float:
        """Return the whole cost that so many units beyond the base amount to; inf stays inf."""
        return units if math.isinf(units) else self.base + int(units) * self.costs.unit

    def as_bound(self, units: float) -> float:
        """Return a bound on the cost as a float that is not above it."""
        amount = self.money(units)
        return rounded_down(amount) if isinstance(amount, Fraction) else amount

    def units_from(self, money: Fraction | float) -> float:
        """Return the fewest units with which a cost reaches an amount of money."""
        if isinstance(money, float):
            return money  # infinite
        return max(0, math.ceil((money - self.base) / self.costs.unit))

    def with_free(self, support: tuple[int, ...]) -> NDArray[np.intp]:
        """Return the support together with the free features, ascending."""
        return np.union1d(np.asarray(support, dtype=np.intp), self.free)

    def original_support(self, support: tuple[int, ...]) -> tuple[int, ...]:
        """Return the original numbers of a core support, included features too."""
        chosen = {int(self.feature_ids[k]) for k in support}
        chosen.update(int(k) for k in np.flatnonzero(self.source.include))
        return tuple(sorted(chosen))

    def core_support(self, original: tuple[int, ...]) -> tuple[int, ...]:
        """Return the core numbers of original features; those that are gone are left out."""
        wanted = np.asarray(sorted(original), dtype=np.intp)
        return tuple(int(k) for k in np.flatnonzero(np.isin(self.feature_ids, wanted)))


def reduce_problem(problem: SelectionProblem) -> CoreProblem:
    """Return the reduced problem; :class:`CoreProblem` maps its answers back."""
    ids = np.flatnonzero(~problem.exclude & (np.ptp(problem.X, axis=0) > 0))
    samples, weight, n_pos = _merge_samples(problem, ids)
    columns = _take_transposed(problem.X, samples, ids)
    costs, base = _residual_costs(problem, ids)
    price = np.array([units > 0 for units in costs.alone()], dtype=np.bool_)
    total_pos, total_neg = problem.n_positive, problem.n_negative
    return CoreProblem(
        columns=columns,
        n_pos=n_pos,
        weight=weight,
        need_pos=total_pos - min(problem.budget.pos, total_pos),
        need_neg=total_neg - min(problem.budget.neg, total_neg),
        budget_pos=min(problem.budget.pos, total_pos),
        budget_neg=min(problem.budget.neg, total_neg),
        floor=2.0 / problem.max_weight * (1.0 - 0.5 * MARGIN_TOLERANCE),
        max_weight=problem.max_weight,
        costs=costs,
        base=base,
        free=np.flatnonzero(~price),
        priced=np.flatnonzero(price),
        copy_of=_dominated_copies(
            columns, costs, min(SAME_COLUMN, NEGLIGIBLE / problem.max_weight)
        ),
        feature_ids=ids,
        source=problem,
    )


def _merge_samples(
    problem: SelectionProblem, ids: NDArray[np.intp]
) -> tuple[NDArray[np.intp], Ints, int]:
    """Return one representative per distinct sample (positives first), weights, positives."""
    X, positive = problem.X, problem.positive
    rng = np.random.default_rng(0)
    key = np.zeros(X.shape[1])
    key[ids] = rng.standard_normal(len(ids))
    # Equal rows have equal keys only if the sums are formed alike, which einsum does row by row.
    keys = np.einsum("ij,j->i", X, key)
    order = np.lexsort((np.arange(len(keys)), keys, ~positive))
    same = np.zeros(len(order), dtype=bool)
    near = (keys[order[1:]] == keys[order[:-1]]) & (positive[order[1:]] == positive[order[:-1]])
    for i in np.flatnonzero(near):
        same[i + 1] = np.array_equal(X[order[i + 1]][ids], X[order[i]][ids])
    first = np.flatnonzero(~same)
    weight = np.diff(np.append(first, len(order))).astype(np.int64)
    samples = order[first]
    n_pos = int(positive[samples].sum())
    by_row = np.lexsort((samples, ~positive[samples]))
    return samples[by_row], weight[by_row], n_pos


def _take_transposed(X: Floats, samples: NDArray[np.intp], ids: NDArray[np.intp]) -> Floats:
    """Return X[samples][:, ids].T as a contiguous array without a third copy of X."""
    columns = np.empty((len(ids), len(samples)))
    step = max(LEAST_ROWS, BLOCK // max(1, X.shape[1]))
    for start in range(0, len(samples), step):
        block = np.ascontiguousarray(X[samples[start : start + step]][:, ids].T)
        columns[:, start : start + step] = block
    return columns


def _residual_costs(
    problem: SelectionProblem, ids: NDArray[np.intp]
) -> tuple[ExactCosts, Fraction]:
    """Return what the features cost beyond the included ones, and what those cost."""
    exact = problem.costs.exact
    included = {int(k) for k in np.flatnonzero(problem.include)}
    paid = exact.groups_touched(included)
    group = [0 if g in paid else units for g, units in enumerate(exact.group)]
    costs = ExactCosts.of(
        (Fraction(0 if int(k) in included else exact.feature[int(k)]) for k in ids),
        tuple(tuple(g for g in exact.groups_of[int(k)] if group[g] > 0) for k in ids),
        (Fraction(units) for units in group),
    )
    unit = costs.unit * exact.unit
    costs = ExactCosts(unit, costs.feature, costs.groups_of, costs.group)
    return costs, exact.cost(included) * exact.unit


def _dominated_copies(columns: Floats, costs: ExactCosts, apart: float) -> NDArray[np.intp]:
    """Return for each column the cheaper (or equal and earlier) column that it repeats, or -1.

    A hyperplane on the copy is one on the original whose scores differ by `apart` times its weight
    at most, hence its gap by twice that: nothing beside the floor.
    """
    copy_of = np.full(len(columns), -1, dtype=np.intp)
    if len(columns) == 0 or columns.shape[1] == 0:
        return copy_of
    probe = np.random.default_rng(1).standard_normal(columns.shape[1])
    keys = np.abs(np.einsum("ij,j->i", columns, probe))
    order = np.argsort(keys, kind="stable")
    borders = np.flatnonzero(np.diff(keys[order]) > 1e-9) + 1
    starts, ends = np.append(0, borders), np.append(borders, len(order))
    for run in np.flatnonzero(ends - starts > 1):
        _link_copies(np.sort(order[starts[run] : ends[run]]), columns, costs, apart, copy_of)
    return copy_of


def _link_copies(
    alike: NDArray[np.intp],
    columns: Floats,
    costs: ExactCosts,
    apart: float,
    copy_of: NDArray[np.intp],
) -> None:
    """Within columns of nearly equal key, chain each copy to the cheapest original before it."""
    by_price = sorted(alike, key=lambda k: (costs.feature[k], len(costs.groups_of[k]), k))
    for position, k in enumerate(by_price):
        for j in reversed(by_price[:position]):
            distance = min(
                float(np.max(np.abs(columns[j] - sign * columns[k]))) for sign in (1.0, -1.0)
            )
            if distance <= apart and set(costs.groups_of[j]) <= set(costs.groups_of[k]):
                copy_of[k] = j
                break
