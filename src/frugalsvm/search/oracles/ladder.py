"""Whether one support is feasible: the oracles, from the cheapest to the surest."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from frugalsvm.search.oracles.batch import Effort
from frugalsvm.search.oracles.errors.branch_and_cut import ErrorCuts
from frugalsvm.search.problem.fit import trimmed_fit
from frugalsvm.search.problem.reduction import CoreProblem, Floats
from frugalsvm.search.state import SearchState
from frugalsvm.search.verdict import INFEASIBLE, UNDECIDED, Feasibility, Verdict

CONFLICT_NODES = 1_000
BOXES = 500
CUT_NODES = 500
MANY_BOXES = 2_000_000  # before branch and cut, which is slow where budgets are large
NO_LIMIT = 10**15
MOST_SAMPLES = 5_000  # for branch and cut
EMPHASES = (1.0, 3.0, 1 / 3, 10.0, 0.1)
ROUNDS = 40
RIDGE = 1e-3


def decide(state: SearchState, support: tuple[int, ...], effort: int = 1) -> Verdict:
    """Judge a core support (the free features are added); more effort leaves less undecided.

    Effort 1 takes some milliseconds; 2 and more go on with many boxes, branch and cut, and then
    boxes until it is time to stop.
    """
    chosen = state.core.with_free(support)
    if len(chosen) == 0:
        return state.door.ask("no features", chosen, lambda: INFEASIBLE)
    guess = guessed(state.core, chosen)
    if guess is not None:
        return Verdict(Feasibility.FEASIBLE, guess)
    more = 10 ** (effort - 1)
    least = Effort(BOXES * more, CONFLICT_NODES * more, BOXES * more)
    verdict = _judged_by_kernels(state, chosen, least)
    if verdict.decided or effort == 1 or state.stop():
        return verdict
    verdict = _judged_by_kernels(state, chosen, Effort(0, 0, MANY_BOXES))
    if not verdict.decided and state.options.cuts and state.core.n_samples <= MOST_SAMPLES:
        cuts = ErrorCuts(state.core, chosen.astype(np.int64), state.stop)
        verdict = state.door.ask("error cuts", chosen, lambda: cuts.judge(CUT_NODES * more))
    if verdict.decided or state.stop():
        return verdict
    return _judged_by_kernels(state, chosen, Effort(0, 0, NO_LIMIT))


def _judged_by_kernels(state: SearchState, chosen: NDArray[np.intp], effort: Effort) -> Verdict:
    """Judge a support by the compiled oracles."""
    verdicts, directions, _ = state.oracles.judge(
        chosen.astype(np.int64).reshape(1, -1),
        np.array([len(chosen)], dtype=np.int64),
        effort.allowed_by(state.options).scaled(state.core.n_samples),
    )
    if verdicts[0] == Feasibility.INFEASIBLE.value:
        return INFEASIBLE
    if verdicts[0] == Feasibility.FEASIBLE.value:
        direction = np.zeros(state.core.n_features)
        direction[chosen] = directions[0]
        return Verdict(Feasibility.FEASIBLE, direction)
    return UNDECIDED


def guessed(core: CoreProblem, chosen: NDArray[np.intp]) -> Floats | None:
    """Return a direction that meets the budgets if one of several fits finds it."""
    gap, direction = nearest(core, chosen, EMPHASES, ROUNDS)
    return direction if gap >= core.floor else None


def nearest(
    core: CoreProblem, chosen: NDArray[np.intp], emphases: Sequence[float], rounds: int
) -> tuple[float, Floats]:
    """Return the largest gap of several fits, and its direction; stop at one that is enough."""
    points = np.ascontiguousarray(core.columns[chosen].T)
    best, direction = -np.inf, np.zeros(core.n_features)
    for emphasis in emphases:
        w, found = np.zeros(len(chosen) + 1), np.zeros(len(chosen))
        gap, _, _ = trimmed_fit(
            points, core.n_pos, core.weight, core.need_pos, core.need_neg, core.floor,
            rounds, RIDGE, emphasis, w, found,
        )  # fmt: skip
        if gap > best:
            best, direction[chosen] = gap, found
        if best >= core.floor:
            break
    return best, direction
