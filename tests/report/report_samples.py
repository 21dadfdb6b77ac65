"""Reports made of invented figures: quick to make, and with every kind of text in them."""

from __future__ import annotations

import itertools
import math

from frugalsvm.data.rates import RateCounts, RateTargets
from frugalsvm.data.result import Status
from frugalsvm.report import (
    CrossValidation,
    FeatureLine,
    FitSection,
    ReportData,
    RocCurve,
    SharedCost,
)
from frugalsvm.tradeoff.points import Frontier, FrontierPoint
from frugalsvm.tradeoff.work import mark_efficient

HOSTILE = (
    "<script>window.hacked = true</script>",
    "</script><img src=x onerror='window.hacked=true'>",
    "\"quotes\" & 'ampersands'",
    "naïve 🩸 blood test",
    "‮right to left",
    "{{ 7 * 7 }}",
    "<!--",
)

DRAWING = 2.10
"""Paid once, whatever is measured."""


def sample_frontier(names: tuple[str, ...] = HOSTILE) -> Frontier:
    rates = (0.8, 0.9, 0.95, 0.99)
    points = []
    for (i, tpr), (j, tnr) in itertools.product(enumerate(rates), enumerate(rates)):
        size = 1 + max(i, j)
        counts = RateCounts(200 - size, 212, 340 + size, 357)
        answer = i + j < 6
        points.append(
            FrontierPoint(
                min_tpr=tpr,
                min_tnr=tnr,
                budget=RateTargets(tpr, tnr).budget(212, 357),
                status=_status(i, j),
                support=tuple(range(size)) if answer else (),
                features=names[:size] if answer else (),
                cost=size + DRAWING if answer else math.inf,
                bound=_bound(i, j, size + DRAWING),
                searched=i == j,
                seconds=0.5,
                training=counts if answer else None,
                cross_validated=counts if answer else None,
            )
        )
    return Frontier(
        min_tprs=rates,
        min_tnrs=rates,
        points=tuple(mark_efficient(points)),
        feature_names=names,
        positive_label="ill & <weak>",
        negative_label="well",
        n_positive=212,
        n_negative=357,
        full_cost=7.0,
        n_folds=5,
        seconds=12.0,
        complete=True,
    )


def _status(i: int, j: int) -> Status:
    if i + j == 6:
        return Status.INFEASIBLE
    return Status.FEASIBLE if max(i, j) == 3 else Status.OPTIMAL


def _bound(i: int, j: int, cost: float) -> float:
    if i + j == 6:
        return math.inf
    return cost - 1.0 if max(i, j) == 3 else cost


def sample_fit(status: str = "optimal", **changes: object) -> FitSection:
    curve = RocCurve((0.0, 0.02, 0.1, 1.0), (0.0, 0.9, 0.97, 1.0), 0.98)
    values: dict[str, object] = {
        "min_tpr": 0.95,
        "min_tnr": 0.9,
        "correction": None,
        "training_tpr": 0.95,
        "training_tnr": 0.9,
        "positive_label": "ill & <weak>",
        "negative_label": "well",
        "panel": tuple(
            FeatureLine(name, 1.0, ("drawing <blood>",), weight, 2 * weight)
            for name, weight in zip(HOSTILE[:3], (1.5, -0.7, 0.1), strict=True)
        ),
        "left_out": tuple(FeatureLine(name, 7.27) for name in HOSTILE[3:]),
        "shared_costs": (
            SharedCost("drawing <blood>", DRAWING, True),
            SharedCost("scanner", 90.0, False),
        ),
        "cost": 3 + DRAWING,
        "bound": 3 + DRAWING if status == "optimal" else 3.0,
        "full_cost": 124.18,
        "status": status,
        "stop_reason": "completed" if status == "optimal" else "time limit",
        "solver": "frugalsvm 0.1.0",
        "seconds": 3.2,
        "kernel": "linear",
        "C": 1.0,
        "alternatives": (HOSTILE[1:4],),
        "training": RateCounts(205, 212, 330, 357),
        "training_roc": curve,
        "cross_validation": CrossValidation(RateCounts(200, 212, 325, 357), 5, 1, curve, 3),
    }
    return FitSection(**(values | changes))


def sample_report(**changes: object) -> ReportData:
    values: dict[str, object] = {
        "title": "Cheapest panel for <b>everything</b>",
        "source": "data & more.csv",
        "fit": sample_fit(),
        "frontier": sample_frontier(),
        "notes": ("2 gaps in '<age>' were filled with the median, 54.",),
        "facts": {"Versions": "frugalsvm 0.1.0"},
        "created": "15 November 2026",
    }
    return ReportData(**(values | changes))
