"""Whether one support is feasible: the oracles, from the cheapest to the surest."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from frugalsvm.search.oracles import judge
from frugalsvm.search.state import (
    INFEASIBLE,
    UNDECIDED,
    Feasibility,
    SearchState,
    Verdict,
)
from frugalsvm.search.support_milp import decide_by_milp

BOXES = 2_000
MILP_SECONDS = 5.0


def decide(state: SearchState, support: tuple[int, ...], effort: int = 1) -> Verdict:
    """Judge a core support (the free features are added); more effort leaves less undecided.

    Effort 1 takes some milliseconds; 2 and more use a MILP as the last resort.
    """
    chosen = state.core.with_free(support)
    if len(chosen) == 0:
        return INFEASIBLE
    verdict = judge_one(state, chosen, BOXES * 10 ** (effort - 1))
    if verdict.feasibility is Feasibility.UNDECIDED and effort > 1 and state.options.milp:
        verdict = decide_by_milp(state.core, chosen, state.stop, MILP_SECONDS * effort)
    return verdict


def judge_one(state: SearchState, chosen: NDArray[np.intp], max_nodes: int) -> Verdict:
    """Run the kernels on one set of core features."""
    rows = chosen.astype(np.int64).reshape(1, -1)
    sizes = np.array([len(chosen)], dtype=np.int64)
    verdicts, directions = judge(state.core, rows, sizes, max_nodes)
    if verdicts[0] == -1:
        return INFEASIBLE
    if verdicts[0] == 0:
        return UNDECIDED
    direction = np.zeros(state.core.n_features)
    direction[chosen] = directions[0]
    return Verdict(Feasibility.FEASIBLE, direction)
