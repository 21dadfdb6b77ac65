"""Every oracle alone, on whole supports of small problems, against the MILP of the reference."""

from __future__ import annotations

import functools

import pytest

from frugalsvm.runtime.stopping import Stopper
from frugalsvm.search.options import SearchOptions
from frugalsvm.search.oracles.ladder import climb
from frugalsvm.search.problem.hyperplane import gap
from frugalsvm.search.problem.reduction import CoreProblem, reduce_problem
from frugalsvm.search.state import SearchState
from frugalsvm.search.tuning import COVER_SURE, LAST_RESORT, QUICK, Effort, Rung
from reference_oracles import core_of
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


@functools.cache
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


@pytest.mark.parametrize(
    ("switch", "rung"),
    [
        ("errors", Rung("errors", nodes=1_000)),
        ("conflicts", Rung("errors", nodes=1_000)),
        ("cuts", Rung("cuts", nodes=1_000)),
        ("directions", Rung("boxes", effort=Effort(0, 0, 100_000))),
    ],
)
def test_switched_off_judges_are_not_asked(switch: str, rung: Rung) -> None:
    core = core_of(3_004)
    on, off = SearchState(core, Stopper(60.0)), SearchState(core, Stopper(60.0))
    off.options = SearchOptions(**{switch: False})
    assert climb(on, (0,), (rung,)).decided
    assert on.door.tallies
    assert not climb(off, (0,), (rung,)).decided
    assert off.door.tallies == {}


def test_a_ladder_ends_at_the_first_rung_that_decides() -> None:
    core = core_of(3_004)
    rungs = (Rung("errors", nodes=1_000), Rung("cuts", nodes=1_000))
    for order in (rungs, rungs[::-1]):
        state = SearchState(core, Stopper(60.0))
        assert climb(state, (0,), order).decided
        assert len(state.door.tallies) == 1
    stopped = SearchState(core, Stopper(0.0))
    assert not climb(stopped, (0,), rungs).decided
    assert len(stopped.door.tallies) <= 1


@pytest.mark.parametrize("seed", range(3_000, 3_012))
def test_boxes_and_cuts_go_on_where_they_were_left(seed: int) -> None:
    """Many short looks decide what one long look does."""
    core = core_of(seed)
    whole = range(core.n_features)
    for judge in ("boxes", "cuts"):
        long = Rung(judge, nodes=10_000, effort=Effort(0, 0, 200_000))
        short = Rung(judge, nodes=1, effort=Effort(0, 0, 1))
        one, many = SearchState(core, Stopper(60.0)), SearchState(core, Stopper(60.0))
        expected = climb(one, whole, (long,))
        verdict = climb(many, whole, (short,) * 3_000)
        assert verdict.code == expected.code
        one.dismiss_hands()
        many.dismiss_hands()
