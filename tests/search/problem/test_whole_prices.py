"""Costs are exact at every scale: what is called optimal is, and its bound is its cost."""

from __future__ import annotations

import math
from dataclasses import replace
from fractions import Fraction

import numpy as np
import pytest

from frugalsvm import FrugalSelector
from frugalsvm.data.costs import CostModel, exactly, rounded_down
from frugalsvm.data.problem import SelectionProblem
from frugalsvm.data.rates import ErrorBudget
from frugalsvm.data.result import SelectionResult, Status
from frugalsvm.runtime.stopping import Stopper
from frugalsvm.search import search
from frugalsvm.search.problem.catalogue import catalogue, cheaper_parts
from frugalsvm.search.problem.reduction import reduce_problem
from frugalsvm.search.problem.whole_prices import MOST_EXACT, as_floats
from frugalsvm.search.walks.maximal_supports import MaximalSupports
from reference_selection import brute_force, is_feasible, random_problem


def found(problem: SelectionProblem) -> SelectionResult:
    return search(problem, stop=Stopper(60.0))


def proven(problem: SelectionProblem) -> float:
    """Return the cost of an answer that is proven and says so in both of its numbers."""
    result = found(problem)
    assert result.status is Status.OPTIMAL
    assert result.bound == result.cost == problem.costs.cost(result.support)
    return result.cost


def one_of_two_pairs(prices: list[float]) -> SelectionProblem:
    """Return a problem that features 0 and 1 solve together, or 2 and 3."""
    rng = np.random.default_rng(0)
    X = rng.standard_normal((40, 4))
    positive = X[:, 0] + X[:, 1] > 0
    X[:, 3] = X[:, 0] + X[:, 1] - X[:, 2]
    X = (X - X.mean(axis=0)) / X.std(axis=0)
    nothing = np.zeros(4, dtype=bool)
    costs = CostModel.per_feature(np.array(prices))
    return SelectionProblem(X, positive, ErrorBudget(1, 1), costs, nothing, nothing, 1000.0)


@pytest.mark.parametrize("scale", [1e-10, 1e-30, 1e10, 1 / 3])
@pytest.mark.parametrize("seed", range(440, 452))
def test_tiny_and_huge_prices_have_the_same_optimum(seed: int, scale: float) -> None:
    problem = random_problem(seed)
    costs = problem.costs
    scaled = CostModel(costs.feature * scale, costs.groups_of, costs.group * scale)
    plain, other = found(problem), found(replace(problem, costs=scaled))
    assert (plain.status, plain.cost) == (other.status, pytest.approx(other.cost / scale))
    assert other.bound == other.cost or other.status is not Status.OPTIMAL


def test_a_dear_included_feature_does_not_drown_the_others() -> None:
    problem = replace(
        one_of_two_pairs([1.0, 1.0, 3.0, 4.0]),
        X=np.column_stack((one_of_two_pairs([1.0] * 4).X, np.linspace(-1.7, 1.7, 40))),
        costs=CostModel.per_feature(np.array([1.0, 1.0, 3.0, 4.0, 1e10])),
        include=np.arange(5) == 4,
        exclude=np.zeros(5, dtype=bool),
    )
    assert proven(problem) == 1e10 + 2.0


def test_prices_with_many_digits() -> None:
    """The last test of the walk had no tolerance where the others had one."""
    prices = [7.55000000755, 3.08, 2.54, 1.93]
    for seed in range(460, 480):
        problem = random_problem(seed)
        n = problem.n_features
        costs = CostModel.per_feature(np.resize(prices, n))
        problem = replace(problem, costs=costs)
        cost, optimal = brute_force(problem)
        result = found(problem)
        assert result.cost == cost
        assert math.isinf(cost) or result.support in optimal


def test_sums_of_decimals_tie_with_decimals() -> None:
    """0.1 + 0.2 is 0.3 to whoever pays it."""
    result = found(one_of_two_pairs([0.1, 0.2, 0.3, 0.0]))
    assert result.cost == result.bound == 0.3


