"""When nothing was found: whether there is anything at all."""

from __future__ import annotations

from frugalsvm.search.heuristics.attainable import witnesses
from frugalsvm.search.oracles.ladder import climb
from frugalsvm.search.state import SearchState
from frugalsvm.search.tuning import LARGEST_WHOLE, QUICK, Rung


class LastResort:
    """Runs if nothing was found: the witnesses of `attainable`, and the whole judged at once."""

    name = "last resort"

    def __init__(self, ladders: tuple[tuple[Rung, ...], ...] = (QUICK,)) -> None:
        self.ladders = ladders

    def run(self, state: SearchState) -> None:
        """Find what is reported as attainable, or prove that nothing can be found."""
        core = state.core
        if state.best is not None:
            return
        for direction in witnesses(core, state.stop):
            state.offer(direction)
        for rungs in self.ladders:
            if state.best is not None or core.n_features > LARGEST_WHOLE or state.finished():
                return
            verdict = climb(state, core.priced.tolist(), rungs)
            if verdict.direction is not None:
                state.offer(verdict.direction)
            elif verdict.infeasible:
                state.prove_infeasible()
