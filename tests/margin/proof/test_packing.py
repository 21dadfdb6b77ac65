"""What conflicts prove together, against all choices of wrong rows."""

from __future__ import annotations

import itertools

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from frugalsvm.margin.classifiers.drafts import Limits
from frugalsvm.margin.conflicts import Pool, add_conflict, make_pool
from frugalsvm.margin.proof.packing import (
    OVERDRAWN,
    PRUNE,
    by_size,
    charge,
    harden_unaffordable,
    pack_node,
    surrogates,
)
from frugalsvm.margin.proof.tree import FREE, HARD, UNDECIDED, Node, Rules
from frugalsvm.runtime.compiled import kernel

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


@kernel
def packed(limits: Limits, rules: Rules, pool: Pool, node: Node) -> int:
    return int(pack_node(limits, rules, pool, node))


def choices(decided: np.ndarray, limits: Limits, conflicts: list[set[int]]) -> list[np.ndarray]:
    """Return all sets of wrong rows that the node, the limits and the conflicts allow."""
    open_rows = np.flatnonzero(decided == UNDECIDED)
    found = []
    for size in range(len(open_rows) + 1):
        for chosen in itertools.combinations(open_rows.tolist(), size):
            wrong = decided == FREE
            wrong[list(chosen)] = True
            used = limits.use @ (wrong & limits.choosable)
            if np.all(used <= limits.caps) and all(wrong[list(c)].any() for c in conflicts):
                found.append(wrong)
    return found


@pytest.mark.parametrize("packing", [True, False])
@pytest.mark.parametrize("block", range(4))
def test_a_node_is_closed_only_where_no_choice_is_left(block: int, packing: bool) -> None:
    """Several limits at a time, rows of several limits, rows that are decided already."""
    closed = hardened = 0
    for seed in range(60 * block, 60 * (block + 1)):
        rng = np.random.default_rng(seed)
        k = int(rng.integers(1, 4))
        use = rng.integers(0, 3, (k, N)) * (rng.random((k, N)) < 0.7)
        use[0, ~use.any(axis=0)] = 1  # a limit counts every row
        caps = rng.integers(0, 5, k).astype(float)
        nobody = np.zeros(N, dtype=np.bool_)
        limits = Limits(use.astype(float), caps, nobody, use.any(axis=0), np.ones(N))
        pool = make_pool(8, 64)
        conflicts = [set(np.flatnonzero(rng.random(N) < 0.4).tolist()) for _ in range(4)]
        conflicts = [c for c in conflicts if c]
        for conflict in conflicts:
            add_conflict.py_func(pool, flags(conflict), 1.0)
        sums = surrogates(k)
        rules = Rules(sums, np.ascontiguousarray(sums @ limits.use), 100, True, packing, True)
        decided = rng.choice([FREE, UNDECIDED, UNDECIDED, HARD], N).astype(np.int8)
        room = np.zeros((len(sums), N)), np.zeros(len(sums)), nobody.copy(), nobody.copy()
        left = choices(decided, limits, conflicts)
        node = Node(decided.copy(), *room)
        code = packed(limits, rules, pool, node)
        overdrawn = np.any(limits.use @ ((decided == FREE) & limits.choosable) > caps)
        assert (code == OVERDRAWN) == overdrawn
        if code in (PRUNE, OVERDRAWN):
            closed += 1
            assert left == []
        elif code >= 0:
            assert not any(node.decided[i] == FREE for i in conflicts[code])
        for i in np.flatnonzero(node.decided != decided):
            hardened += 1
            assert node.decided[i] == HARD
            assert code in (PRUNE, OVERDRAWN) or not any(wrong[i] for wrong in left)
    assert closed >= 10
    assert hardened >= 10
