"""Branch and cut over the samples given up agrees with brute force on single supports."""

from __future__ import annotations

import itertools

import numpy as np
import pytest

from frugalsvm.runtime.stopping import Stopper
from frugalsvm.search.oracles.errors.branch_and_cut import ErrorCuts, ErrorProgram
from frugalsvm.search.problem.hyperplane import gap
from frugalsvm.search.problem.reduction import reduce_problem
from reference_selection import is_feasible, random_problem


@pytest.mark.parametrize("first", range(0, 60, 20))
def test_verdicts_on_random_supports(first: int) -> None:
    decided = 0
    for seed in range(first, first + 20):
        problem = random_problem(seed)
        core = reduce_problem(problem)
        if core.need_pos == 0 or core.need_neg == 0 or core.n_features == 0:
            continue
        rng = np.random.default_rng(seed)
        size = int(rng.integers(1, core.n_features + 1))
        chosen = np.sort(rng.choice(core.n_features, size, replace=False))
        verdict = ErrorCuts(core, chosen, Stopper()).judge(10_000)
        original = tuple(int(k) for k in core.feature_ids[chosen])
        assert verdict.feasible == is_feasible(problem, original), seed
        assert verdict.feasible or verdict.infeasible, seed
        if verdict.direction is not None:
            assert set(np.flatnonzero(verdict.direction)) <= set(chosen.tolist())
            assert gap(core, verdict.direction) >= core.floor
        decided += 1
    assert decided > 10


def test_a_search_cut_short_goes_on() -> None:
    rng = np.random.default_rng(3)
    for seed in range(200):
        core = reduce_problem(random_problem(seed))
        if core.need_pos == 0 or core.need_neg == 0 or core.n_features == 0:
            continue
        chosen = np.arange(core.n_features)
        whole, parts = ErrorCuts(core, chosen, Stopper()), ErrorCuts(core, chosen, Stopper())
        expected = whole.judge(10_000)
        for _ in range(10_000):
            verdict = parts.judge(int(rng.integers(1, 3)))
            if verdict.feasible or verdict.infeasible:
                break
        assert verdict.code == expected.code, seed


@pytest.mark.parametrize("seed", range(5))
def test_the_bound_holds_for_every_way_to_give_up(seed: int) -> None:
    rng = np.random.default_rng(seed)
    weight = rng.integers(1, 4, 8).astype(float)
    side = np.repeat([0, 1], 4)
    budgets = rng.integers(1, 6, 2).astype(float)
    cuts = [rng.choice(8, int(rng.integers(2, 5)), replace=False) for _ in range(6)]
    program = ErrorProgram(weight, side, budgets, Stopper())
    program.add(cuts)
    solved = program.solve((np.zeros(8), np.ones(8)))
    assert solved is not None
    least = np.inf
    for given in itertools.product((0.0, 1.0), repeat=8):
        z = np.array(given)
        if all(z[cut].sum() >= 1 for cut in cuts):
            excess = [(weight @ (z * (side == s)) - budgets[s]) / budgets[s] for s in (0, 1)]
            least = min(least, max(excess))
    assert solved[0] <= least + 1e-9
    assert solved[0] >= least - 1.0  # a relaxation, but not an empty one
    random_prices = rng.random(8)
    assert program._proven(random_prices, (np.zeros(8), np.ones(8))) <= least + 1e-9
