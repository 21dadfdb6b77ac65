"""Conflicts as they are kept."""

from __future__ import annotations

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from frugalsvm.margin.conflicts import (
    above,
    add_conflict,
    enlarged,
    make_pool,
    misses,
    read_conflict,
)
from frugalsvm.margin.slots import N_CONFLICTS
from frugalsvm.margin.solver.codes import CUTOFF, UNBOUNDED
from frugalsvm.margin.solver.dual import make_work

sets = st.lists(st.sets(st.integers(0, 7), min_size=1), max_size=8)


def flags(members) -> np.ndarray:
    return np.isin(np.arange(8), list(members))


@given(sets, st.sets(st.integers(0, 7)))
def test_a_choice_misses_the_conflicts_it_does_not_hit(conflicts, wrong) -> None:
    pool = make_pool(2, 4)
    for number, conflict in enumerate(conflicts):
        while not add_conflict.py_func(pool, flags(conflict), float(number)):
            pool = enlarged(pool)
    assert misses.py_func(pool, flags(wrong)) == any(not c & wrong for c in conflicts)
    kept = above(pool, 3.0)
    assert kept.counts[N_CONFLICTS] == max(0, len(conflicts) - 3)
    assert misses.py_func(kept, flags(wrong)) == any(not c & wrong for c in conflicts[3:])


def test_a_conflict_is_what_the_bound_needs() -> None:
    work = make_work(np.eye(4), np.empty((0, 0)), np.array([1.0, -1, 1, -1]), np.ones(4))
    work.a[:], work.ray[:] = [3.0, -1.0, 0.5, -2.5], [1.0, -1.0, 0.0, 0.0]
    box, choosable = np.ones(4), np.array([True, True, True, False])
    by_value = read_conflict.py_func(work, box, choosable, CUTOFF)
    assert by_value.tolist() == [True, False, False, False]  # the others fit their boxes
    by_ray = read_conflict.py_func(work, box, choosable, UNBOUNDED)
    assert by_ray.tolist() == [True, True, False, False]
