"""FrugalSelector: the cheapest features with which a hyperplane meets both rates."""

from __future__ import annotations

import math
from dataclasses import replace
from typing import Any, Self

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import issparse
from sklearn.base import BaseEstimator
from sklearn.feature_selection import SelectorMixin
from sklearn.utils import ClassifierTags, Tags
from sklearn.utils.validation import check_is_fitted

from frugalsvm.data.problem import MAX_WEIGHT, SelectionProblem
from frugalsvm.data.rates import ErrorBudget
from frugalsvm.data.result import Attainable, SelectionResult
from frugalsvm.data.verify import verify_selection
from frugalsvm.engine.dispatch import attainable_selection
from frugalsvm.engine.equal_panels import equal_panels
from frugalsvm.engine.fallback import Hyperplane
from frugalsvm.engine.many_columns import GivenColumns, given_columns, given_problem
from frugalsvm.engine.nearest_rates import balanced_errors
from frugalsvm.engine.no_answer import (
    Reached,
    infeasible_rates,
    no_solution,
    proven_infeasible,
    ran_out,
)
from frugalsvm.estimators.base import (
    ENGINE_RULES,
    TARGET_RULES,
    RateTargetsMixin,
    training_data,
    training_rates,
)
from frugalsvm.estimators.several.selecting import select_for_several
from frugalsvm.inputs.fingerprint import data_hash
from frugalsvm.inputs.formulate import FeatureTerms, feature_table, read_terms
from frugalsvm.inputs.labels import Labels, read_labels
from frugalsvm.inputs.parameters import BOOL, COUNT, WEIGHT_LIMIT, check_parameters
from frugalsvm.inputs.prices import PriceInputs
from frugalsvm.inputs.sample_weights import refuse_shares, repeated_rows
from frugalsvm.inputs.standardize import Standardizer
from frugalsvm.runtime.stopping import Stopper, interruptible
from frugalsvm.several.labels import holds_several
from frugalsvm.several.rates import RATES, RATES_OR_NONE, refuse_for_two_classes

SELECTOR_RULES = TARGET_RULES | ENGINE_RULES | {"max_weight": WEIGHT_LIMIT, "n_alternatives": COUNT}
SEVERAL_RULES = {"min_tnr": RATES, "min_recall": RATES_OR_NONE, "fuse_classes": BOOL}
"""Of the parameters that say more where there are several targets."""

LOOK_AROUND = 0.5
"""Seconds, at the least, to find out which rates could be had instead."""


