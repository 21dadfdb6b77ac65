"""One page, one truth: what the fit knows and what the trade-off knows, brought together.

Both speak about the same training data, so that what one of them found or proved holds for the
other: a panel for tighter targets serves looser ones, a bound for looser targets holds for
tighter ones. They are compared by the errors that they allow, which are whole numbers.

On new data nothing is proved. A pair of targets has a panel there if both can be expected to hold,
by the measure of the headline: classifiers chosen and trained in the same way, for these targets
or tighter ones, reach them on samples that they did not see.
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

    A fit for rates on new data answers another question than a trade-off in training, and a fit
    in training another one than a trade-off for new data: they have nothing to tell each other.

    Raises
    ------
    ValueError
        If the parts contradict each other: they are of different data or prices.
    """
    if data.frontier is None:
        return data
    new_data = data.frontier.rates == "cv"
    own = None
    if data.fit is not None and (data.fit.unseen is not None) == new_data:
        own = _point_of(data.fit, data.frontier)
    settle = _on_new_data if new_data else _in_training
    points, fit = settle(data.frontier, data.fit, own)
    frontier = replace(data.frontier, points=tuple(mark_efficient(points)))
    return replace(data, fit=fit, frontier=frontier)


def _in_training(
    frontier: Frontier, fit: FitSection | None, own: FrontierPoint | None
) -> tuple[list[FrontierPoint], FitSection | None]:
    """Return points and fit with what follows from all that is known; `own` is the fit's point."""
    known = [*frontier.points, *([own] if own else [])]
    points = [_informed(point, known) for point in frontier.points]
    if fit is None or own is None:
        return points, fit
    return [_fitted(point, own) for point in points], _informed_fit(fit, own, known)


def _on_new_data(
    frontier: Frontier, fit: FitSection | None, own: FrontierPoint | None
) -> tuple[list[FrontierPoint], FitSection | None]:
    """Return points and fit with the panels by which targets can be expected to hold.

    What the fit says of its own targets takes the place of what the trade-off says of them, unless
    the fit looked for a panel that can be certified: a cheaper one can then be expected to do, too.
    """
    points = list(frontier.points)
    judged = frontier.complete or any(point.cross_validated is not None for point in points)
    for_certificate = False
    if fit is not None and own is not None:
        for_certificate = fit.unseen is not None and fit.unseen.held_out is not None
        others = (p for p in points if for_certificate or p.budget != own.budget)
        points = [own, *others]
    sure = own if _certified(fit) else None
    # Where nothing was judged, there is of other pairs only what the fit's panel costs.
    settled = None if own is None or for_certificate else own.budget
    served = [
        replace(_served(point, points, sure), searched=judged or point.budget == settled)
        for point in frontier.points
    ]
    if fit is None or own is None:
        return served, fit
    best = _cheapest_expected(own, points, sure)
    if best is not None and best.cost < fit.cost and not same_cost(best.cost, fit.cost):
        fit = replace(fit, cheaper=CheaperPanel(best.cost, best.features))
    return served, fit


def _point_of(fit: FitSection, frontier: Frontier) -> FrontierPoint:
    """Return the fit as a point of the frontier.

    A bound of the paper's model as written is about fewer hyperplanes: it proves nothing elsewhere.
    """
    counts, exact = fit.training, fit.solver.startswith("frugalsvm")
    needed = (fit.training_tpr, fit.training_tnr)
    if fit.unseen is not None:  # the margin is about cross-validation, not about training
        needed = (fit.min_tpr, fit.min_tnr)
    place = {name: k for k, name in enumerate(frontier.feature_names)}
    names = sorted((line.name for line in fit.panel), key=lambda name: place.get(name, -1))
    return FrontierPoint(
        min_tpr=fit.min_tpr,
        min_tnr=fit.min_tnr,
        budget=ErrorBudget(
            counts.n_positive - required_count(needed[0], counts.n_positive),
            counts.n_negative - required_count(needed[1], counts.n_negative),
        ),
        status=Status(fit.status) if exact else Status.FEASIBLE,
        support=tuple(place[name] for name in names if name in place),
        features=tuple(names),
        cost=fit.cost,
        bound=fit.bound if exact else 0.0,
        searched=True,
        seconds=fit.seconds,
        training=counts,
        cross_validated=None if fit.unseen is None else fit.unseen.expected,
    )


def _certified(fit: FitSection | None) -> bool:
    held_out = None if fit is None or fit.unseen is None else fit.unseen.held_out
    return held_out is not None and held_out.certified


def _can_be_expected(point: FrontierPoint, found: FrontierPoint) -> bool:
    """Return True if what was found for targets as tight lets one expect the point's."""
    counts = found.cross_validated
    if not found.has_answer or counts is None or not counts.n_positive or not counts.n_negative:
        return False
    return counts.tpr >= point.min_tpr and counts.tnr >= point.min_tnr


def _cheapest_expected(
    point: FrontierPoint, known: list[FrontierPoint], sure: FrontierPoint | None
) -> FrontierPoint | None:
    """Return the cheapest panel that lets one expect the point's targets; `sure` is certified."""
    serving = [p for p in known if p is sure or _can_be_expected(point, p)]
    return _cheapest_for(point, serving)


def _served(
    point: FrontierPoint, known: list[FrontierPoint], sure: FrontierPoint | None
) -> FrontierPoint:
    """Return the point with the cheapest panel by which its targets can be expected to hold.

    Rates are those of the classifier for these very targets, if it does and costs no more.
    """
    best = _cheapest_expected(point, known, sure)
    if best is None:
        return replace(point, status=Status.UNKNOWN, cost=math.inf, support=(), features=())
    mine = [
        p
        for p in known
        if p.budget == point.budget
        and same_cost(p.cost, best.cost)
        and (p is sure or _can_be_expected(point, p))
    ]
    shown = mine[0] if mine else best
    return replace(
        point,
        status=Status.FEASIBLE,
        cost=shown.cost,
        support=shown.support,
        features=shown.features,
        cross_validated=shown.cross_validated,
    )


def _informed(point: FrontierPoint, known: list[FrontierPoint]) -> FrontierPoint:
    """Return the point with the cheapest panel and the best bound that follow from the others."""
    bound = max(other.bound for other in known if _at_least(point.budget, other.budget))
    best = _cheapest_for(point, known)
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


def _cheapest_for(point: FrontierPoint, known: list[FrontierPoint]) -> FrontierPoint | None:
    """Return the cheapest of the known panels for targets as tight as the point's, or tighter."""
    serving = [p for p in known if p.has_answer and _at_least(p.budget, point.budget)]
    return min(serving, key=lambda p: p.cost, default=None)


def _fitted(point: FrontierPoint, own: FrontierPoint) -> FrontierPoint:
    """Return the point with the fit's training rates if it is the fit's panel and targets."""
    same = point.budget == own.budget and set(point.features) == set(own.features)
    return replace(point, training=own.training) if same else point


def _informed_fit(fit: FitSection, own: FrontierPoint, known: list[FrontierPoint]) -> FitSection:
    """Return the fit with the bound that the trade-off proved, and a cheaper panel if it has one.

    The fitted panel itself stays what it is: it is the one in the model.
    """
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
