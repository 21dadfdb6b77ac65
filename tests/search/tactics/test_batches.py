"""Supports judged together: in their order, none lost, the first feasible one offered."""

from __future__ import annotations

from collections import deque
from concurrent.futures import ThreadPoolExecutor
from functools import partial

import numpy as np
import pytest

from frugalsvm.runtime.stopping import Stopper
from frugalsvm.search.oracles.batch import Judged
from frugalsvm.search.problem.reduction import reduce_problem
from frugalsvm.search.state import SearchState
from frugalsvm.search.tactics.batches import (
    begin,
    from_queue,
    in_order,
    judge_batch,
    keep_open,
    offer_feasible,
)
from frugalsvm.search.tuning import EFFORTS, UNION_BATCH, UNION_EFFORT
from frugalsvm.search.verdict import FEASIBLE, INFEASIBLE, UNDECIDED
from reference_oracles import all_supports, core_of
from reference_selection import is_feasible, large_budgets


def large_state(stop: Stopper | None = None, threads: int = 1) -> SearchState:
    core = reduce_problem(large_budgets(0))
    return SearchState(core, stop or Stopper(60.0), threads=threads)


def batch_of(codes: list[int], directions: list[np.ndarray] | None = None) -> Judged:
    """Return the supports {0, 1}, {1, 2}, ... with these verdicts."""
    rows = np.array([[r, r + 1] for r in range(len(codes))])
    found = np.ones(rows.shape) if directions is None else np.array(directions)
    return Judged(rows, np.full(len(codes), 2), np.array(codes), found)


@pytest.mark.parametrize("threads", [1, 2])
@pytest.mark.parametrize("seed", range(90, 100))
def test_batches_come_in_the_order_of_the_queue(seed: int, threads: int) -> None:
    core = core_of(seed)
    supports = all_supports(range(core.n_features))[1:]
    state = SearchState(core, Stopper(60.0), threads=threads)
    with ThreadPoolExecutor(threads) as pool:
        source = partial(from_queue, deque(supports))
        seen = []
        for batch in in_order(state, pool, source, EFFORTS[2]):
            (row,), (size,), (code,) = batch.rows, batch.sizes, batch.verdicts
            seen.append(tuple(row[:size].tolist()))
            original = tuple(core.feature_ids[row[:size]].tolist())
            if code != UNDECIDED:
                assert (code == FEASIBLE) == is_feasible(core.source, original)
    assert seen == supports


def test_when_it_is_time_to_stop_nothing_more_is_drawn_and_nothing_drawn_is_lost() -> None:
    stop = Stopper(60.0)
    state = large_state(stop)
    queue = deque(all_supports(range(8))[1:])
    whole = set(queue)
    with ThreadPoolExecutor(1) as pool:
        seen = []
        for batch in in_order(state, pool, partial(from_queue, queue), EFFORTS[0], ahead=3):
            seen.append(tuple(batch.rows[0].tolist()))
            stop.interrupt()
    assert len(seen) == 3
    assert {*seen, *queue} == whole


def test_dropped_batches_let_kernels_run_again() -> None:
    state = large_state()
    queue = deque(all_supports(range(8))[1:])
    with ThreadPoolExecutor(1) as pool:
        batches = in_order(state, pool, partial(from_queue, queue), EFFORTS[2], ahead=20)
        next(batches)
        batches.close()
    assert state.halt[0] == 0


def test_the_first_feasible_support_of_a_batch_is_offered() -> None:
    state = large_state()
    wide = np.array([1.0, 1.0])
    batch = batch_of([INFEASIBLE, UNDECIDED, FEASIBLE, FEASIBLE], [wide] * 4)
    offered: list[np.ndarray] = []
    state.offer = lambda direction: offered.append(direction) or True  # type: ignore[method-assign]
    assert offer_feasible(state, batch)
    np.testing.assert_array_equal(offered, [np.isin(np.arange(8), [2, 3]).astype(float)])
    assert not offer_feasible(state, batch_of([INFEASIBLE, UNDECIDED]))
    assert len(offered) == 1


def test_what_is_not_ruled_out_stays_open_until_an_answer_is_found() -> None:
    state = large_state()
    state.offer = lambda direction: direction[4] == 7.0  # type: ignore[method-assign]
    never = np.array([1.0, 1.0])
    first = batch_of([INFEASIBLE, UNDECIDED, FEASIBLE], [never] * 3)  # no better answer, this one
    answer = batch_of([UNDECIDED, UNDECIDED, UNDECIDED, UNDECIDED, FEASIBLE], [[7.0, 1.0]] * 5)
    left: list[tuple[int, ...]] = []
    assert not keep_open(state, (b for b in [first]), left)
    assert left == [(1, 2), (2, 3)]
    later = (b for b in [answer, first])
    assert keep_open(state, later, [])
    assert next(later, None) is None  # closed: what comes later is not judged


@pytest.mark.parametrize("number", [1, UNION_BATCH, 2 * UNION_BATCH + 3])
def test_many_sets_are_judged_in_parts_and_come_back_whole(number: int) -> None:
    core = core_of(7)
    state = SearchState(core, Stopper(60.0), threads=2)
    supports = (all_supports(range(core.n_features))[1:] * number)[:number]
    rows = np.zeros((number, core.n_features), np.int64)
    for row, support in zip(rows, supports, strict=True):
        row[: len(support)] = support
    sizes = np.array([len(s) for s in supports])
    for affordable in (True, False):
        effort = EFFORTS[0] if affordable else UNION_EFFORT
        with ThreadPoolExecutor(2) as pool:
            whole = begin(state, pool, UNION_EFFORT, rows, sizes, affordable)()
        alone = judge_batch(state, rows, sizes, effort)
        np.testing.assert_array_equal(whole.verdicts, alone.verdicts)
        assert whole.directions.shape == rows.shape
