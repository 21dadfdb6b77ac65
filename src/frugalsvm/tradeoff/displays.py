"""Figures for notebooks, in the manner of scikit-learn's Display classes; matplotlib draws them."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any, Self

import numpy as np
from numpy.typing import NDArray

from frugalsvm.displays.style import ACCENT, INK, MUTED, axes_of
from frugalsvm.estimators.base import training_rates
from frugalsvm.inputs.labels import read_labels

if TYPE_CHECKING:
    from frugalsvm.tradeoff.points import Frontier


class FrontierDisplay:
    """The grid of targets, coloured by the cost of the cheapest panel.

    Parameters
    ----------
    frontier : Frontier
        What :func:`frugalsvm.frontier` returned.

    Attributes
    ----------
    ax_ : matplotlib axes
        Where it was drawn.
    figure_ : matplotlib figure
        The figure of these axes.
    image_ : matplotlib artist
        The coloured grid.
    """

    def __init__(self, frontier: Frontier) -> None:
        self.frontier = frontier

    @classmethod
    def from_predictions(cls, frontier: Frontier, *, ax: Any = None, **kwargs: Any) -> Self:
        """Draw a frontier that was computed before.

        Parameters
        ----------
        frontier : Frontier
            The frontier.
        ax : matplotlib axes, default=None
            Where; None: a new figure.
        **kwargs
            Passed on to :meth:`plot`.

        Returns
        -------
        FrontierDisplay
            The display.
        """
        return cls(frontier).plot(ax=ax, **kwargs)

    @classmethod
    def from_estimator(
        cls, estimator: Any, X: Any, y: Any, *, ax: Any = None, **kwargs: Any
    ) -> Self:
        """Compute the frontier with an estimator's prices and settings, and draw it.

        Parameters
        ----------
        estimator : FrugalSVC or FrugalSelector
            Fitted or not; its own targets are of no account.
        X : array-like of shape (n_samples, n_features)
            Training data.
        y : array-like of shape (n_samples,)
            Labels.
        ax : matplotlib axes, default=None
            Where; None: a new figure.
        **kwargs
            Passed on to :func:`frugalsvm.frontier`, before the estimator's parameters.

        Returns
        -------
        FrontierDisplay
            The display.
        """
        import inspect

        from frugalsvm.tradeoff import frontier

        known = inspect.signature(frontier).parameters
        own = estimator.get_params(deep=False)
        shared = {name: own[name] for name in own if name in known and name != "callback"}
        return cls(frontier(X, y, **(shared | kwargs))).plot(ax=ax)

    def plot(self, ax: Any = None, *, cmap: Any = "YlGnBu", annotate: bool = True) -> Self:
        """Draw the grid.

        Parameters
        ----------
        ax : matplotlib axes, default=None
            Where; None: a new figure.
        cmap : str or colormap, default="YlGnBu"
            Colours from the cheapest to the dearest.
        annotate : bool, default=True
            Write the cost into every cell; with its bound where they differ.

        Returns
        -------
        FrontierDisplay
            The display itself.
        """
        self.ax_, self.figure_ = axes_of(ax)
        data = self.frontier
        shape = (len(data.min_tprs), len(data.min_tnrs))
        cost = np.array([p.cost for p in data.points]).reshape(shape)
        self.image_ = self.ax_.imshow(
            np.ma.masked_invalid(cost), origin="lower", cmap=cmap, aspect="auto"
        )
        self._label_axes()
        if annotate:
            self._annotate(cost)
        self.figure_.colorbar(self.image_, ax=self.ax_, label="cost of the cheapest panel")
        return self

    def _label_axes(self) -> None:
        data = self.frontier
        self.ax_.set_xticks(range(len(data.min_tnrs)), [f"{r:.3g}" for r in data.min_tnrs])
        self.ax_.set_yticks(range(len(data.min_tprs)), [f"{r:.3g}" for r in data.min_tprs])
        self.ax_.set_xlabel("required TNR")
        self.ax_.set_ylabel("required TPR")

    def _annotate(self, cost: NDArray[np.float64]) -> None:
        columns = cost.shape[1]
        known = cost[np.isfinite(cost)]
        middle = (known.min() + known.max()) / 2 if known.size else 0.0
        for number, point in enumerate(self.frontier.points):
            row, column = divmod(number, columns)
            self.ax_.text(
                column,
                row,
                _cell_text(point.cost, point.bound),
                ha="center",
                va="center",
                fontsize="small",
                color="white" if math.isfinite(point.cost) and point.cost > middle else INK,
                fontweight="bold" if point.efficient else "normal",
            )


def _cell_text(cost: float, bound: float) -> str:
    if math.isinf(cost):
        return "none" if math.isinf(bound) else "?"
    return f"{cost:g}" if bound >= cost else f"{bound:g} to {cost:g}"


class RatesDisplay:
    """A classifier's ROC curve with its operating point and the rates that were asked for.

    Parameters
    ----------
    fpr, tpr : ndarray
        The ROC curve.
    point : tuple of float
        (TPR, TNR) of the classifier's predictions.
    min_tpr, min_tnr : float or None, default=None
        The rates asked for.
    name : str or None, default=None
        The classifier's name, for the legend.

    Attributes
    ----------
    ax_ : matplotlib axes
        Where it was drawn.
    figure_ : matplotlib figure
        The figure of these axes.
    line_ : matplotlib line
        The curve.
    """

    def __init__(
        self,
        *,
        fpr: NDArray[np.float64],
        tpr: NDArray[np.float64],
        point: tuple[float, float],
        min_tpr: float | None = None,
        min_tnr: float | None = None,
        name: str | None = None,
    ) -> None:
        self.fpr = fpr
        self.tpr = tpr
        self.point = point
        self.min_tpr = min_tpr
        self.min_tnr = min_tnr
        self.name = name

    @classmethod
    def from_estimator(
        cls, estimator: Any, X: Any, y: Any, *, ax: Any = None, **kwargs: Any
    ) -> Self:
        """Draw a fitted classifier's rates on given data.

        Parameters
        ----------
        estimator : FrugalSVC or RateSVC
            Fitted.
        X : array-like of shape (n_samples, n_features)
            Data; those it was not trained on tell more.
        y : array-like of shape (n_samples,)
            Their labels.
        ax : matplotlib axes, default=None
            Where; None: a new figure.
        **kwargs
            Passed on to :meth:`from_predictions`.

        Returns
        -------
        RatesDisplay
            The display.
        """
        scores = estimator.decision_function(X)
        pos_label = estimator.pos_label
        if pos_label is None:
            pos_label = estimator.classes_[1]
        if pos_label != estimator.classes_[1]:
            scores = -scores
        settings = {
            "pos_label": pos_label,
            "min_tpr": estimator.min_tpr,
            "min_tnr": estimator.min_tnr,
            "name": type(estimator).__name__,
        }
        return cls.from_predictions(y, scores, ax=ax, **(settings | kwargs))

    @classmethod
    def from_predictions(
        cls,
        y_true: Any,
        y_score: Any,
        *,
        pos_label: Any = None,
        min_tpr: float | None = None,
        min_tnr: float | None = None,
        name: str | None = None,
        ax: Any = None,
        **kwargs: Any,
    ) -> Self:
        """Draw the rates of decision values.

        Parameters
        ----------
        y_true : array-like of shape (n_samples,)
            Labels, of two kinds.
        y_score : array-like of shape (n_samples,)
            Decision values, positive on the side of the positive class.
        pos_label : label or None, default=None
            The positive class; None: the greater label.
        min_tpr, min_tnr : float or None, default=None
            The rates asked for.
        name : str or None, default=None
            For the legend.
        ax : matplotlib axes, default=None
            Where; None: a new figure.
        **kwargs
            Passed on to :meth:`plot`.

        Returns
        -------
        RatesDisplay
            The display.
        """
        from sklearn.metrics import roc_curve

        scores = np.asarray(y_score, dtype=np.float64)
        labels = read_labels(np.asarray(y_true), pos_label, cls.__name__)
        fpr, tpr, _ = roc_curve(labels.positive, scores)
        point = training_rates(scores, labels)
        display = cls(fpr=fpr, tpr=tpr, point=point, min_tpr=min_tpr, min_tnr=min_tnr, name=name)
        return display.plot(ax=ax, **kwargs)

    def plot(self, ax: Any = None, **kwargs: Any) -> Self:
        """Draw curve, operating point and targets.

        Parameters
        ----------
        ax : matplotlib axes, default=None
            Where; None: a new figure.
        **kwargs
            Passed on to matplotlib's ``plot`` of the curve.

        Returns
        -------
        RatesDisplay
            The display itself.
        """
        self.ax_, self.figure_ = axes_of(ax)
        tpr, tnr = self.point
        style = {"color": ACCENT, "label": self.name or "classifier"} | kwargs
        (self.line_,) = self.ax_.plot(self.fpr, self.tpr, **style)
        self.ax_.plot(
            [1 - tnr], [tpr], "o", color=INK, label=f"operating point: TPR {tpr:.3f}, TNR {tnr:.3f}"
        )
        if self.min_tpr is not None and self.min_tnr is not None:
            self.ax_.fill_between(
                [0, 1 - self.min_tnr],
                self.min_tpr,
                1,
                color=ACCENT,
                alpha=0.15,
                linewidth=0,
                label=f"asked: TPR ≥ {self.min_tpr:g}, TNR ≥ {self.min_tnr:g}",
            )
        self.ax_.plot([0, 1], [0, 1], ":", color=MUTED, linewidth=1)
        self.ax_.set(xlabel="1 - TNR", ylabel="TPR", xlim=(-0.01, 1.01), ylim=(-0.01, 1.01))
        self.ax_.set_aspect("equal")
        self.ax_.legend(loc="lower right", frameon=False)
        return self
