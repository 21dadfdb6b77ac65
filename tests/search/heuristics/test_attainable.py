"""What can be had: the errors of a witness, with the other class's budget kept."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from frugalsvm.data.rates import ErrorBudget
from frugalsvm.runtime.stopping import Stopper
from frugalsvm.search.heuristics.attainable import best_attainable, errors_left, witnesses
from frugalsvm.search.problem.hyperplane import hyperplane_from_direction
from frugalsvm.search.problem.reduction import reduce_problem
from reference_oracles import core_of
from reference_selection import is_feasible, large_budgets


@pytest.mark.parametrize("seed", range(20))
def test_asking_for_the_errors_that_are_left_succeeds_and_for_one_less_fails(seed: int) -> None:
    core = core_of(seed)
    direction = np.random.default_rng(seed).standard_normal(core.n_features)
    for of_positives in (True, False):
        left = errors_left(core, direction, of_positives=of_positives)
        for errors, expected in ((left, True), (left - 1, False)):
            name = "pos" if of_positives else "neg"
            total = getattr(core, f"need_{name}") + getattr(core, f"budget_{name}")
            if errors < 0 or errors >= total:
                continue
            asked = replace(
                core,
                **{f"need_{name}": total - errors, f"budget_{name}": errors},
                source=replace(core.source, budget=ErrorBudget(99, 99)),
            )
            assert (hyperplane_from_direction(asked, direction) is not None) == expected


def test_a_direction_that_is_none_leaves_all_errors() -> None:
    core = reduce_problem(large_budgets(0))
    for nothing in (np.zeros(8), np.full(8, np.nan)):
        assert errors_left(core, nothing, of_positives=True) == 150
        assert errors_left(core, nothing, of_positives=False) == 150


@pytest.mark.parametrize("seed", range(700, 706))
def test_what_is_attainable_is(seed: int) -> None:
    core = core_of(seed)
    best = best_attainable(core, Stopper(60.0))
    whole = core.original_support(tuple(range(core.n_features)))
    for budget in (
        ErrorBudget(best.pos_errors, core.source.budget.neg),
        ErrorBudget(core.source.budget.pos, best.neg_errors),
    ):
        assert is_feasible(replace(core.source, budget=budget), whole)


def test_the_least_of_all_witnesses_counts_and_time_is_kept() -> None:
    core = reduce_problem(large_budgets(0))
    best = best_attainable(core, Stopper(60.0))
    known = list(witnesses(core, Stopper(60.0)))
    assert best.pos_errors == min(errors_left(core, w, of_positives=True) for w in known)
    assert best.neg_errors == min(errors_left(core, w, of_positives=False) for w in known)
    assert list(witnesses(core, Stopper(0.0))) == []
    nothing = best_attainable(core, Stopper(0.0))
    assert (nothing.pos_errors, nothing.neg_errors) == (150, 150)
