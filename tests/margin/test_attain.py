"""What can be had where the limits cannot all be kept."""

from __future__ import annotations

import numpy as np

from frugalsvm.data.problem import MarginProblem
from frugalsvm.margin.attain import attainable
from frugalsvm.margin.watch import Watch
from frugalsvm.runtime.stopping import Stopper
from margin_instances import two_limits


def test_the_fewest_errors_on_a_line() -> None:
    X = np.array([[0.0], [1.0], [2.0], [3.0], [4.0]])
    positive = np.array([True, False, True, False, True])
    problem = MarginProblem(X, None, positive, two_limits(positive, 0, 0), 1.0)
    best = attainable(problem, stop=Stopper(), seed=0, watch=Watch())
    assert (best.pos_errors, best.neg_errors) == (2, 2)
