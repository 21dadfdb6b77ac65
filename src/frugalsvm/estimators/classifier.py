"""FrugalSVC: select the cheapest features, then train the SVM on them."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from functools import partial
from typing import Any, Self, TypeVar

import numpy as np
from numpy.typing import NDArray
from sklearn.base import BaseEstimator, ClassifierMixin
from sklearn.feature_selection import SelectorMixin
from sklearn.utils import Tags
from sklearn.utils.validation import check_is_fitted

from frugalsvm.data.exceptions import InfeasibleRatesError, NoSolutionError
from frugalsvm.data.losses import HINGE
from frugalsvm.data.result import Progress
from frugalsvm.engine.no_answer import warn_unfinished
from frugalsvm.estimators.base import (
    BinaryDecisionMixin,
    RateTargetsMixin,
    training_data,
)
from frugalsvm.estimators.panel import PanelMixin
from frugalsvm.estimators.rate_svc import TRAINER_RULES, RateSVC
from frugalsvm.estimators.selector import SELECTOR_RULES, SEVERAL_RULES, FrugalSelector
from frugalsvm.estimators.several.training import fit_several
from frugalsvm.inputs.parameters import check_parameters
from frugalsvm.inputs.sample_weights import refuse_shares, repeated_rows
from frugalsvm.inputs.tables import column_ranges, dense_part
from frugalsvm.runtime.stopping import Stopper, interruptible
from frugalsvm.several.labels import holds_several
from frugalsvm.several.rates import lowest, refuse_for_two_classes

SELECTION_SHARE = 0.8
"""Part of the time limit that the selection may use up; the rest is left for the training."""
LEAST_TIME = 1e-3
"""Seconds left for the training if the selection has used up all of them."""
AFTER_INTERRUPT = {True: 0.4, False: 1.0}
"""Seconds that the training of a linear (or other) kernel may take after Ctrl-C in the selection.

