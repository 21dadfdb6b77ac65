"""What searches hand on: only where it is a proof for the next problem, too."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from fractions import Fraction

import numpy as np
import pytest

from frugalsvm.data.costs import CostModel
from frugalsvm.data.problem import SelectionProblem
from frugalsvm.data.rates import ErrorBudget
from frugalsvm.runtime.stopping import Stopper
from frugalsvm.search import search
from frugalsvm.search.knowledge import MOST_SEEDS, MOST_SETS, Knowledge, fingerprints
from reference_selection import large_budgets, random_problem


def test_knowledge_of_other_samples_is_not_used() -> None:
    problem = random_problem(5)
    other = replace(problem, X=problem.X + 1e-9)
    assert fingerprints(problem) != fingerprints(other)
    assert Knowledge().bound_for(problem) == Fraction(0)


def proven(problem: SelectionProblem) -> Knowledge:
    """Return what is known of a problem: a bound of 3, and one infeasible set."""
    knowledge = Knowledge()
    result = search(problem, stop=Stopper(0.0))
    knowledge.learn(problem, result, Fraction(3), [(0, 1)])
    return knowledge


def moved(problem: SelectionProblem, **changes: object) -> SelectionProblem:
    return replace(problem, **changes)


SAME: dict[str, Callable[[SelectionProblem], SelectionProblem]] = {
    "the same": lambda p: p,
    "tighter": lambda p: moved(p, budget=ErrorBudget(p.budget.pos - 1, p.budget.neg)),
    "smaller weights": lambda p: moved(p, max_weight=p.max_weight / 2),
    "another order": lambda p: moved(p, X=p.X[::-1].copy(), positive=p.positive[::-1].copy()),
    "more samples": lambda p: moved(
        p, X=np.vstack((p.X, p.X[:3] + 1)), positive=np.r_[p.positive, p.positive[:3]]
    ),
}
BOUND_ONLY: dict[str, Callable[[SelectionProblem], SelectionProblem]] = {
    "other prices": lambda p: moved(p, costs=CostModel.per_feature(np.ones(8))),
    "other groups": lambda p: moved(p, costs=CostModel(p.costs.feature, ((0,),) * 8, np.zeros(1))),
}
OTHER: dict[str, Callable[[SelectionProblem], SelectionProblem]] = {
    "looser": lambda p: moved(p, budget=ErrorBudget(p.budget.pos + 1, p.budget.neg)),
    "looser in the other class": lambda p: moved(
        p, budget=ErrorBudget(p.budget.pos - 5, p.budget.neg + 1)
    ),
    "larger weights": lambda p: moved(p, max_weight=p.max_weight * 2),
    "fewer samples": lambda p: moved(p, X=p.X[1:], positive=p.positive[1:]),
    "another class": lambda p: moved(p, positive=np.r_[~p.positive[:1], p.positive[1:]]),
}


@pytest.mark.parametrize("change", SAME)
def test_proofs_hold_where_whatever_meets_the_new_budgets_meets_the_old_ones(change: str) -> None:
    problem = large_budgets(0)
    knowledge, asked = proven(problem), SAME[change](problem)
    assert knowledge.bound_for(asked) == 3
    assert knowledge.infeasible_for(asked) == [(0, 1)]


@pytest.mark.parametrize("change", OTHER)
def test_proofs_do_not_hold_elsewhere(change: str) -> None:
    problem = large_budgets(0)
    knowledge, asked = proven(problem), OTHER[change](problem)
    assert knowledge.bound_for(asked) == 0
    assert knowledge.infeasible_for(asked) == []


@pytest.mark.parametrize("change", BOUND_ONLY)
def test_bounds_need_the_same_prices_and_sets_do_not(change: str) -> None:
    problem = large_budgets(0)
    knowledge, asked = proven(problem), BOUND_ONLY[change](problem)
    assert knowledge.bound_for(asked) == 0
    assert knowledge.infeasible_for(asked) == [(0, 1)]


def test_bounds_need_no_new_freedom() -> None:
    problem = large_budgets(0)
    first = np.arange(8) == 0
    less = replace(problem, exclude=first)
    assert proven(problem).bound_for(less) == 3  # what is allowed now was allowed then
    assert proven(less).bound_for(problem) == 0
    held = replace(problem, include=first)
    assert proven(problem).bound_for(held) == 3
    assert proven(held).bound_for(problem) == 0


def test_the_best_bound_counts_and_old_seeds_make_room() -> None:
    problem = large_budgets(0)
    knowledge = proven(problem)
    result = search(problem, stop=Stopper(0.0))
    knowledge.learn(problem, result, Fraction(2), [])
    assert knowledge.bound_for(problem) == 3
    found = search(random_problem(24), stop=Stopper(60.0))
    for k in range(MOST_SEEDS + 5):
        knowledge.learn(
            problem, replace(found, support=(k,)), Fraction(0), [(j,) for j in range(900)]
        )
    assert [knowledge.seeds[0], knowledge.seeds[-1]] == [(5,), (MOST_SEEDS + 4,)]
    assert len(knowledge.seeds) == MOST_SEEDS
    assert len(knowledge.proofs[-1].infeasible) == MOST_SETS
    knowledge.learn(problem, replace(found, support=(7,)), Fraction(0), [])
    assert len(knowledge.seeds) == MOST_SEEDS  # known already


def test_a_sample_that_was_there_twice_has_to_be_there_twice() -> None:
    once = large_budgets(0)
    again = np.r_[np.arange(300), 0]
    twice = replace(once, X=once.X[again], positive=once.positive[again])
    assert proven(once).bound_for(twice) == 3
    assert proven(twice).bound_for(once) == 0
    assert proven(twice).infeasible_for(once) == []
