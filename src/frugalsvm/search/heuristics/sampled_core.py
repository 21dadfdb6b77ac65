"""A part of the samples, with its share of the budgets."""

from __future__ import annotations

import math
from dataclasses import replace

import numpy as np

from frugalsvm.search.state import SearchState


def sampled(state: SearchState, size: int, errors: float = 0.0) -> SearchState:
    """Return a search on some of the samples, drawn at random.

    Parameters
    ----------
    size : int
        How many samples.
    errors : float
        Standard errors by which both rates are raised: what holds for a part need not for all.
    """
    core = state.core
    rng = np.random.default_rng(state.seed)
    picked = np.sort(rng.choice(core.n_samples, size, replace=False))
    n_pos = int(np.count_nonzero(picked < core.n_pos))
    weight = core.weight[picked]
    part = replace(
        core,
        columns=np.ascontiguousarray(core.columns[:, picked]),
        n_pos=n_pos,
        weight=weight,
        need_pos=_share(core.need_pos, core.budget_pos, int(weight[:n_pos].sum()), errors),
        need_neg=_share(core.need_neg, core.budget_neg, int(weight[n_pos:].sum()), errors),
    )
    return SearchState(part, state.stop, state.options, halt=state.halt, seed=state.seed)


def _share(need: int, budget: int, size: int, errors: float) -> int:
    """Return how many of so many samples have to be right."""
    rate = need / (need + budget)
    raised = rate + errors * math.sqrt(rate * (1.0 - rate) / max(size, 1))
    return min(max(1, math.ceil(raised * size)), size)
