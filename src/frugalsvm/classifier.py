"""FrugalSVC: select the cheapest features, then train the SVM on them."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import Any, Self, TypeVar

import numpy as np
from numpy.typing import NDArray
from sklearn.base import BaseEstimator, ClassifierMixin
from sklearn.feature_selection import SelectorMixin
from sklearn.utils import Tags
from sklearn.utils.validation import check_is_fitted, validate_data

from frugalsvm.base import BinaryDecisionMixin, RateTargetsMixin, training_data
from frugalsvm.fingerprint import data_hash
from frugalsvm.parameters import check_parameters
from frugalsvm.rate_svc import TRAINER_RULES, RateSVC
from frugalsvm.result import Progress
from frugalsvm.selector import SELECTOR_RULES, FrugalSelector
from frugalsvm.stopping import Stopper, interruptible

SELECTION_SHARE = 0.8
"""Part of the time limit that the selection may use up; the rest is left for the training."""
LEAST_TIME = 1e-3
"""Seconds left for the training if the selection has used up all of them."""
AFTER_INTERRUPT = 1.0
"""Seconds that the training may take once the user has pressed Ctrl-C during the selection."""

Part = TypeVar("Part", bound=RateTargetsMixin)


class FrugalSVC(
    RateTargetsMixin, BinaryDecisionMixin, ClassifierMixin, SelectorMixin, BaseEstimator
):
    """Select the cheapest features that can meet both rates, then train an SVM on them.

    The paper's P1 followed by P2 (linear kernel) or P3 (any other): a
    :class:`FrugalSelector` and then a :class:`RateSVC` with the same targets. Classifier and
    feature selector in one.

    Parameters
    ----------
    min_tpr, min_tnr : float, default=0.9
        Required sensitivity and specificity on the training data, in [0, 1].
    correction : {"hoeffding"} or None, default=None
        "hoeffding" raises both rates by sqrt(-ln(alpha) / (2 n_class)), capped at 1.
    alpha : float, default=0.05
        Significance level of the correction.
    pos_label : label or None, default=None
        The class whose recall is the TPR; None: ``classes_[1]``, the greater label.
    feature_costs, feature_groups, group_costs, include, exclude, max_weight, n_alternatives
        What features cost and which may be used; see :class:`FrugalSelector`.
    kernel, gamma, degree, coef0, C, standardize, max_slack
        The Support Vector Machine; see :class:`RateSVC`.
    solver : {"auto", "scip", "gurobi"}, default="auto"
        "auto": this library's own exact searches. The others solve the paper's models as written.
    time_limit : float or None, default=60.0
        Seconds for both steps together.
    solver_options, n_jobs, random_state, callback
        See :class:`FrugalSelector`.

    Attributes
    ----------
    cost_, bound_ : float
        Cost of the selected features, and the proven lower bound on the cost of any others.
    status_ : {"optimal", "feasible"}
        Of the selection; "optimal": bound and cost are equal.
    result_ : SelectionResult
        Everything about the selection.
    train_tpr_, train_tnr_ : float
        Rates of the trained classifier's predictions on the training data.
    selector_ : FrugalSelector
        The fitted first step.
    svc_ : RateSVC
        The fitted second step, on the selected columns only; ``svc_.result_`` tells about the
        training.
    coef_ : ndarray of shape (1, n_features)
        Weights in the user's units, zero for features not selected; linear kernel only.
    intercept_ : ndarray of shape (1,)
        Intercept.
    alternatives_ : list of ndarray
        Further supports of the same cost, if asked for.
    classes_ : ndarray of shape (2,)
        The labels.
    n_features_in_ : int
        Number of features seen in ``fit``.
    feature_names_in_ : ndarray of str
        Their names, if X had any.

    Examples
    --------
    >>> from sklearn.datasets import load_breast_cancer
    >>> from frugalsvm import FrugalSVC
    >>> X, y = load_breast_cancer(return_X_y=True, as_frame=True)
    >>> clf = FrugalSVC(min_tpr=0.96, min_tnr=0.91).fit(X, y)
    >>> clf.cost_, clf.bound_, clf.status_
    (2.0, 2.0, 'optimal')
    >>> clf.train_tpr_ >= 0.96 and clf.train_tnr_ >= 0.91
    True
    """

    def __init__(
        self,
        min_tpr: float = 0.9,
        min_tnr: float = 0.9,
        *,
        correction: str | None = None,
        alpha: float = 0.05,
        pos_label: Any = None,
        feature_costs: Any = None,
        feature_groups: Any = None,
        group_costs: Any = None,
        include: Any = None,
        exclude: Any = None,
        max_weight: float = 100.0,
        kernel: Any = "linear",
        gamma: Any = "scale",
        degree: int = 3,
        coef0: float = 0.0,
        C: float = 1.0,
        standardize: bool = True,
        max_slack: float | None = None,
        solver: str = "auto",
        time_limit: float | None = 60.0,
        n_alternatives: int = 0,
        solver_options: dict[str, Any] | None = None,
        n_jobs: int | None = None,
        random_state: Any = None,
        callback: Any = None,
    ) -> None:
        self.min_tpr = min_tpr
        self.min_tnr = min_tnr
        self.correction = correction
        self.alpha = alpha
        self.pos_label = pos_label
        self.feature_costs = feature_costs
        self.feature_groups = feature_groups
        self.group_costs = group_costs
        self.include = include
        self.exclude = exclude
        self.max_weight = max_weight
        self.kernel = kernel
        self.gamma = gamma
        self.degree = degree
        self.coef0 = coef0
        self.C = C
        self.standardize = standardize
        self.max_slack = max_slack
        self.solver = solver
        self.time_limit = time_limit
        self.n_alternatives = n_alternatives
        self.solver_options = solver_options
        self.n_jobs = n_jobs
        self.random_state = random_state
        self.callback = callback

    def fit(self, X: Any, y: Any) -> Self:
        """Select features, then train on them.

        Ctrl-C keeps the best answer so far, if there is one.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features)
            Training data; numbers only, no missing values.
        y : array-like of shape (n_samples,)
            Labels, of two kinds.

        Returns
        -------
        self : FrugalSVC
            The fitted classifier.

        Raises
        ------
        InfeasibleRatesError
            If the rates cannot be met.
        NoSolutionError
            If nothing was found within the time limit.
        """
        check_parameters(self, SELECTOR_RULES | TRAINER_RULES)
        if self.kernel == "precomputed":
            raise ValueError(
                "The 'kernel' parameter of FrugalSVC must be computable from the selected "
                "features. Got 'precomputed' instead; use RateSVC, which selects no features."
            )
        stop = Stopper(self.time_limit)
        self._engine().require("P1", "P2" if self.kernel == "linear" else "P3")
        checked, labels = training_data(self, X, y)
        self._data_hash = data_hash(checked, labels)
        with interruptible(stop):
            share = None if self.time_limit is None else SELECTION_SHARE * self.time_limit
            selector = self._part(FrugalSelector, time_limit=share).fit(X, y)
            svc = self._trainer(selector, stop.interrupted)
            svc._known = selector._panel_hyperplane()
            svc.fit(_panel(checked, selector), y)
        self._adopt(selector, svc)
        return self

    def _trainer(self, selector: FrugalSelector, interrupted: bool) -> RateSVC:
        """Return the second step, with the time that the first has left."""
        left = self.time_limit
        if left is not None:
            left = max(left - selector.result_.seconds, LEAST_TIME)
        if interrupted:
            left = AFTER_INTERRUPT
        tell = None if self.callback is None else partial(_tell_of_training, self.callback)
        return self._part(RateSVC, time_limit=left, callback=tell)

    def decision_function(self, X: Any) -> NDArray[np.float64]:
        """Return f(x) for each row of `X`, positive on the side of ``classes_[1]``.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features)
            New samples, with the columns seen in ``fit``.

        Returns
        -------
        ndarray of shape (n_samples,)
            Decision values.
        """
        check_is_fitted(self, "svc_")
        X = validate_data(self, X, dtype=np.float64, reset=False)
        scores: NDArray[np.float64] = self.svc_.decision_function(_panel(X, self.selector_))
        return scores

    def save(self, path: str | Path) -> None:
        """Write the fitted classifier to a JSON file that :func:`frugalsvm.load_model` reads.

        Parameters
        ----------
        path : str or Path
            Where to; written whole or not at all.
        """
        from frugalsvm.modelfile import save

        save(self, path)

    def _part(self, kind: type[Part], **changes: Any) -> Part:
        """Return one of the two steps, with this estimator's parameters."""
        own = self.get_params(deep=False) | changes
        names = kind._get_param_names()  # type: ignore[attr-defined]  # scikit-learn's, untyped
        part = kind(**{name: own[name] for name in names if name in own})
        part._called_by = type(self).__name__
        return part

    def _adopt(self, selector: FrugalSelector, svc: RateSVC) -> None:
        """Show the steps' outcome as this estimator's own."""
        self.selector_ = selector
        self.svc_ = svc
        self.classes_ = svc.classes_
        self.cost_ = selector.cost_
        self.bound_ = selector.bound_
        self.status_ = selector.status_
        self.result_ = selector.result_
        self.alternatives_ = selector.alternatives_
        self.train_tpr_ = svc.train_tpr_
        self.train_tnr_ = svc.train_tnr_
        self.intercept_ = svc.intercept_
        support = selector.get_support()
        if self.kernel == "linear":
            self.coef_ = np.zeros((1, self.n_features_in_))
            if support.any():
                self.coef_[:, support] = svc.coef_

    def _get_support_mask(self) -> NDArray[np.bool_]:
        check_is_fitted(self, "selector_")
        mask: NDArray[np.bool_] = self.selector_.get_support()
        return mask

    def __sklearn_tags__(self) -> Tags:
        tags = super().__sklearn_tags__()
        tags.classifier_tags.multi_class = False
        # It pays for the rates asked for and no more; scikit-learn's checks expect 0.83.
        tags.classifier_tags.poor_score = min(self.min_tpr, self.min_tnr) <= 0.83
        return tags


def _tell_of_training(callback: Callable[[Progress], None], progress: Progress) -> None:
    """Pass on what the second step reports, marked: its cost is an objective, not a price."""
    callback(replace(progress, phase=f"training {progress.phase}".strip()))


def _panel(X: NDArray[np.float64], selector: FrugalSelector) -> NDArray[np.float64]:
    """Return the selected columns; for the empty panel one column of zeros."""
    support = selector.get_support()
    return X[:, support] if support.any() else np.zeros((len(X), 1))
