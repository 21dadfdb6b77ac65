"""Which exchanges are allowed, and in which order they are tried."""

from __future__ import annotations

import numpy as np

from frugalsvm.margin.classifiers.drafts import Limits, make_draft
from frugalsvm.margin.heuristic.exchanges import Offers, movable, next_pair, pair_promises

USE = np.ones((1, 4))
LIMITS = Limits(USE, np.array([1.0]), np.zeros(4, bool), np.ones(4, bool), np.ones(4))


def wrong_first():
    best = make_draft(4)
    best.wrong[0] = True
    best.a[:] = [0.5, 3.0, -2.0, 0.1]
    return best


def test_rows_that_pull_beyond_their_box_had_better_be_wrong() -> None:
    enter, leave = movable.py_func(LIMITS, wrong_first())
    assert (enter.tolist(), leave.tolist()) == ([1, 2], [0])


def test_exchanges_by_falling_promise_and_none_beyond_the_limits() -> None:
    best = wrong_first()
    enter, leave = movable.py_func(LIMITS, best)
    gain, cost = np.array([0.0, 1.0, 5.0, 0.0]), np.array([2.0, 0.0, 0.0, 0.0])
    promise = pair_promises.py_func(LIMITS, best, enter, leave, gain, cost)
    np.testing.assert_array_equal(promise, [[-1.0, -np.inf], [3.0, -np.inf]])
    offers = Offers(enter, leave, gain, cost, enter, leave, promise)
    wrong, tried = np.zeros(4, bool), []
    while next_pair.py_func(LIMITS, best, offers, wrong):
        tried.append(np.flatnonzero(wrong).tolist())
    assert tried == [[2], [1]]
