"""The parts of the search over covers, each against an independent computation."""

from __future__ import annotations

import numpy as np
import pytest
from scipy.optimize import linprog

from frugalsvm.search.oracles.errors.search import ConflictOracle
from frugalsvm.search.problem.reduction import reduce_problem
from frugalsvm.search.tactics.cover.packing import pack_cuts
from reference_selection import is_feasible, random_problem


def test_packing_is_the_linear_program() -> None:
    for seed in range(60):
        rng = np.random.default_rng(seed)
        m, n = int(rng.integers(1, 12)), int(rng.integers(1, 30))
        cuts = (rng.random((m, n)) < 0.4).astype(float)
        cuts[rng.integers(m, size=n), np.arange(n)] = 1.0
        price = rng.integers(1, 21, m).astype(float)
        packing = pack_cuts(cuts, np.ones(n), price, np.inf)
        answer = linprog(price, A_ub=-cuts.T, b_ub=-np.ones(n), bounds=(0, None))
        assert packing.bound == pytest.approx(answer.fun, rel=1e-5), seed
        assert packing.bound <= answer.fun + 1e-9, seed
        assert np.all(cuts.T @ packing.cover >= 1 - 1e-6), seed


def test_a_cut_without_features_has_no_cover() -> None:
    assert np.isinf(pack_cuts(np.zeros((2, 1)), np.ones(1), np.ones(2), np.inf).bound)


def test_conflicts_decide_supports() -> None:
    decided = 0
    for seed in range(2_000, 2_060):
        problem = random_problem(seed)
        core = reduce_problem(problem)
        if core.need_pos == 0 or core.need_neg == 0 or core.n_features == 0:
            continue
        support = np.arange(core.n_features)
        expected = is_feasible(problem, tuple(int(k) for k in core.feature_ids))
        oracle = ConflictOracle.of(core)
        for verdict in (oracle.judge(support, 10_000), oracle.on(support).judge(support, 10_000)):
            if verdict.decided:
                decided += 1
                assert verdict.feasible == expected, seed
    assert decided >= 80
