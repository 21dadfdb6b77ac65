"""Wrong proofs are caught when they are made, and the error names the oracle."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

from frugalsvm.runtime.stopping import Stopper
from frugalsvm.search import SearchOptions, search
from frugalsvm.search.door import Door, FalseProofError
from frugalsvm.search.oracles import batch, ladder
from frugalsvm.search.oracles.errors.branch_and_cut import ErrorCuts
from frugalsvm.search.oracles.errors.search import ConflictOracle
from frugalsvm.search.problem.reduction import reduce_problem
from frugalsvm.search.tactics import scan, sieved_supports
from frugalsvm.search.tactics.cover import cuts
from frugalsvm.search.verdict import INFEASIBLE, RULED_OUT
from reference_selection import brute_force, large_budgets, random_problem


def everything_infeasible(*args: Any) -> int:
    """Stand in for a kernel: rule out whatever is undecided."""
    verdicts = args[4 if len(args) == 5 else 5]
    verdicts[verdicts == 0] = INFEASIBLE
    return 0


KERNELS: dict[str, tuple[set[str], dict[str, bool]]] = {
    "by_cells": ({"cells"}, {}),
    "by_conflicts": ({"conflicts"}, {"cells": False}),
    "by_directions": ({"directions"}, {"cells": False, "conflicts": False}),
}


@pytest.mark.parametrize("kernel", KERNELS)
def test_a_kernel_that_rules_out_too_much(kernel: str, monkeypatch: pytest.MonkeyPatch) -> None:
    names, switches = KERNELS[kernel]
    answers = {seed: brute_force(random_problem(seed))[1] for seed in range(40)}
    monkeypatch.setattr(batch, kernel, everything_infeasible)
    guilty = set()
    for seed, optimal in answers.items():
        known = {"scan": False, "heuristic": False, **switches}
        options = SearchOptions(**known, witnesses=tuple(optimal))
        try:
            search(random_problem(seed), stop=Stopper(60.0), options=options)
        except FalseProofError as error:
            guilty.add(str(error).split("'")[1])
    assert guilty
    assert guilty <= names


def wrong_scan(monkeypatch: pytest.MonkeyPatch) -> None:
    nothing = np.full((2, 1), -1.0)
    monkeypatch.setattr(scan, "single_gaps", lambda core, columns: nothing.repeat(len(columns), 1))


def wrong_sieve(monkeypatch: pytest.MonkeyPatch) -> None:
    none = staticmethod(lambda rows, sizes: np.zeros(len(rows), np.bool_))
    monkeypatch.setattr(sieved_supports.Sieve, "passing", none)


def wrong_errors(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(ConflictOracle, "judge", lambda *_: RULED_OUT)


def wrong_cuts(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(ErrorCuts, "judge", lambda *_: RULED_OUT)
    monkeypatch.setattr(ladder, "guessed", lambda *_: None)


def wrong_growth(monkeypatch: pytest.MonkeyPatch) -> None:
    everything = staticmethod(lambda grown, others: np.append(grown, others))
    monkeypatch.setattr(cuts.Grower, "_grow_soft", everything)
    monkeypatch.setattr(cuts.Grower, "_grow_hard", everything)


def wrong_cover(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(cuts, "grow_by_cells", lambda *args: _all_of(args[-3], args[-1]))


def _all_of(order: np.ndarray, grown: np.ndarray) -> int:
    grown[:] = order
    return len(order)


WRONG: dict[str, tuple[Callable[[pytest.MonkeyPatch], None], dict[str, bool]]] = {
    "scan": (wrong_scan, {}),
    "sieve": (wrong_sieve, {"cover": False}),
    "errors": (wrong_errors, {"cells": False, "directions": False}),
    "error cuts": (wrong_cuts, {"cells": False, "conflicts": False, "directions": False}),
    "cover cells": (wrong_cover, {"enumeration": False}),
    "cover conflicts": (wrong_growth, {"enumeration": False, "cells": False}),
}


@pytest.mark.parametrize("oracle", WRONG)
def test_an_oracle_that_rules_out_too_much(oracle: str, monkeypatch: pytest.MonkeyPatch) -> None:
    break_it, switches = WRONG[oracle]
    answers = {seed: brute_force(random_problem(seed))[1] for seed in range(60)}
    break_it(monkeypatch)
    guilty = set()
    for seed, optimal in answers.items():
        known = {"scan": oracle == "scan", "heuristic": False, **switches}
        options = SearchOptions(**known, witnesses=tuple(optimal))
        try:
            search(random_problem(seed), stop=Stopper(60.0), options=options)
        except FalseProofError as error:
            guilty.add(str(error).split("'")[1])
    assert oracle in guilty


def test_an_answer_found_later_convicts_the_proof() -> None:
    problem = random_problem(3)
    core = reduce_problem(problem)
    door = Door(core, ())
    door.rule_out(range(core.n_features), "guess")
    with pytest.raises(FalseProofError, match="guess"):
        door.accept(tuple(core.feature_ids[:1].tolist()))


def test_a_bound_above_a_known_answer() -> None:
    problem = random_problem(440)
    _, optimal = brute_force(problem)
    core = reduce_problem(problem)
    door = Door(core, optimal)
    cost = core.cost(core.core_support(next(iter(optimal))))
    door.check_bound(cost, "cover")
    with pytest.raises(FalseProofError, match="cover"):
        door.check_bound(cost + 1, "cover")


def test_right_proofs_pass() -> None:
    for seed in range(60):
        problem = random_problem(seed)
        cost, optimal = brute_force(problem)
        options = SearchOptions(witnesses=tuple(optimal))
        assert search(problem, stop=Stopper(60.0), options=options).cost == cost


def test_tallies_are_in_the_details() -> None:
    result = search(large_budgets(0), stop=Stopper(60.0))
    tallies = result.details["oracles"]
    assert tallies["scan"]["ruled_out"] > 0
    assert sum(tally["ruled_out"] for tally in tallies.values()) > 8
    assert all(tally["seconds"] >= 0.0 for tally in tallies.values())
