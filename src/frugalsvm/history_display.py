"""How cost and bound of a search came together; matplotlib draws it."""

from __future__ import annotations

import math
from typing import Any, Self

from frugalsvm.display import ACCENT, INK, MUTED, axes_of
from frugalsvm.progress import money
from frugalsvm.result import Progress, SelectionResult


class HistoryDisplay:
    """Cost and bound of a search over time, with the tactic that moved them.

    Parameters
    ----------
    history : sequence of Progress
        The moments at which one of them changed.
    seconds : float
        When the search ended.

    Attributes
    ----------
    ax_ : matplotlib axes
        Where it was drawn.
    figure_ : matplotlib figure
        The figure of these axes.
    """

    def __init__(self, *, history: tuple[Progress, ...], seconds: float) -> None:
        self.history = history
        self.seconds = seconds

    @classmethod
    def from_result(cls, result: SelectionResult, *, ax: Any = None) -> Self:
        """Draw the history of a selection.

        Parameters
        ----------
        result : SelectionResult
            As in ``FrugalSVC.result_``.
        ax : matplotlib axes, default=None
            Where; None: a new figure.

        Returns
        -------
        HistoryDisplay
            The display.
        """
        return cls(history=result.history, seconds=result.seconds).plot(ax=ax)

    def plot(self, ax: Any = None) -> Self:
        """Draw both as steps; where a tactic takes over, it is named.

        Parameters
        ----------
        ax : matplotlib axes, default=None
            Where; None: a new figure.

        Returns
        -------
        HistoryDisplay
            This display.
        """
        self.ax_, self.figure_ = axes_of(ax)
        costs = self._steps([(p.seconds, p.cost) for p in self.history])
        bounds = self._steps([(p.seconds, p.bound) for p in self.history])
        self.ax_.step(*bounds, where="post", color=MUTED, label="proven bound")
        self.ax_.step(*costs, where="post", color=ACCENT, label="cost of the best panel")
        for (seconds, cost), phase in self.takeovers():
            self.ax_.annotate(
                f"{phase}: {money(cost)}",
                (seconds, cost),
                xytext=(4, 4),
                textcoords="offset points",
                fontsize="small",
                color=INK,
            )
        self.ax_.set(xlabel="seconds", ylabel="cost", ylim=(0, None))
        self.ax_.legend(loc="best", frameon=False)
        return self

    def takeovers(self) -> list[tuple[tuple[float, float], str]]:
        """Return the last point of each tactic's lower costs, with its name."""
        last: dict[str, tuple[float, float]] = {}
        cost = math.inf
        for progress in self.history:
            if progress.cost < cost:
                cost = progress.cost
                last[progress.phase] = (progress.seconds, cost)
        return [(point, phase) for phase, point in last.items()]

    def _steps(self, points: list[tuple[float, float]]) -> tuple[list[float], list[float]]:
        """Return the finite ones, the last one until the end."""
        finite = [(x, y) for x, y in points if math.isfinite(y)]
        if finite:
            finite.append((max(self.seconds, finite[-1][0]), finite[-1][1]))
        return [x for x, _ in finite], [y for _, y in finite]
