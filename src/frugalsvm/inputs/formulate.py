"""From raw data and what the user says about features to the selection problem as plain data."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from frugalsvm.data.costs import CostModel
from frugalsvm.data.problem import SelectionProblem
from frugalsvm.data.rates import ErrorBudget
from frugalsvm.inputs.prices import FeatureTable, PriceInputs, feature_mask
from frugalsvm.inputs.standardize import Standardizer


@dataclass(frozen=True)
class FeatureTerms:
    """What features cost and which of them may be used, as the user gave it.

    Attributes
    ----------
    prices : PriceInputs
        The cost parameters.
    include, exclude : iterable, mask or None
        Features that must be used, and that must not.
    max_weight : float
        M3.
    """

    prices: PriceInputs
    include: Any
    exclude: Any
    max_weight: float


def feature_table(names: Sequence[str] | None, n_features: int, owner: str) -> FeatureTable:
    """Return the features by name; those without one are called x0, x1, ..."""
    if names is None:
        names = [f"x{k}" for k in range(n_features)]
    return FeatureTable(tuple(names), owner)


@dataclass(frozen=True, eq=False)
class ReadTerms:
    """The terms as arrays, over all features.

    Attributes
    ----------
    costs : CostModel
        What supports cost.
    include, exclude : ndarray of bool of shape (n_features,)
        Constant features are excluded.
    max_weight : float
        M3.
    """

    costs: CostModel
    include: NDArray[np.bool_]
    exclude: NDArray[np.bool_]
    max_weight: float

    def of(self, columns: NDArray[np.intp]) -> ReadTerms:
        """Return the terms of some of the features."""
        costs = self.costs
        groups_of = tuple(costs.groups_of[k] for k in columns.tolist())
        return ReadTerms(
            CostModel(costs.feature[columns], groups_of, costs.group),
            self.include[columns],
            self.exclude[columns],
            self.max_weight,
        )

    def problem(
        self, Z: NDArray[np.float64], positive: NDArray[np.bool_], budget: ErrorBudget
    ) -> SelectionProblem:
        """Return the selection problem of standardised data."""
        terms = (self.costs, self.include, self.exclude, self.max_weight)
        return SelectionProblem(Z, positive, budget, *terms)


def read_terms(terms: FeatureTerms, table: FeatureTable, scaler: Standardizer) -> ReadTerms:
    """Return the terms as arrays, or raise a ValueError that says what is off."""
    owner = table.owner
    include = feature_mask(terms.include, table, "include")
    exclude = feature_mask(terms.exclude, table, "exclude")
    both = [table.names[k] for k in np.flatnonzero(include & exclude)]
    if both:
        raise ValueError(
            f"The 'include' and 'exclude' parameters of {owner} must not overlap. Both name {both}."
        )
    fixed = [table.names[k] for k in np.flatnonzero(include & scaler.constant)]
    if fixed:
        raise ValueError(
            f"The 'include' parameter of {owner} must not name constant features: they tell "
            f"nothing and are never selected. Got {fixed}."
        )
    costs = terms.prices.resolve(table)
    return ReadTerms(costs, include, exclude | scaler.constant, float(terms.max_weight))


def selection_problem(
    X: NDArray[np.float64],
    positive: NDArray[np.bool_],
    budget: ErrorBudget,
    *,
    scaler: Standardizer,
    table: FeatureTable,
    terms: FeatureTerms,
) -> SelectionProblem:
    """Return the selection problem of raw data `X`, or raise a ValueError that says what is off."""
    read = read_terms(terms, table, scaler)
    return read.problem(scaler.transform(X), positive, budget)
