"""All single features at once: two selections a feature decide each of them exactly."""

from __future__ import annotations

import math

import numpy as np

from frugalsvm.search.problem.reduction import CoreProblem, Floats
from frugalsvm.search.state import SearchState

BLOCK = 2_000_000  # numbers sorted between two looks at the clock


class Scan:
    """Decides every support of one feature; raises the bound to the cheapest pair."""

    name = "scan"

    def run(self, state: SearchState) -> None:
        """Offer the cheapest feature that suffices, all of that price."""
        core = state.core
        if len(core.free) > 0 or core.n_features == 0:
            return
        step = max(1, BLOCK // max(1, core.n_samples))
        gaps = []
        for start in range(0, core.n_features, step):
            gaps.append(single_gaps(core, core.columns[start : start + step]))
            if state.stop():
                return
        up, down = np.hstack(gaps)
        good = np.flatnonzero(np.maximum(up, down) >= core.floor)
        single, one = np.arange(core.n_features).reshape(-1, 1), np.ones(core.n_features, np.int64)
        state.door.rule_out_rows(single, one, np.maximum(up, down) < core.floor, "scan")
        costs = {int(k): core.cost((int(k),)) for k in good}
        for k in sorted(costs, key=lambda k: (costs[k], k)):
            if costs[k] > state.cost:
                break
            direction = np.zeros(core.n_features)
            direction[k] = 1.0 if up[k] >= down[k] else -1.0
            state.offer(direction)
        state.raise_bound(cheapest_pair(core))


def single_gaps(core: CoreProblem, columns: Floats) -> Floats:
    """Return gap(e_k) and gap(-e_k) for each of the columns, as two rows."""
    n = core.n_pos
    pos_low, pos_high = _both_ends(columns[:, :n], core.weight[:n], core.need_pos)
    neg_low, neg_high = _both_ends(columns[:, n:], core.weight[n:], core.need_neg)
    return np.vstack((pos_high - neg_low, neg_high - pos_low))


def _both_ends(values: Floats, weight: np.ndarray, need: int) -> tuple[Floats, Floats]:
    """Return the need-th smallest and the need-th largest value of each row, by weight."""
    total = int(weight.sum())
    if total == len(weight):
        ends = np.partition(values, (need - 1, total - need), axis=1)
        return ends[:, need - 1], ends[:, total - need]
    order = np.argsort(values, axis=1, kind="stable")
    reached = np.cumsum(weight[order], axis=1)
    low = np.argmax(reached >= need, axis=1)
    high = np.argmax(reached > total - need, axis=1)
    rows = np.arange(len(values))
    return values[rows, order[rows, low]], values[rows, order[rows, high]]


def cheapest_pair(core: CoreProblem) -> float:
    """Return a lower bound on the cost of any support of two features or more."""
    if core.n_features < 2:
        return math.inf
    dearer = sorted(core.costs.alone())[1]
    return max(sum(sorted(core.costs.feature)[:2]), dearer)
