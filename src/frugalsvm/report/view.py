"""From the report's data to what the template shows: every number formatted, every word chosen."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from frugalsvm.report.data import FeatureLine, FitSection
from frugalsvm.report.words import (
    interval_words,
    money,
    outlook,
    percent,
    plural,
    point_words,
    rates_words,
    target_percent,
)
from frugalsvm.tradeoff.points import ALMOST, Frontier, FrontierPoint, RateCounts

BAR = 60.0
"""Length of the longest weight's bar."""


@dataclass(frozen=True)
class PanelRow:
    """A line of the panel's table.

    Attributes
    ----------
    name, cost, note : str
        The feature, its price, and what else it needs.
    weight, coefficient : str
        Formatted; empty for kernels without weights.
    bar : float
        Signed length of the weight's bar.
    """

    name: str
    cost: str
    note: str
    weight: str = ""
    coefficient: str = ""
    bar: float = 0.0


def panel_rows(fit: FitSection) -> list[PanelRow]:
    """Return the features of the panel, the heaviest first, then the shared costs paid."""
    ordered = sorted(fit.panel, key=lambda line: (-abs(line.weight or 0.0), line.name))
    heaviest = max((abs(line.weight or 0.0) for line in ordered), default=0.0)
    rows = [_panel_row(line, heaviest) for line in ordered]
    for shared in fit.shared_costs:
        if shared.paid and shared.cost:
            users = [line.name for line in ordered if shared.name in line.groups]
            rows.append(PanelRow(shared.name, money(shared.cost), f"once, for {listed(users)}"))
    return rows


def _panel_row(line: FeatureLine, heaviest: float) -> PanelRow:
    if line.weight is None or line.coefficient is None:
        return PanelRow(line.name, money(line.cost), "")
    return PanelRow(
        name=line.name,
        cost=money(line.cost),
        note="",
        weight=f"{line.weight:+.3g}",
        coefficient=f"{line.coefficient:+.4g}",
        bar=BAR * line.weight / heaviest if heaviest else 0.0,
    )


@dataclass(frozen=True)
class RateLine:
    """One rate: asked for, in training, in cross-validation."""

    name: str
    meaning: str
    asked: str
    raised: str
    training: str
    training_count: str
    held_out: str
    held_out_range: str
    outlook: str


def rate_lines(fit: FitSection) -> list[RateLine]:
    """Return the table of both rates."""
    validation = fit.cross_validation.counts if fit.cross_validation else None
    return [
        _rate_line(
            "Sensitivity (TPR)",
            f"“{fit.positive_label}” recognised",
            (fit.min_tpr, fit.training_tpr),
            (fit.training.true_positives, fit.training.n_positive),
            None if validation is None else (validation.true_positives, validation.n_positive),
        ),
        _rate_line(
            "Specificity (TNR)",
            f"“{fit.negative_label}” recognised",
            (fit.min_tnr, fit.training_tnr),
            (fit.training.true_negatives, fit.training.n_negative),
            None if validation is None else (validation.true_negatives, validation.n_negative),
        ),
    ]


def _rate_line(
    name: str,
    meaning: str,
    rates: tuple[float, float],
    trained: tuple[int, int],
    held_out: tuple[int, int] | None,
) -> RateLine:
    asked, raised = rates
    right, n = held_out or (0, 0)
    return RateLine(
        name=name,
        meaning=meaning,
        asked=f"≥ {target_percent(asked)}",
        raised="" if raised == asked else f"≥ {percent(raised)} in training",
        training=percent(trained[0] / trained[1]),
        training_count=f"{trained[0]} of {trained[1]}",
        held_out=percent(right / n) if n else "not made",
        held_out_range=interval_words(right, n) if n else "",
        outlook="" if held_out is None else outlook(name, asked, right, n),
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


def savings_words(fit: FitSection) -> str:
    """Return what was left out and saved."""
    if not fit.left_out:
        return f"All {plural(len(fit.panel), 'feature')} are needed; nothing can be left out."
    saved = fit.full_cost - fit.cost
    share = f" ({percent(saved / fit.full_cost, 0)})" if fit.full_cost else ""
    return (
        f"Measuring all {plural(len(fit.panel) + len(fit.left_out), 'feature')} costs "
        f"{money(fit.full_cost)}. This panel saves {money(saved)}{share}."
    )


def frontier_points(frontier: Frontier) -> list[dict[str, Any]]:
    """Return the points worth choosing, formatted for the table and for the sliders."""
    return [_point(point) for point in frontier.efficient]


def frontier_data(frontier: Frontier, start: tuple[float, float] | None) -> dict[str, Any]:
    """Return what the sliders need: for every pair of targets the point that serves it."""
    places = {id(point): n for n, point in enumerate(frontier.efficient)}
    cells = []
    for point in frontier.points:
        served = frontier.choose(point.min_tpr, point.min_tnr)
        cells.append({"point": places.get(id(served)), "words": point_words(point)})
    return {
        "tpr": [target_percent(rate) for rate in frontier.min_tprs],
        "tnr": [target_percent(rate) for rate in frontier.min_tnrs],
        "cells": cells,
        "points": [
            _point(point) | {"place": _place(frontier, point)} for point in frontier.efficient
        ],
        "start": _start(frontier, start),
    }


def _point(point: FrontierPoint) -> dict[str, Any]:
    return {
        "tpr": target_percent(point.min_tpr),
        "tnr": target_percent(point.min_tnr),
        "cost": money(point.cost),
        "bound": money(point.bound),
        "words": point_words(point),
        "features": list(point.features),
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


def listed(names: Sequence[str], most: int = 4) -> str:
    """Return names in a sentence.

    Examples
    --------
    >>> listed(["a"]), listed(["a", "b", "c"]), listed(list("abcdef"))
    ('a', 'a, b and c', 'a, b, c and 3 more')
    """
    names = list(names)
    if len(names) > most:
        return f"{', '.join(names[: most - 1])} and {len(names) - most + 1} more"
    return " and ".join(filter(None, [", ".join(names[:-1]), names[-1]])) if names else "nothing"
