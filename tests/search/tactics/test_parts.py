"""The tactics one by one: what each finds and proves, on problems that brute force can solve."""

from __future__ import annotations

import math
from collections import deque
from concurrent.futures import ThreadPoolExecutor
from functools import partial

import numpy as np
import pytest

from frugalsvm.data.result import Status
from frugalsvm.runtime.stopping import Stopper
from frugalsvm.search import Knowledge, search
from frugalsvm.search.problem.catalogue import catalogue
from frugalsvm.search.problem.reduction import reduce_problem
from frugalsvm.search.state import SearchState
from frugalsvm.search.tactics.batches import from_queue, in_order, keep_open
from frugalsvm.search.tactics.cover.cuts import Grower
from frugalsvm.search.tactics.cover.node import drop, node_cost, prices_of, relax, root_node, take
from frugalsvm.search.tactics.enumeration import Enumeration
from frugalsvm.search.tactics.last_resort import LastResort
from frugalsvm.search.tactics.scan import Scan, cheapest_pair, single_gaps
from frugalsvm.search.tactics.seeds import Seeds
from frugalsvm.search.tactics.sieved_supports import Sifted
from frugalsvm.search.tactics.ties import tighter
from frugalsvm.search.tuning import EFFORTS
from frugalsvm.search.walks.maximal_supports import MaximalSupports
from reference_selection import brute_force, is_feasible, largest_gap, random_problem


def states(seeds: range) -> list[SearchState]:
    """Return the states of problems with something to choose and nothing included."""
    found = [SearchState(reduce_problem(random_problem(seed)), Stopper(60.0)) for seed in seeds]
    return [s for s in found if len(s.core.priced) and s.core.need_pos and s.core.need_neg]


def test_the_scan_decides_single_features() -> None:
    for state in states(range(30)):
        core = state.core
        if len(core.free):
            continue
        gaps = single_gaps(core, core.columns).max(axis=0)
        for k in range(core.n_features):
            widest = largest_gap(core.source, (int(core.feature_ids[k]),))  # of weights up to 1
            assert max(0.0, gaps[k]) == pytest.approx(widest, abs=1e-9)
        state.perform(Scan())
        assert state.bound == min(state.cost, cheapest_pair(core))


def test_the_enumeration_alone_finds_and_proves_the_optimum() -> None:
    for state in states(range(60, 85)):
        state.perform(Enumeration())
        cost, _ = brute_force(state.core.source)
        if not math.isinf(cost):
            assert state.closed
            assert state.amounts()[0] == pytest.approx(cost)


def test_the_last_resort_finds_something_or_proves_that_there_is_nothing() -> None:
    for state in states(range(700, 725)):
        state.perform(LastResort())
        feasible = not math.isinf(brute_force(state.core.source)[0])
        assert feasible == (state.best is not None) or not state.closed
        assert not (feasible and math.isinf(state.bound))


def test_seeds_are_tried_and_proofs_taken_over() -> None:
    problem = random_problem(24)
    knowledge = Knowledge()
    first = search(problem, stop=Stopper(60.0), knowledge=knowledge)
    assert first.status is Status.OPTIMAL
    state = SearchState(reduce_problem(problem), Stopper(60.0))
    state.perform(Seeds(knowledge))
    assert state.closed
    assert state.amounts() == (first.cost, first.bound)


def test_batches_come_in_order_and_nothing_is_lost() -> None:
    for state in states(range(90, 100)):
        core = state.core
        features = catalogue(core)
        limit = features.limit(core.cost(tuple(core.priced.tolist())) - 1)
        with ThreadPoolExecutor(2) as pool:
            drawn = Sifted(state, MaximalSupports(features, limit), pool)
            rows = []
            while (batch := drawn.draw()) is not None:
                rows += [tuple(r[:m].tolist()) for r, m in zip(*batch, strict=True)]
            supports = [tuple(sorted(row)) for row in rows]
            queue = deque(supports)
            undecided: list[tuple[int, ...]] = []
            batches = in_order(state, pool, partial(from_queue, queue), EFFORTS[2])
            found = keep_open(state, batches, undecided)
        passing = [s for s in supports if is_feasible(core.source, core.original_support(s))]
        assert found == bool(passing) or set(passing) <= set(undecided)


def test_tighter_budgets_keep_the_totals() -> None:
    core = states(range(5, 30))[0].core
    for tight in tighter(core, 1):
        assert tight.budget_pos + tight.need_pos == core.budget_pos + core.need_pos
        assert tight.budget_neg + tight.need_neg == core.budget_neg + core.need_neg
        fewer = tight.budget_pos + tight.budget_neg
        assert fewer == core.budget_pos + core.budget_neg - 1


def test_what_grows_stays_infeasible() -> None:
    grown_at_all = 0
    for state in states(range(30, 60)):
        core = state.core
        grown, verdict = Grower(state).grow(core.priced[:0], core.priced, sure=True)
        if grown is None:
            assert verdict is not None
            continue
        grown_at_all += 1
        support = core.original_support(tuple(int(k) for k in grown))
        assert not is_feasible(core.source, support)
    assert grown_at_all >= 10


def test_nodes_of_covers_pay_groups_once_and_drop_copies() -> None:
    for state in states(range(40)):
        core = state.core
        prices = prices_of(core)
        node = root_node(prices)
        for feature in range(len(core.priced)):
            node = take(prices, node, feature)
            inside = tuple(int(k) for k in core.priced[node.inside])
            assert node_cost(prices, node) * prices.scale == core.cost(inside)
        empty = drop(prices, root_node(prices), np.ones(len(core.priced), np.bool_))
        cuts = np.ones((1, len(core.priced)), np.bool_)
        bound = relax(prices, empty, cuts, math.inf).bound
        assert math.isinf(bound) or np.any(empty.inside)  # nothing is left to hit the cut with
