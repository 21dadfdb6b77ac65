"""The answer for several targets as plain data."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

import numpy as np
from numpy.typing import NDArray

from frugalsvm.data.result import Progress, Status, StopReason, relative_gap


@dataclass(frozen=True)
class PanelResult:
    """Answer to a :class:`~frugalsvm.several.problem.SeveralProblem`.

    Attributes
    ----------
    status : Status
        What is known about the panel.
    support : tuple of int
        The chosen features in ascending order; empty if there is no answer.
    weights : ndarray of shape (n_targets, n_features)
        One hyperplane a target, in the problem's standardised units, zero outside the support.
    intercepts : ndarray of shape (n_targets,)
        Their intercepts.
    cost, bound : float
        Cost of the support (inf without an answer), and the proven lower bound on any answer's.
    infeasible : tuple of int
        Targets that all allowed features together cannot meet, proven.
    unmet : tuple of int
        Targets that nothing was found for, the infeasible ones included.
    single_costs, single_bounds : tuple of float
        Cost and bound of each target's own panel, as far as its own search came.
    seconds, solver, solver_version, stop_reason, history, details
        As in :class:`~frugalsvm.data.result.SelectionResult`.
    """

    status: Status
    support: tuple[int, ...]
    weights: NDArray[np.float64]
    intercepts: NDArray[np.float64]
    cost: float
    bound: float
    infeasible: tuple[int, ...]
    unmet: tuple[int, ...]
    single_costs: tuple[float, ...]
    single_bounds: tuple[float, ...]
    seconds: float
    solver: str
    solver_version: str
    stop_reason: StopReason
    history: tuple[Progress, ...] = ()
    details: dict[str, Any] = field(default_factory=dict)

    @property
    def gap(self) -> float:
        """(cost - bound) / cost."""
        return relative_gap(self.cost, self.bound)

    @property
    def has_answer(self) -> bool:
        """True if there is a panel with a hyperplane for every target."""
        return self.status in (Status.OPTIMAL, Status.FEASIBLE)
