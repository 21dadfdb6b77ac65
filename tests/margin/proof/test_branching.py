"""Which row of a conflict becomes a child first."""

from __future__ import annotations

import numpy as np

from frugalsvm.margin.proof.branching import most_slack


def test_the_largest_slack_comes_first_then_the_strongest_pull() -> None:
    slack = np.array([1.0, 3.0, 3.0, 9.0])
    pull, box = np.array([0.0, 1.0, -2.0, 0.0]), np.ones(4)
    rows = np.array([True, True, True, False])
    order = []
    while (i := most_slack.py_func(rows, slack, pull, box)) >= 0:
        order.append(i)
        rows[i] = False
    assert order == [2, 1, 0]
