"""Time limits, interrupts, progress, threads, ties, knowledge: what the search promises."""

from __future__ import annotations

import math
import threading
import time
from dataclasses import fields, replace

import numpy as np
import pytest
from sklearn.datasets import load_breast_cancer
from sklearn.model_selection import StratifiedKFold

from frugalsvm.data.costs import CostModel
from frugalsvm.data.problem import SelectionProblem
from frugalsvm.data.rates import ErrorBudget
from frugalsvm.data.result import Progress, SelectionResult, Status, StopReason
from frugalsvm.runtime.stopping import Stopper
from frugalsvm.search import Knowledge, SearchOptions, attainable, search
from frugalsvm.search.driver import plan, solve
from frugalsvm.search.heuristics import improvement
from frugalsvm.search.options import SILENCED
from frugalsvm.search.problem.reduction import reduce_problem
from frugalsvm.search.state import SearchState
from frugalsvm.search.tactics import enumeration
from reference_selection import brute_force, is_feasible, random_problem

SWITCHES = [f.name for f in fields(SearchOptions) if f.type == "bool"]


def problem_of(
    X: np.ndarray, positive: np.ndarray, budget: tuple[int, int], costs: CostModel | None = None
) -> SelectionProblem:
    X = (X - X.mean(axis=0)) / X.std(axis=0)
    n_features = X.shape[1]
    return SelectionProblem(
        X=X,
        positive=positive,
        budget=ErrorBudget(*budget),
        costs=costs or CostModel.per_feature(np.ones(n_features)),
        include=np.zeros(n_features, dtype=bool),
        exclude=np.zeros(n_features, dtype=bool),
    )


def hard_problem(seed: int = 0, n: int = 300, n_features: int = 40) -> SelectionProblem:
    rng = np.random.default_rng(seed)
    X = rng.standard_normal((n, n_features))
    signal = X[:, :9].sum(axis=1) + 0.6 * rng.standard_normal(n)
    return problem_of(X, signal > 0, (12, 12))


def small_problems() -> list[SelectionProblem]:
    """Return problems on which, together, every tactic acts if the heuristics do not."""
    small = [random_problem(seed) for seed in range(400, 425)]
    return [*small, binary_problem(), similar_features()]


def binary_problem() -> SelectionProblem:
    """Return few-valued features and budgets that are too large for conflicts."""
    rng = np.random.default_rng(3)
    X = rng.integers(0, 2, (400, 6)).astype(float)
    told = X[:, :3].sum(axis=1) >= 2
    positive = told ^ (rng.random(400) < 0.15)
    lost = int(np.sum(positive & ~told)), int(np.sum(told & ~positive))
    return problem_of(X, positive, lost)


def similar_features() -> SelectionProblem:
    """Return equal prices and more values than a sieve would take."""
    rng = np.random.default_rng(4)
    X = rng.standard_normal((60, 7))
    X[:, 4:] = X[:, :3] + 0.3 * rng.standard_normal((60, 3))
    return problem_of(X, X[:, :3].sum(axis=1) + 0.4 * rng.standard_normal(60) > 0, (2, 1))


def acted(result: SelectionResult, switch: str) -> bool:
    """Return True if the tallies say that what a switch turns off was at work."""
    tallies = result.details["oracles"] | result.details["tactics"]
    known = [tallies[name] for name in SILENCED[switch] if name in tallies]
    return any(tally["asked"] + tally["ruled_out"] > 0 for tally in known)


