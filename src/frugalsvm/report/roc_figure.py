"""The ROC figure's geometry: coordinates are made here, the template only draws."""

from __future__ import annotations

from dataclasses import dataclass

from frugalsvm.data.binomial import rate_interval
from frugalsvm.data.rates import RateCounts
from frugalsvm.report.data import FitSection, RocCurve
from frugalsvm.report.words import CONFIDENCE, target_percent


@dataclass(frozen=True)
class Tick:
    """A mark on an axis: where, and what it says."""

    at: float
    label: str


@dataclass(frozen=True)
class Mark:
    """A point with its uncertainty, in the figure's coordinates."""

    x: float
    y: float
    low_x: float
    high_x: float
    low_y: float
    high_y: float


@dataclass(frozen=True)
class RocFigure:
    """One view of the ROC curves.

    Attributes
    ----------
    key : str
        Distinguishes the views' clip paths.
    caption : str
        What the view shows.
    x_ticks, y_ticks : tuple of Tick
        The axes' marks.
    training, validated : str
        Paths of the two curves; empty: none.
    target : tuple of float
        x, y, width and height of the region that was asked for.
    operating, held_out : Mark or None
        The classifier's point in training and in cross-validation.
    """

    key: str
    caption: str
    x_ticks: tuple[Tick, ...]
    y_ticks: tuple[Tick, ...]
    training: str
    validated: str
    target: tuple[float, float, float, float]
    operating: Mark | None
    held_out: Mark | None


SIZE = 260.0
"""Side of the figure's square."""
SIDES = {0.05: 5, 0.1: 5, 0.2: 4, 0.3: 3, 0.5: 5, 1.0: 5}
"""Sides of the top-left corner that a view may show, with the number of steps on its axes."""


def roc_figures(fit: FitSection) -> tuple[RocFigure, ...]:
    """Return the whole ROC square and, where there is one to see, its corner enlarged."""
    validation = fit.cross_validation
    corner = corner_size(fit)
    views = [("whole", "The whole ROC curve", 1.0)]
    if corner < 0.75:
        views.append(("corner", "The corner that matters, enlarged", corner))
    return tuple(
        RocFigure(
            key=key,
            caption=caption,
            x_ticks=tuple(Tick(_x(v, side), target_percent(v)) for v in _steps(side)),
            y_ticks=tuple(Tick(_y(1 - v, side), target_percent(1 - v)) for v in _steps(side)),
            training=_path(fit.training_roc, side),
            validated=_path(validation.roc if validation else None, side),
            target=(
                0.0,
                0.0,
                min(SIZE, _x(1 - fit.min_tnr, side)),
                min(SIZE, _y(fit.min_tpr, side)),
            ),
            operating=_mark(fit.training, side, with_interval=False),
            held_out=_mark(validation.counts, side) if validation else None,
        )
        for key, caption, side in views
    )


def corner_size(fit: FitSection) -> float:
    """Return the side of the top-left square that holds targets, points and intervals."""
    reach = [1 - fit.min_tpr, 1 - fit.min_tnr, 1 - fit.training.tpr, 1 - fit.training.tnr]
    if fit.cross_validation is not None:
        counts = fit.cross_validation.counts
        reach += [
            1 - rate_interval(right, n, CONFIDENCE)[0]
            for right, n in (
                (counts.true_positives, counts.n_positive),
                (counts.true_negatives, counts.n_negative),
            )
            if n
        ]
    return next((side for side in SIDES if side >= 1.15 * max(reach)), 1.0)


def _steps(side: float) -> list[float]:
    count = SIDES[side]
    return [round(side * k / count, 6) for k in range(count + 1)]


def _x(fpr: float, side: float) -> float:
    return SIZE * fpr / side


def _y(tpr: float, side: float) -> float:
    return SIZE * (1 - tpr) / side


def _path(curve: RocCurve | None, side: float) -> str:
    if curve is None:
        return ""
    points = (
        f"{_x(f, side):.2f},{_y(t, side):.2f}" for f, t in zip(curve.fpr, curve.tpr, strict=True)
    )
    return "M" + "L".join(points)


def _mark(counts: RateCounts, side: float, *, with_interval: bool = True) -> Mark | None:
    if not counts.n_positive or not counts.n_negative:
        return None
    tpr, tnr = (counts.tpr, counts.tpr), (counts.tnr, counts.tnr)
    if with_interval:
        tpr = rate_interval(counts.true_positives, counts.n_positive, CONFIDENCE)
        tnr = rate_interval(counts.true_negatives, counts.n_negative, CONFIDENCE)
    return Mark(
        x=_x(1 - counts.tnr, side),
        y=_y(counts.tpr, side),
        low_x=_x(1 - tnr[1], side),
        high_x=_x(1 - tnr[0], side),
        low_y=_y(tpr[1], side),
        high_y=_y(tpr[0], side),
    )
