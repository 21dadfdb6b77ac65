"""Whether one support is feasible: the oracles, from the cheapest to the surest."""

from __future__ import annotations

import numpy as np

from frugalsvm.search.oracles import Effort
from frugalsvm.search.state import (
    INFEASIBLE,
    UNDECIDED,
    Feasibility,
    SearchState,
    Verdict,
)
from frugalsvm.search.support_milp import decide_by_milp

CONFLICT_NODES = 1_000
BOXES = 500
MILP_SECONDS = 5.0


def decide(state: SearchState, support: tuple[int, ...], effort: int = 1) -> Verdict:
    """Judge a core support (the free features are added); more effort leaves less undecided.

    Effort 1 takes some milliseconds; 2 and more use a MILP as the last resort.
    """
    chosen = state.core.with_free(support)
    if len(chosen) == 0:
        return INFEASIBLE
    nodes = Effort(True, CONFLICT_NODES * 10 ** (effort - 1), BOXES * 10 ** (effort - 1))
    rows = chosen.astype(np.int64).reshape(1, -1)
    sizes = np.array([len(chosen)], dtype=np.int64)
    verdicts, directions, _ = state.oracles.judge(rows, sizes, nodes.allowed_by(state.options))
    if verdicts[0] == Feasibility.INFEASIBLE.value:
        return INFEASIBLE
    if verdicts[0] == Feasibility.FEASIBLE.value:
        direction = np.zeros(state.core.n_features)
        direction[chosen] = directions[0]
        return Verdict(Feasibility.FEASIBLE, direction)
    if effort > 1 and state.options.milp:
        return decide_by_milp(state.core, chosen, state.stop, MILP_SECONDS * effort)
    return UNDECIDED
