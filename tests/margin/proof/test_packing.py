"""What conflicts prove together, against all choices of wrong rows."""

from __future__ import annotations

import itertools

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from frugalsvm.margin.conflicts import add_conflict, make_pool
from frugalsvm.margin.proof.packing import by_size, charge, harden_unaffordable, surrogates
from frugalsvm.margin.proof.tree import FREE, HARD, UNDECIDED

N = 6
sets = st.lists(st.sets(st.integers(0, N - 1), min_size=1), max_size=5)
states = st.lists(st.sampled_from([UNDECIDED, UNDECIDED, HARD]), min_size=N, max_size=N)
uses = st.lists(st.integers(1, 3), min_size=N, max_size=N)


def flags(members) -> np.ndarray:
    return np.isin(np.arange(N), list(members))


@given(sets, states, uses, st.integers(0, 6))
def test_a_packing_never_asks_for_more_than_the_truth(conflicts, decided, use, cap) -> None:
    """One limit: if the charges exceed it, so does every choice that hits all conflicts."""
    decided = np.array(decided, dtype=np.int8)
    residual, left = np.array([use], dtype=np.float64), np.array([float(cap)])
    open_rows = np.flatnonzero(decided == UNDECIDED)
    fits = [
        set(chosen)
        for size in range(len(open_rows) + 1)
        for chosen in itertools.combinations(open_rows, size)
        if sum(use[i] for i in chosen) <= cap and all(c & set(chosen) for c in conflicts)
    ]
    for conflict in conflicts:
        if not (conflict & set(open_rows.tolist())):
            continue
        if charge.py_func(np.array(sorted(conflict)), decided, residual, left):
            assert not fits
            return
    before = decided.copy()
    harden_unaffordable.py_func(decided, residual, left)
    for i in np.flatnonzero(before != decided):
        assert not any(i in chosen for chosen in fits)


@given(sets, st.lists(st.sampled_from([FREE, UNDECIDED, HARD]), min_size=N, max_size=N))
def test_small_conflicts_come_first_and_hit_ones_not_at_all(conflicts, decided) -> None:
    pool = make_pool(8, 64)
    for conflict in conflicts:
        assert add_conflict.py_func(pool, flags(conflict), 1.0)
    sizes = np.empty(len(conflicts), dtype=np.int64)
    order = by_size.py_func(pool, len(conflicts), np.array(decided, dtype=np.int8), sizes)
    open_rows = [sum(decided[i] == UNDECIDED for i in c) for c in conflicts]
    unhit = [k for k, c in enumerate(conflicts) if all(decided[i] != FREE for i in c)]
    assert order.tolist() == sorted(unhit, key=lambda k: open_rows[k])


def test_sums_of_limits() -> None:
    assert surrogates(1).tolist() == [[1.0]]
    assert sorted(surrogates(3).tolist()) == [[0, 0, 1], [0, 1, 0], [1, 0, 0], [1, 1, 0], [1, 1, 1]]
