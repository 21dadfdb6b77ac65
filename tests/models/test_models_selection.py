"""P1 through every solver against brute force, and what each answer has to satisfy."""

from __future__ import annotations

import math
from dataclasses import replace

import numpy as np
import pytest
from model_instances import random_selection, selection_problem

from frugalsvm.data.costs import CostModel
from frugalsvm.data.exceptions import SolverError
from frugalsvm.data.problem import SelectionProblem
from frugalsvm.data.result import SelectionResult, Status, StopReason
from frugalsvm.models import SOLVER_NAMES, ModelOptions, get_solver
from frugalsvm.models.first_look import look_at_selection
from frugalsvm.models.hyperplane import fit_hyperplane, within_budget
from frugalsvm.models.prices import price_unit
from frugalsvm.models.program import Ending, Outcome
from frugalsvm.models.selection import SelectionModel, build_selection, read_selection, valid_m2
from frugalsvm.runtime.stopping import Stopper
from reference_selection import brute_force, random_problem

# Brute force knows no M2: any sample may be wrong by any amount. The models are comparable with
# it where M2 is infinite (indicators, or in HiGHS the smallest M2 that the data prove enough).
EXACT = ModelOptions(m2=math.inf)


def solve(name: str, problem: SelectionProblem, options: ModelOptions = EXACT) -> SelectionResult:
    result = get_solver(name).solve_selection(problem, stop=Stopper(120.0), options=options)
    assert result.stop_reason is StopReason.COMPLETED
    if result.has_answer:
        check(problem, result)
    return result


def check(problem: SelectionProblem, result: SelectionResult) -> None:
    """Recompute everything the result says from the problem's data."""
    used = np.flatnonzero(result.weights)
    assert set(used) <= set(result.support)
    assert set(np.flatnonzero(problem.include)) <= set(result.support)
    assert not set(np.flatnonzero(problem.exclude)) & set(result.support)
    assert np.max(np.abs(result.weights), initial=0.0) <= problem.max_weight
    scores = problem.X @ result.weights + result.intercept
    wrong = np.where(problem.positive, scores, -scores) < 1.0 - 1e-7
    assert np.sum(wrong & problem.positive) <= problem.budget.pos
    assert np.sum(wrong & ~problem.positive) <= problem.budget.neg
    assert result.cost == problem.costs.cost(result.support)
    assert result.bound <= result.cost


def compare_with_brute_force(problem: SelectionProblem) -> None:
    cost, supports = brute_force(problem)
    for name in SOLVER_NAMES:
        result = solve(name, problem)
        assert result.details["exact"]
        if not supports:
            assert result.status is Status.INFEASIBLE, name
            assert math.isinf(result.bound)
        else:
            assert result.status is Status.OPTIMAL, name
            assert result.cost == pytest.approx(cost, rel=1e-9), name
            assert result.bound == result.cost


@pytest.mark.parametrize("first", range(0, 100, 10))
def test_all_solvers_agree_with_brute_force(first: int) -> None:
    for seed in range(first, first + 10):
        compare_with_brute_force(random_selection(seed, largest_n=14))


@pytest.mark.parametrize("seed", range(10))
def test_all_solvers_agree_with_brute_force_on_tight_boxes(seed: int) -> None:
    compare_with_brute_force(random_problem(seed))


@pytest.mark.slow
@pytest.mark.parametrize("seed", range(300))
def test_all_solvers_agree_with_brute_force_at_length(seed: int) -> None:
    compare_with_brute_force(random_selection(seed))


@pytest.mark.slow
@pytest.mark.parametrize("seed", range(10, 160))
def test_all_solvers_agree_with_brute_force_on_tight_boxes_at_length(seed: int) -> None:
    compare_with_brute_force(random_problem(seed))


def test_the_instances_are_of_every_kind() -> None:
    """The comparison above is worth something only if the random problems are not all alike."""
    problems = [random_selection(seed, largest_n=14) for seed in range(40)]
    outcomes = [solve("gurobi", problem).status for problem in problems]
    assert {Status.OPTIMAL, Status.INFEASIBLE} <= set(outcomes)
    assert any(problem.costs.has_groups for problem in problems)
    assert any(problem.include.any() for problem in problems)
    assert any(problem.exclude.any() for problem in problems)
    assert any(not price_unit(problem).whole for problem in problems)


