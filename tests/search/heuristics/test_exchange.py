"""Exchanges: what came and what went stays so for a while, and no move costs too much."""

from __future__ import annotations

import numpy as np
import pytest

from frugalsvm.runtime.stopping import Stopper
from frugalsvm.search.heuristics.exchange import Walk, exchange
from frugalsvm.search.heuristics.fit_cache import Fitter
from frugalsvm.search.heuristics.tuning import LONGEST_HOLD
from frugalsvm.search.problem.reduction import reduce_problem
from frugalsvm.search.state import SearchState
from reference_selection import large_budgets


def walk_of(seed: int = 0, support: tuple[int, ...] = (0, 1, 2, 3)) -> Walk:
    """Return a walk below an answer that holds everything."""
    state = SearchState(reduce_problem(large_budgets(seed)), Stopper(60.0))
    assert state.offer(np.ones(8))
    return Walk.of(Fitter(state, 1e10), support, np.random.default_rng(seed))


def inside(walk: Walk) -> set[int]:
    return set(np.flatnonzero(walk.inside).tolist())


@pytest.mark.parametrize("seed", range(6))
def test_features_go_until_the_rest_can_be_paid(seed: int) -> None:
    walk = walk_of(seed, tuple(range(8)))
    assert not walk.affordable()
    walk.drop(walk.fit(8), 1.0)
    assert walk.affordable()
    core = walk.fitter.state.core
    assert core.cost(tuple(inside(walk))) <= walk.fitter.state.cutoff
    gone = set(range(8)) - inside(walk)
    assert (walk.held_until[list(gone)] > walk.moves).all()


@pytest.mark.parametrize("seed", range(6))
def test_what_went_stays_out_and_what_came_stays_in(seed: int) -> None:
    walk = walk_of(seed)
    walk.held_until[4] = walk.moves + LONGEST_HOLD
    fit = walk.fit(8)
    before = inside(walk)
    walk.add(fit, 0.0)
    came = inside(walk) - before
    assert len(came) == 1
    assert 4 not in came
    (new,) = came
    assert walk.held_until[new] >= walk.moves
    walk.fitter.state.best = None  # all can be paid: nothing has to go
    walk.drop(walk.fit(), 0.0)
    assert new in inside(walk)


def test_with_nothing_to_add_nothing_moves() -> None:
    walk = walk_of()
    walk.held_until[:] = 100
    walk.add(walk.fit(8), 1.0)
    assert inside(walk) == {0, 1, 2, 3}
    assert walk.moves == 1  # time goes by, so that what is held comes free


def test_a_part_is_drawn_anew() -> None:
    walk = walk_of()
    walk.draw_anew(1.0)
    assert inside(walk) == set()
    other = walk_of()
    other.draw_anew(0.0)
    assert inside(other) == {0, 1, 2, 3}


@pytest.mark.parametrize("seed", range(3))
def test_whatever_is_offered_on_the_way_is_an_answer_and_repeats(seed: int) -> None:
    costs = []
    for _ in range(2):
        walk = walk_of(seed)
        state = walk.fitter.state
        before = state.cost
        exchange(walk.fitter, tuple(range(8)), np.random.default_rng(seed), 60)
        assert state.cost < before
        assert state.bound == 0
        costs.append(state.cost)
    assert costs[0] == costs[1]
