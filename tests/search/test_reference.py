"""The search against a reference that a student can read, and against planted answers."""

from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from frugalsvm.data.costs import CostModel
from frugalsvm.data.problem import SelectionProblem
from frugalsvm.data.rates import ErrorBudget
from frugalsvm.data.result import Status
from frugalsvm.runtime.stopping import Stopper
from frugalsvm.search import SearchOptions, search
from reference_search import ReferenceSearch
from reference_selection import brute_force, is_feasible, random_problem


def planted(seed: int, n: int, n_features: int, size: int) -> tuple[SelectionProblem, tuple]:
    """Return a problem whose first features separate the classes but for the budgets.

    The labels are those of a direction with a margin; as many of each class as its budget allows
    are changed. Half of the features have few values.
    """
    rng = np.random.default_rng(seed)
    X = rng.standard_normal((n, n_features))
    X[:, ::2] = np.round(X[:, ::2])
    X = (X - X.mean(axis=0)) / X.std(axis=0)
    w = rng.choice([-1.0, 1.0], size) * rng.uniform(0.5, 1.0, size)
    scores = X[:, :size] @ w
    order = np.argsort(scores)
    positive = scores > scores[order[n // 2]] - 1e-9
    budget = ErrorBudget(int(rng.integers(0, 3)), int(rng.integers(0, 3)))
    for wrong, members in ((budget.pos, ~positive), (budget.neg, positive)):
        flipped = rng.choice(np.flatnonzero(members), wrong, replace=False)
        positive[flipped] = ~positive[flipped]
    prices = rng.integers(1, 6, n_features).astype(float)
    nothing = np.zeros(n_features, dtype=bool)
    problem = SelectionProblem(
        X, positive, budget, CostModel.per_feature(prices), nothing, nothing, max_weight=1e4
    )
    return problem, tuple(range(size))


@pytest.mark.parametrize("first", range(0, 40, 10))
def test_the_reference_agrees_with_brute_force_and_the_search(first: int) -> None:
    for seed in range(first, first + 10):
        problem = random_problem(seed)
        cost, support = ReferenceSearch(problem).solve()
        assert cost == brute_force(problem)[0], seed
        assert math.isinf(cost) or is_feasible(problem, tuple(sorted(support)))
        assert search(problem, stop=Stopper(60.0)).cost == cost, seed


@pytest.mark.parametrize("seed", range(4))
def test_the_reference_agrees_on_planted_problems(seed: int) -> None:
    problem, _ = planted(seed, n=24 + 4 * seed, n_features=6, size=3)
    cost, _ = ReferenceSearch(problem).solve()
    assert search(problem, stop=Stopper(60.0)).cost == cost


@pytest.mark.parametrize("seed", range(8))
def test_a_planted_witness_is_never_ruled_out(seed: int) -> None:
    problem, witness = planted(seed, n=20 + 10 * seed, n_features=12, size=4)
    if not is_feasible(problem, witness):
        pytest.skip("the gap that was planted is below the floor")
    options = SearchOptions(witnesses=(witness,), heuristic=seed % 2 == 0)
    result = search(problem, stop=Stopper(60.0), options=options)
    assert result.status is Status.OPTIMAL
    assert result.cost <= problem.costs.cost(witness)
    assert is_feasible(problem, result.support)


@given(seed=st.integers(0, 10_000), column=st.integers(0, 4), scale=st.sampled_from([2.0, 10.0]))
@settings(max_examples=15, deadline=None, suppress_health_check=list(HealthCheck))
def test_what_does_not_matter_does_not_matter(seed: int, column: int, scale: float) -> None:
    """Order of rows, signs of columns, units of prices, exchanged classes, a tighter budget."""
    problem = random_problem(seed)
    cost = search(problem, stop=Stopper(60.0)).cost
    rng = np.random.default_rng(seed)
    rows = rng.permutation(len(problem.X))
    signs = np.where(np.arange(problem.n_features) == column, -1.0, 1.0)
    costs = problem.costs
    moved = SelectionProblem(
        X=(problem.X * signs)[rows],
        positive=~problem.positive[rows],
        budget=ErrorBudget(problem.budget.neg, problem.budget.pos),
        costs=CostModel(scale * costs.feature, costs.groups_of, scale * costs.group),
        include=problem.include,
        exclude=problem.exclude,
        max_weight=problem.max_weight,
    )
    assert search(moved, stop=Stopper(60.0)).cost == pytest.approx(scale * cost)
    if problem.budget.pos > 0:
        tighter = ErrorBudget(problem.budget.pos - 1, problem.budget.neg)
        less = SelectionProblem(
            problem.X, problem.positive, tighter, costs, problem.include, problem.exclude,
            problem.max_weight,
        )  # fmt: skip
        assert search(less, stop=Stopper(60.0)).cost >= cost - 1e-9