def outlier_problem() -> SelectionProblem:
    """Return two classes a little apart, and a positive far on the wrong side."""
    x = np.r_[np.linspace(-1.0, -0.5, 10), np.linspace(0.5, 1.0, 10), -60.0]
    return selection_problem(x[:, None], np.r_[np.zeros(10), np.ones(11)].astype(bool), 1, 0)


@pytest.mark.parametrize("name", SOLVER_NAMES)
def test_a_finite_m2_is_part_of_the_model(name: str) -> None:
    """The outlier may be wrong, but the paper's M2 does not let it be as wrong as it must."""
    problem = outlier_problem()
    as_written = solve(name, problem, ModelOptions(m2=100.0))
    exact = solve(name, problem)
    assert as_written.status is Status.INFEASIBLE
    assert (as_written.details["m2"], as_written.details["exact"]) == (100.0, False)
    assert (exact.status, exact.cost) == (Status.OPTIMAL, 1.0)
    assert exact.details["exact"]


@pytest.mark.parametrize("seed", range(10))
def test_the_data_driven_m2_is_enough(seed: int) -> None:
    """HiGHS with these M2 agrees with indicators; so does a solver that has indicators."""
    problem = random_selection(seed, largest_n=20)
    largest = float(valid_m2(problem).max())
    indicator = solve("gurobi", problem)
    big_m = solve("gurobi", problem, ModelOptions(m2=largest))
    assert big_m.details["exact"]
    assert (big_m.status, big_m.cost) == (indicator.status, pytest.approx(indicator.cost))


@pytest.mark.parametrize("name", SOLVER_NAMES)
def test_nothing_is_bought_where_a_constant_answer_will_do(name: str) -> None:
    X = np.random.default_rng(0).normal(size=(12, 3))
    positive = np.arange(12) < 4
    result = solve(name, selection_problem(X, positive, 4, 0))
    assert (result.support, result.cost) == ((), 0.0)
    kept = solve(name, selection_problem(X, positive, 4, 0, include=(2,)))
    assert (kept.support, kept.cost) == ((2,), 1.0)


@pytest.mark.parametrize("name", SOLVER_NAMES)
def test_no_feature_may_be_used(name: str) -> None:
    X = np.random.default_rng(0).normal(size=(12, 2))
    positive = np.arange(12) < 4
    exclude = (0, 1)
    assert solve(name, selection_problem(X, positive, 4, 0, exclude=exclude)).cost == 0.0
    impossible = selection_problem(X, positive, 3, 0, exclude=exclude)
    assert solve(name, impossible).status is Status.INFEASIBLE


@pytest.mark.parametrize("name", SOLVER_NAMES)
def test_a_group_is_paid_once(name: str) -> None:
    """Features 0 and 1 together separate, for 1 + 1 + 3; feature 2 alone does for 6."""
    rng = np.random.default_rng(2)
    raw = rng.normal(size=(30, 2))
    positive = raw.sum(axis=1) > 0
    raw += np.where(positive, 0.4, -0.4)[:, None]
    X = np.column_stack([raw, raw.sum(axis=1)])
    costs = CostModel(np.array([1.0, 1.0, 6.0]), ((0,), (0,), ()), np.array([3.0]))
    result = solve(name, selection_problem(X, positive, 0, 0, costs=costs))
    assert (result.support, result.cost) == ((0, 1), 5.0)
    dearer = replace(costs, group=np.array([5.0]))
    result = solve(name, selection_problem(X, positive, 0, 0, costs=dearer))
    assert (result.support, result.cost) == ((2,), 6.0)


@pytest.mark.parametrize("name", SOLVER_NAMES)
@pytest.mark.parametrize("scale", [1e-7, 1e7])
def test_the_scale_of_the_prices_does_not_matter(name: str, scale: float) -> None:
    problem = random_selection(3)
    costs = problem.costs
    scaled = CostModel(costs.feature * scale, costs.groups_of, costs.group * scale)
    one, two = solve(name, problem), solve(name, replace(problem, costs=scaled))
    assert one.status is two.status is Status.OPTIMAL
    assert two.cost == pytest.approx(one.cost * scale, rel=1e-9)


@pytest.mark.parametrize("name", SOLVER_NAMES)
def test_nearly_equal_costs_are_told_apart(name: str) -> None:
    """HiGHS' default gap of 1e-4 would take either of two panels of 10000 and 10001."""
    x = np.r_[np.linspace(-1, -0.5, 6), np.linspace(0.5, 1, 6)]
    X = np.column_stack([x, x**3])
    costs = CostModel.per_feature(np.array([10001.0, 10000.0]))
    result = solve(name, selection_problem(X, x > 0, 0, 0, costs=costs))
    assert (result.support, result.cost) == ((1,), 10000.0)


