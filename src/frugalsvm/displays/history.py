"""How cost and bound of a search came together; matplotlib draws it."""

from __future__ import annotations

import math
from typing import Any, Self

from frugalsvm.data.result import Progress, SelectionResult
from frugalsvm.displays.style import ACCENT, INK, MUTED, axes_of
from frugalsvm.runtime.progress import money

ABOVE, BELOW = (4, 4), (4, -11)
"""Where a tactic's name stands, in points from where it moved the cost, or the bound."""
LATE = 0.7
"""Share of the time after which a name stands to the left, where there is room for it."""


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
        """Draw both as steps; a tactic is named where it moved one of them last.

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
        for point, phase in self.takeovers():
            self._name(point, f"{phase}: {money(point[1])}", INK, ABOVE)
        for point, phase in self.raisers():
            self._name(point, f"{phase}: at least {money(point[1])}", MUTED, BELOW)
        self.ax_.set(xlabel="seconds", ylabel="cost")
        self.ax_.set_ylim(bottom=-self.ax_.get_ylim()[1] / 15)  # from zero, with room for a name
        self.ax_.legend(loc="best", frameon=False)
        return self

    def takeovers(self) -> list[tuple[tuple[float, float], str]]:
        """Return the last point of each tactic's lower costs, with its name."""
        falling = self._moves([-p.cost for p in self.history])
        return [((seconds, -value), phase) for (seconds, value), phase in falling]

    def raisers(self) -> list[tuple[tuple[float, float], str]]:
        """Return the last point of each tactic's higher bounds, with its name."""
        return self._moves([p.bound for p in self.history])

    def _moves(self, values: list[float]) -> list[tuple[tuple[float, float], str]]:
        """Return the last point of each tactic that raised the values, with its name."""
        last: dict[str, tuple[float, float]] = {}
        best = -math.inf
        for progress, value in zip(self.history, values, strict=True):
            if math.isfinite(value) and value > best:
                best = value
                last[progress.phase] = (progress.seconds, value)
        return [(point, phase) for phase, point in last.items()]

    def _name(
        self, point: tuple[float, float], text: str, color: str, offset: tuple[int, int]
    ) -> None:
        late = point[0] > LATE * self.seconds
        self.ax_.annotate(
            text,
            point,
            xytext=(-offset[0] if late else offset[0], offset[1]),
            textcoords="offset points",
            horizontalalignment="right" if late else "left",
            fontsize="small",
            color=color,
        )

    def _steps(self, points: list[tuple[float, float]]) -> tuple[list[float], list[float]]:
        """Return the finite ones, the last one until the end."""
        finite = [(x, y) for x, y in points if math.isfinite(y)]
        if finite:
            finite.append((max(self.seconds, finite[-1][0]), finite[-1][1]))
        return [x for x, _ in finite], [y for _, y in finite]
