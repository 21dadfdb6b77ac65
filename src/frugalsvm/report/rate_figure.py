"""The geometry of the figure that sets both rates beside their targets."""

from __future__ import annotations

from dataclasses import dataclass

from frugalsvm.data.binomial import rate_interval
from frugalsvm.report.data import FitSection
from frugalsvm.report.roc_figure import Tick
from frugalsvm.report.words import CONFIDENCE, target_percent

WIDTH = 310.0
"""Of the axis."""
STEPS = 5
FLOORS = (0.95, 0.9, 0.8, 0.7, 0.5, 0.0)
"""Where the axis may begin."""


@dataclass(frozen=True)
class RateRow:
    """One rate on the common axis.

    Attributes
    ----------
    name : str
        "Sensitivity" or "Specificity".
    target, training : float
        Where the target and the training rate are.
    held_out, low, high : float or None
        Where the cross-validated rate and its interval are.
    """

    name: str
    target: float
    training: float
    held_out: float | None
    low: float | None
    high: float | None


@dataclass(frozen=True)
class RateFigure:
    """Both rates on one axis."""

    ticks: tuple[Tick, ...]
    rows: tuple[RateRow, ...]


def rate_figure(fit: FitSection) -> RateFigure:
    """Return the figure of targets, training rates and cross-validated rates."""
    counts = fit.cross_validation.counts if fit.cross_validation else None
    rates = [
        ("Sensitivity", fit.min_tpr, fit.training.tpr),
        ("Specificity", fit.min_tnr, fit.training.tnr),
    ]
    held_out = (
        []
        if counts is None
        else [
            (counts.true_positives, counts.n_positive),
            (counts.true_negatives, counts.n_negative),
        ]
    )
    intervals = [rate_interval(right, n, CONFIDENCE) if n else None for right, n in held_out]
    least = min([rate for _, *pair in rates for rate in pair] + [i[0] for i in intervals if i])
    floor = next((f for f in FLOORS if f <= least - 0.01), 0.0)

    def place(rate: float) -> float:
        return WIDTH * (rate - floor) / (1 - floor)

    rows = []
    for number, (name, target, training) in enumerate(rates):
        interval = intervals[number] if intervals else None
        right, n = held_out[number] if held_out else (0, 0)
        rows.append(
            RateRow(
                name=name,
                target=place(target),
                training=place(training),
                held_out=place(right / n) if n else None,
                low=place(interval[0]) if interval else None,
                high=place(interval[1]) if interval else None,
            )
        )
    marks = [floor + (1 - floor) * k / STEPS for k in range(STEPS + 1)]
    return RateFigure(tuple(Tick(place(m), target_percent(m)) for m in marks), tuple(rows))
