"""From a fitted classifier and its data to the report's section about it."""

from __future__ import annotations

from typing import Any

from frugalsvm.classifier import FrugalSVC
from frugalsvm.report.data import FitSection


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
    raise NotImplementedError
