"""Guesses are answers, and where classes lie apart there is one."""

from __future__ import annotations

import numpy as np
import pytest

from frugalsvm.search.problem import guess
from frugalsvm.search.problem.fit import Recipe
from frugalsvm.search.problem.guess import guessed
from frugalsvm.search.problem.hyperplane import gap
from frugalsvm.search.problem.reduction import reduce_problem
from reference_oracles import core_of
from reference_selection import is_feasible, large_budgets


@pytest.mark.parametrize("seed", range(30))
def test_a_guess_is_an_answer_on_the_features_it_was_asked_for(seed: int) -> None:
    core = core_of(seed)
    for chosen in (np.arange(core.n_features), np.array([0])):
        direction = guessed(core, chosen)
        if direction is not None:
            assert set(np.flatnonzero(direction)) <= set(chosen.tolist())
            assert gap(core, direction) >= core.floor
            assert is_feasible(core.source, core.original_support(tuple(chosen.tolist())))


def test_most_of_what_is_feasible_is_guessed() -> None:
    feasible = found = 0
    for core in map(core_of, range(25)):
        whole = np.arange(core.n_features)
        if is_feasible(core.source, core.original_support(tuple(whole.tolist()))):
            feasible += 1
            found += guessed(core, whole) is not None
    assert feasible >= 8
    assert found >= 0.7 * feasible


def test_other_weights_of_a_class_are_tried_in_turn(monkeypatch: pytest.MonkeyPatch) -> None:
    asked: list[Recipe] = []

    def in_vain(*arguments: object) -> tuple[float, float, int]:
        asked.append(arguments[5])  # type: ignore[arg-type]
        return -1.0, 0.0, 0

    monkeypatch.setattr(guess, "trimmed_fit", in_vain)
    assert guessed(reduce_problem(large_budgets(0)), np.arange(8)) is None
    emphases = [recipe.emphasis for recipe in asked]
    assert emphases[0] == 1.0
    assert len(set(emphases)) == len(emphases)
    assert min(emphases) < 1.0 < max(emphases)
