"""Answers as plain data: what was found, how good it provably is, and why the work stopped."""

from __future__ import annotations

import math
from dataclasses import dataclass, field
from enum import StrEnum
from typing import Any

import numpy as np
from numpy.typing import NDArray


class Status(StrEnum):
    """How much is known about the answer."""

    OPTIMAL = "optimal"  # an answer, and proof that there is no better one
    FEASIBLE = "feasible"  # an answer, and a bound that leaves a gap
    INFEASIBLE = "infeasible"  # proof that there is no answer
    UNKNOWN = "unknown"  # neither an answer nor proof that there is none


class StopReason(StrEnum):
    """Why the work ended."""

    COMPLETED = "completed"
    TIME_LIMIT = "time limit"
    NODE_LIMIT = "node limit"
    INTERRUPTED = "interrupted"
    EFFORT_LIMIT = "effort limit"  # of the heuristic mode, or the proof is out of reach
    UNRESOLVED = "numerically unresolved"  # every tactic tried; some case could not be decided


@dataclass(frozen=True)
class Progress:
    """One line of a search's history: at `seconds`, the best cost and the proven bound."""

    seconds: float
    cost: float
    bound: float
    phase: str = ""


def relative_gap(cost: float, bound: float) -> float:
    """Return (cost - bound) / cost; 0 where they meet, infinity where nothing was found.

    Examples
    --------
    >>> relative_gap(4.0, 3.0), relative_gap(0.0, 0.0), relative_gap(math.inf, 2.0)
    (0.25, 0.0, inf)
    """
    if math.isinf(cost):
        return math.inf
    if bound >= cost:
        return 0.0
    return (cost - bound) / abs(cost)


@dataclass(frozen=True)
class Attainable:
    """What can be had where the budgets cannot both be met.

    Attributes
    ----------
    pos_errors : int
        Fewest errors found among the positives with the negatives' budget kept.
    neg_errors : int
        Fewest errors found among the negatives with the positives' budget kept.
    """

    pos_errors: int
    neg_errors: int


@dataclass(frozen=True)
class SelectionResult:
    """Answer to a :class:`~frugalsvm.data.problem.SelectionProblem`.

    Attributes
    ----------
    status : Status
        What is known.
    support : tuple of int
        The chosen features in ascending order; empty if there is no answer.
    weights : ndarray of shape (n_features,)
        Hyperplane in the problem's standardised units, zero outside the support,
        at most ``max_weight`` in absolute value.
    intercept : float
        Its intercept, such that the counted samples have margin at least 1.
    cost, bound : float
        Cost of the support (inf without an answer), and the proven lower bound on any answer's.
    seconds : float
        Wall time.
    solver, solver_version : str
        Who found it.
    stop_reason : StopReason
        Why the work ended.
    alternatives : tuple of tuple of int
        Further supports of the same cost, if asked for.
    history : tuple of Progress
        How cost and bound developed.
    details : dict
        Figures of the particular solver (nodes, cuts, time per tactic), for the curious.
    """

    status: Status
    support: tuple[int, ...]
    weights: NDArray[np.float64]
    intercept: float
    cost: float
    bound: float
    seconds: float
    solver: str
    solver_version: str
    stop_reason: StopReason
    alternatives: tuple[tuple[int, ...], ...] = ()
    history: tuple[Progress, ...] = ()
    details: dict[str, Any] = field(default_factory=dict)

    @property
    def gap(self) -> float:
        """(cost - bound) / cost."""
        return relative_gap(self.cost, self.bound)

    @property
    def has_answer(self) -> bool:
        """True if there is a support and a hyperplane."""
        return self.status in (Status.OPTIMAL, Status.FEASIBLE)

    def plot(self, ax: Any = None) -> Any:
        """Draw cost and bound over time, with the tactics that moved them.

        Parameters
        ----------
        ax : matplotlib axes, default=None
            Where; None: a new figure.

        Returns
        -------
        HistoryDisplay
            The display; its ``figure_`` and ``ax_`` are matplotlib's.
        """
        from frugalsvm.displays.history import HistoryDisplay

        return HistoryDisplay.from_result(self, ax=ax)


@dataclass(frozen=True)
class MarginResult:
    """Answer to a :class:`~frugalsvm.data.problem.MarginProblem`.

    Attributes
    ----------
    status : Status
        What is known.
    dual_coef : ndarray of shape (n_samples,)
        The a of f = sum a_j K(x_j, .) + b, signs included.
    weights : ndarray of shape (n_features,) or None
        The hyperplane's weights, for a linear problem.
    intercept : float
        b.
    counted : ndarray of bool of shape (n_samples,)
        The samples counted correct: margin at least 1.
    objective, bound : float
        ||f||^2 + C sum xi (inf without an answer), and the proven lower bound on it.
    seconds, solver, solver_version, stop_reason, history, details
        As in :class:`SelectionResult`.
    """

    status: Status
    dual_coef: NDArray[np.float64]
    weights: NDArray[np.float64] | None
    intercept: float
    counted: NDArray[np.bool_]
    objective: float
    bound: float
    seconds: float
    solver: str
    solver_version: str
    stop_reason: StopReason
    history: tuple[Progress, ...] = ()
    details: dict[str, Any] = field(default_factory=dict)

    @property
    def gap(self) -> float:
        """(objective - bound) / objective."""
        return relative_gap(self.objective, self.bound)

    @property
    def has_answer(self) -> bool:
        """True if there is a classifier."""
        return self.status in (Status.OPTIMAL, Status.FEASIBLE)