@pytest.mark.parametrize("tiny", [1e-10, 1e-17])
def test_a_tiny_difference_decides(tiny: float) -> None:
    problem = one_of_two_pairs([1.0, 2.0 * tiny, 1.0, tiny])
    assert proven(problem) == float(1 + exactly(tiny))
    assert found(problem).support == (2, 3)


@pytest.mark.parametrize("seed", range(30))
def test_prices_with_more_digits_than_floats_can_add(seed: int) -> None:
    """Prices of seventeen digits are rounded down for the walks; costs are compared exactly."""
    rng = np.random.default_rng(seed)
    problem = random_problem(500 + seed)
    n = problem.n_features
    steps = rng.integers(0, 3, n) * Fraction(1, 10**16)
    prices = [
        float(Fraction(int(p)) / 3 + step)
        for p, step in zip(rng.integers(1, 4, n), steps, strict=True)
    ]
    problem = replace(problem, costs=CostModel.per_feature(np.array(prices)))
    exact = problem.costs.exact
    result = found(problem)
    cost, optimal = brute_force(problem)
    assert result.cost == cost
    if result.status is Status.OPTIMAL:
        least = min(exact.cost(support) for support in optimal)
        assert exact.cost(result.support) == least


def test_supports_that_rounding_let_pass_are_replaced_by_their_parts() -> None:
    problem = one_of_two_pairs([1.0 + 1e-15, 1.0, 1e15, 1.0])
    core = reduce_problem(problem)
    features = catalogue(core)
    assert features.scale > 1
    goal = core.cost((1, 3))
    parts = cheaper_parts(core, features, [(1, 3), (0,)], goal)
    assert set(parts) == {(1,), (3,), (0,)}
    walk = MaximalSupports(features, features.limit(goal - 1))
    rows, sizes = walk.next_batch(100)
    walked = [
        set(features.features[row[:size]].tolist()) for row, size in zip(rows, sizes, strict=True)
    ]
    assert all(any({k} <= support for support in walked) for k in (0, 1, 3))


@pytest.mark.parametrize("free", [{"feature_costs": 0.0}, {"include": range(4)}])
def test_nothing_to_choose_is_no_crash(free: dict[str, object]) -> None:
    problem = one_of_two_pairs([1.0] * 4)
    selector = FrugalSelector(0.9, 0.9, **free).fit(problem.X, problem.positive)
    assert selector.status_ == "optimal"
    assert selector.cost_ == selector.bound_ == (4.0 if "include" in free else 0.0)


def test_nothing_to_choose_and_no_answer_is_proven() -> None:
    for seed in range(600, 640):
        problem = random_problem(seed)
        every = ~problem.exclude
        problem = replace(problem, include=every, exclude=~every)
        result = found(problem)
        feasible = is_feasible(problem, tuple(np.flatnonzero(every).tolist()))
        assert result.status is (Status.OPTIMAL if feasible else Status.INFEASIBLE), seed


def test_a_bound_is_rounded_down() -> None:
    for numerator in range(1, 50):
        amount = Fraction(numerator, 7)
        assert (
            Fraction(rounded_down(amount))
            <= amount
            < Fraction(math.nextafter(rounded_down(amount), 99))
        )


@pytest.mark.parametrize("seed", range(20))
def test_prices_as_floats_add_up_and_are_never_above_the_true_ones(seed: int) -> None:
    rng = np.random.default_rng(seed)
    exact = [int(rng.integers(1, 10**9)) ** int(rng.integers(1, 4)) for _ in range(6)]
    prices = as_floats(exact, [], touched=0, ceiling=np.inf)
    assert prices.feature.sum() < MOST_EXACT
    assert all(
        int(p) * prices.scale <= units for p, units in zip(prices.feature, exact, strict=True)
    )
    if prices.scale == 1:
        assert prices.feature.tolist() == exact
