"""The widest gap with the same samples right."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from frugalsvm.data.costs import CostModel
from frugalsvm.data.problem import SelectionProblem
from frugalsvm.data.rates import ErrorBudget
from frugalsvm.search.oracles.errors.widest_gap import widest_for
from frugalsvm.search.problem.hyperplane import gap, thresholds
from frugalsvm.search.problem.reduction import CoreProblem, reduce_problem
from reference_selection import large_budgets, largest_gap


def widest(core: CoreProblem, direction: np.ndarray) -> tuple[float, np.ndarray]:
    """Return the widest gap with those samples right that a direction gets right."""
    used = np.flatnonzero(direction)
    scores = direction[used] @ core.columns[used]
    p, q = thresholds(core, scores)
    positive = np.arange(core.n_samples) < core.n_pos
    best = widest_for(core, used, np.where(positive, scores >= p, scores <= q)).direction
    if best is None:  # no direction has a gap at all
        assert gap(core, direction) <= 0.0
        best = direction
    return gap(core, best), best


@pytest.mark.parametrize("seed", range(30))
def test_a_conflict_is_claimed_just_where_no_direction_is_wide_enough(seed: int) -> None:
    rng = np.random.default_rng(seed)
    X = rng.standard_normal((16, 3))
    nothing = np.zeros(3, dtype=bool)
    problem = SelectionProblem(
        X,
        X @ rng.standard_normal(3) + 0.2 * rng.standard_normal(16) > 0,
        ErrorBudget(0, 0),
        CostModel.per_feature(np.ones(3)),
        nothing,
        nothing,
    )
    core = reduce_problem(problem)
    used, everything = np.arange(3), np.ones(core.n_samples, dtype=bool)
    reached = max(0.0, largest_gap(problem, (0, 1, 2)))
    for floor in (reached * 0.9 + 1e-6, reached * 1.1 + 1e-6):
        found = widest_for(replace(core, floor=floor), used, everything)
        assert (found.conflict is not None) == (floor > reached)
    # What is claimed holds for its samples alone, too.
    members = np.isin(np.arange(core.n_samples), found.conflict)
    alone = widest_for(replace(core, floor=floor), used, members)
    assert alone.conflict is not None
    assert 2 <= len(found.conflict) <= 5


def test_a_direction_that_is_too_narrow_is_widened_to_the_best_one() -> None:
    X = np.array([[1.0, 1.0], [2.0, -1.0], [-1.0, 1.0], [-2.0, -1.0]])
    nothing = np.zeros(2, dtype=bool)
    problem = SelectionProblem(
        X, X[:, 0] > 0, ErrorBudget(0, 0), CostModel.per_feature(np.ones(2)), nothing, nothing
    )
    core = reduce_problem(problem)
    narrow = np.array([1.0, -0.999])
    reached, direction = widest(core, narrow)
    assert gap(core, narrow) < reached == pytest.approx(largest_gap(problem, (0, 1)))
    assert gap(core, direction) == reached


@pytest.mark.parametrize("seed", range(20))
def test_it_is_never_narrower_and_never_wider_than_the_widest(seed: int) -> None:
    problem = large_budgets(seed)
    core = reduce_problem(problem)
    rng = np.random.default_rng(seed)
    direction = np.zeros(core.n_features)
    used = rng.choice(core.n_features, 2, replace=False)
    direction[used] = rng.standard_normal(2)
    reached, wide = widest(core, direction)
    assert reached >= gap(core, direction) - 1e-9
    assert set(np.flatnonzero(wide)) <= set(used.tolist())
    assert np.array_equal(direction[used] == 0.0, np.zeros(2, dtype=bool))
    assert reached == gap(core, wide)
