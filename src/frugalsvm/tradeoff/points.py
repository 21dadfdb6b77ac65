"""The trade-off between cost, sensitivity and specificity as plain data."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from frugalsvm.data.rates import ErrorBudget, RateCounts
from frugalsvm.data.result import Status, relative_gap

if TYPE_CHECKING:
    import pandas as pd

    from frugalsvm.tradeoff.displays import FrontierDisplay

ALMOST = 1e-9
"""How far two target rates may differ by rounding and still be the same."""


@dataclass(frozen=True)
class FrontierPoint:
    """The cheapest panel found for one pair of targets, and what is proven about it.

    Attributes
    ----------
    min_tpr, min_tnr : float
        The targets.
    budget : ErrorBudget
        The errors that they allow in training.
    status : Status
        "optimal": proven cheapest; "feasible": found, with a bound that leaves a gap;
        "infeasible": proven that no panel meets the targets; "unknown": none was found.
    support : tuple of int
        The panel's features; empty without an answer.
    features : tuple of str
        Their names.
    cost, bound : float
        Cost of the panel (inf without one), and the proven lower bound on the cost of any panel
        that meets these targets.
    searched : bool
        True if these targets were searched for; False if what is known of other targets
        settled them.
    seconds : float
        Time of that search.
    efficient : bool
        True if the point is worth choosing: no other point of the grid asks for as much or more
        at the same or a lower cost.
    training : RateCounts or None
        What the classifier trained on the panel for these targets gets right on the data it was
        trained on. For the efficient points; None for the others, whose panel serves tighter
        targets at the same cost.
    cross_validated : RateCounts or None
        The same for classifiers trained on the panel without the fold they are asked about. The
        panel itself was chosen with all the data.
    """

    min_tpr: float
    min_tnr: float
    budget: ErrorBudget
    status: Status
    support: tuple[int, ...]
    features: tuple[str, ...]
    cost: float
    bound: float
    searched: bool
    seconds: float
    efficient: bool = False
    training: RateCounts | None = None
    cross_validated: RateCounts | None = None

    @property
    def gap(self) -> float:
        """(cost - bound) / cost."""
        return relative_gap(self.cost, self.bound)

    @property
    def has_answer(self) -> bool:
        """True if there is a panel."""
        return self.status in (Status.OPTIMAL, Status.FEASIBLE)


@dataclass(frozen=True)
class FrontierProgress:
    """How far the frontier is: told to the callback whenever more is known.

    Attributes
    ----------
    settled, total : int
        Target pairs that need no more work, of how many.
    seconds : float
        Since the start.
    phase : {"searching", "training", "cross-validating"}
        What is being done; "cross-validating": the whole of it, with ``rates="cv"``.
    detail : str
        The latest finding in words.
    """

    settled: int
    total: int
    seconds: float
    phase: str
    detail: str


@dataclass(frozen=True)
class Frontier:
    """Cheapest panels over a grid of targets; made by :func:`frugalsvm.frontier`.

    Attributes
    ----------
    min_tprs, min_tnrs : tuple of float
        The grid's targets, ascending.
    points : tuple of FrontierPoint
        One for each pair, TPR by TPR.
    feature_names : tuple of str
        All features of the data.
    positive_label, negative_label : str
        The two classes.
    n_positive, n_negative : int
        Their sizes.
    full_cost : float
        What all usable features together cost.
    n_folds : int
        Folds of the cross-validation; 0: none.
    seconds : float
        Time of everything.
    complete : bool
        False if the work was cut short: by a time limit on the whole, or by Ctrl-C.
    interrupted : bool
        True if it was Ctrl-C.
    rates : {"training", "cv"}
        Where the targets have to hold: on the training data, or on new data.
    """

    min_tprs: tuple[float, ...]
    min_tnrs: tuple[float, ...]
    points: tuple[FrontierPoint, ...]
    feature_names: tuple[str, ...]
    positive_label: str
    negative_label: str
    n_positive: int
    n_negative: int
    full_cost: float
    n_folds: int
    seconds: float
    complete: bool
    interrupted: bool = False
    rates: str = "training"

    @property
    def efficient(self) -> tuple[FrontierPoint, ...]:
        """The points worth choosing, from the cheapest to the dearest."""
        return tuple(
            sorted((p for p in self.points if p.efficient), key=lambda p: (p.cost, p.min_tpr))
        )

    def point(self, min_tpr: float, min_tnr: float) -> FrontierPoint:
        """Return the point of the grid's loosest targets that are at least these.

        Raises
        ------
        ValueError
            If the grid holds no targets as high as these.
        """
        row = _first_at_least(self.min_tprs, min_tpr, "min_tpr")
        column = _first_at_least(self.min_tnrs, min_tnr, "min_tnr")
        return self.points[row * len(self.min_tnrs) + column]

    def choose(self, min_tpr: float, min_tnr: float) -> FrontierPoint:
        """Return the point worth choosing for these targets.

        It meets them at the least cost found; where targets still higher cost no more, it is
        the point of those. If no panel is known for them, the point that says so.
        """
        asked = self.point(min_tpr, min_tnr)
        serving = [
            p
            for p in self.efficient
            if p.cost <= asked.cost and p.min_tpr >= asked.min_tpr and p.min_tnr >= asked.min_tnr
        ]
        if not asked.has_answer or not serving:
            return asked
        return max(serving, key=lambda p: (min(p.min_tpr, p.min_tnr), p.min_tpr + p.min_tnr))

    def to_frame(self, *, all_points: bool = False) -> pd.DataFrame:
        """Return the efficient points (or all) as a data frame, the cheapest first.

        Parameters
        ----------
        all_points : bool, default=False
            Every pair of targets, in the grid's order.

        Returns
        -------
        pandas.DataFrame
            One row a point; rates that were not computed are NaN.
        """
        import pandas as pd

        chosen = self.points if all_points else self.efficient
        return pd.DataFrame([_record(p) for p in chosen], columns=list(_COLUMNS))

    def plot(self, ax: Any = None, **kwargs: Any) -> FrontierDisplay:
        """Draw the grid, coloured by cost, with the efficient points marked.

        Parameters
        ----------
        ax : matplotlib axes, default=None
            Where; None: a new figure.
        **kwargs
            Passed on to :meth:`frugalsvm.FrontierDisplay.plot`.

        Returns
        -------
        FrontierDisplay
            With its ``ax_`` and ``figure_``.
        """
        from frugalsvm.tradeoff.displays import FrontierDisplay

        return FrontierDisplay(self).plot(ax=ax, **kwargs)


def _first_at_least(targets: tuple[float, ...], asked: float, name: str) -> int:
    k = int(np.searchsorted(np.asarray(targets), asked - ALMOST))
    if k == len(targets):
        raise ValueError(
            f"The '{name}' of a frontier's point must be at most the grid's greatest, "
            f"{targets[-1]:.6g}. Got {asked!r} instead."
        )
    return k


def _record(p: FrontierPoint) -> dict[str, Any]:
    nothing = RateCounts(0, 0, 0, 0)
    trained, validated = p.training or nothing, p.cross_validated or nothing
    return {
        "min_tpr": p.min_tpr,
        "min_tnr": p.min_tnr,
        "cost": p.cost,
        "bound": p.bound,
        "gap": p.gap,
        "status": str(p.status),
        "n_features": len(p.support),
        "features": p.features,
        "train_tpr": trained.tpr,
        "train_tnr": trained.tnr,
        "cv_tpr": validated.tpr,
        "cv_tnr": validated.tnr,
        "efficient": p.efficient,
        "searched": p.searched,
        "seconds": p.seconds,
    }


_COLUMNS = tuple(
    _record(FrontierPoint(0, 0, ErrorBudget(0, 0), Status.UNKNOWN, (), (), 0, 0, False, 0))
)
