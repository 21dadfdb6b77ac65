"""From an infeasible support to a large infeasible set."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from frugalsvm.data.rates import ErrorBudget
from frugalsvm.runtime.stopping import Stopper
from frugalsvm.search.options import SearchOptions
from frugalsvm.search.problem.reduction import reduce_problem
from frugalsvm.search.state import SearchState
from frugalsvm.search.tactics.cover.cuts import Grower
from reference_oracles import core_of
from reference_selection import is_feasible


def state_of(seed: int, hard: bool, cells: bool) -> SearchState:
    core = core_of(seed)
    if hard:
        core = reduce_problem(replace(core.source, budget=ErrorBudget(0, 0)))
    return SearchState(core, Stopper(60.0), SearchOptions(cells=cells))


def feasible(state: SearchState, chosen: np.ndarray) -> bool:
    core = state.core
    whole = tuple(core.feature_ids[core.with_free(tuple(chosen.tolist()))].tolist())
    return is_feasible(core.source, whole)


@pytest.mark.parametrize("cells", [True, False])
@pytest.mark.parametrize("hard", [True, False])
def test_a_set_that_grew_is_infeasible_and_holds_what_it_began_with(
    hard: bool, cells: bool
) -> None:
    grown_at_all = larger = 0
    for seed in range(30, 60):
        state = state_of(seed, hard, cells)
        rng = np.random.default_rng(seed)
        order = rng.permutation(state.core.priced).astype(np.int64)
        fixed, others = np.split(order, [int(rng.integers(0, len(order) + 1))])
        grown, verdict = Grower(state).grow(fixed, others, sure=True)
        if grown is None:
            assert verdict is not None
            assert not verdict.infeasible
            assert not verdict.feasible or feasible(state, fixed)
            continue
        grown_at_all += 1
        larger += len(grown) > len(fixed) + len(state.core.free)
        assert {*fixed.tolist(), *state.core.free.tolist()} <= set(grown.tolist())
        assert len(set(grown.tolist())) == len(grown)
        assert not feasible(state, grown)
        assert state.infeasible_sets == []  # whoever asked keeps it
    assert grown_at_all >= 8
    assert larger >= 3


def test_where_no_errors_are_allowed_nothing_can_join_any_more() -> None:
    for seed in range(30, 50):
        state = state_of(seed, hard=True, cells=False)
        grown, _ = Grower(state).grow(np.zeros(0, np.int64), state.core.priced, sure=True)
        if grown is not None:
            for k in set(state.core.priced.tolist()) - set(grown.tolist()):
                assert feasible(state, np.append(grown, k))


def test_a_verdict_is_remembered() -> None:
    state = state_of(31, hard=False, cells=False)
    grower = Grower(state)
    grower.grow(state.core.priced, state.core.priced[:0], sure=True)
    asked = sum(tally.asked for tally in state.door.tallies.values())
    grower.grow(state.core.priced, state.core.priced[:0], sure=True)
    assert sum(tally.asked for tally in state.door.tallies.values()) == asked


def test_who_may_not_use_cells_does_not() -> None:
    for seed in range(30, 60):
        state = state_of(seed, hard=False, cells=False)
        Grower(state).grow(np.zeros(0, np.int64), state.core.priced, sure=True)
        assert not {"cells", "cover cells", "sieve"} & set(state.door.tallies)
