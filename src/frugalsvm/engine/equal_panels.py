"""All panels of the least cost: found one by one, until it is proven that there is no other.

After one panel of least cost is known, any other one leaves out something that the first pays for.
So for each paid thing the problem without it is solved, the things before it being kept; what
costs no more is a further panel, and is divided in the same way (Murty's partition). A problem
whose bound exceeds the least cost is done. Features that cost nothing more make no other panel.
"""

from __future__ import annotations

import math
from collections import deque
from dataclasses import dataclass, replace

import numpy as np

from frugalsvm.data.problem import SelectionProblem
from frugalsvm.data.result import Progress, SelectionResult, Status
from frugalsvm.engine.dispatch import Engine
from frugalsvm.runtime.stopping import Stopper
from frugalsvm.search import Knowledge

LEAST_SECONDS = 10.0
"""Of the enumeration; it may also take as long as the search before it did."""

Support = tuple[int, ...]
Paid = frozenset[tuple[str, int]]


@dataclass(frozen=True)
class EqualPanels:
    """Panels of one cost.

    Attributes
    ----------
    supports : tuple of tuples of int
        Further supports of the same cost, no two of which pay for the same things.
    complete : bool
        True if it is proven that there is no other.
    """

    supports: tuple[Support, ...]
    complete: bool


def equal_panels(
    problem: SelectionProblem, result: SelectionResult, most: int, engine: Engine, stop: Stopper
) -> EqualPanels:
    """Return up to `most` further panels that cost as little as a proven optimum.

    Parameters
    ----------
    problem : SelectionProblem
        What was solved.
    result : SelectionResult
        Its answer, with supports of equal cost that were met on the way.
    most : int
        Panels to find at the most.
    engine : Engine
        How to search.
    stop : Stopper
        Ends the work.
    """
    exact = problem.costs.exact
    least = exact.cost(result.support)
    known = {paid_for(problem, support): support for support in result.alternatives}
    own = paid_for(problem, result.support)
    known.pop(own, None)
    if result.status is not Status.OPTIMAL or engine.solver != "auto":
        return EqualPanels(tuple(known.values())[:most], False)
    knowledge = Knowledge(seeds=[result.support, *result.alternatives])
    part = stop.within(max(LEAST_SECONDS, stop.elapsed))
    found = {own: result.support}
    waiting = deque(_divided(problem, result.support))
    complete = True
    while waiting and not part() and len(found) <= most:
        smaller = waiting.popleft()
        answer = _cheapest_within(smaller, result.cost, engine, part, knowledge)
        if answer.support and exact.cost(answer.support) == least:
            found.setdefault(paid_for(problem, answer.support), answer.support)
            waiting.extend(_divided(smaller, answer.support))
        elif answer.status is not Status.INFEASIBLE and answer.bound <= result.cost:
            complete = False
    found.pop(own)
    supports = tuple({**found, **known}.values())
    return EqualPanels(supports[:most], complete and not waiting and len(supports) <= most)


def paid_for(problem: SelectionProblem, support: Support) -> Paid:
    """Return what a support pays for: features and groups that have a price."""
    costs = problem.costs
    features = {("feature", int(k)) for k in support if costs.feature[k] > 0}
    groups = {("group", int(g)) for g in costs.groups_touched(support) if costs.group[g] > 0}
    return frozenset(features | groups)


def _divided(problem: SelectionProblem, support: Support) -> list[SelectionProblem]:
    """Return problems whose answers together are all others: each lacks one thing paid for."""
    parts = []
    kept = problem.include.copy()
    for kind, number in sorted(paid_for(problem, support)):
        lacking = problem.exclude.copy()
        if kind == "feature":
            lacking[number] = True
        else:
            lacking |= np.array([number in groups for groups in problem.costs.groups_of])
        if not (lacking & kept).any():
            parts.append(replace(problem, include=kept.copy(), exclude=lacking))
        if kind == "feature":
            kept[number] = True
    return parts


def _cheapest_within(
    problem: SelectionProblem, cost: float, engine: Engine, stop: Stopper, knowledge: Knowledge
) -> SelectionResult:
    """Solve a problem as far as needed to know whether it has a panel of this cost."""
    seen = {"cost": math.inf, "bound": 0.0}

    def watch(progress: Progress) -> None:
        seen["cost"] = min(seen["cost"], progress.cost)
        seen["bound"] = max(seen["bound"], progress.bound)

    def known() -> bool:
        return seen["bound"] > cost or seen["cost"] <= cost

    part = stop.within(math.inf, until=known)
    return replace(engine, on_progress=watch).select(problem, part, knowledge=knowledge)
