"""The stages of the enumeration: costs that rise to the best one, each with enough supports."""

from __future__ import annotations

import itertools

import pytest

from frugalsvm.search.problem.catalogue import catalogue
from frugalsvm.search.problem.reduction import CoreProblem, reduce_problem
from frugalsvm.search.tuning import FIRST_STAGE, LAST_GROWTH, STAGE_GROWTH
from frugalsvm.search.walks.stages import next_goal, support_count
from reference_oracles import all_supports, core_of
from reference_selection import large_budgets


def maximal_below(core: CoreProblem, goal: int) -> int:
    """Return how many supports below a cost no feature can join there, by trying all."""
    below = {frozenset(s) for s in all_supports(core.priced.tolist()) if core.cost(s) < goal}
    return sum(not any(s | {k} in below for k in core.priced.tolist() if k not in s) for s in below)


@pytest.mark.parametrize("seed", range(40, 70))
def test_supports_are_counted_as_by_trying_all(seed: int) -> None:
    core = core_of(seed)
    if (core.copy_of >= 0).any():
        return  # copies are only shown with what they repeat
    features = catalogue(core)
    whole = core.cost(tuple(core.priced.tolist()))
    for goal in {0, 1, whole // 3, whole // 2, whole, whole + 1}:
        expected = maximal_below(core, goal)
        assert support_count(features, goal, 10**6) == expected
        assert support_count(features, goal, 2) == min(2, expected)


def eight_features() -> CoreProblem:
    return reduce_problem(large_budgets(3))


@pytest.mark.parametrize("cost", [30, 45])
def test_goals_rise_to_the_best_cost(cost: int, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("frugalsvm.search.walks.stages.FIRST_STAGE", 2)
    core = eight_features()
    features = catalogue(core)
    bound, size, goals = 0, 0, []
    while not goals or goals[-1] < cost:
        goal, size = next_goal(core, features, bound, cost, size)
        assert bound < goal <= cost  # every stage proves something
        goals.append(goal)
        bound = goal
        assert len(goals) < 20
    assert goals[-1] == cost
    assert len(goals) >= 2
    counts = [support_count(features, goal, 10**6) for goal in goals[:-1]]
    for before, here in itertools.pairwise(counts):
        assert here >= min(STAGE_GROWTH, LAST_GROWTH) * before or here == counts[-1]


def test_few_supports_are_one_stage() -> None:
    core = eight_features()
    features = catalogue(core)
    cost = core.cost(tuple(core.priced.tolist()))
    assert support_count(features, cost, 10**6) < FIRST_STAGE * LAST_GROWTH
    assert next_goal(core, features, 0.0, cost, 0) == (cost, int(LAST_GROWTH * FIRST_STAGE))


def test_a_goal_is_the_lowest_cost_with_enough_supports(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("frugalsvm.search.walks.stages.FIRST_STAGE", 6)
    core = eight_features()
    features = catalogue(core)
    goal, count = next_goal(core, features, 0.0, 45, 0)
    assert goal < 45
    assert count == support_count(features, goal, 4 * 6)
    assert support_count(features, goal, 10**6) >= 6 > support_count(features, goal - 1, 10**6)
