"""The reduction is exact: samples, features, prices, and the way back."""

from __future__ import annotations

import math
from dataclasses import replace
from fractions import Fraction

import numpy as np
import pytest

from frugalsvm.data.costs import CostModel
from frugalsvm.data.problem import SelectionProblem
from frugalsvm.data.rates import ErrorBudget
from frugalsvm.search.problem.reduction import MARGIN_TOLERANCE, reduce_problem
from reference_oracles import all_supports, core_of
from reference_selection import is_feasible, random_problem


def problem_of(X: np.ndarray, positive: np.ndarray, **changes: object) -> SelectionProblem:
    nothing = np.zeros(X.shape[1], dtype=bool)
    costs = CostModel.per_feature(np.ones(X.shape[1]))
    problem = SelectionProblem(X, positive, ErrorBudget(0, 0), costs, nothing, nothing)
    return replace(problem, **changes)


@pytest.mark.parametrize("seed", range(40))
def test_every_sample_is_in_the_one_row_that_equals_it(seed: int) -> None:
    core = core_of(seed)
    problem = core.source
    used = problem.X[:, core.feature_ids]
    for own, rows in (
        (problem.positive, slice(0, core.n_pos)),
        (~problem.positive, slice(core.n_pos, None)),
    ):
        expected, counts = np.unique(used[own], axis=0, return_counts=True)
        merged = core.columns[:, rows].T
        order = np.lexsort(merged.T[::-1])
        np.testing.assert_array_equal(merged[order], expected)
        np.testing.assert_array_equal(core.weight[rows][order], counts)
    assert core.columns.flags.c_contiguous


@pytest.mark.parametrize("seed", range(40))
def test_needs_and_budgets_add_up(seed: int) -> None:
    problem = random_problem(seed)
    for budget in ((0, 0), (2, 99), (99, 1)):
        core = reduce_problem(replace(problem, budget=ErrorBudget(*budget)))
        assert core.need_pos + core.budget_pos == problem.n_positive
        assert core.need_neg + core.budget_neg == problem.n_negative
        assert core.budgets == (
            min(budget[0], problem.n_positive),
            min(budget[1], problem.n_negative),
        )
    assert core.floor == 2.0 / problem.max_weight * (1.0 - 0.5 * MARGIN_TOLERANCE)


@pytest.mark.parametrize("seed", range(40))
def test_every_support_costs_the_same_before_and_after(seed: int) -> None:
    problem = random_problem(seed)
    core = reduce_problem(problem)
    exact = problem.costs.exact
    for support in all_supports(range(core.n_features)):
        original = core.original_support(support)
        money = core.money(core.cost(support))
        assert money == exact.cost(original) * exact.unit
        back = set(core.core_support(original))
        assert set(support) <= back <= set(support) | set(core.free.tolist())
    assert sorted([*core.free, *core.priced]) == list(range(core.n_features))
    assert core.cost(tuple(core.free.tolist())) == 0
    assert all(core.cost((int(k),)) > 0 for k in core.priced)


def test_excluded_and_constant_features_go() -> None:
    X = np.array([[1.0, 0.0, 2.0], [2.0, 0.0, 1.0], [3.0, 0.0, 5.0]])
    positive = np.array([True, False, True])
    core = reduce_problem(problem_of(X, positive, exclude=np.array([True, False, False])))
    assert core.feature_ids.tolist() == [2]
    assert core.core_support((0, 1, 2)) == (0,)
    nothing = reduce_problem(problem_of(X[:, 1:2], positive))
    assert (nothing.n_features, nothing.n_samples) == (0, 2)
    assert nothing.weight.tolist() == [2, 1]


def test_samples_of_two_classes_never_merge_and_a_zero_has_no_sign() -> None:
    X = np.array([[0.0, 1.0], [-0.0, 1.0], [0.0, 1.0], [1.0, 0.0]])
    core = reduce_problem(problem_of(X, np.array([True, True, False, False])))
    assert (core.n_pos, core.weight.tolist()) == (1, [2, 1, 1])


def test_units_and_money() -> None:
    X = np.array([[1.0, 0.0], [0.0, 1.0]])
    included = problem_of(
        X,
        np.array([True, False]),
        costs=CostModel.per_feature(np.array([0.1, 0.3])),
        include=np.array([True, False]),
    )
    core = reduce_problem(included)
    assert core.base == Fraction(1, 10)
    assert core.money(core.cost((1,))) == Fraction(4, 10)
    assert math.isinf(core.money(math.inf))
    assert core.as_bound(0) <= 0.1 < math.nextafter(core.as_bound(0), 1.0) + 1e-16
    for units in range(4):
        assert core.units_from(core.money(units)) == units
        assert core.units_from(core.money(units) - Fraction(1, 10**9)) == units
    assert core.units_from(Fraction(0)) == 0
    assert core.units_from(math.inf) == math.inf


def copies(prices: list[float], groups: tuple[tuple[int, ...], ...]) -> list[int]:
    """Return what repeats what among x, -x, x + 1e-14 and something else."""
    x = np.random.default_rng(0).standard_normal(12)
    X = np.column_stack((x, -x, x + 1e-14, np.roll(x, 1)))
    costs = CostModel(np.array(prices), groups, np.array([1.0, 1.0]))
    return reduce_problem(problem_of(X, x > 0, costs=costs)).copy_of.tolist()


def test_a_copy_is_linked_to_what_is_no_dearer() -> None:
    none = ((), (), (), ())
    assert copies([1.0, 1.0, 1.0, 1.0], none) == [-1, 0, 1, -1]
    assert copies([3.0, 2.0, 1.0, 1.0], none) == [1, 2, -1, -1]
    assert copies([1.0, 2.0, 3.0, 1.0], ((0,), (), (), ())) == [-1, -1, 1, -1]
    assert copies([1.0, 2.0, 3.0, 1.0], ((0,), (0, 1), (0,), ())) == [-1, 0, 0, -1]
    assert copies([1.0, 1.0, 1.0, 1.0], ((0,), (1,), (0,), ())) == [-1, -1, 0, -1]


@pytest.mark.parametrize("seed", range(150, 190))
def test_a_copy_without_its_original_is_worth_nothing(seed: int) -> None:
    """Exchanged for its original, a copy leaves a support that is feasible and no dearer."""
    problem = random_problem(seed)
    core = reduce_problem(problem)
    for k in np.flatnonzero(core.copy_of >= 0):
        j = int(core.copy_of[k])
        for others in all_supports(set(range(core.n_features)) - {int(k), j}):
            with_copy, instead = ((*others, int(k)), (*others, j))
            assert core.cost(instead) <= core.cost(with_copy)
            if len(others) == 1:
                before, after = (core.original_support(s) for s in (with_copy, instead))
                assert is_feasible(problem, before) == is_feasible(problem, after)
