"""The search for one panel against every support judged for every target by another program."""

from __future__ import annotations

import math

import numpy as np
import pytest

from frugalsvm.data.costs import CostModel
from frugalsvm.data.rates import ErrorBudget
from frugalsvm.data.result import Status
from frugalsvm.runtime.stopping import Stopper
from frugalsvm.search import SearchOptions, search
from frugalsvm.several import SeveralProblem, Target, search_panel
from frugalsvm.several.verify import verify_panel
from reference_panels import cheapest_panels, random_panel_problem

SLICE, ALL = range(60), range(500)


def agrees(seed: int) -> None:
    """Fail unless search and brute force agree; whatever is ruled out is checked on the way."""
    problem = random_panel_problem(seed)
    cost, panels = cheapest_panels(problem)
    options = SearchOptions(witnesses=tuple(panels))
    result = search_panel(problem, stop=Stopper(60.0), options=options)
    assert result.cost == result.bound == cost, seed
    assert result.status is (Status.INFEASIBLE if math.isinf(cost) else Status.OPTIMAL)
    if panels:
        assert result.support in panels
        verify_panel(problem, result, problem.X @ result.weights.T + result.intercepts)
    else:
        assert result.infeasible


def test_sixty_small_problems() -> None:
    for seed in SLICE:
        agrees(seed)


@pytest.mark.slow
@pytest.mark.parametrize("first", range(0, ALL.stop, 50))
def test_five_hundred_small_problems(first: int) -> None:
    for seed in range(first, first + 50):
        agrees(seed)


def separate_questions(seed: int) -> SeveralProblem:
    """Return targets that need a feature each, so that no single one proves what all cost."""
    rng = np.random.default_rng(seed)
    X = rng.standard_normal((14, 5))
    X = (X - X.mean(axis=0)) / X.std(axis=0)
    targets = tuple(
        Target(k, X[:, k] + 0.3 * rng.standard_normal(14) > 0, ErrorBudget(1, 1)) for k in range(3)
    )
    costs = CostModel.per_feature(rng.integers(1, 5, 5).astype(float))
    return SeveralProblem(X, targets, costs, np.zeros(5, bool), np.zeros(5, bool))


def test_covers_agree_with_brute_force() -> None:
    covered = 0
    for seed in range(12):
        problem = separate_questions(seed)
        cost, panels = cheapest_panels(problem)
        options = SearchOptions(witnesses=tuple(panels), heuristic=seed % 2 == 0)
        result = search_panel(problem, stop=Stopper(60.0), options=options)
        assert result.cost == result.bound == cost, seed
        covered += result.details.get("cover nodes", 0) > 0
    assert covered >= 6


def test_the_problems_are_of_all_kinds() -> None:
    problems = [random_panel_problem(seed) for seed in SLICE]
    assert {len(problem.targets) for problem in problems} == {2, 3, 4}
    assert sum(problem.costs.has_groups for problem in problems) >= 10
    assert any(problem.include.any() for problem in problems)
    assert any(problem.exclude.any() for problem in problems)
    assert len({problem.max_weight for problem in problems}) == 3


@pytest.mark.parametrize("switched_off", ["heuristic", "cells", "conflicts", "enumeration"])
def test_switches_do_not_change_the_optimum(switched_off: str) -> None:
    options = SearchOptions(**{switched_off: False})
    for seed in range(12):
        problem = random_panel_problem(seed)
        plain = search_panel(problem, stop=Stopper(60.0))
        other = search_panel(problem, stop=Stopper(60.0), options=options)
        assert other.cost == plain.cost == other.bound


def single_supports(problem: SeveralProblem) -> list[set[int]] | None:
    """Return the panel of every target alone; None if one of them has none."""
    supports = []
    for number in range(len(problem.targets)):
        single = search(problem.single(number), stop=Stopper(60.0))
        if not single.has_answer:
            return None
        supports.append(set(single.support))
    return supports


def test_one_panel_never_costs_more_than_the_union_of_the_single_ones() -> None:
    cheaper = 0
    for seed in SLICE:
        problem = random_panel_problem(seed)
        supports = single_supports(problem)
        result = search_panel(problem, stop=Stopper(60.0))
        assert result.has_answer == (supports is not None)
        if supports is None:
            continue
        union = problem.costs.cost(set().union(*supports))
        assert max(problem.costs.cost(s) for s in supports) <= result.cost <= union
        assert result.single_costs == tuple(problem.costs.cost(s) for s in supports)
        cheaper += result.cost < union
    assert cheaper >= 5


def test_the_same_seed_gives_the_same_panel() -> None:
    problem = random_panel_problem(7)
    first, second = (search_panel(problem, stop=Stopper(60.0), seed=3) for _ in range(2))
    assert first.support == second.support
    assert np.array_equal(first.weights, second.weights)
