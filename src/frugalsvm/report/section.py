"""From a fitted classifier and its data to the report's section about it."""

from __future__ import annotations

from typing import Any

import numpy as np
from joblib import Parallel, delayed
from numpy.typing import NDArray
from sklearn.base import clone
from sklearn.metrics import roc_auc_score, roc_curve
from sklearn.model_selection import StratifiedKFold, check_cv
from sklearn.utils import _safe_indexing
from sklearn.utils.validation import check_is_fitted

from frugalsvm.classifier import FrugalSVC
from frugalsvm.exceptions import InfeasibleRatesError, NoSolutionError
from frugalsvm.formulate import feature_table
from frugalsvm.labels import Labels, read_labels
from frugalsvm.prices import FeatureTable, PriceInputs
from frugalsvm.report.data import CrossValidation, FeatureLine, FitSection, RocCurve, SharedCost
from frugalsvm.tradeoff.points import RateCounts

Floats = NDArray[np.float64]

CURVE_POINTS = 400
"""Points of a drawn ROC curve at the most."""


def fit_section(
    classifier: FrugalSVC,
    X: Any,
    y: Any,
    *,
    cv: Any = 5,
    cv_time_limit: float | None = 10.0,
    n_jobs: int | None = None,
) -> FitSection:
    """Describe a fitted classifier for :class:`ReportData`, and cross-validate it.

    Parameters
    ----------
    classifier : FrugalSVC
        Fitted on `X` and `y`.
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

    Returns
    -------
    FitSection
        The section.
    """
    check_is_fitted(classifier, "svc_")
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
        correction=classifier.correction,
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
        C=float(classifier.C),
        alternatives=tuple(
            tuple(table.names[k] for k in support) for support in classifier.alternatives_
        ),
        training=counts_of(scores, labels.positive),
        training_roc=roc_of(scores, labels.positive),
        cross_validation=cross_validate(
            classifier, X, np.asarray(y), labels, cv, cv_time_limit, n_jobs
        ),
        max_weight=float(classifier.max_weight),
    )


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
    done = Parallel(n_jobs=n_jobs, prefer="threads")(
        delayed(_fold)(clone(model), X, y, learn, test, labels.sign) for learn, test in splits
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
) -> tuple[Floats, NDArray[np.bool_]] | None:
    try:
        model.fit(_safe_indexing(X, learn), y[learn])
    except (InfeasibleRatesError, NoSolutionError):
        return None
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
    linear = classifier.kernel == "linear"
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
    kernel = classifier.kernel
    if callable(kernel):
        return f"own kernel {getattr(kernel, '__name__', type(kernel).__name__)}"
    if kernel in ("rbf", "poly", "polynomial", "sigmoid", "laplacian", "chi2"):
        gamma = classifier.gamma
        return f"{kernel}, gamma = {gamma if isinstance(gamma, str) else format(gamma, '.4g')}"
    return str(kernel)
