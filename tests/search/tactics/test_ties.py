"""Among supports of equal cost the one that leaves more of the budgets, and never another cost."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from frugalsvm.data.costs import CostModel
from frugalsvm.runtime.stopping import Stopper
from frugalsvm.search.options import SearchOptions
from frugalsvm.search.problem.hyperplane import Hyperplane, gap
from frugalsvm.search.problem.reduction import reduce_problem
from frugalsvm.search.state import SearchState
from frugalsvm.search.tactics.ties import (
    fitted,
    neighbours,
    prefer_slack,
    ranked,
    tighter,
    widen,
)
from reference_selection import large_budgets


def answered(seed: int, chosen: tuple[int, ...] = (0, 1, 2, 3, 4), **options: bool) -> SearchState:
    """Return a search, all prices equal, with an answer on some features."""
    problem = replace(large_budgets(seed), costs=CostModel.per_feature(np.ones(8)))
    state = SearchState(reduce_problem(problem), Stopper(60.0), SearchOptions(**options))
    gap_found, direction = fitted(state.core, chosen)
    assert gap_found >= state.core.floor
    assert state.offer(direction)
    return state


def hyperplane(support: tuple[int, ...], slack: tuple[int, int]) -> Hyperplane:
    return Hyperplane(support, np.zeros(8), 0.0, len(support), 0, 0, slack)


def test_more_slack_comes_first_then_the_tighter_class_then_fewer_and_lower_features() -> None:
    state = answered(0)
    expected = [
        hyperplane((3,), (5, 1)),
        hyperplane((2, 4), (4, 2)),
        hyperplane((0, 5), (4, 1)),
        hyperplane((1, 2), (4, 1)),
        hyperplane((0, 1, 2), (4, 1)),
    ]
    state.equals = {h.support: h for h in reversed(expected)}
    assert ranked(state) == expected


@pytest.mark.parametrize("step", [1, 5, 26])
def test_tighter_budgets_keep_the_totals(step: int) -> None:
    core = reduce_problem(large_budgets(0))  # 28 and 24 errors
    attempts = tighter(core, step)
    assert len(attempts) == (2 if step <= 24 else 1)
    assert attempts[0].budget_pos == 28 - step  # the class with more room first
    for tight in attempts:
        assert tight.budget_pos + tight.need_pos == core.budget_pos + core.need_pos
        assert tight.budget_neg + tight.need_neg == core.budget_neg + core.need_neg
        assert sum(tight.budgets) == sum(core.budgets) - step
    other = replace(core, budget_pos=3, need_pos=core.need_pos + 25)
    assert tighter(other, 1)[0].budget_neg == 23
    assert tighter(replace(core, budget_pos=0, budget_neg=0), 1) == []


@pytest.mark.parametrize("seed", range(4))
def test_errors_to_spare_are_left_where_every_value_is_another(seed: int) -> None:
    chosen = (0, 1, 2, 3, 4, 5, 6)
    state = answered(seed, chosen)
    before = state.equals[chosen]
    widen(state, chosen)
    after = state.equals[chosen]
    assert after.slack >= before.slack
    assert after.slack[0] > 0
    assert after.cost == before.cost
    errors = (28 - after.pos_errors, 24 - after.neg_errors)  # of the original samples
    assert after.slack == (sum(errors), min(errors))
    widen(state, ())  # nothing to widen
    assert set(state.equals) == {chosen}


@pytest.mark.parametrize("seed", range(3))
def test_neighbours_are_feasible_and_cost_the_same(seed: int) -> None:
    state = answered(seed)
    found = neighbours(state, (0, 1, 2, 3, 4), 5)
    assert found
    assert len(set(found)) == len(found)
    for support in found:
        assert len(set(support) & {0, 1, 2, 3, 4}) == 4
        assert len(support) == 5
        assert support in state.equals  # which is verified
    assert neighbours(state, (0,), 5) == []  # single features were all looked at


@pytest.mark.parametrize("seed", range(3))
def test_the_answer_has_the_most_slack_of_all_that_are_known(seed: int) -> None:
    state = answered(seed)
    cost = state.cost
    others = prefer_slack(state, 4)
    assert state.best is not None
    assert state.cost == cost
    assert len(others) <= 4
    assert state.best.support not in others
    assert all(state.best.slack >= state.equals[support].slack for support in others)
    assert gap(state.core, state.best.weights) >= state.core.floor


def test_who_asks_for_no_preference_keeps_the_answer() -> None:
    state = answered(1, ties=False)
    best = state.best
    assert prefer_slack(state, 0) == ()
    assert state.best is best
    others = prefer_slack(state, 2)
    assert state.best is best
    assert 0 < len(others) <= 2
    assert prefer_slack(SearchState(state.core, Stopper(60.0)), 3) == ()