@pytest.mark.parametrize("switch", SWITCHES)
def test_no_tactic_changes_an_optimum(switch: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(enumeration, "FEW_SUPPORTS", 1)  # unions are tried on small problems, too
    monkeypatch.setattr(improvement, "worthwhile", lambda _: True)  # and improvements
    others = {name: False for name in ("scan", "heuristic") if name != switch}
    others.pop("heuristic" if switch == "improvement" else switch, None)
    others |= {"cells": False, "conflicts": False} if switch in ("cuts", "directions") else {}
    others |= {"cells": False} if switch in ("conflicts", "errors") else {}
    others |= {"cover": False} if switch in ("sieve", "unions") else {}
    at_work = 0
    for number, problem in enumerate(small_problems()):
        options = SearchOptions(**others)
        with_all = search(problem, stop=Stopper(60.0), options=options)
        if not acted(with_all, switch):
            continue
        at_work += 1
        off = replace(options, **{switch: False})
        without = search(problem, stop=Stopper(60.0), options=off)
        assert switch == "ties" or not acted(without, switch)
        assert without.cost == pytest.approx(with_all.cost), (switch, number)
        assert without.bound <= without.cost
    assert at_work > 0, f"nothing here would show a wrong {switch}"


def test_threads_do_not_change_the_answer() -> None:
    for seed in range(500, 530):
        problem = random_problem(seed)
        one = search(problem, stop=Stopper(60.0), threads=1)
        two = search(problem, stop=Stopper(60.0), threads=2)
        assert (one.status, one.cost, one.support) == (two.status, two.cost, two.support)
        np.testing.assert_array_equal(one.weights, two.weights)


def test_same_seed_same_answer() -> None:
    problem = random_problem(7)
    first = search(problem, stop=Stopper(60.0), seed=3)
    second = search(problem, stop=Stopper(60.0), seed=3)
    assert first.support == second.support
    np.testing.assert_array_equal(first.weights, second.weights)


def test_time_limit_holds_and_the_best_so_far_comes_back() -> None:
    for _ in range(2):  # compiles what is not compiled yet, as far as each comes
        search(hard_problem(), stop=Stopper(2.0), threads=2)
    started = time.perf_counter()
    result = search(hard_problem(), stop=Stopper(2.0), threads=2)
    assert time.perf_counter() - started < 2.0 * 1.1 + 1.0
    assert result.status is Status.FEASIBLE
    assert result.stop_reason is StopReason.TIME_LIMIT
    assert 0 < result.bound < result.cost


def test_interrupt_returns_the_best_so_far() -> None:
    stop = Stopper(60.0)
    threading.Timer(1.0, stop.interrupt).start()
    result = search(hard_problem(), stop=stop)
    assert result.stop_reason is StopReason.INTERRUPTED
    assert result.has_answer
    assert stop.elapsed < 5.0


def test_progress_is_monotone_and_ends_at_the_result() -> None:
    seen: list[Progress] = []
    result = search(random_problem(11), stop=Stopper(60.0), on_progress=seen.append)
    assert seen == list(result.history)
    costs, bounds = [p.cost for p in seen], [p.bound for p in seen]
    assert costs == sorted(costs, reverse=True)
    assert bounds == sorted(bounds)
    assert (costs[-1], bounds[-1]) == (result.cost, result.bound)


def test_empty_support_when_a_budget_covers_a_class() -> None:
    problem = problem_of(np.random.default_rng(0).standard_normal((8, 3)), np.arange(8) < 4, (4, 0))
    result = search(problem, stop=Stopper(60.0))
    assert (result.status, result.support, result.cost) == (Status.OPTIMAL, (), 0.0)
    scores = problem.X @ result.weights + result.intercept
    assert np.all(scores[~problem.positive] <= -1)


def test_no_usable_feature_is_infeasible() -> None:
    problem = random_problem(1)
    excluded = replace(
        problem,
        exclude=np.ones(problem.n_features, dtype=bool),
        include=np.zeros(problem.n_features, dtype=bool),
        budget=ErrorBudget(0, 0),
    )
    assert search(excluded, stop=Stopper(60.0)).status is Status.INFEASIBLE


def test_ties_go_to_the_support_with_more_slack() -> None:
    y = np.repeat([1.0, -1.0], 10)
    clean, noisy = y.copy(), y.copy()
    noisy[:2] = -1.0
    problem = problem_of(np.column_stack((noisy, clean)), y > 0, (2, 2))
    result = search(problem, stop=Stopper(60.0), n_alternatives=5)
    assert result.support == (1,)
    assert result.alternatives == ((0,),)


def test_alternatives_are_equal_and_feasible() -> None:
    for seed in range(600, 640):
        problem = random_problem(seed)
        result = search(problem, stop=Stopper(60.0), n_alternatives=3)
        assert len(result.alternatives) <= 3
        for support in result.alternatives:
            assert support != result.support
            assert problem.costs.cost(support) == pytest.approx(result.cost)
            assert is_feasible(problem, support)


def test_two_copies_may_carry_twice_the_weight() -> None:
    x = np.array([-1.0, -0.9, -1.1, -1.0, 1.0, 1.1, 0.9, 1.0])
    x[3], x[4] = -0.2, 0.2
    problem = problem_of(np.column_stack((x, x, np.sin(9 * x))), x > 0, (0, 0))
    floor_of_two = replace(problem, max_weight=3.0)
    cost, optimal = brute_force(floor_of_two)
    result = search(floor_of_two, stop=Stopper(60.0))
    assert result.cost == cost
    assert result.support in optimal


def test_attainable_is_found_when_asked_for() -> None:
    found = 0
    for seed in range(700, 760):
        problem = random_problem(seed)
        if search(problem, stop=Stopper(60.0)).status is not Status.INFEASIBLE:
            continue
        found += 1
        best = attainable(problem, stop=Stopper(60.0))
        for budget in (
            ErrorBudget(best.pos_errors, problem.budget.neg),
            ErrorBudget(problem.budget.pos, best.neg_errors),
        ):
            asked = replace(problem, budget=budget)
            assert search(asked, stop=Stopper(60.0)).has_answer, (seed, budget)
    assert found >= 5


def test_knowledge_never_changes_an_answer() -> None:
    for seed in range(800, 830):
        problem = random_problem(seed)
        knowledge = Knowledge()
        for budget in ((3, 3), (2, 1), (1, 1), (0, 1), (3, 0)):
            asked = replace(problem, budget=ErrorBudget(*budget))
            fresh = search(asked, stop=Stopper(60.0))
            taught = search(asked, stop=Stopper(60.0), knowledge=knowledge)
            assert (taught.status, taught.cost) == (fresh.status, pytest.approx(fresh.cost))


def test_bound_is_reused_for_smaller_budgets_only() -> None:
    problem = random_problem(24)
    loose = replace(problem, budget=ErrorBudget(1, 1))
    knowledge = Knowledge()
    result = search(loose, stop=Stopper(60.0), knowledge=knowledge)
    tight = replace(problem, budget=ErrorBudget(1, 0))
    assert knowledge.bound_for(tight) == result.bound
    assert knowledge.bound_for(replace(problem, budget=ErrorBudget(2, 0))) == 0.0
    fewer = replace(tight, X=tight.X[1:], positive=tight.positive[1:])
    assert knowledge.bound_for(fewer) == 0.0
    cheaper = replace(tight, costs=CostModel.per_feature(np.full(tight.n_features, 1e-3)))
    assert knowledge.bound_for(cheaper) == 0.0


@pytest.mark.slow
def test_tighter_targets_are_never_cheaper() -> None:
    for seed in range(900, 1000):
        problem = random_problem(seed)
        last = 0.0
        for budget in ((3, 3), (2, 2), (1, 1), (0, 0)):
            result = search(
                replace(problem, budget=ErrorBudget(*budget)), stop=Stopper(60.0), threads=2
            )
            cost = math.inf if result.status is Status.INFEASIBLE else result.cost
            assert cost >= last - 1e-9
            last = cost


def test_large_supports_next_to_the_floor_are_settled() -> None:
    """Nine groups of measurements without an error: rounding hid which one can be done without."""
    X, y = load_breast_cancer(return_X_y=True)
    learn, _ = list(StratifiedKFold(10, shuffle=True, random_state=0).split(X, 1 - y))[2]
    X, y = X[learn], y[learn]
    nothing = np.zeros(30, dtype=bool)
    problem = SelectionProblem(
        X=(X - X.mean(axis=0)) / X.std(axis=0),
        positive=y == 0,
        budget=ErrorBudget(0, 0),
        costs=CostModel(np.zeros(30), tuple((k % 10,) for k in range(30)), np.ones(10)),
        include=nothing,
        exclude=nothing,
    )
    result = search(problem, stop=Stopper(30.0))
    assert (result.status, result.cost, result.bound) == (Status.OPTIMAL, 9.0, 9.0)


def planned(problem: SelectionProblem, **options: bool) -> list[str]:
    state = SearchState(reduce_problem(problem), Stopper(60.0), SearchOptions(**options))
    return [tactic.name for tactic in plan(state, Knowledge())]


def test_covers_come_first_where_cuts_are_strong() -> None:
    before = ["scan", "knowledge", "heuristic", "improvement", "last resort"]
    assert planned(similar_features()) == [*before, "enumeration", "cover"]
    few_values = binary_problem()
    assert planned(few_values) == [*before, "merged supports", "cover", "enumeration"]
    small = replace(few_values, budget=ErrorBudget(3, 3))
    assert planned(small) == [*before, "enumeration", "cover", "enumeration"]
    none = replace(few_values, budget=ErrorBudget(0, 0))
    assert planned(none) == [*before, "cover", "enumeration"]
    assert planned(few_values, cover=False) == [*before, "enumeration", "cover"]
    free = replace(few_values, costs=CostModel.per_feature(np.zeros(6)))
    assert planned(free) == ["last resort"]


def test_what_is_settled_at_once_asks_nobody() -> None:
    easy = replace(binary_problem(), budget=ErrorBudget(400, 0))
    hopeless = replace(binary_problem(), exclude=np.ones(6, dtype=bool))
    for problem, bound in ((easy, 0), (hopeless, math.inf)):
        state = SearchState(reduce_problem(problem), Stopper(60.0))
        solve(state, None)
        assert state.door.tactics == {}
        assert state.bound == bound
        assert (state.cost == 0) == (problem is easy)
