"""The check that a panel and its hyperplanes have to survive, on the raw data, for every target."""

from __future__ import annotations

import math

import numpy as np
from numpy.typing import NDArray

from frugalsvm.data.exceptions import VerificationError
from frugalsvm.data.result import SelectionResult, Status
from frugalsvm.data.verify import verify_selection
from frugalsvm.several.problem import SeveralProblem
from frugalsvm.several.result import PanelResult


def verify_panel(problem: SeveralProblem, result: PanelResult, scores: NDArray[np.float64]) -> None:
    """Raise :class:`VerificationError` unless `result` answers `problem`.

    Parameters
    ----------
    problem : SeveralProblem
        What was asked.
    result : PanelResult
        What was answered.
    scores : ndarray of shape (n_samples, n_targets)
        The hyperplanes' decision values on the user's raw data.
    """
    used: set[int] = {int(k) for k in np.flatnonzero(problem.include)}
    for number in range(len(problem.targets)):
        own = _own_answer(problem, result, number)
        verify_selection(problem.single(number), own, scores[:, number])
        used |= set(own.support)
    cost = problem.costs.cost(result.support)
    checks = {
        f"the hyperplanes use {sorted(used)}, the panel is {list(result.support)}": (
            used == set(result.support)
        ),
        f"cost {result.cost!r} reported, {cost!r} recomputed": result.cost == cost,
        f"bound {result.bound!r} above cost {result.cost!r}": result.bound <= result.cost,
        f"called optimal, but the bound {result.bound!r} is not the cost {result.cost!r}": (
            result.status is not Status.OPTIMAL or result.bound == result.cost
        ),
    }
    failed = [text for text, holds in checks.items() if not holds]
    if failed:
        raise VerificationError(
            f"The panel of {result.solver} {result.solver_version} did not survive recomputation "
            f"from the raw data: {'; '.join(failed)}. Nothing was returned. This is a bug in "
            "frugalsvm: please report it."
        )


def _own_answer(problem: SeveralProblem, result: PanelResult, number: int) -> SelectionResult:
    """Return one target's hyperplane as an answer to its own problem."""
    weights = result.weights[number]
    support = tuple(int(k) for k in np.flatnonzero((weights != 0) | problem.include))
    return SelectionResult(
        status=Status.FEASIBLE,
        support=support,
        weights=weights,
        intercept=float(result.intercepts[number]),
        cost=problem.costs.cost(support),
        bound=-math.inf,
        seconds=result.seconds,
        solver=result.solver,
        solver_version=result.solver_version,
        stop_reason=result.stop_reason,
    )
