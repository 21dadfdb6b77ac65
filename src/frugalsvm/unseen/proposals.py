"""Which panels are worth a cross-validation.

Three sources, none of which looks at cross-validated rates: the selection problem (P1) at targets
raised by some standard errors; cheap subsets of small squared loss; all features.
"""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from frugalsvm.dispatch import Engine
from frugalsvm.problem import SelectionProblem
from frugalsvm.search import Knowledge, SearchOptions
from frugalsvm.stopping import Stopper
from frugalsvm.unseen.subsets import Support, priced_subsets
from frugalsvm.unseen.threshold import Reserve

RUNGS = (3.0, 2.0, 1.0)
"""Standard errors by which the targets are raised, the tightest first: its answer serves all."""
WITHOUT_PROOF = SearchOptions(
    improvement=False,
    cells=False,
    conflicts=False,
    directions=False,
    enumeration=False,
    cover=False,
)
"""The heuristics of the search alone: a proof about training rates is of no use here."""
ALMOST = 1e-9


def propose(
    problem: SelectionProblem,
    reserve: Reserve,
    engine: Engine,
    *,
    max_cost: float | None,
    stop: Stopper,
) -> list[Support]:
    """Return the panels to look at, by cost; none of them is dearer than `max_cost`.

    Parameters
    ----------
    problem : SelectionProblem
        Data, prices, and which features may be used.
    reserve : Reserve
        The targets asked for.
    engine : Engine
        Who solves P1.
    max_cost : float or None
        The most that a panel may cost.
    stop : Stopper
        Ends the work; there is always a panel.
    """
    found = {tuple(np.flatnonzero(~problem.exclude).tolist())}
    found.update(priced_subsets(problem, stop))
    found.update(tightened(problem, reserve, engine, stop))
    found.add(tuple(np.flatnonzero(problem.include).tolist()))
    if max_cost is not None:
        most = max_cost * (1 + ALMOST)
        found = {support for support in found if problem.costs.cost(support) <= most}
    return sorted(found, key=lambda support: (problem.costs.cost(support), len(support), support))


def tightened(
    problem: SelectionProblem, reserve: Reserve, engine: Engine, stop: Stopper
) -> list[Support]:
    """Return the panels that P1 finds at targets raised by some standard errors."""
    knowledge = Knowledge()
    found = []
    for steps in RUNGS:
        budget = reserve.tightened(steps).budget(problem.n_positive, problem.n_negative)
        if stop():
            break
        result = engine.select(
            replace(problem, budget=budget), stop, knowledge=knowledge, options=WITHOUT_PROOF
        )
        if result.has_answer:
            found.append(result.support)
    return found
