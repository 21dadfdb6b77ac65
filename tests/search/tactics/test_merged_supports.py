"""Few-valued features and large budgets: the supports left by the sieve are judged one by one."""

from __future__ import annotations

import numpy as np
import pytest

from frugalsvm.data.costs import CostModel
from frugalsvm.data.problem import SelectionProblem
from frugalsvm.data.rates import ErrorBudget
from frugalsvm.runtime.stopping import Stopper
from frugalsvm.search.options import SearchOptions
from frugalsvm.search.oracles.errors.branch_and_cut import ErrorCuts
from frugalsvm.search.problem.hyperplane import gap
from frugalsvm.search.problem.reduction import reduce_problem
from frugalsvm.search.state import SearchState
from frugalsvm.search.tactics.merged_supports import MergedSupports


def binary_problem(seed: int) -> SelectionProblem:
    """Return 400 samples of seven binary features, of which the first four tell the class."""
    rng = np.random.default_rng(seed)
    X = rng.integers(0, 2, (400, 7)).astype(float)
    told = X[:, :4].sum(axis=1) >= 2
    positive = told ^ (rng.random(400) < 0.1)
    return SelectionProblem(
        X=(X - X.mean(axis=0)) / X.std(axis=0),
        positive=positive,
        budget=ErrorBudget(int(np.sum(positive & ~told)), int(np.sum(told & ~positive))),
        costs=CostModel.per_feature(np.ones(7)),
        include=np.zeros(7, np.bool_),
        exclude=np.zeros(7, np.bool_),
    )


@pytest.mark.parametrize("seed", range(4))
def test_from_all_features_to_the_four_that_tell(seed: int) -> None:
    problem = binary_problem(seed)
    state = SearchState(reduce_problem(problem), Stopper(60.0))
    everything = ErrorCuts(state.core, np.arange(7), state.stop).judge(1_000)
    assert everything.direction is not None
    assert gap(state.core, everything.direction) >= state.core.floor
    assert state.offer(everything.direction)
    MergedSupports().run(state)
    assert state.best is not None
    assert state.best.support == (0, 1, 2, 3)
    assert state.bound == 4.0


def test_what_is_left_open_is_not_proven(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("frugalsvm.search.tactics.merged_supports.MERGED_NODES", (0,))
    state = SearchState(reduce_problem(binary_problem(0)), Stopper(60.0))
    everything = ErrorCuts(state.core, np.arange(7), state.stop).judge(1_000)
    assert everything.direction is not None
    assert state.offer(everything.direction)
    MergedSupports().run(state)
    assert state.bound == 0.0


def test_it_can_be_switched_off() -> None:
    problem = binary_problem(0)
    state = SearchState(reduce_problem(problem), Stopper(60.0), SearchOptions(cuts=False))
    MergedSupports().run(state)
    assert state.best is None
    assert state.bound == 0.0
