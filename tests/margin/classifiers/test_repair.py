"""Classifiers moved to the margins they ought to have."""

from __future__ import annotations

import numpy as np
import pytest

from frugalsvm.data.problem import MarginProblem
from frugalsvm.margin.classifiers.candidates import Candidate
from frugalsvm.margin.classifiers.repair import Metric, repaired, rounding
from frugalsvm.margin.rows.reduction import reduce
from frugalsvm.runtime.stopping import Stopper
from margin_instances import two_limits


@pytest.mark.parametrize("metric", Metric)
@pytest.mark.parametrize("linear", [True, False])
def test_rows_at_their_margins_are_put_there(metric: Metric, linear: bool) -> None:
    X = np.array([[-2.0, 0.3], [-1.0, -0.2], [1.0, 0.1], [2.0, 0.0]])
    positive = np.array([False, False, True, True])
    features, gram = (X, None) if linear else (None, X @ X.T)
    problem = MarginProblem(features, gram, positive, two_limits(positive, 0, 0), 1.0)
    rows = reduce(problem, Stopper())
    a = np.array([0.0, -1.01, 1.01, 0.0])  # nearly the optimum's
    candidate = Candidate(a, 0.05, np.zeros(4, dtype=np.bool_), 1.0)
    coefficients, b, weights = repaired(rows, candidate, metric)
    scores = rows.Z @ weights + b if weights is not None else rows.K @ coefficients + b
    assert (weights is not None) == linear
    assert (rows.y * scores >= 1.0 - 1e-9).all()
    np.testing.assert_allclose((rows.y * scores)[1:3], 1.0)
    assert 0.0 < rounding(rows, candidate) < 1e-14
