"""Among supports of equal cost: the one that leaves the most slack in the budgets.

Slack is what a support's best known hyperplane leaves of the two budgets: compared by its sum,
then by the smaller of the two, then the lowest indices win. Supports of equal cost are those
met during the search, and the neighbours of the best of them (one feature exchanged). Neither
list is claimed to be complete: the cost is proven, the preference is an effort.
"""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from frugalsvm.search.problem.fit import Recipe, trimmed_fit
from frugalsvm.search.problem.hyperplane import Hyperplane
from frugalsvm.search.problem.reduction import CoreProblem, Floats
from frugalsvm.search.state import SearchState
from frugalsvm.search.tuning import (
    MOST_EQUALS,
    TIES_RIDGE,
    TIES_ROUNDS,
    TIES_WORK,
)


def prefer_slack(state: SearchState, n_alternatives: int) -> tuple[tuple[int, ...], ...]:
    """Replace the best answer by an equal one with more slack; return further equal supports."""
    if state.best is None or (not state.options.ties and n_alternatives == 0):
        return ()
    core = state.core
    if core.need_pos > 0 and core.need_neg > 0:
        for support in sorted(state.equals)[:MOST_EQUALS]:
            widen(state, support)
        for support in neighbours(state, ranked(state)[0].support, n_alternatives):
            widen(state, support)
    order = ranked(state)
    if state.options.ties:
        state.best = order[0]
    chosen = state.best.support
    others = [found.support for found in order if found.support != chosen]
    return tuple(others[:n_alternatives])


def ranked(state: SearchState) -> list[Hyperplane]:
    """Return the known answers of the best cost, the preferred one first."""
    found = state.equals.values()
    return sorted(found, key=lambda h: (-h.slack[0], -h.slack[1], len(h.support), h.support))


def widen(state: SearchState, support: tuple[int, ...]) -> None:
    """Tighten the budgets in turn while the support meets them, offering every fit that does.

    Large budgets are tightened in large steps first, so that the fits stay few.
    """
    core = state.core
    chosen = core.core_support(support)
    if not chosen:
        return
    work = TIES_WORK
    tight = core
    step = max(1, max(core.budget_pos, core.budget_neg) // 2)
    while step > 0 and work > 0 and not state.stop():
        for attempt in tighter(tight, step):
            work -= TIES_ROUNDS / 2 * core.n_samples * (len(chosen) + 2) ** 2
            gap, direction = fitted(attempt, chosen)
            if gap >= core.floor:
                state.offer(direction, attempt)
                tight = attempt
                break
        else:
            step //= 2


def tighter(core: CoreProblem, step: int) -> list[CoreProblem]:
    """Return the problem with fewer errors allowed, in the class with more room first."""
    attempts = []
    if core.budget_pos >= step:
        attempts.append(
            replace(core, budget_pos=core.budget_pos - step, need_pos=core.need_pos + step)
        )
    if core.budget_neg >= step:
        attempts.append(
            replace(core, budget_neg=core.budget_neg - step, need_neg=core.need_neg + step)
        )
    if core.budget_neg > core.budget_pos:
        attempts.reverse()
    return attempts


def fitted(core: CoreProblem, chosen: tuple[int, ...]) -> tuple[float, Floats]:
    """Return a direction on the chosen features that tends to meet the budgets, and its gap."""
    points = np.ascontiguousarray(core.columns[list(chosen)].T)
    w, found = np.zeros(len(chosen) + 1), np.zeros(len(chosen))
    gap, _, _ = trimmed_fit(
        points,
        core.n_pos,
        core.weight,
        core.needs,
        core.floor,
        Recipe(TIES_ROUNDS, TIES_RIDGE),
        w,
        found,
    )
    direction = np.zeros(core.n_features)
    direction[list(chosen)] = found
    return float(gap), direction


def neighbours(
    state: SearchState, support: tuple[int, ...], n_alternatives: int
) -> list[tuple[int, ...]]:
    """Return the equal supports with one feature exchanged that a fit finds feasible."""
    core = state.core
    priced = set(core.priced.tolist())
    chosen = core.core_support(support)
    if len(chosen) < 2:
        return []  # all single features were looked at before
    work = TIES_WORK * (1 + 10 * (n_alternatives > 0))
    found: list[tuple[int, ...]] = []
    for out in chosen:
        if out not in priced:
            continue
        rest = tuple(k for k in chosen if k != out)
        for k in core.priced:
            if work < 0 or state.stop() or len(found) >= MOST_EQUALS + n_alternatives:
                return found
            trial = tuple(sorted((*rest, int(k))))
            if int(k) in chosen or core.cost(trial) != state.cost:
                continue
            work -= TIES_ROUNDS / 2 * core.n_samples * (len(trial) + 2) ** 2
            gap, direction = fitted(core, trial)
            if gap >= core.floor:
                state.offer(direction)
                found.append(core.original_support(trial))
    return found
