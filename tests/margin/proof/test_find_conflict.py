"""The rows that a conflict takes in and leaves out."""

from __future__ import annotations

import numpy as np

from frugalsvm.margin.proof.find_conflict import most_violated, weakest
from frugalsvm.margin.solver.dual import make_work, set_boxes


def test_the_most_violated_candidate_that_is_not_hard_is_next() -> None:
    work = make_work(np.eye(4), np.empty((0, 0)), np.array([1.0, -1, 1, -1]), np.ones(4))
    set_boxes.py_func(work, np.ones(4), np.array([True, False, False, False]))
    work.e[:] = [9.0, -2.0, 1.0, -3.0]  # slacks are 9, 2, 1 and 3
    assert most_violated.py_func(work, np.ones(4, dtype=np.bool_)) == 3
    assert most_violated.py_func(work, np.array([True, True, True, False])) == 1
    assert most_violated.py_func(work, np.array([True, False, False, False])) == -1


def test_the_row_that_exceeds_its_box_least_is_left_out_first() -> None:
    a, box = np.array([3.0, -1.5, 9.0]), np.ones(3)
    conflict, tried = np.array([True, True, False]), np.zeros(3, dtype=np.bool_)
    assert weakest.py_func(a, box, conflict, tried) == 1
    tried[1] = True
    assert weakest.py_func(a, box, conflict, tried) == 0
    tried[0] = True
    assert weakest.py_func(a, box, conflict, tried) == -1
