"""Steps along single features: they never narrow a gap, and find what fits miss."""

from __future__ import annotations

import numpy as np
import pytest

from frugalsvm.data.costs import CostModel
from frugalsvm.data.problem import SelectionProblem
from frugalsvm.data.rates import ErrorBudget
from frugalsvm.search.heuristics.pattern import widened
from frugalsvm.search.problem.hyperplane import gap
from frugalsvm.search.problem.reduction import CoreProblem, reduce_problem

GO_ON = np.zeros(1, dtype=np.int64)


def noisy(seed: int, budget: int) -> CoreProblem:
    """Return 300 samples on four features, a tenth of the labels wrong."""
    rng = np.random.default_rng(seed)
    X = rng.standard_normal((300, 4))
    X[:, 1] = np.round(X[:, 1])
    y = (X @ [1.0, -0.6, 0.3, 0.1] > 0) ^ (rng.random(300) < 0.1)
    nothing = np.zeros(4, dtype=bool)
    costs = CostModel.per_feature(np.ones(4))
    X = (X - X.mean(axis=0)) / X.std(axis=0)
    return reduce_problem(
        SelectionProblem(X, y, ErrorBudget(budget, budget), costs, nothing, nothing)
    )


@pytest.mark.parametrize("seed", range(20))
def test_gaps_are_true_and_never_narrower(seed: int) -> None:
    core = noisy(seed, 15)
    rng = np.random.default_rng(seed)
    direction = rng.standard_normal(core.n_features)
    direction[3] = 0.0
    before = gap(core, direction / np.abs(direction).max())
    chosen = np.array([0, 1, 2])
    reached, looks = widened(core, chosen, direction, GO_ON)
    assert looks > 1
    assert direction[3] == 0.0
    assert reached >= before
    assert gap(core, direction / np.abs(direction).max()) == pytest.approx(reached, abs=1e-9)


def test_budgets_are_met_from_rough_starts() -> None:
    """The planted direction needs about 15 errors a class; rough ones need many more."""
    met_before = met_after = 0
    for seed in range(20):
        core = noisy(seed, 22)
        direction = np.array([1.0, -1.0, 1.0, 0.5])
        met_before += gap(core, direction) >= core.floor
        met_after += widened(core, np.arange(4), direction, GO_ON)[0] >= core.floor
    assert met_before <= 2
    assert met_after >= 15


def test_a_zero_direction_stays() -> None:
    core = noisy(0, 15)
    direction = np.zeros(4)
    assert widened(core, np.arange(4), direction, GO_ON) == (-np.inf, 0)
    assert not np.any(direction)


def test_it_leaves_off_when_it_is_asked_to() -> None:
    core = noisy(0, 15)
    direction = np.array([1.0, -1.0, 1.0, 0.5])
    _, looks = widened(core, np.arange(4), direction, np.ones(1, dtype=np.int64))
    assert looks == 1
    assert direction.tolist() == [1.0, -1.0, 1.0, 0.5]
