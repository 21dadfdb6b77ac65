"""Every oracle alone, on whole supports of small problems, against the MILP of the reference."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import pytest

from frugalsvm.runtime.stopping import Stopper
from frugalsvm.search.door import Door
from frugalsvm.search.options import SearchOptions
from frugalsvm.search.oracles.arrays import Arrays
from frugalsvm.search.oracles.batch import Oracles, allowed, prepare_oracles, undecided
from frugalsvm.search.oracles.batch_kernels import by_directions
from frugalsvm.search.oracles.coincidence import find_levels
from frugalsvm.search.oracles.coinciding_sets import grow_by_cells, value_codes
from frugalsvm.search.oracles.directions import MAX_DEPTH
from frugalsvm.search.oracles.ladder import climb
from frugalsvm.search.problem.hyperplane import gap
from frugalsvm.search.problem.reduction import CoreProblem, reduce_problem
from frugalsvm.search.regime import regime_of
from frugalsvm.search.state import SearchState
from frugalsvm.search.tuning import COVER_SURE, LAST_RESORT, QUICK, Effort, Rung
from frugalsvm.search.verdict import UNDECIDED
from reference_selection import is_feasible, large_budgets, random_problem

RUNGS = {
    "cells": (Rung("kernels", effort=Effort(500, 0, 0)),),
    "conflicts": (Rung("kernels", effort=Effort(0, 2_000, 0)),),
    "directions": (Rung("kernels", effort=Effort(0, 0, 50_000)),),
    "errors": (Rung("errors", nodes=1_000),),
    "error cuts": (Rung("cuts", nodes=1_000),),
    "quick": QUICK,
    "last resort": LAST_RESORT,
    "cover": COVER_SURE,
}
SURE = {"conflicts": 25, "errors": 25, "error cuts": 25, "last resort": 30, "cover": 30}


def judged(seeds: range) -> list[tuple[CoreProblem, bool]]:
    """Return problems with something to judge, and whether their whole support is feasible."""
    cores = [reduce_problem(random_problem(seed)) for seed in seeds]
    cores = [core for core in cores if core.n_features and core.need_pos and core.need_neg]
    wholes = [core.original_support(tuple(range(core.n_features))) for core in cores]
    pairs = zip(cores, wholes, strict=True)
    return [(core, is_feasible(core.source, whole)) for core, whole in pairs]


@pytest.mark.parametrize("name", RUNGS)
def test_a_judge_says_what_the_reference_says_or_nothing(name: str) -> None:
    decided = 0
    for core, feasible in judged(range(3_000, 3_040)):
        state = SearchState(core, Stopper(60.0))
        verdict = climb(state, range(core.n_features), RUNGS[name])
        if verdict.decided:
            decided += 1
            assert verdict.feasible == feasible
        if verdict.direction is not None:
            assert gap(core, verdict.direction) >= core.floor
        names = set(state.door.tallies) - {"cells", "conflicts", "directions"}
        assert (
            verdict.feasible
            or not verdict.decided
            or name not in names
            or name in state.door.tallies
        )
    assert decided >= SURE.get(name, 1)


def test_rungs_that_are_not_worth_it_are_left_out() -> None:
    state = SearchState(reduce_problem(large_budgets(0)), Stopper(60.0))
    for rung in (
        Rung("errors", nodes=5, most_errors=40),
        Rung("guess", least_errors=1_000),
        Rung("cuts", nodes=5, most_samples=100),
    ):
        assert not climb(state, (0, 1), (rung,)).decided
    assert state.door.tallies == {}


def test_nothing_is_no_support() -> None:
    state = SearchState(reduce_problem(large_budgets(0)), Stopper(60.0))
    assert climb(state, (), QUICK).infeasible


def test_switched_off_judges_are_not_asked() -> None:
    off = SearchOptions(cells=False, conflicts=False, directions=False)
    assert allowed(Effort(5, 6, 7), off) == Effort(0, 0, 0)
    assert allowed(Effort(5, 6, 7), SearchOptions(cells=False)) == Effort(0, 6, 7)


def oracles_of(core: CoreProblem) -> Oracles:
    return prepare_oracles(core, regime_of(core), np.zeros(1, np.int64), Door(core))


@pytest.mark.parametrize(("make", "packs"), [(large_budgets, False), (random_problem, True)])
def test_arrays_are_made_for_what_the_problem_calls_for(make: Callable, packs: bool) -> None:
    core = reduce_problem(make(4))
    oracles = oracles_of(core)
    assert oracles.pack_conflicts == packs
    assert isinstance(oracles.arrays, Arrays)
    levels = find_levels(core)
    for k in range(core.n_features):
        distinct = len(np.unique(core.columns[k]))
        assert levels.counts[k] == (distinct if distinct <= 24 else 0)


def test_a_halted_kernel_leaves_the_rest_undecided() -> None:
    core = reduce_problem(large_budgets(0))
    oracles = oracles_of(core)
    oracles.arrays.halt[0] = 1
    whole = undecided(np.array([[0, 1, 2]]), np.array([3]))
    boxes = by_directions(oracles.arrays, True, 10**6, *whole)
    assert whole.verdicts[0] == UNDECIDED
    assert boxes <= MAX_DEPTH


def test_sets_that_grow_by_coinciding_samples_are_infeasible() -> None:
    grown_at_all = 0
    for core, feasible in judged(range(3_000, 3_040)):
        codes, levels = value_codes(core)
        order = np.concatenate((core.free, core.priced)).astype(np.int64)
        fixed, grown = len(core.free), np.zeros(core.n_features, np.int64)
        size = grow_by_cells(
            codes, levels, core.n_pos, core.weight, core.budgets, order, fixed, grown
        )
        grown_at_all += size > 0
        assert not (feasible and size == core.n_features)
        if size > 0:
            support = core.original_support(tuple(int(k) for k in grown[:size]))
            assert not is_feasible(core.source, support)
    assert grown_at_all >= 5
