"""The heuristic as a whole: repeatable, within the limits, never below the bound."""

from __future__ import annotations

import numpy as np
import pytest

from frugalsvm.margin.classifiers.candidates import Trainer
from frugalsvm.margin.heuristic.restarts import Heuristic, better
from frugalsvm.margin.options import Effort, MarginOptions
from frugalsvm.margin.rows.reduction import reduce
from frugalsvm.margin.watch import Watch
from frugalsvm.runtime.stopping import Stopper
from margin_instances import overlapping_problem


@pytest.mark.parametrize("effort", Effort)
def test_the_same_seed_finds_the_same(effort: Effort) -> None:
    problem = overlapping_problem(8)
    rows = reduce(problem, Stopper())
    found = []
    for _ in range(2):
        heuristic = Heuristic(Trainer(rows, problem.C, Watch()), MarginOptions(), effort)
        best = heuristic.run(np.random.default_rng(3), Stopper())
        assert heuristic.bound <= best.objective
        assert (rows.use @ best.wrong <= rows.caps).all()
        found.append(best)
    assert found[0].objective == found[1].objective
    assert better(found[0], None) is better(None, found[0]) is found[0]
    assert better(None, None) is None
