"""From the report's data to what the template shows: every number formatted, every word chosen."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any

from frugalsvm.data.rates import RateCounts
from frugalsvm.report.data import FitSection
from frugalsvm.report.naming import Naming
from frugalsvm.report.words import (
    interval_words,
    money,
    outlook,
    percent,
    point_words,
    rates_words,
    target_percent,
)
from frugalsvm.tradeoff.points import ALMOST, Frontier, FrontierPoint


@dataclass(frozen=True)
class RateLine:
    """One rate: asked for, in training, in cross-validation, on samples set aside."""

    name: str
    meaning: str
    asked: str
    raised: str
    training: str
    training_count: str
    held_out: str
    held_out_range: str
    set_aside: str
    set_aside_range: str
    outlook: str


def rate_lines(fit: FitSection) -> list[RateLine]:
    """Return the table of both rates."""
    validation = fit.cross_validation.counts if fit.cross_validation else None
    aside = fit.unseen.held_out.counts if fit.unseen and fit.unseen.held_out else None
    every = (fit.training, validation, aside)
    return [
        _rate_line(
            "Sensitivity (TPR)",
            f"“{fit.positive_label}” recognised",
            (fit.min_tpr, fit.training_tpr),
            [(c.true_positives, c.n_positive) if c else (0, 0) for c in every],
        ),
        _rate_line(
            "Specificity (TNR)",
            f"“{fit.negative_label}” recognised",
            (fit.min_tnr, fit.training_tnr),
            [(c.true_negatives, c.n_negative) if c else (0, 0) for c in every],
        ),
    ]


def _rate_line(
    name: str, meaning: str, rates: tuple[float, float], counts: list[tuple[int, int]]
) -> RateLine:
    """Return a line; `counts` are right and all in training, cross-validation, and set aside."""
    asked, raised = rates
    trained, (right, n), (right_aside, n_aside) = counts
    return RateLine(
        name=name,
        meaning=meaning,
        asked=f"≥ {target_percent(asked)}",
        raised="" if raised == asked else f"≥ {percent(raised)} in training",
        training=percent(trained[0] / trained[1]),
        training_count=f"{trained[0]} of {trained[1]}",
        held_out=percent(right / n) if n else "not made",
        held_out_range=interval_words(right, n) if n else "",
        set_aside=percent(right_aside / n_aside) if n_aside else "",
        set_aside_range=interval_words(right_aside, n_aside) if n_aside else "",
        outlook=outlook(name, asked, right, n),
    )


@dataclass(frozen=True)
class Confusion:
    """A confusion table: counts by truth and by what the classifier says."""

    caption: str
    true_positives: int
    false_negatives: int
    false_positives: int
    true_negatives: int


def confusions(fit: FitSection) -> list[Confusion]:
    """Return the confusion tables, training first."""
    tables = [_confusion("Training", fit.training)]
    if fit.cross_validation is not None:
        tables.append(_confusion("Cross-validated", fit.cross_validation.counts))
    return tables


def _confusion(caption: str, counts: RateCounts) -> Confusion:
    return Confusion(
        caption,
        counts.true_positives,
        counts.n_positive - counts.true_positives,
        counts.n_negative - counts.true_negatives,
        counts.true_negatives,
    )


def frontier_points(frontier: Frontier, naming: Naming) -> list[dict[str, Any]]:
    """Return the points worth choosing, formatted for the table and for the sliders."""
    return [_point(point, frontier, naming) for point in frontier.efficient]


def frontier_data(
    frontier: Frontier, start: tuple[float, float] | None, naming: Naming
) -> dict[str, Any]:
    """Return what the sliders need: for every pair of targets the point that serves it."""
    places = {id(point): n for n, point in enumerate(frontier.efficient)}
    cells = []
    for point in frontier.points:
        served = frontier.choose(point.min_tpr, point.min_tnr)
        cells.append(
            {
                "point": places.get(id(served)),
                "words": point_words(point, frontier.rates),
                "status": str(point.status),
                "cost": _finite(point.cost),
                "bound": _finite(point.bound),
            }
        )
    return {
        "rates": frontier.rates,
        "tpr": [target_percent(rate) for rate in frontier.min_tprs],
        "tnr": [target_percent(rate) for rate in frontier.min_tnrs],
        "cells": cells,
        "points": [
            _point(point, frontier, naming) | {"place": _place(frontier, point)}
            for point in frontier.efficient
        ],
        "start": _start(frontier, start),
    }


def _finite(value: float) -> float | None:
    """Return a number for JSON: none where there is no panel, or provably none."""
    return value if math.isfinite(value) else None


def _point(point: FrontierPoint, frontier: Frontier, naming: Naming) -> dict[str, Any]:
    return {
        "tpr": target_percent(point.min_tpr),
        "tnr": target_percent(point.min_tnr),
        "cost": money(point.cost),
        "bound": money(point.bound),
        "words": point_words(point, frontier.rates),
        "features": list(naming.measured(point.features)),
        "trained": point.training is not None,
        "training": rates_words(point.training),
        "held_out": rates_words(point.cross_validated),
    }


def _place(frontier: Frontier, point: FrontierPoint) -> list[int]:
    return [frontier.min_tprs.index(point.min_tpr), frontier.min_tnrs.index(point.min_tnr)]


def _start(frontier: Frontier, asked: tuple[float, float] | None) -> list[int]:
    """Return where the sliders begin: at the targets asked for or just above, or in the middle."""
    grids = (frontier.min_tprs, frontier.min_tnrs)
    if asked is None:
        return [len(rates) // 2 for rates in grids]
    return [
        min(sum(rate < target - ALMOST for rate in rates), len(rates) - 1)
        for rates, target in zip(grids, asked, strict=True)
    ]
