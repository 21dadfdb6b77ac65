"""The best classifier so far."""

from __future__ import annotations

import math

import numpy as np
import pytest

from frugalsvm.data.problem import MarginProblem
from frugalsvm.margin.classifiers.candidates import Candidate
from frugalsvm.margin.keeper import Keeper
from frugalsvm.margin.rows.reduction import reduce
from frugalsvm.runtime.stopping import Stopper
from margin_instances import two_limits


def test_candidates_are_kept_with_their_true_objective() -> None:
    X, positive = np.array([[-1.0], [1.0]]), np.array([False, True])
    problem = MarginProblem(X, None, positive, two_limits(positive, 0, 0), 1.0)
    rows = reduce(problem, Stopper())
    keeper = Keeper(problem, rows)
    nobody = np.zeros(2, dtype=np.bool_)
    assert keeper.objective == math.inf
    first = np.array([True, False])  # more than the limits allow
    assert keeper.checked(Candidate(np.zeros(2), 1.0, first, 0.1)) is None
    said = keeper.checked(Candidate(np.array([-2.0, 2.0]), 0.0, nobody, 123.0))
    assert said is not None
    assert said.objective == keeper.objective == pytest.approx(4.0)
    assert keeper.checked(said) is said
    keeper.checked(Candidate(np.array([-1.0, 1.0]), 0.0, nobody, 1.0))
    assert keeper.objective == pytest.approx(1.0)
