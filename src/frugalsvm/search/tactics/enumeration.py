"""Deciding all the supports just below the best cost, batch by batch, on several threads."""

from __future__ import annotations

from collections import deque
from concurrent.futures import ThreadPoolExecutor
from functools import partial

from frugalsvm.search.heuristics.heuristic import Heuristic
from frugalsvm.search.problem.catalogue import Catalogue, catalogue, cheaper_parts
from frugalsvm.search.state import SearchState
from frugalsvm.search.tactics.batches import begin, from_queue, in_order, keep_open
from frugalsvm.search.tactics.sieved_supports import Sifted
from frugalsvm.search.tactics.undecided import Outcome, settle
from frugalsvm.search.tuning import (
    AHEAD,
    EFFORTS,
    FEW_SUPPORTS,
    HEURISTIC_SHARE,
    MOST_CLUSTERED,
    SIFTED_SHARE,
    SLOW_SHARE,
    UNION_EFFORT,
)
from frugalsvm.search.walks.maximal_supports import MaximalSupports
from frugalsvm.search.walks.stages import next_goal, support_count
from frugalsvm.search.walks.unions import Unions


class Enumeration:
    """Proves, cost by cost, that no cheaper support is feasible, or finds one.

    Parameters
    ----------
    most : int or None
        Leave it to others if more supports than this are to be decided; None: no limit.
    """

    name = "enumeration"

    def __init__(self, most: int | None = None) -> None:
        self.most = most

    def run(self, state: SearchState) -> None:
        """Raise the bound stage by stage up to the best cost."""
        features = catalogue(state.core, state.cost)
        most = self.most
        if most is not None and support_count(features, state.cost, most) >= most:
            return
        sifted = state.sieve is not None and state.sieve.all_discrete
        share = HEURISTIC_SHARE if state.regime.packs_conflicts else SLOW_SHARE
        share = SIFTED_SHARE if sifted else share
        size, stage = 0, 1
        with ThreadPoolExecutor(max(1, state.threads)) as pool:
            while not state.finished():
                goal, size = next_goal(state.core, features, state.bound, state.cost, size)
                state.perform(Heuristic(work=share * size, seed=stage))
                stage += 1
                if state.finished():
                    return
                if not prove_below(state, features, min(goal, state.cost), pool):
                    return


def prove_below(
    state: SearchState, features: Catalogue, goal: float, pool: ThreadPoolExecutor
) -> bool:
    """Decide all supports cheaper than `goal`; False if that was not possible.

    A feasible support ends the stage: it is offered, and the next stage starts below it.
    """
    undecided: list[tuple[int, ...]] = []
    found, over = first_look(state, features, features.limit(goal - 1), pool, undecided)
    if found or not over:
        return found
    undecided = cheaper_parts(state.core, features, undecided, goal)
    for effort in EFFORTS[1:]:
        queue, opened = deque(undecided), list[tuple[int, ...]]()
        batches = in_order(state, pool, partial(from_queue, queue), effort, AHEAD)
        if keep_open(state, batches, opened):
            return True
        undecided = opened + list(queue)
    outcome = settle(state, undecided, pool)
    if outcome is Outcome.PROVEN:
        state.raise_bound(goal)
    return outcome is not Outcome.OPEN


def first_look(
    state: SearchState,
    features: Catalogue,
    limit: float,
    pool: ThreadPoolExecutor,
    undecided: list[tuple[int, ...]],
) -> tuple[bool, bool]:
    """Judge all supports within the limit; return if one was an answer, and if all were judged."""
    if by_unions(state, features, limit):
        unions = Unions(state.core, features, limit)
        with state.tallied("unions"):
            walk = unions.walk(partial(begin, state, pool, UNION_EFFORT), state.stop)
            found = keep_open(state, walk, undecided)
        if found or unions.over or state.stop():
            return found, unions.over
        undecided.clear()
    drawn = Sifted(state, MaximalSupports(features, limit), pool)
    with state.tallied("maximal supports"):
        found = keep_open(state, in_order(state, pool, drawn.draw, EFFORTS[0]), undecided)
    return found, drawn.over


def by_unions(state: SearchState, features: Catalogue, limit: float) -> bool:
    """Return True if unions of similar features are worth a look before single supports."""
    if not (state.options.unions and state.options.conflicts and state.regime.packs_conflicts):
        return False
    if len(features.features) > MOST_CLUSTERED or (state.sieve and state.sieve.all_discrete):
        return False
    if not features.alike:
        return False  # cheap features are in most maximal supports, and unions overlap too much
    return MaximalSupports(features, limit).count(FEW_SUPPORTS) >= FEW_SUPPORTS