@pytest.mark.parametrize("name", SOLVER_NAMES)
@pytest.mark.parametrize("max_weight", [1e5, 1e7, 1e9])
def test_a_leak_through_a_large_m3_never_gives_a_wrong_answer(name: str, max_weight: float) -> None:
    """With M3 >= 1e7 solvers round z to 0 and keep w: then the support is what w uses."""
    rng = np.random.default_rng(4)
    X = rng.normal(size=(18, 3))
    positive = X @ np.array([1.0, -1.0, 0.0]) > 0
    problem = selection_problem(X, positive, 1, 1, max_weight=max_weight)
    result = get_solver(name).solve_selection(problem, stop=Stopper(60.0), options=EXACT)
    if result.has_answer:
        check(problem, result)
        least, _ = brute_force(problem)
        assert result.bound <= least <= result.cost
        assert result.status is not Status.OPTIMAL or result.cost == least
    else:
        assert result.status is Status.UNKNOWN
        assert result.stop_reason is StopReason.UNRESOLVED


def separable() -> SelectionModel:
    X = np.array([[-1.0, 1.0], [-1.0, -1.0], [1.0, 1.0], [1.0, -1.0]])
    problem = selection_problem(X, X[:, 0] > 0, 0, 0)
    look = look_at_selection(problem, 100.0, Stopper())
    return build_selection(problem, ModelOptions(), look, indicators=False)


def blank_result(model: SelectionModel) -> SelectionResult:
    return SelectionResult(
        Status.UNKNOWN,
        (),
        np.zeros(model.problem.n_features),
        0.0,
        math.inf,
        0.0,
        0.0,
        "stub",
        "1",
        StopReason.COMPLETED,
    )


def test_a_leaked_weight_is_paid_for() -> None:
    """z says that nothing is bought, w uses a feature: the support is w's, and not optimal."""
    model = separable()
    x = np.zeros(model.program.n_columns)
    x[model.w] = 1.0, 0.0
    x[model.z] = 1e-9
    outcome = Outcome(Ending.OPTIMAL, StopReason.COMPLETED, x, 0.0)
    result = read_selection(model, outcome, blank_result(model))
    assert (result.status, result.support, result.cost) == (Status.FEASIBLE, (0,), 1.0)
    assert (result.bound, result.stop_reason) == (0.0, StopReason.UNRESOLVED)


def test_a_point_that_breaks_the_budgets_is_not_an_answer() -> None:
    model = separable()
    x = np.zeros(model.program.n_columns)
    x[model.w] = 0.0, 1.0
    x[model.z] = 0.0, 1.0
    outcome = Outcome(Ending.OPTIMAL, StopReason.COMPLETED, x, 1.0)
    unstarted = replace(model, program=replace(model.program, start=None))
    result = read_selection(unstarted, outcome, blank_result(model))
    assert (result.status, result.stop_reason) == (Status.UNKNOWN, StopReason.UNRESOLVED)
    assert (result.cost, result.bound) == (math.inf, 1.0)
    result = read_selection(model, outcome, blank_result(model))  # the start is better than that
    assert (result.status, result.support) == (Status.OPTIMAL, (0,))


def test_a_bound_above_a_known_cost_is_caught() -> None:
    model = separable()
    x = np.zeros(model.program.n_columns)
    x[model.w] = 1.0, 0.1
    x[model.z] = 1.0
    outcome = Outcome(Ending.OPTIMAL, StopReason.COMPLETED, x, 2.0)
    with pytest.raises(SolverError, match="costs at least 2, but a support of cost 1 is known"):
        read_selection(model, outcome, blank_result(model))


def test_a_feature_bought_but_not_used_is_not_paid_for() -> None:
    model = separable()
    x = np.zeros(model.program.n_columns)
    x[model.w] = 1.0, 0.0
    x[model.z] = 1.0
    outcome = Outcome(Ending.STOPPED, StopReason.TIME_LIMIT, x, 0.3)
    result = read_selection(model, outcome, blank_result(model))
    # Whole prices: a bound of 0.3 is a bound of 1, so the answer is proven best.
    assert (result.status, result.support, result.bound) == (Status.OPTIMAL, (0,), 1.0)


