"""What `FrugalSVC` does on labels of several classes, or several columns of them."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from frugalsvm.data.exceptions import FrugalSVMError
from frugalsvm.data.rates import RateTargets
from frugalsvm.engine.fallback import Hyperplane
from frugalsvm.engine.no_answer import warn_unfinished
from frugalsvm.estimators.base import training_data
from frugalsvm.estimators.rate_svc import RateSVC
from frugalsvm.estimators.selector import FrugalSelector
from frugalsvm.estimators.several.one_panel import OnePanelSVC
from frugalsvm.estimators.several.selecting import refuse_what_needs_two_classes, several_rates
from frugalsvm.inputs.tables import column_ranges
from frugalsvm.runtime.stopping import Stopper, interruptible
from frugalsvm.several.decision import recalls, target_rates, warn_of_low_recalls
from frugalsvm.several.labels import SeveralLabels, has_columns
from frugalsvm.several.scales import balancing_scales

LEAST_TIME = 1e-3
"""Seconds for the training of a target if there is nothing left."""


def fit_several(clf: Any, X: Any, y: Any, selection_share: float, stop: Stopper) -> None:
    """Fit a `FrugalSVC`: select one panel, then train a classifier for every target on it."""
    refuse_what_needs_two_classes(clf)
    checked, _ = training_data(clf, X, y, multi_output=has_columns(y))
    clf._ranges = column_ranges(checked)
    with interruptible(stop), clf._engine().training_compiled_ahead(clf.loss):
        share = None if clf.time_limit is None else selection_share * clf.time_limit
        selector = clf._part(FrugalSelector, time_limit=share).fit(X, y)
        support = selector.get_support()
        panel = checked[:, support] if support.any() else np.zeros((len(checked), 1))
        trained = _train_each(clf, selector, panel, stop)
    asked = several_rates(clf).of(selector._labels)
    _adopt(clf, selector, OnePanelSVC(trained, selector._labels, panel.shape[1]), panel, asked)


def _train_each(
    clf: Any, selector: FrugalSelector, panel: NDArray[np.float64], stop: Stopper
) -> list[RateSVC]:
    """Return a classifier for every target, with an even share of the time that is left."""
    labels: SeveralLabels = selector._labels
    asked = several_rates(clf).of(labels)
    trained = []
    begun = stop.elapsed
    for t, (members, rates) in enumerate(zip(labels.members, asked, strict=True)):
        svc: RateSVC = clf._trainer(selector, stop.interrupted)
        if svc.time_limit is not None:
            left = svc.time_limit - (stop.elapsed - begun)
            svc.time_limit = max(left / (len(asked) - t), LEAST_TIME)
        svc.set_params(min_tpr=rates.min_tpr, min_tnr=rates.min_tnr, pos_label=True)
        svc._known = _hyperplane(selector, t)
        try:
            trained.append(svc.fit(panel, members))
        except FrugalSVMError as error:
            error.add_note(f"This was {labels.names[t]!r} against the rest.")
            raise
    return trained


def _hyperplane(selector: FrugalSelector, number: int) -> Hyperplane:
    """Return one of the selection's hyperplanes for the panel's columns."""
    found: Any = selector.result_  # a PanelResult
    coef, intercept = selector._scaler.to_user_units(
        found.weights[number], float(found.intercepts[number])
    )
    support = selector.get_support()
    return Hyperplane(coef[support] if support.any() else np.zeros(1), intercept)


def _adopt(
    clf: Any,
    selector: FrugalSelector,
    svc: OnePanelSVC,
    panel: NDArray[np.float64],
    asked: tuple[RateTargets, ...],
) -> None:
    """Show the steps' outcome as the classifier's own, and say where it falls short."""
    labels: SeveralLabels = selector._labels
    clf.selector_, clf.svc_ = selector, svc
    for name in ("classes_", "fused_classes_", "cost_", "bound_", "status_", "result_"):
        setattr(clf, name, getattr(selector, name))
    clf.alternatives_, clf.alternatives_complete_ = [], False
    svc.scales_ = balancing_scales(svc.decision_function(panel), labels, asked)
    scores = svc.decision_function(panel)
    clf.train_tpr_, clf.train_tnr_ = target_rates(scores, labels)
    clf.train_recall_ = recalls(scores, labels)
    clf.intercept_ = svc.scales_ * np.concatenate([one.intercept_ for one in svc.estimators_])
    if clf.kernel == "linear":
        clf.coef_ = np.zeros((len(svc.estimators_), clf.n_features_in_))
        support = selector.get_support()
        if support.any():
            coef = np.vstack([one.coef_ for one in svc.estimators_])
            clf.coef_[:, support] = svc.scales_[:, np.newaxis] * coef
    unfinished = max((one.result_ for one in svc.estimators_), key=lambda result: result.gap)
    warn_unfinished(clf._owner, unfinished)
    warn_of_low_recalls(clf._owner, clf.train_recall_, labels, asked)
