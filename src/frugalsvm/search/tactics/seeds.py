"""What earlier searches know: their supports are tried, their proofs taken over."""

from __future__ import annotations

import math

from frugalsvm.search.heuristics.fit_cache import Fitter
from frugalsvm.search.knowledge import Knowledge
from frugalsvm.search.state import SearchState


class Seeds:
    """What earlier searches know."""

    name = "knowledge"

    def __init__(self, knowledge: Knowledge) -> None:
        self.knowledge = knowledge

    def run(self, state: SearchState) -> None:
        """Try their supports, take over their proofs."""
        core = state.core
        problem = core.source
        state.raise_bound(core.units_from(self.knowledge.bound_for(problem)))
        fitter = Fitter(state, math.inf)
        for support in self.knowledge.seeds:
            allowed = [k for k in support if k < problem.n_features and not problem.exclude[k]]
            if not state.stop():
                fitter.fit(_priced(state, core.core_support(tuple(allowed))))
        free = set(core.free.tolist())
        for support in self.knowledge.infeasible_for(problem):
            known = set(core.core_support(support))
            if free <= known:
                state.door.rule_out(known, "knowledge")
                state.remember_infeasible(tuple(sorted(known - free)))


def _priced(state: SearchState, support: tuple[int, ...]) -> tuple[int, ...]:
    free = set(state.core.free.tolist())
    return tuple(k for k in support if k not in free)
