"""Which rows may be wrong together."""

from __future__ import annotations

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from frugalsvm.margin.classifiers.drafts import make_draft, make_limits, take_in_order
from frugalsvm.margin.rows.reduction import reduce
from frugalsvm.margin.slots import OBJECTIVE
from frugalsvm.runtime.stopping import Stopper
from margin_instances import tiny_problem


@given(st.integers(0, 10_000), st.randoms(use_true_random=False))
def test_rows_are_taken_in_order_as_far_as_the_limits_go(seed: int, random) -> None:
    rows = reduce(tiny_problem(seed), Stopper())
    limits = make_limits(rows, rows.soft_box(1.0))
    order = np.array(random.sample(range(rows.n_rows), rows.n_rows))
    wrong = np.ones(rows.n_rows, dtype=np.bool_)
    take_in_order.py_func(limits, order, wrong)
    assert (rows.use @ wrong <= rows.caps).all()
    assert not (wrong & rows.fixed).any()
    for i in np.flatnonzero(~wrong & ~rows.fixed):  # no further row fits
        wrong[i] = True
        assert (rows.use @ wrong > rows.caps).any()
        wrong[i] = False


def test_a_new_draft_holds_nothing() -> None:
    assert make_draft(3).numbers[OBJECTIVE] == np.inf
