"""Deciding all the supports just below the best cost, batch by batch, on several threads."""

from __future__ import annotations

import math
from collections import deque
from collections.abc import Iterator
from concurrent.futures import Future, ThreadPoolExecutor
from dataclasses import dataclass

import numpy as np

from frugalsvm.search.decide import decide
from frugalsvm.search.directions import FEASIBLE, INFEASIBLE
from frugalsvm.search.heuristic import Heuristic
from frugalsvm.search.maximal import Catalogue, MaximalSupports, catalogue
from frugalsvm.search.oracles import Effort
from frugalsvm.search.reduction import Floats, Ints
from frugalsvm.search.state import SearchState, strictly_below

BATCH = 64  # supports, for some hundreds of samples
BOXES = 300
CONFLICT_NODES = 100
WORK = ("by cells", "by conflicts", "by directions", "left", "conflict nodes", "boxes")
GROWTH = 3.0  # supports of a stage over those of the one before, at least
FIRST_STAGE = 50  # supports
BISECTIONS = 12
HEURISTIC_SHARE = 5e3  # multiplications of the heuristic per support of the stage


@dataclass(frozen=True, eq=False)
class Batch:
    """Supports (with the free features) and their verdicts."""

    rows: Ints
    sizes: Ints
    verdicts: Ints
    directions: Floats


class Enumeration:
    """Proves, cost by cost, that no cheaper support is feasible, or finds one."""

    name = "enumeration"

    def run(self, state: SearchState) -> None:
        """Raise the bound stage by stage up to the best cost."""
        if not state.options.enumeration:
            return
        features = catalogue(state.core)
        size, stage = 0, 1
        while not state.finished():
            goal, size = next_goal(state, features, size)
            Heuristic(work=HEURISTIC_SHARE * size, seed=stage).run(state)
            goal = min(goal, state.cost)
            stage += 1
            if not prove_below(state, features, goal):
                return


def next_goal(state: SearchState, features: Catalogue, size: int) -> tuple[float, int]:
    """Return the next cost below which all supports are to be decided, and how many they are.

    Stages grow by a factor, so that the early ones, which exist for the anytime bound and for
    lucky finds, cost little in comparison. The last stage ends at the best cost, or without one
    at infinity, where the only maximal support is the whole.
    """
    base = state.core.base_cost
    wanted = max(FIRST_STAGE, int(GROWTH * size))
    whole = base + float(np.sum(features.price) + np.sum(features.group_price))
    top = min(state.cost, whole + 1.0)
    if support_count(state, features, top, wanted) < wanted:
        return state.cost, wanted
    low, high = max(state.bound, base), top
    for _ in range(BISECTIONS):
        middle = 0.5 * (low + high)
        if support_count(state, features, middle, wanted) < wanted:
            low = middle
        else:
            high = middle
    goal = rounded_up(features, high - base) + base
    return min(goal, state.cost), support_count(state, features, goal, 4 * wanted)


def support_count(state: SearchState, features: Catalogue, goal: float, most: int) -> int:
    """Return how many maximal supports are cheaper than `goal`, at most `most`."""
    limit = strictly_below(goal) - state.core.base_cost
    if limit < 0:
        return 0
    return MaximalSupports(features, limit).count(most)


def rounded_up(features: Catalogue, cost: float) -> float:
    """Return the next multiple of the prices' common divisor, if they are whole numbers."""
    prices = np.concatenate((features.price, features.group_price))
    whole = np.round(prices).astype(np.int64)
    if np.any(prices != whole) or not np.any(whole):
        return cost
    divisor = int(np.gcd.reduce(whole))
    return math.ceil(cost / divisor - 1e-9) * float(divisor)


def prove_below(state: SearchState, features: Catalogue, goal: float) -> bool:
    """Decide all supports cheaper than `goal`; False if that was not possible.

    A feasible support ends the stage: it is offered, and the next stage starts below it.
    """
    limit = strictly_below(goal) - state.core.base_cost
    walk = MaximalSupports(features, limit)
    undecided: list[tuple[int, ...]] = []
    with ThreadPoolExecutor(max(1, state.threads)) as pool:
        for batch in in_order(state, walk, pool):
            if offer_feasible(state, batch):
                return True
            for r in np.flatnonzero(batch.verdicts != INFEASIBLE):
                undecided.append(tuple(int(k) for k in batch.rows[r, : batch.sizes[r]]))
            if state.stop():
                return False
    if not settle(state, undecided):
        return False
    state.raise_bound(goal)
    return True


def in_order(
    state: SearchState, walk: MaximalSupports, pool: ThreadPoolExecutor
) -> Iterator[Batch]:
    """Judge the batches on the threads; yield them in the order of the walk."""
    n = state.core.n_samples
    waiting: deque[Future[Batch]] = deque()
    while waiting or not walk.over:
        while not walk.over and len(waiting) < 2 * state.threads and not state.stop():
            rows, sizes = walk.next_batch(max(1, int(BATCH * min(1.0, 600 / n))))
            if len(sizes):
                waiting.append(pool.submit(_judge_batch, state, walk.catalogue, rows, sizes))
        if not waiting:
            return
        yield waiting.popleft().result()


def _judge_batch(state: SearchState, features: Catalogue, rows: Ints, sizes: Ints) -> Batch:
    free = state.core.free.astype(np.int64)
    full = np.zeros((len(rows), rows.shape[1] + len(free)), np.int64)
    full[:, : len(free)] = free
    full[:, len(free) :] = features.features[rows]
    boxes = max(20, int(BOXES * min(1.0, 2_000 / state.core.n_samples)))
    effort = Effort(True, CONFLICT_NODES, boxes).allowed_by(state.options)
    verdicts, directions, work = state.oracles.judge(full, sizes + len(free), effort)
    for name, amount in zip(WORK, work, strict=True):
        if amount:
            state.count(name, int(amount))
    return Batch(full, sizes + len(free), verdicts, directions)


def offer_feasible(state: SearchState, batch: Batch) -> bool:
    """Offer the first feasible support of the batch, if there is one."""
    feasible = np.flatnonzero(batch.verdicts == FEASIBLE)
    if len(feasible) == 0:
        return False
    r = feasible[0]
    direction = np.zeros(state.core.n_features)
    size = batch.sizes[r]
    direction[batch.rows[r, :size]] = batch.directions[r, :size]
    return state.offer(direction)


def settle(state: SearchState, undecided: list[tuple[int, ...]]) -> bool:
    """Decide what the kernels left open, with growing effort; False if something stays open."""
    for effort in (2, 3, 4):
        left = []
        for support in undecided:
            if state.stop():
                return False
            verdict = decide(state, support, effort)
            if verdict.direction is not None and state.offer(verdict.direction):
                return True
            if not verdict.infeasible:
                left.append(support)
        undecided = left
    return not undecided
