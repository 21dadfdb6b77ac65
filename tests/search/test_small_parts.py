"""Verdict, regime, tuning and knowledge: small, and everybody relies on them."""

from __future__ import annotations

from dataclasses import replace
from fractions import Fraction

import numpy as np
import pytest

from frugalsvm.data.rates import ErrorBudget
from frugalsvm.search import tuning
from frugalsvm.search.knowledge import Knowledge, fingerprints
from frugalsvm.search.problem.reduction import reduce_problem
from frugalsvm.search.regime import regime_of
from frugalsvm.search.tuning import Effort, Rung
from frugalsvm.search.verdict import FEASIBLE, OPEN, RULED_OUT, Verdict
from reference_selection import large_budgets, random_problem


def test_a_verdict_on_a_support_is_one_on_all_features() -> None:
    verdict = Verdict(FEASIBLE, np.array([1.0, -2.0])).on(np.array([3, 1]), 5)
    assert verdict.feasible
    np.testing.assert_array_equal(verdict.direction, [0.0, -2.0, 0.0, 1.0, 0.0])
    assert RULED_OUT.on(np.array([0]), 5) is RULED_OUT
    assert (RULED_OUT.infeasible, RULED_OUT.decided, OPEN.decided) == (True, True, False)


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


def test_ladders_go_from_cheap_to_sure() -> None:
    ladders = (*tuning.THOROUGH, tuning.LAST_RESORT, tuning.COVER_LOOK, tuning.COVER_SURE)
    for ladder in ladders:
        assert all(isinstance(rung, Rung) for rung in ladder)
        for judge in ("cuts", "errors"):
            nodes = [rung.nodes for rung in ladder if rung.judge == judge]
            assert nodes == sorted(nodes)
            assert all(number > 0 for number in nodes)
        assert any(rung.judge != "guess" for rung in ladder)  # fits alone rule nothing out


def test_efforts_shrink_with_many_samples_but_are_never_made_up() -> None:
    effort = Effort(100, 0, 3_000)
    assert effort.scaled(2_000) == effort
    assert effort.scaled(20_000) == Effort(10, 0, 300)
    assert effort.scaled(10**9) == Effort(10, 0, 20)


def test_knowledge_of_other_samples_is_not_used() -> None:
    problem = random_problem(5)
    other = replace(problem, X=problem.X + 1e-9)
    assert fingerprints(problem) != fingerprints(other)
    assert Knowledge().bound_for(problem) == Fraction(0)
