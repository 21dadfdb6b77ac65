"""One page, one truth: what the fit knows and what the trade-off knows, brought together.

Both speak about the same training data, so that what one of them found or proved holds for the
other: a panel for tighter targets serves looser ones, a bound for looser targets holds for
tighter ones. They are compared by the errors that they allow, which are whole numbers.
"""

from __future__ import annotations

import math
from dataclasses import replace

from frugalsvm.data.rates import ErrorBudget, required_count
from frugalsvm.data.result import Status
from frugalsvm.report.data import CheaperPanel, FitSection, ReportData
from frugalsvm.report.words import same_cost
from frugalsvm.tradeoff.points import Frontier, FrontierPoint
from frugalsvm.tradeoff.work import mark_efficient


def agreed(data: ReportData) -> ReportData:
    """Return the report with every part knowing what the others know.

    A fit for rates on new data answers another question than a trade-off in training: they have
    nothing to tell each other.

    Raises
    ------
    ValueError
        If the parts contradict each other: they are of different data or prices.
    """
    if data.frontier is None:
        return data
    known = list(data.frontier.points)
    same_question = data.fit is not None and data.fit.unseen is None
    if data.fit is not None and same_question:
        known.append(_point_of(data.fit, data.frontier))
    points = [_informed(point, known) for point in data.frontier.points]
    fit = data.fit
    if data.fit is not None and same_question:
        fit = _informed_fit(data.fit, known)
        points = [_fitted(point, known[-1]) for point in points]
    frontier = replace(data.frontier, points=tuple(mark_efficient(points)))
    return replace(data, fit=fit, frontier=frontier)


def _point_of(fit: FitSection, frontier: Frontier) -> FrontierPoint:
    """Return the fit as a point of the frontier.

    A bound of the paper's model as written is about fewer hyperplanes: it proves nothing elsewhere.
    """
    counts, exact = fit.training, fit.solver.startswith("frugalsvm")
    place = {name: k for k, name in enumerate(frontier.feature_names)}
    names = sorted((line.name for line in fit.panel), key=lambda name: place.get(name, -1))
    return FrontierPoint(
        min_tpr=fit.min_tpr,
        min_tnr=fit.min_tnr,
        budget=ErrorBudget(
            counts.n_positive - required_count(fit.training_tpr, counts.n_positive),
            counts.n_negative - required_count(fit.training_tnr, counts.n_negative),
        ),
        status=Status(fit.status) if exact else Status.FEASIBLE,
        support=tuple(place[name] for name in names if name in place),
        features=tuple(names),
        cost=fit.cost,
        bound=fit.bound if exact else 0.0,
        searched=True,
        seconds=fit.seconds,
        training=counts,
    )


def _informed(point: FrontierPoint, known: list[FrontierPoint]) -> FrontierPoint:
    """Return the point with the cheapest panel and the best bound that follow from the others."""
    bound = max(other.bound for other in known if _at_least(point.budget, other.budget))
    serving = [p for p in known if p.has_answer and _at_least(p.budget, point.budget)]
    best = min(serving, key=lambda p: p.cost, default=None)
    if best is None:
        status = Status.INFEASIBLE if math.isinf(bound) else Status.UNKNOWN
        return replace(point, bound=bound, status=status)
    if bound > best.cost and not same_cost(bound, best.cost):
        raise ValueError(
            "The fit and the frontier of a report must be of the same data and prices. These are "
            f"not: for TPR >= {point.min_tpr:.4g} and TNR >= {point.min_tnr:.4g} one has a panel "
            f"of cost {best.cost:g}, the other a proof that none costs less than {bound:g}."
        )
    status = Status.OPTIMAL if same_cost(bound, best.cost) else Status.FEASIBLE
    bound = min(bound, best.cost)
    if point.has_answer and same_cost(point.cost, best.cost):
        return replace(point, bound=bound, status=status)
    return replace(
        point,
        cost=best.cost,
        support=best.support,
        features=best.features,
        bound=bound,
        status=status,
        training=None,
        cross_validated=None,
    )


def _fitted(point: FrontierPoint, own: FrontierPoint) -> FrontierPoint:
    """Return the point with the fit's training rates if it is the fit's panel and targets."""
    same = point.budget == own.budget and set(point.features) == set(own.features)
    return replace(point, training=own.training) if same else point


def _informed_fit(fit: FitSection, known: list[FrontierPoint]) -> FitSection:
    """Return the fit with the bound that the trade-off proved, and a cheaper panel if it has one.

    The fitted panel itself stays what it is: it is the one in the model.
    """
    own = known[-1]
    informed = _informed(own, known)
    if same_cost(informed.cost, own.cost):
        bound = max(fit.bound, informed.bound)
        status = Status.OPTIMAL if same_cost(bound, fit.cost) else Status.FEASIBLE
        return replace(fit, bound=bound, status=str(status))
    cheaper = CheaperPanel(informed.cost, informed.features)
    return replace(fit, bound=informed.bound, status=str(Status.FEASIBLE), cheaper=cheaper)


def _at_least(mine: ErrorBudget, other: ErrorBudget) -> bool:
    """Return True if the first budget is as tight as the other, or tighter."""
    return mine.pos <= other.pos and mine.neg <= other.neg
