"""Held-out decision values with the thresholds that would be certified; matplotlib draws them."""

from __future__ import annotations

from typing import Any, Self

import numpy as np
from numpy.typing import NDArray

from frugalsvm.data.binomial import fewest_right
from frugalsvm.displays.style import ACCENT, INK, MUTED, axes_of
from frugalsvm.inputs.labels import read_labels
from frugalsvm.inputs.parameters import OPEN_UNIT

Window = tuple[float, float]


def threshold_window(
    scores: NDArray[np.float64],
    positive: NDArray[np.bool_],
    min_tpr: float,
    min_tnr: float,
    confidence: float = 0.95,
) -> Window | None:
    """Return between which thresholds held-out samples confirm both rates.

    The bounds are order statistics of the scores of each class, at half the allowed error each
    (the Neyman-Pearson classification of Tong et al. 2018): with probability `confidence` every
    threshold in [low, high) has both rates, so that one may be picked after looking. It holds
    for one scoring function that was fixed before, not for the best of several.

    Parameters
    ----------
    scores : ndarray of shape (n_samples,)
        Decision values of held-out samples; those above the threshold mean the positive class.
    positive : ndarray of bool
        Which of them are positive.
    min_tpr, min_tnr : float
        The rates.
    confidence : float, default=0.95
        Of the statement.

    Returns
    -------
    tuple of float or None
        The lowest threshold, and the one that all must stay below; None if there is none.

    Examples
    --------
    >>> scores = np.arange(200.0)
    >>> threshold_window(scores, scores >= 100, 0.9, 0.9)
    (95.0, 104.0)
    """
    level = (1 - confidence) / 2
    of_positives, of_negatives = np.sort(scores[positive]), np.sort(scores[~positive])
    right_positives = fewest_right(len(of_positives), min_tpr, level)
    right_negatives = fewest_right(len(of_negatives), min_tnr, level)
    if right_positives is None or right_negatives is None:
        return None
    low = of_negatives[right_negatives - 1] if right_negatives > 0 else -np.inf
    high = of_positives[-right_positives] if right_positives > 0 else np.inf
    return (float(low), float(high)) if low < high else None


class ScoresDisplay:
    """Decision values of held-out samples, and the window of thresholds that would be certified.

    Parameters
    ----------
    scores : ndarray of shape (n_samples,)
        Decision values, positive on the side of the positive class.
    positive : ndarray of bool of shape (n_samples,)
        The positives.
    window : tuple of float or None
        Thresholds that would do; None: there are none.
    confidence : float
        Of the window.

    Attributes
    ----------
    ax_ : matplotlib axes
        Where it was drawn.
    figure_ : matplotlib figure
        The figure of these axes.
    """

    def __init__(
        self,
        *,
        scores: NDArray[np.float64],
        positive: NDArray[np.bool_],
        window: Window | None,
        confidence: float,
    ) -> None:
        self.scores = scores
        self.positive = positive
        self.window = window
        self.confidence = confidence

    @classmethod
    def from_estimator(
        cls, estimator: Any, X: Any, y: Any, *, confidence: float = 0.95, ax: Any = None
    ) -> Self:
        """Draw the decision values of a fitted classifier on held-out samples.

        Parameters
        ----------
        estimator : FrugalSVC, FrugalSVCCV or RateSVC
            Fitted, on other samples.
        X : array-like of shape (n_samples, n_features)
            Samples that had no part in choosing or training it.
        y : array-like of shape (n_samples,)
            Their labels.
        confidence : float, default=0.95
            Of the window.
        ax : matplotlib axes, default=None
            Where; None: a new figure.

        Returns
        -------
        ScoresDisplay
            The display.
        """
        rule, holds = OPEN_UNIT
        if not holds(confidence):
            raise ValueError(
                f"The 'confidence' parameter of {cls.__name__} must be {rule}. "
                f"Got {confidence!r} instead."
            )
        label = estimator.classes_[1] if estimator.pos_label is None else estimator.pos_label
        labels = read_labels(np.asarray(y), label, cls.__name__)
        scores = labels.sign * np.asarray(estimator.decision_function(X))
        window = threshold_window(
            scores, labels.positive, estimator.min_tpr, estimator.min_tnr, confidence
        )
        display = cls(scores=scores, positive=labels.positive, window=window, confidence=confidence)
        return display.plot(ax=ax)

    def plot(self, ax: Any = None, *, bins: int = 30) -> Self:
        """Draw histograms of both classes, the threshold in use (0), and the window.

        Parameters
        ----------
        ax : matplotlib axes, default=None
            Where; None: a new figure.
        bins : int, default=30
            Of the histograms.

        Returns
        -------
        ScoresDisplay
            The display itself.
        """
        self.ax_, self.figure_ = axes_of(ax)
        edges = np.histogram_bin_edges(self.scores, bins)
        parts = ((self.positive, ACCENT, "positives"), (~self.positive, MUTED, "negatives"))
        for rows, colour, name in parts:
            self.ax_.hist(self.scores[rows], edges, color=colour, alpha=0.6, label=name)
        self.ax_.axvline(0.0, color=INK, linewidth=1, label="threshold in use")
        if self.window is not None:
            self.ax_.axvspan(
                *self.window,
                color=ACCENT,
                alpha=0.15,
                label=f"would be certified at {self.confidence:g}",
            )
        self.ax_.set(xlabel="decision value", ylabel="held-out samples")
        self.ax_.legend(frameon=False)
        return self
