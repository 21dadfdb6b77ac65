"""An answer that a fitted estimator brings along: the frontier begins with it."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from sklearn.utils.validation import check_is_fitted

from frugalsvm.data.problem import SelectionProblem
from frugalsvm.data.rates import ErrorBudget
from frugalsvm.data.result import SelectionResult, Status
from frugalsvm.estimators.selector import FrugalSelector
from frugalsvm.inputs.fingerprint import data_hash
from frugalsvm.inputs.labels import read_labels
from frugalsvm.tradeoff.setting import Setting


@dataclass(frozen=True)
class EarlierAnswer:
    """What a selection found for its budgets, and further supports of the same cost."""

    budget: ErrorBudget
    result: SelectionResult

    @property
    def supports(self) -> tuple[tuple[int, ...], ...]:
        """Supports worth trying for other targets."""
        return (self.result.support, *self.result.alternatives)


def earlier_answer(known: Any, setting: Setting, solver: str) -> EarlierAnswer | None:
    """Return the answer of a fitted FrugalSVC or FrugalSelector; None for None.

    Raises
    ------
    TypeError
        If it is neither.
    ValueError
        If it was fitted on other data, prices or terms: its bound would prove nothing here.
    """
    if known is None:
        return None
    selector = getattr(known, "selector_", known)
    if not isinstance(selector, FrugalSelector):
        raise TypeError(
            "The 'known' parameter of frontier must be a fitted FrugalSVC or FrugalSelector. "
            f"Got {known!r} instead."
        )
    check_is_fitted(selector, "result_")
    problem = _own_problem(selector, setting)
    if problem is None or not _same_terms(problem, setting.problem):
        raise ValueError(
            "The 'known' parameter of frontier must be fitted on the same X and y, with the same "
            "prices, 'include', 'exclude' and 'max_weight'. It was fitted on others: leave it out, "
            "or pass the same to both."
        )
    result = selector.result_
    if selector.solver not in ("auto", solver):
        # The paper's model as written bounds fewer hyperplanes than the search counts.
        result = replace(result, bound=0.0, status=Status.FEASIBLE)
    return EarlierAnswer(problem.budget, result)


def _own_problem(selector: FrugalSelector, setting: Setting) -> SelectionProblem | None:
    """Return the problem that the selector solved; None if it saw other data or classes."""
    labels = setting.labels
    y = labels.classes[(labels.positive == labels.positive_is_second).astype(np.intp)]
    if selector._data_hash != data_hash(setting.X, y):
        return None
    own = read_labels(y, selector.pos_label, type(selector).__name__)
    if own.positive_is_second != labels.positive_is_second:
        return None
    problem, _ = selector._problem(setting.X, labels)
    return problem


def _same_terms(own: SelectionProblem, asked: SelectionProblem) -> bool:
    """Return True if both problems, on the same data, differ in their budgets only."""
    return bool(
        np.array_equal(own.costs.feature, asked.costs.feature)
        and np.array_equal(own.costs.group, asked.costs.group)
        and own.costs.groups_of == asked.costs.groups_of
        and np.array_equal(own.include, asked.include)
        and np.array_equal(own.exclude, asked.exclude)
        and own.max_weight == asked.max_weight
    )