class FrugalSelector(RateTargetsMixin, SelectorMixin, BaseEstimator):
    """Select the cheapest features with which some hyperplane meets both rates.

    The paper's P1, solved to proven optimality where time allows: among all sets of features for
    which a hyperplane classifies at least a fraction `min_tpr` of the positives and `min_tnr` of
    the negatives correctly with margin 1, one of least cost. With more than two classes, or several
    columns of labels, among all sets on which that is so for every class against the rest, or for
    every column, each by a hyperplane of its own.

    Parameters
    ----------
    min_tpr : float, default=0.9
        Required sensitivity on the training data, in [0, 1].
    min_tnr : float or dict, default=0.9
        Required specificity on the training data, in [0, 1]. With several targets: the share of
        the samples outside of a class that its hyperplane leaves there; one number, or by class.
    correction : {"hoeffding"} or None, default=None
        "hoeffding" raises both rates by sqrt(-ln(alpha) / (2 n_class)), capped at 1.
    alpha : float, default=0.05
        Significance level of the correction.
    min_recall : float, dict or None, default=None
        With more than two classes or several columns: the sensitivity of each class against the
        rest, or of each column; one number, or by class (by number of the column). None: `min_tpr`.
    fuse_classes : bool, default=False
        Whether classes may be taken as one where their rates cannot be met otherwise: the fusion
        that leaves the most classes. It is said in a warning and in ``fused_classes_``.
    pos_label : label or None, default=None
        The class whose recall is the TPR; None: ``classes_[1]``, the greater label.
    feature_costs : array-like, dict, Series, float or None, default=None
        Cost of each feature, >= 0, by position or by name; one number for all; None: 1 for all.
    feature_groups : array-like, dict, Series, "derived" or None, default=None
        Group of each feature; None for none, a tuple for several. "derived": every column is a
        product of powers of raw features, as `PolynomialFeatures` names it; `feature_costs` are
        the prices of the raw features, each paid once however many columns use it.
    group_costs : dict, Series, float or None, default=None
        Cost of each group, paid once when any of its features is used.
    include, exclude : iterable of names and numbers, mask or None, default=None
        Features that must be used (and paid for), and that must not.
    max_weight : float, default=100.0
        The paper's M3: the greatest weight of a standardised feature, at most 1e6. Its inverse is
        the smallest margin, in standard deviations, that counts.
    solver : {"auto", "highs", "scip", "gurobi"}, default="auto"
        "auto": this library's exact search. The others solve the paper's mixed-integer program as
        written, with its finite M2.
    time_limit : float or None, default=60.0
        Seconds. At the limit the best answer so far comes back with its bound. The compilation of
        kernels on the first use of an installation does not count.
    n_alternatives : int, default=0
        How many further supports of the same cost to list in ``alternatives_``.
    solver_options : dict or None, default=None
        For solvers other than "auto": ``m2`` (default 100), ``node_limit``.
    n_jobs : int or None, default=None
        Threads of one fit; None: 1, or what ``joblib.parallel_config`` says; -1: all processors.
        Within a ``joblib.parallel_config`` that names a backend of processes ("loky", "dask") the
        selection is shared out to its workers, unless it is 1. The answer is the same.
    random_state : int, RandomState or None, default=None
        Seed; None is a fixed seed.
    callback : callable or None, default=None
        Called with a :class:`~frugalsvm.data.result.Progress` on every change of cost or bound,
        and, in the phase "compiling", while kernels are compiled on the first use of an
        installation.
    verbose : int, default=0
        1: lines on stdout tell how far the fit is, and when kernels are being compiled.

    Attributes
    ----------
    cost_ : float
        Cost of the selected features.
    bound_ : float
        Proven lower bound on the cost of any set of features that meets both rates.
    status_ : {"optimal", "feasible"}
        "optimal": bound and cost are equal. With a solver other than "auto" both speak of the
        paper's program as written: its finite M2 can exclude answers (``solver_options={"m2":
        math.inf}`` does not).
    result_ : SelectionResult
        Everything about the answer: status, cost, bound, gap, seconds, solver, why it stopped.
    train_tpr_, train_tnr_ : float
        Rates of the found hyperplane's predictions on the training data; with several targets an
        array each.
    train_recall_ : ndarray of shape (n_classes,)
        With several targets: recalls of the predictions, by the largest score of all classes.
    coef_ : ndarray of shape (1, n_features)
        That hyperplane, in the user's units; with several targets one row each.
    intercept_ : ndarray of shape (1,)
        Its intercept; with several targets one each.
    fused_classes_ : dict
        With several classes: for each class that stands for others too, all of them.
    alternatives_ : list of ndarray
        Further supports of the same cost, as feature indices, if asked for; no two of them pay
        for the same features and groups.
    alternatives_complete_ : bool
        True if it is proven that there are no others.
    classes_ : ndarray of shape (2,)
        The labels; with several columns of them, the numbers of the columns.
    n_features_in_ : int
        Number of features seen in ``fit``.
    feature_names_in_ : ndarray of str
        Their names, if X had any.

    See Also
    --------
    FrugalSVC : Selects like this, then trains an SVM on the selected features.

    Examples
    --------
    >>> from sklearn.datasets import load_breast_cancer
    >>> from frugalsvm import FrugalSelector
    >>> X, y = load_breast_cancer(return_X_y=True, as_frame=True)
    >>> selector = FrugalSelector(min_tpr=0.9, min_tnr=0.9).fit(X, y)
    >>> selector.cost_, selector.bound_, selector.status_
    (1.0, 1.0, 'optimal')
    >>> selector.transform(X).shape
    (569, 1)
    """

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
        max_weight: float = MAX_WEIGHT,
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
        self.solver = solver
        self.time_limit = time_limit
        self.n_alternatives = n_alternatives
        self.solver_options = solver_options
        self.n_jobs = n_jobs
        self.random_state = random_state
        self.callback = callback
        self.verbose = verbose

    def fit(self, X: Any, y: Any, sample_weight: Any = None) -> Self:
        """Find the cheapest features.

        Ctrl-C during the search keeps the best answer so far, if there is one.

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
        self : FrugalSelector
            The fitted selector.

        Raises
        ------
        InfeasibleRatesError
            If the rates cannot be met with the allowed features.
        NoSolutionError
            If nothing was found within the time limit.
        """
        check_parameters(self, SELECTOR_RULES | SEVERAL_RULES)
        rows = repeated_rows(X, y, sample_weight, self._owner)
        X, y = rows.X, rows.y
        if self.correction is not None:
            refuse_shares(
                rows, self._owner, "a correction needs to know how many samples there are"
            )
        if holds_several(y):
            select_for_several(self, X, y)
            return self
        refuse_for_two_classes(self)
        stop = Stopper(self.time_limit)
        engine = self._engine()
        engine.require("P1")
        X, y = training_data(self, X, y, filled_in=engine.solver != "auto")
        self._data_hash = data_hash(X, y)
        labels = read_labels(y, self.pos_label, self._owner)
        self._scaler = Standardizer.fit(X)
        problem, given = self._problem(X, labels)
        engine = engine if given is None else given.engine(engine)
        with interruptible(stop):
            result = engine.select(problem, stop, self.n_alternatives)
            if not result.has_answer:
                result = result if given is None else given.whole(result)
                raise self._unmet(problem, result, stop, engine.seed)
            self.alternatives_complete_ = False
            if self.n_alternatives > 0:
                equal = equal_panels(problem, result, self.n_alternatives, engine, stop)
                result = replace(result, alternatives=equal.supports)
                known = math.inf if given is None else given.least_with_others
                self.alternatives_complete_ = equal.complete and known > result.cost
        self._keep(problem, result, labels, X, given)
        return self

    def _problem(self, X: Any, labels: Labels) -> tuple[SelectionProblem, GivenColumns | None]:
        """Return the problem, and which columns it is about if those are not all."""
        prices = PriceInputs(self.feature_costs, self.feature_groups, self.group_costs)
        names = getattr(self, "feature_names_in_", None)
        budget = self._targets().budget(labels.n_positive, labels.n_negative)
        terms = read_terms(
            FeatureTerms(prices, self.include, self.exclude, self.max_weight),
            feature_table(names, X.shape[1], self._owner),
            self._scaler,
        )
        if not issparse(X):
            return terms.problem(self._scaler.transform(X), labels.positive, budget), None
        given = given_columns(X, labels.positive, budget, terms, self._scaler)
        data = (labels.positive, budget, terms, self._scaler)
        return given_problem(X, given, *data), given

    def _unmet(
        self, problem: SelectionProblem, result: SelectionResult, stop: Stopper, seed: int
    ) -> Exception:
        targets, more = self._targets(), stop.extended(LOOK_AROUND)
        sizes = (problem.n_positive, problem.n_negative)
        found = attainable_selection(problem, more, seed)
        if ran_out(result):
            return no_solution(self._owner, result, Reached(targets, *sizes, found))

        def attain(budget: ErrorBudget) -> Attainable:
            return attainable_selection(replace(problem, budget=budget), more, seed)

        return infeasible_rates(
            targets,
            *sizes,
            found,
            proven=proven_infeasible(result),
            of_what="hyperplane on the allowed features",
            balanced=balanced_errors(targets, *sizes, attain, more),
        )

    def _keep(
        self,
        problem: SelectionProblem,
        result: SelectionResult,
        labels: Labels,
        X: Any,
        given: GivenColumns | None,
    ) -> None:
        on_given, result = result, result if given is None else given.whole(result)
        scores = self._scaler.scores(X, result.weights, result.intercept)
        verify_selection(problem, on_given, scores)
        coef, intercept = self._scaler.to_user_units(result.weights, result.intercept)
        self.classes_ = labels.classes
        self.coef_ = labels.sign * coef[np.newaxis]
        self.intercept_ = np.array([labels.sign * intercept])
        self.result_ = result
        self.cost_ = result.cost
        self.bound_ = result.bound
        self.status_ = str(result.status)
        self.train_tpr_, self.train_tnr_ = training_rates(scores, labels)
        self.alternatives_ = [np.array(support, dtype=np.intp) for support in result.alternatives]

    def _panel_hyperplane(self) -> Hyperplane:
        """Return the found hyperplane for the selected columns; a zero weight if there are none."""
        coef, intercept = self._scaler.to_user_units(self.result_.weights, self.result_.intercept)
        support = self.get_support()
        return Hyperplane(coef[support] if support.any() else np.zeros(1), intercept)

    def _get_support_mask(self) -> NDArray[np.bool_]:
        check_is_fitted(self, "result_")
        mask = np.zeros(self.n_features_in_, dtype=np.bool_)
        mask[list(self.result_.support)] = True
        return mask

    def __sklearn_tags__(self) -> Tags:
        tags = super().__sklearn_tags__()
        tags.target_tags.required = True
        tags.input_tags.sparse = True
        tags.classifier_tags = ClassifierTags(multi_class=True, multi_label=True)
        return tags
