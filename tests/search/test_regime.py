"""What budgets, values and size of a problem call for."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from frugalsvm.data.rates import ErrorBudget
from frugalsvm.search import tuning
from frugalsvm.search.problem.reduction import reduce_problem
from frugalsvm.search.regime import regime_of
from reference_selection import large_budgets


@pytest.mark.parametrize(
    ("budget", "few_values", "packs", "covers"),
    [
        ((28, 24), False, False, False),
        ((20, 20), False, True, False),
        ((28, 24), True, False, True),
    ],
)
def test_what_a_problem_calls_for(
    budget: tuple[int, int], few_values: bool, packs: bool, covers: bool
) -> None:
    problem = replace(large_budgets(0), budget=ErrorBudget(*budget))
    if few_values:
        problem = replace(problem, X=np.sign(problem.X - 0.1))
    regime = regime_of(reduce_problem(problem))
    assert (regime.packs_conflicts, regime.covers_first) == (packs, covers)
    assert regime.errors == sum(budget)


def test_no_errors_call_for_covers_where_samples_are_many() -> None:
    problem = replace(large_budgets(0), budget=ErrorBudget(0, 0))
    assert regime_of(reduce_problem(problem)).covers_first
    few = replace(problem, X=problem.X[142:158], positive=problem.positive[142:158])
    assert not regime_of(reduce_problem(few)).covers_first


def test_large_tables_are_not_for_covers(monkeypatch: pytest.MonkeyPatch) -> None:
    problem = replace(large_budgets(0), budget=ErrorBudget(0, 0))
    core = reduce_problem(problem)
    monkeypatch.setattr(tuning, "LARGEST_WIDTH", 7)
    assert (regime_of(core).fits_covers, regime_of(core).covers_first) == (False, False)
    monkeypatch.undo()
    monkeypatch.setattr(tuning, "LARGEST_SIZE", core.columns.size - 1)
    assert not regime_of(core).fits_covers