def test_a_false_infeasibility_is_caught() -> None:
    model = separable()
    outcome = Outcome(Ending.INFEASIBLE, StopReason.COMPLETED, None, math.inf)
    with pytest.raises(SolverError, match="calls P1 infeasible, but a hyperplane"):
        read_selection(model, outcome, blank_result(model))


def test_a_solver_that_stops_with_empty_hands_has_the_start() -> None:
    model = separable()
    outcome = Outcome(Ending.STOPPED, StopReason.TIME_LIMIT, None, 0.0)
    result = read_selection(model, outcome, blank_result(model))
    check(model.problem, result)
    assert (result.status, result.stop_reason) == (Status.FEASIBLE, StopReason.TIME_LIMIT)
    assert (result.cost, result.bound) == (1.0, 0.0)


@pytest.mark.parametrize("seed", range(30))
def test_the_start_is_feasible_for_the_program(seed: int) -> None:
    problem = random_selection(seed)
    for m2 in (100.0, math.inf):
        look = look_at_selection(problem, m2, Stopper())
        if look.plane is not None:
            assert within_budget(problem, look.plane)
        for indicators in (False, True):
            options = ModelOptions(m2=m2)
            program = build_selection(problem, options, look, indicators=indicators).program
            assert (program.start is None) == (look.plane is None)
            if program.start is None:
                continue
            x, rows, switched = program.start, program.rows, program.conditional
            assert np.all(x >= program.lower - 1e-9)
            assert np.all(x <= program.upper + 1e-9)
            assert np.all(rows.matrix @ x >= rows.lower - 1e-6)
            assert np.all(rows.matrix @ x <= rows.upper + 1e-6)
            met = switched.matrix @ x >= switched.lower - 1e-6
            assert np.all(met | (x[switched.switch] == 0))


def test_a_linear_program_decides_where_no_error_is_allowed() -> None:
    x = np.array([0.0, 1.0, 2.0, 3.0])[:, None]
    problem = selection_problem(x, np.array([True, False, True, False]), 0, 0)
    result = solve("highs", problem)
    assert result.status is Status.INFEASIBLE
    assert result.details["infeasibility"] == "confirmed by a linear program"


def test_an_optimum_without_a_point_is_an_error() -> None:
    model = separable()
    with pytest.raises(SolverError, match="gives no point"):
        read_selection(
            model, Outcome(Ending.OPTIMAL, StopReason.COMPLETED, None, 1.0), blank_result(model)
        )


def test_bounds_are_rounded_only_where_costs_are_whole() -> None:
    X = np.random.default_rng(0).normal(size=(6, 2))
    positive = np.arange(6) < 3
    whole = selection_problem(X, positive, 0, 0)
    cents = replace(whole, costs=CostModel.per_feature(np.array([1.25, 0.75])))
    odd = replace(whole, costs=CostModel.per_feature(np.array([1.0, math.pi])))
    assert price_unit(whole).bound(0.3, floor=0.0) == 1.0
    assert price_unit(whole).bound(1.0 + 1e-9, floor=0.0) == 1.0
    assert price_unit(whole).bound(1.01, floor=0.0) == 2.0
    assert price_unit(cents).bound(2.2, floor=0.0) == 0.75  # units of 0.25
    assert price_unit(odd).bound(0.5, floor=0.0) == pytest.approx(math.pi / 2)
    assert price_unit(whole).bound(math.nan, floor=2.0) == 2.0
    assert price_unit(whole).bound(-math.inf, floor=0.0) == 0.0


def test_weights_a_little_short_are_scaled_up_to_the_margin() -> None:
    problem = separable().problem
    support = np.array([True, False])
    plane = fit_hyperplane(problem, support, np.array([1.0 - 1e-5, 7.0]))
    assert plane is not None
    assert plane.weights[1] == 0.0
    assert np.all(plane.margins(problem) >= 1.0)


def test_weights_stuck_at_the_box_are_refitted() -> None:
    """The given weights cannot be scaled, but the support has a hyperplane at the box."""
    X = np.array([[-1.0, -1.0], [1.0, 1.0], [-1.0, 1.0], [1.0, -1.0]])
    positive = np.array([False, True, False, True])
    problem = selection_problem(X, positive, 0, 0, max_weight=1.0)
    plane = fit_hyperplane(problem, np.array([True, True]), np.array([0.5, 1.0]))
    assert plane is not None
    assert np.all(plane.margins(problem) >= 1.0 - 1e-7)
    assert fit_hyperplane(problem, np.array([False, True]), np.array([0.5, 1.0])) is None
