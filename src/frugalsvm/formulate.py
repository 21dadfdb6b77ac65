"""From raw data and what the user says about features to the selection problem as plain data."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from frugalsvm.prices import FeatureTable, PriceInputs, feature_mask
from frugalsvm.problem import SelectionProblem
from frugalsvm.rates import ErrorBudget
from frugalsvm.standardize import Standardizer


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
    return SelectionProblem(
        X=scaler.transform(X),
        positive=positive,
        budget=budget,
        costs=terms.prices.resolve(table),
        include=include,
        exclude=exclude | scaler.constant,
        max_weight=float(terms.max_weight),
    )
