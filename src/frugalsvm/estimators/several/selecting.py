"""What `FrugalSelector` does on labels of several classes, or several columns of them."""

from __future__ import annotations

import warnings
from typing import Any

import numpy as np
from numpy.typing import NDArray

from frugalsvm.data.exceptions import FusedClassesWarning
from frugalsvm.estimators.base import training_data
from frugalsvm.estimators.several.no_answer import cut_short, infeasible_panel, no_panel
from frugalsvm.inputs.fingerprint import data_hash
from frugalsvm.inputs.formulate import FeatureTerms, feature_table, selection_problem
from frugalsvm.inputs.prices import PriceInputs
from frugalsvm.inputs.standardize import Standardizer
from frugalsvm.runtime.stopping import Stopper, interruptible
from frugalsvm.several import PanelResult, SeveralProblem
from frugalsvm.several.decision import recalls, target_rates, warn_of_low_recalls
from frugalsvm.several.fusion import Confusion, Fusion, confused_classes, targets_of
from frugalsvm.several.labels import Block, SeveralLabels, has_columns, read_several
from frugalsvm.several.rates import SeveralRates
from frugalsvm.several.scales import balancing_scales
from frugalsvm.several.verify import verify_panel

LOOK_AROUND = 2.0
"""Seconds, at the least, to find out which classes are alike and which fusion would do."""


def select_for_several(selector: Any, X: Any, y: Any) -> None:
    """Fit a selector: find the cheapest panel on which every target's rates can be met."""
    refuse_what_needs_two_classes(selector)
    stop = Stopper(selector.time_limit)
    engine = selector._engine()
    X, y = training_data(selector, X, y, multi_output=has_columns(y))
    labels = read_several(y, selector._owner)
    selector._data_hash = data_hash(X, np.asarray(y))
    selector._scaler = Standardizer.fit(X)
    rates = several_rates(selector)
    with interruptible(stop):
        problem = _problem(selector, X, labels, rates)
        result = engine.select_panel(problem, stop)
        if not result.has_answer:
            labels = _fused(selector, problem, labels, rates, result, stop, engine.seed)
            problem = _problem(selector, X, labels, rates)
            result = engine.select_panel(problem, stop.extended(LOOK_AROUND))
            if not result.has_answer:
                raise no_panel(selector._owner, result, labels)
    _keep(selector, problem, result, labels, X)


def several_rates(estimator: Any) -> SeveralRates:
    """Return what an estimator's parameters ask of every target."""
    recall = estimator.min_tpr if estimator.min_recall is None else estimator.min_recall
    return SeveralRates(
        recall, estimator.min_tnr, estimator.correction, float(estimator.alpha), estimator._owner
    )


def refuse_what_needs_two_classes(selector: Any) -> None:
    """Raise a ValueError for parameters that have no meaning with several targets."""
    wanted = {"solver": "auto", "pos_label": None, "n_alternatives": 0}
    for name, value in wanted.items():
        given = getattr(selector, name)
        if given != value:
            raise ValueError(
                f"The '{name}' parameter of {selector._owner} must be {value!r} where y has "
                f"several classes or columns. Got {given!r} instead."
            )


def _problem(
    selector: Any, X: NDArray[np.float64], labels: SeveralLabels, rates: SeveralRates
) -> SeveralProblem:
    targets = targets_of(labels, rates)
    names = getattr(selector, "feature_names_in_", None)
    prices = PriceInputs(selector.feature_costs, selector.feature_groups, selector.group_costs)
    first = selection_problem(
        X,
        targets[0].positive,
        targets[0].budget,
        scaler=selector._scaler,
        table=feature_table(names, X.shape[1], selector._owner),
        terms=FeatureTerms(prices, selector.include, selector.exclude, selector.max_weight),
    )
    return SeveralProblem.of(first, targets)


def _fused(
    selector: Any,
    problem: SeveralProblem,
    labels: SeveralLabels,
    rates: SeveralRates,
    result: PanelResult,
    stop: Stopper,
    seed: int,
) -> SeveralLabels:
    """Return the classes fused so that the rates can be met, or raise the error that says why."""
    owner = selector._owner
    if cut_short(result):
        raise no_panel(owner, result, labels)
    more = stop.extended(LOOK_AROUND)
    confusion, fusion = Confusion((), ()), None
    short = result.infeasible or result.unmet
    if labels.exclusive and short:
        confusion = confused_classes(problem, short, more)
        fusion = Fusion(problem, labels, rates, more).find(confusion)
    if fusion is None or not selector.fuse_classes:
        if not short:
            raise no_panel(owner, result, labels)
        again = stop.extended(
            LOOK_AROUND
        )  # what could be had is looked for whatever it took so far
        raise infeasible_panel(
            problem, labels, rates.of(labels), result, confusion, fusion, again, seed
        )
    fused = labels.fuse(fusion)
    _warn_of_fusion(owner, fused, fusion)
    return fused


def _warn_of_fusion(owner: str, fused: SeveralLabels, fusion: tuple[Block, ...]) -> None:
    shown = "; ".join(
        f"{', '.join(map(repr, members))} as {name!r}" for name, members in fused.fused.items()
    )
    warnings.warn(
        f"The rates that {owner} was asked for cannot be met for every class against the rest. "
        f"Fused, so that they can: {shown}; {len(fusion)} classes are left (fused_classes_).",
        FusedClassesWarning,
        stacklevel=5,
    )


def _keep(
    selector: Any,
    problem: SeveralProblem,
    result: PanelResult,
    labels: SeveralLabels,
    X: NDArray[np.float64],
) -> None:
    """Verify the answer on the raw data, and show it as the selector's attributes."""
    units = [
        selector._scaler.to_user_units(weights, intercept)
        for weights, intercept in zip(result.weights, result.intercepts, strict=True)
    ]
    scores = selector._scaler.transform(X) @ result.weights.T + result.intercepts
    verify_panel(problem, result, scores)
    asked = several_rates(selector).of(labels)
    scales = balancing_scales(scores, labels, asked)
    scores = scores * scales
    selector._labels = labels
    selector.classes_ = labels.classes
    selector.fused_classes_ = labels.fused
    selector.coef_ = scales[:, np.newaxis] * np.array([coef for coef, _ in units])
    selector.intercept_ = scales * np.array([intercept for _, intercept in units])
    selector.result_ = result
    selector.cost_ = result.cost
    selector.bound_ = result.bound
    selector.status_ = str(result.status)
    selector.train_tpr_, selector.train_tnr_ = target_rates(scores, labels)
    selector.train_recall_ = recalls(scores, labels)
    selector.alternatives_ = []
    selector.alternatives_complete_ = False
    if selector._called_by is None:
        warn_of_low_recalls(selector._owner, selector.train_recall_, labels, asked)