A linear one has the selection's hyperplane to fall back on.
"""

SAME_OBJECTIVE = 1e-3
"""Relative difference below which two objectives are alike: the training proves 1e-4."""

Part = TypeVar("Part", bound=RateTargetsMixin)


class FrugalSVC(
    PanelMixin,
    RateTargetsMixin,
    BinaryDecisionMixin,
    ClassifierMixin,
    SelectorMixin,
    BaseEstimator,
):
    """Select the cheapest features that can meet both rates, then train an SVM on them.

    The paper's P1 followed by P2 (linear kernel) or P3 (any other): a
    :class:`FrugalSelector` and then a :class:`RateSVC` with the same targets. Classifier and
    feature selector in one.

    This is the paper's method: both rates hold on the training data, with a proof that no
    cheaper features would do there. On new data they usually do not, because features and
    classifier were chosen for doing well on these samples. Use :class:`FrugalSVCCV` for rates on
    new data. The correction makes them likelier, but buys less for its price.

    With more than two classes, or several columns of labels, one panel serves all of them: every
    class against the rest, or every column, has a classifier of its own on it.

    Parameters
    ----------
    min_tpr : float, default=0.9
        Required sensitivity on the training data, in [0, 1].
    min_tnr : float or dict, default=0.9
        Required specificity on the training data, in [0, 1]; by class if there are several.
    correction : {"hoeffding"} or None, default=None
        "hoeffding" raises both rates by sqrt(-ln(alpha) / (2 n_class)), capped at 1.
    alpha : float, default=0.05
        Significance level of the correction.
    min_recall : float, dict or None, default=None
        With more than two classes or several columns: the sensitivity of each class against the
        rest, or of each column; one number, or by class (by number of the column). None: `min_tpr`.
        Predicted is the class with the largest score: ``train_recall_`` has the recalls of that,
        and a warning says where they are lower.
    fuse_classes : bool, default=False
        Whether classes may be taken as one where their rates cannot be met otherwise; see
        :class:`FrugalSelector`.
    pos_label : label or None, default=None
        The class whose recall is the TPR; None: ``classes_[1]``, the greater label.
    feature_costs, feature_groups, group_costs, include, exclude, max_weight
        What features cost and which may be used; see :class:`FrugalSelector`.
    n_alternatives : int, default=0
        How many further supports of the same cost to look for. Of those found the one with the
        least training objective is taken; the others are listed in ``alternatives_``.
    kernel, gamma, degree, coef0, C, loss, standardize, max_slack
        The Support Vector Machine, or with another `loss` the logistic regression or
        distance-weighted discrimination; see :class:`RateSVC`. The selection does not depend on it.
    solver : {"auto", "scip", "gurobi"}, default="auto"
        "auto": this library's own exact searches. The others solve the paper's models as written.
    time_limit : float or None, default=60.0
        Seconds for both steps together; see :class:`RateSVC` for the second.
    solver_options, n_jobs, random_state, callback, verbose
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
        Rates of the trained classifier's predictions on the training data; with several targets an
        array each, of every class against the rest.
    train_recall_ : ndarray of shape (n_classes,)
        With several targets: recalls of the predictions on the training data.
    fused_classes_ : dict
        With several classes: for each class that stands for others too, all of them.
    selector_ : FrugalSelector
        The fitted first step.
    svc_ : RateSVC
        The fitted second step, on the selected columns only; ``svc_.result_`` tells about the
        training. With several targets ``svc_.estimators_`` holds one each.
    panel_ : RateSVC
        The same for use: it predicts from the panel's columns alone, by name if X had names.
    model_ : FrugalModel
        The same as plain data, with the formula and exports.
    coef_ : ndarray of shape (1, n_features)
        Weights in the user's units, zero for features not selected; linear kernel only.
    intercept_ : ndarray of shape (1,)
        Intercept.
    alternatives_ : list of ndarray
        Further supports of the same cost, if asked for.
    alternatives_complete_ : bool
        True if it is proven that there are no others.
    classes_ : ndarray of shape (2,)
        The labels.
    n_features_in_ : int
        Number of features seen in ``fit``.
    feature_names_in_ : ndarray of str
        Their names, if X had any.

    See Also
    --------
    FrugalSVCCV : The cheapest features for rates on new data.
    certify : What held-out samples say about a fitted classifier.

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

    New cases need the panel's columns only:

    >>> measured = X[clf.get_feature_names_out()]
    >>> bool((clf.panel_.predict(measured) == clf.predict(X)).all())
    True
    """

    _unit: int = 1  # rows that stand for a sample of weight 1

    def __init__(
        self,
        min_tpr: float = 0.9,
        min_tnr: Any = 0.9,
        *,
        correction: str | None = None,
        alpha: float = 0.05,
        min_recall: Any = None,
        fuse_classes: bool = False,
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
        loss: str = HINGE,
        standardize: bool = True,
        max_slack: float | None = None,
        solver: str = "auto",
        time_limit: float | None = 60.0,
        n_alternatives: int = 0,
        solver_options: dict[str, Any] | None = None,
        n_jobs: int | None = None,
        random_state: Any = None,
        callback: Any = None,
        verbose: int = 0,
    ) -> None:
        self.min_tpr = min_tpr
        self.min_tnr = min_tnr
        self.correction = correction
        self.alpha = alpha
        self.min_recall = min_recall
        self.fuse_classes = fuse_classes
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
        self.loss = loss
        self.standardize = standardize
        self.max_slack = max_slack
        self.solver = solver
        self.time_limit = time_limit
        self.n_alternatives = n_alternatives
        self.solver_options = solver_options
        self.n_jobs = n_jobs
        self.random_state = random_state
        self.callback = callback
        self.verbose = verbose

    def fit(self, X: Any, y: Any, sample_weight: Any = None) -> Self:
        """Select features, then train on them.

        Ctrl-C keeps the best answer so far, if there is one.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features)
            Training data; numbers only, no missing values.
        y : array-like of shape (n_samples,) or (n_samples, n_outputs)
            Labels; or zeros and ones, a column for each of several questions.
        sample_weight : array-like of shape (n_samples,), default=None
            How many samples each row stands for; rates are shares of weight. Whole numbers are the
            same as repeated rows. None: 1.

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
        check_parameters(self, SELECTOR_RULES | TRAINER_RULES | SEVERAL_RULES)
        rows = repeated_rows(X, y, sample_weight, self._owner)
        X, y = rows.X, rows.y
        if self.correction is not None:
            refuse_shares(
                rows, self._owner, "a correction needs to know how many samples there are"
            )
        self._unit = rows.unit
        if self.kernel == "precomputed":
            raise ValueError(
                "The 'kernel' parameter of FrugalSVC must be computable from the selected "
                "features. Got 'precomputed' instead; use RateSVC, which selects no features."
            )
        stop = Stopper(self.time_limit)
        self._engine().require_loss(self.loss, self._owner)
        self._engine().require("P1", "P2" if self.kernel == "linear" else "P3")
        if holds_several(y):
            refuse_shares(rows, self._owner, "several questions are trained one by one")
            fit_several(self, X, y, SELECTION_SHARE, stop)
            return self
        refuse_for_two_classes(self)
        checked, _ = training_data(self, X, y, filled_in=self.solver != "auto")
        self._ranges = column_ranges(checked)
        with interruptible(stop), self._engine().training_compiled_ahead(self.loss):
            share = None if self.time_limit is None else SELECTION_SHARE * self.time_limit
            selector = self._part(FrugalSelector, time_limit=share).fit(X, y)
            svc = self._trainer(selector, stop.interrupted)
            svc._known = selector._panel_hyperplane()
            svc.fit(_panel(checked, selector), y)
            selector, svc = self._least_objective(selector, svc, (X, checked, y), stop)
        self._adopt(selector, svc)
        warn_unfinished(self._owner, svc.result_)
        return self

    def _trainer(self, selector: FrugalSelector, interrupted: bool) -> RateSVC:
        """Return the second step, with the time that the first has left."""
        left = self.time_limit
        if left is not None:
            left = max(left - selector.result_.seconds, LEAST_TIME)
        if interrupted:
            left = AFTER_INTERRUPT[self.kernel == "linear"]
        told = self._on_progress()
        tell = None if told is None else partial(_tell_of_training, told, selector.result_.seconds)
        return self._part(RateSVC, time_limit=left, callback=tell, verbose=0)

    def _least_objective(
        self, selector: FrugalSelector, svc: RateSVC, data: tuple[Any, Any, Any], stop: Stopper
    ) -> tuple[FrugalSelector, RateSVC]:
        """Return the steps for the support that trains best, of those known to cost the same.

        On samples not seen in training it does better than the others, if not by much.
        """
        X, checked, y = data
        chosen, best = None, svc
        for number, support in enumerate(selector.alternatives_):
            share = stop.remaining / (len(selector.alternatives_) - number + 1)
            if stop() or share <= 0:
                break
            limit = None if self.time_limit is None else share
            other = self._part(RateSVC, time_limit=limit, callback=None, verbose=0)
            try:
                other.fit(dense_part(checked, columns=support), y)
            except (InfeasibleRatesError, NoSolutionError):
                continue
            if other.objective_ < best.objective_ * (1 - SAME_OBJECTIVE):
                chosen, best = support, other
        if chosen is None:
            return selector, svc
        found = self._restricted(selector, chosen, X, y)
        if found.result_.support != tuple(chosen.tolist()):
            return selector, svc  # a hyperplane does without what costs nothing more there
        return found, best

    def _restricted(
        self, selector: FrugalSelector, support: NDArray[np.intp], X: Any, y: Any
    ) -> FrugalSelector:
        """Return the selector with another support of the same cost as its answer."""
        used = np.zeros(self.n_features_in_, dtype=np.bool_)
        used[support] = True  # all of them: a part may cost the same where features are free
        terms = {"include": used, "exclude": ~used}
        changes = {"n_alternatives": 0, "callback": None, "verbose": 0}
        found = self._part(FrugalSelector, **terms, **changes).fit(X, y)
        # The bound is about all the features that were allowed, so that they are its terms.
        found.set_params(
            include=self.include, exclude=self.exclude, n_alternatives=self.n_alternatives
        )
        before = selector.result_
        others = (before.support, *(tuple(s.tolist()) for s in selector.alternatives_))
        found.result_ = replace(
            found.result_,
            status=before.status,
            bound=before.bound,
            seconds=before.seconds + found.result_.seconds,
            stop_reason=before.stop_reason,
            alternatives=tuple(s for s in others if s != found.result_.support),
            history=before.history,
            details=before.details,
        )
        found.bound_, found.status_ = selector.bound_, selector.status_
        found.alternatives_complete_ = selector.alternatives_complete_
        found.alternatives_ = [np.array(s, dtype=np.intp) for s in found.result_.alternatives]
        return found

    def decision_function(self, X: Any) -> NDArray[np.float64]:
        """Return f(x) for each row of `X`, positive on the side of ``classes_[1]``.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features)
            New samples, with the columns seen in ``fit``.

        Returns
        -------
        ndarray of shape (n_samples,)
            Decision values; with several targets of shape (n_samples, n_targets).
        """
        check_is_fitted(self, "svc_")
        X = self._checked(X, filled_in=False)
        scores: NDArray[np.float64] = self.svc_.decision_function(_panel(X, self.selector_))
        return scores

    def predict(self, X: Any) -> NDArray[Any]:
        """Return the predicted label of each row of `X`.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features)
            New samples, with the columns seen in ``fit``.

        Returns
        -------
        ndarray of shape (n_samples,)
            Labels; of several classes the one with the largest score. Where y had several columns:
            zeros and ones, of shape (n_samples, n_outputs).
        """
        scores = self.decision_function(X)
        if scores.ndim == 1:
            return super().predict(X)
        labels: NDArray[Any] = self.svc_.decide(scores)
        return labels

    def _part(self, kind: type[Part], **changes: Any) -> Part:
        """Return one of the two steps, with this estimator's parameters."""
        own = self.get_params(deep=False) | changes
        if self._unit != 1:  # rows are parts of a sample: so is what their slack costs
            own["C"] = float(self.C) / self._unit
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
        self.alternatives_complete_ = selector.alternatives_complete_
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
        tags.classifier_tags.multi_label = True
        tags.input_tags.sparse = True
        # It pays for the rates asked for and no more; scikit-learn's checks expect 0.83.
        tags.classifier_tags.poor_score = min(self.min_tpr, lowest(self.min_tnr)) <= 0.83
        return tags


def _tell_of_training(
    callback: Callable[[Progress], None], before: float, progress: Progress
) -> None:
    """Pass on what the second step reports, marked: its cost is an objective, not a price."""
    phase, seconds = f"training {progress.phase}".strip(), before + progress.seconds
    callback(replace(progress, phase=phase, seconds=seconds))


def _panel(X: Any, selector: FrugalSelector) -> NDArray[np.float64]:
    """Return the selected columns; for the empty panel one column of zeros."""
    support = np.flatnonzero(selector.get_support())
    return dense_part(X, columns=support) if len(support) else np.zeros((X.shape[0], 1))
