"""From a fitted classifier and its data to the report's section about it."""

from __future__ import annotations

import warnings
from typing import Any

import numpy as np
from joblib import Parallel, delayed
from numpy.typing import NDArray
from sklearn.base import clone
from sklearn.exceptions import ConvergenceWarning
from sklearn.metrics import roc_auc_score, roc_curve
from sklearn.model_selection import StratifiedKFold, check_cv
from sklearn.utils import _safe_indexing
from sklearn.utils.validation import check_is_fitted

from frugalsvm.data.exceptions import InfeasibleRatesError, NoSolutionError
from frugalsvm.data.losses import METHODS
from frugalsvm.data.problem import MAX_WEIGHT
from frugalsvm.data.rates import RateCounts
from frugalsvm.estimators.classifier import FrugalSVC
from frugalsvm.export.scorecard import card_for
from frugalsvm.inputs.formulate import feature_table
from frugalsvm.inputs.labels import Labels, read_labels
from frugalsvm.inputs.prices import FeatureTable, PriceInputs
from frugalsvm.report.data import (
    CrossValidation,
    FeatureLine,
    FitSection,
    RocCurve,
    SharedCost,
    TrainingStep,
)
from frugalsvm.runtime.stopping import Stopper, interruptible
from frugalsvm.saved.model import FrugalModel, UnseenRates
from frugalsvm.saved.modelfile.saving import unseen_rates

Floats = NDArray[np.float64]

CURVE_POINTS = 400
"""Points of a drawn ROC curve at the most."""


def fit_section(
    classifier: Any,
    X: Any,
    y: Any,
    *,
    cv: Any = 5,
    cv_time_limit: float | None = 10.0,
    n_jobs: int | None = None,
    model: FrugalModel | None = None,
) -> FitSection:
    """Describe a fitted classifier for :class:`ReportData`, and cross-validate it.

    Parameters
    ----------
    classifier : FrugalSVC or FrugalSVCCV
        Fitted on `X` and `y`. A FrugalSVCCV comes with its own cross-validation.
    X : array-like of shape (n_samples, n_features)
        The training data; column names, if any, are the report's feature names.
    y : array-like of shape (n_samples,)
        The labels.
    cv : int, splitter or None, default=5
        Cross-validation of the whole procedure, selection included; None: none.
    cv_time_limit : float or None, default=10.0
        Seconds for the fit of each fold (at most the classifier's own limit). A fold needs a
        good panel, not the proof that it is the cheapest.
    n_jobs : int or None, default=None
        Folds fitted side by side.
    model : FrugalModel or None, default=None
        The classifier's model with the names of its raw variables; None: ``classifier.model_``.

    Returns
    -------
    FitSection
        The section.
    """
    check_is_fitted(classifier, "svc_")
    unseen = unseen_rates(classifier)
    if unseen is not None and unseen.held_out is not None:  # training rates are of the others
        learned = np.setdiff1d(np.arange(len(y)), unseen.held_out.rows)
        X, y = _safe_indexing(X, learned), np.asarray(y)[learned]
    labels = read_labels(np.asarray(y), classifier.pos_label, type(classifier).__name__)
    names = getattr(classifier, "feature_names_in_", None)
    table = feature_table(names, classifier.n_features_in_, type(classifier).__name__)
    prices = PriceInputs(
        classifier.feature_costs, classifier.feature_groups, classifier.group_costs
    )
    costs = prices.resolve(table)
    scores = labels.sign * classifier.decision_function(X)
    training_tpr, training_tnr = classifier._targets().training_rates(
        labels.n_positive, labels.n_negative
    )
    lines = _lines(classifier, X, labels, table, prices)
    chosen = classifier.get_support()
    touched = costs.groups_touched(np.flatnonzero(chosen))
    result = classifier.result_
    return FitSection(
        min_tpr=classifier.min_tpr,
        min_tnr=classifier.min_tnr,
        correction=classifier._targets().correction,
        training_tpr=training_tpr,
        training_tnr=training_tnr,
        positive_label=str(labels.positive_label),
        negative_label=str(labels.classes[int(not labels.positive_is_second)]),
        panel=tuple(line for line, used in zip(lines, chosen, strict=True) if used),
        left_out=tuple(line for line, used in zip(lines, chosen, strict=True) if not used),
        shared_costs=tuple(
            SharedCost(name, float(costs.group[g]), g in touched)
            for g, name in enumerate(prices.group_names(table))
        ),
        cost=classifier.cost_,
        bound=classifier.bound_,
        full_cost=costs.cost(range(costs.n_features)),
        status=str(classifier.status_),
        stop_reason=str(result.stop_reason),
        solver=f"{result.solver} {result.solver_version}".strip(),
        seconds=result.seconds + classifier.svc_.result_.seconds,
        kernel=_kernel_words(classifier),
        C=float(classifier.svc_.C),
        method=METHODS[classifier.svc_.loss],
        alternatives=tuple(
            tuple(table.names[k] for k in support) for support in classifier.alternatives_
        ),
        alternatives_complete=getattr(classifier, "alternatives_complete_", False),
        training=counts_of(scores, labels.positive),
        training_roc=roc_of(scores, labels.positive),
        cross_validation=cross_validate(
            classifier, X, np.asarray(y), labels, cv, cv_time_limit, n_jobs
        )
        if unseen is None
        else _own_validation(classifier, unseen),
        max_weight=float(getattr(classifier, "max_weight", MAX_WEIGHT)),
        training_step=_training_step(classifier),
        unseen=unseen,
        **_by_hand(classifier, model or classifier.model_, X, labels),
    )


