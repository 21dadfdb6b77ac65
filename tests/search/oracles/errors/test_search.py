"""Which samples to give up: conflicts on chosen features, checked by linear programs."""

from __future__ import annotations

import numpy as np
import pytest
from scipy.optimize import linprog

from frugalsvm.search.oracles.errors.search import ConflictOracle
from frugalsvm.search.oracles.errors.separation import points_of
from frugalsvm.search.problem.reduction import CoreProblem, reduce_problem
from reference_selection import random_problem


def widest(core: CoreProblem, samples: np.ndarray) -> float:
    """Return the widest gap between some samples with weights of at most 1."""
    y = np.where(samples < core.n_pos, 1.0, -1.0)
    columns = core.columns[:, samples].T
    rows = np.column_stack((-y[:, None] * columns, y > 0, -(y < 0).astype(float)))
    d = core.n_features
    solved = linprog(
        np.concatenate((np.zeros(d), [-1.0, 1.0])), A_ub=rows, b_ub=np.zeros(len(samples)),
        bounds=[(-1.0, 1.0)] * d + [(None, None)] * 2,
    )  # fmt: skip
    return float(-solved.fun)


@pytest.mark.parametrize("seed", range(4_000, 4_030))
def test_conflicts_and_directions_are_what_they_say(seed: int) -> None:
    core = reduce_problem(random_problem(seed))
    if core.n_features == 0 or not 0 < core.n_pos < core.n_samples:
        return
    oracle = ConflictOracle.of(core)
    every, active = np.arange(core.n_features), np.ones(core.n_samples, np.bool_)
    assert oracle.start(every, active)
    members = oracle.conflict(every, active)
    assert members is not None
    if len(members):
        assert widest(core, members) < core.floor
        assert len(members) <= core.n_features + 2
    else:
        scores = oracle.direction(every) @ core.columns
        assert scores[: core.n_pos].min() > scores[core.n_pos :].max()


def test_samples_that_coincide_on_a_support_merge() -> None:
    core = reduce_problem(random_problem(6))
    oracle = ConflictOracle.of(core)
    merged = oracle.on(np.array([0]))
    assert merged.weight.sum() == core.weight.sum()
    distinct = [len(np.unique(part)) for part in np.split(core.columns[0], [core.n_pos])]
    assert [merged.points.n_pos, len(merged.weight)] == [distinct[0], sum(distinct)]
    assert points_of(core).floor == core.floor
