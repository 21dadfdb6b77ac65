"""All single features at once: each is decided, and what is left costs as much as a pair."""

from __future__ import annotations

import math
from dataclasses import replace

import numpy as np
import pytest

from frugalsvm.data.costs import CostModel
from frugalsvm.runtime.stopping import Stopper
from frugalsvm.search.problem.hyperplane import gap
from frugalsvm.search.problem.reduction import reduce_problem
from frugalsvm.search.state import SearchState
from frugalsvm.search.tactics import scan
from frugalsvm.search.tactics.scan import Scan, cheapest_pair, single_gaps
from reference_oracles import all_supports, core_of
from reference_selection import is_feasible, large_budgets


@pytest.mark.parametrize("seed", range(30))
def test_the_gaps_are_those_of_the_features_alone(seed: int) -> None:
    core = core_of(seed)
    up, down = single_gaps(core, core.columns)
    for k in range(core.n_features):
        direction = np.eye(core.n_features)[k]
        assert up[k] == pytest.approx(gap(core, direction))
        assert down[k] == pytest.approx(gap(core, -direction))


@pytest.mark.parametrize("block", [1, 10**6])
@pytest.mark.parametrize("seed", range(25))
def test_the_cheapest_single_feature_is_found_and_the_rest_ruled_out(
    seed: int, block: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(scan, "BLOCK", block)
    core = core_of(seed)
    state = SearchState(core, Stopper(60.0))
    state.perform(Scan())
    if len(core.free):
        assert state.best is None
        assert state.bound == 0
        return
    ids = [int(core.feature_ids[k]) for k in range(core.n_features)]
    good = [k for k in range(core.n_features) if is_feasible(core.source, (ids[k],))]
    assert state.cost == min((core.cost((k,)) for k in good), default=math.inf)
    assert state.bound == min(state.cost, cheapest_pair(core))
    assert state.door.tallies["scan"].ruled_out == core.n_features - len(good)
    # Of equal ones all are known, for the ties.
    equal = {(ids[k],) for k in good if core.cost((k,)) == state.cost}
    assert set(state.equals) == equal


@pytest.mark.parametrize("seed", range(60))
def test_no_two_features_cost_less_than_the_bound_says(seed: int) -> None:
    core = core_of(seed)
    several = [s for s in all_supports(range(core.n_features)) if len(s) >= 2]
    assert cheapest_pair(core) <= min(map(core.cost, several), default=math.inf)
    if core.n_features < 2:
        assert cheapest_pair(core) == math.inf
    elif not any(core.costs.groups_of):
        assert cheapest_pair(core) == min(map(core.cost, several))


def test_without_time_nothing_is_claimed() -> None:
    state = SearchState(reduce_problem(large_budgets(0)), Stopper(0.0))
    Scan().run(state)
    assert state.bound == 0
    assert state.door.tallies == {}


def test_of_features_of_one_price_all_that_suffice_are_known() -> None:
    problem = large_budgets(0)
    clear = np.where(problem.positive, 1.0, -1.0)
    X = np.column_stack((clear + 0.1 * problem.X[:, 0], clear + 0.1 * problem.X[:, 1]))
    costs = CostModel.per_feature(np.ones(2))
    nothing = np.zeros(2, dtype=bool)
    same = replace(problem, X=X, costs=costs, include=nothing, exclude=nothing)
    state = SearchState(reduce_problem(same), Stopper(60.0))
    state.perform(Scan())
    assert set(state.equals) == {(0,), (1,)}