def _own_validation(classifier: Any, unseen: UnseenRates) -> CrossValidation:
    """Return the cross-validation that a FrugalSVCCV has made itself."""
    supports = classifier._expected.supports
    return CrossValidation(
        counts=unseen.expected,
        n_folds=len(supports),
        same_panel=sum(support == classifier.result_.support for support in supports),
    )


def _training_step(classifier: FrugalSVC) -> TrainingStep:
    result = classifier.svc_.result_
    return TrainingStep(
        str(result.status), str(result.stop_reason), float(result.gap), float(result.seconds)
    )


def _by_hand(classifier: FrugalSVC, model: FrugalModel, X: Any, labels: Labels) -> dict[str, Any]:
    """Return the formula and the score card of a linear panel."""
    if not model.decision.kernel.linear or not model.panel.features:
        return {}
    if model.score_card is not None:
        return {"rule": model.rule, "score_card": model.score_card}
    panel = np.asarray(X, dtype=np.float64)[:, list(classifier.result_.support)]
    return {"rule": model.rule, "score_card": card_for(model, panel, labels.positive)}


def cross_validate(
    classifier: FrugalSVC,
    X: Any,
    y: NDArray[Any],
    labels: Labels,
    cv: Any,
    time_limit: float | None,
    n_jobs: int | None,
) -> CrossValidation | None:
    """Select and train anew on every fold's training part; judge on the part held out."""
    if cv is None:
        return None
    if isinstance(cv, int):
        cv = StratifiedKFold(cv, shuffle=True, random_state=0)
    splits = list(check_cv(cv, y, classifier=True).split(np.zeros((len(y), 1)), y))
    limits = [t for t in (time_limit, classifier.time_limit) if t is not None]
    model = clone(classifier).set_params(
        time_limit=min(limits, default=None),
        n_alternatives=0,
        n_jobs=None,
        callback=None,
    )
    stop = Stopper()
    with interruptible(stop):
        done = Parallel(n_jobs=n_jobs, prefer="threads")(
            delayed(_fold)(clone(model), X, y, learn, test, labels.sign, stop)
            for learn, test in splits
        )
    scores = np.full(len(y), np.nan)
    same = 0
    for (_, test), fold in zip(splits, done, strict=True):
        if fold is not None:
            scores[test], support = fold
            same += bool(np.array_equal(support, classifier.get_support()))
    tested = ~np.isnan(scores)
    positive = labels.positive[tested]
    both = positive.any() and (~positive).any()
    return CrossValidation(
        counts=counts_of(scores[tested], positive),
        n_folds=len(splits),
        failed_folds=sum(fold is None for fold in done),
        roc=roc_of(scores[tested], positive) if both else None,
        same_panel=same,
    )


def _fold(
    model: Any,
    X: Any,
    y: NDArray[Any],
    learn: NDArray[np.intp],
    test: NDArray[np.intp],
    sign: float,
    stop: Stopper,
) -> tuple[Floats, NDArray[np.bool_]] | None:
    """Return scores and support of a fold; None if nothing met the targets.

    Ctrl-C ends the fit that is running, which keeps its best so far; here it ends everything.
    """
    try:
        with warnings.catch_warnings():  # a fold needs a good classifier, not the proof of it
            warnings.simplefilter("ignore", ConvergenceWarning)
            model.fit(_safe_indexing(X, learn), y[learn])
    except (InfeasibleRatesError, NoSolutionError):
        if stop.interrupted:
            raise KeyboardInterrupt from None
        return None
    if stop.interrupted:
        raise KeyboardInterrupt
    return sign * model.decision_function(_safe_indexing(X, test)), model.get_support()


def counts_of(scores: Floats, positive: NDArray[np.bool_]) -> RateCounts:
    """Return what decision values (positive: positive) get right."""
    said = scores > 0
    return RateCounts(
        true_positives=int((said & positive).sum()),
        n_positive=int(positive.sum()),
        true_negatives=int((~said & ~positive).sum()),
        n_negative=int((~positive).sum()),
    )


def roc_of(scores: Floats, positive: NDArray[np.bool_]) -> RocCurve:
    """Return the ROC curve of decision values, with few enough points to draw."""
    fpr, tpr, _ = roc_curve(positive, scores)
    kept = np.unique(np.linspace(0, len(fpr) - 1, CURVE_POINTS).round().astype(np.intp))
    area = float(roc_auc_score(positive, scores))
    return RocCurve(tuple(fpr[kept].tolist()), tuple(tpr[kept].tolist()), area)


def _lines(
    classifier: FrugalSVC, X: Any, labels: Labels, table: FeatureTable, prices: PriceInputs
) -> list[FeatureLine]:
    costs, groups = prices.resolve(table), prices.group_names(table)
    linear = classifier.svc_.kernel == "linear"
    spread = np.asarray(X, dtype=np.float64).std(axis=0) if linear else np.zeros(len(table))
    coef = labels.sign * classifier.coef_[0] if linear else np.zeros(len(table))
    return [
        FeatureLine(
            name=name,
            cost=float(costs.feature[k]),
            groups=tuple(groups[g] for g in costs.groups_of[k]),
            weight=float(coef[k] * spread[k]) if linear else None,
            coefficient=float(coef[k]) if linear else None,
        )
        for k, name in enumerate(table.names)
    ]


def _kernel_words(classifier: FrugalSVC) -> str:
    kernel = classifier.svc_.kernel
    if callable(kernel):
        return f"own kernel {getattr(kernel, '__name__', type(kernel).__name__)}"
    if kernel in ("rbf", "poly", "polynomial", "sigmoid", "laplacian", "chi2"):
        gamma = classifier.gamma
        return f"{kernel}, gamma = {gamma if isinstance(gamma, str) else format(gamma, '.4g')}"
    return str(kernel)
