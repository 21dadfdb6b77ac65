"""RateSVC: a Support Vector Machine whose training errors fit the rates asked for."""

from __future__ import annotations

import dataclasses
from typing import Any, Self

import numpy as np
from numpy.typing import NDArray
from sklearn.base import BaseEstimator, ClassifierMixin
from sklearn.utils import Tags
from sklearn.utils.validation import check_is_fitted

from frugalsvm.data.losses import HINGE, LOSSES
from frugalsvm.data.problem import CountLimit, MarginProblem
from frugalsvm.data.result import MarginResult
from frugalsvm.data.verify import verify_margin
from frugalsvm.engine.dispatch import Engine, attainable_margin
from frugalsvm.engine.fallback import Hyperplane, fall_back
from frugalsvm.engine.landmarks import MANY, train_by_landmarks
from frugalsvm.engine.no_answer import (
    infeasible_rates,
    matrix_unfinished,
    no_solution,
    proven_infeasible,
    ran_out,
    warn_unfinished,
)
from frugalsvm.engine.sampled_kernel import train_on_sample
from frugalsvm.estimators.base import (
    ENGINE_RULES,
    TARGET_RULES,
    BinaryDecisionMixin,
    RateTargetsMixin,
    new_data,
    training_data,
    training_rates,
)
from frugalsvm.inputs.constraints import count_limits
from frugalsvm.inputs.labels import Labels, read_labels
from frugalsvm.inputs.parameters import (
    BOOL,
    DEGREE,
    NUMBER,
    POSITIVE,
    POSITIVE_OR_NONE,
    check_parameters,
    gamma_rule,
    one_of,
)
from frugalsvm.inputs.sample_weights import refuse_shares, repeated_rows
from frugalsvm.inputs.standardize import Standardizer
from frugalsvm.inputs.svm_kernels import Kernel, kernel_rule, settle_gamma, symmetric
from frugalsvm.runtime.memory import require_kernel_matrix
from frugalsvm.runtime.stopping import Stopper, interruptible

TRAINER_RULES = (
    TARGET_RULES
    | ENGINE_RULES
    | {
        "kernel": kernel_rule(),
        "gamma": gamma_rule(),
        "degree": DEGREE,
        "coef0": NUMBER,
        "C": POSITIVE,
        "loss": one_of(*LOSSES),
        "standardize": BOOL,
        "max_slack": POSITIVE_OR_NONE,
    }
)


class RateSVC(RateTargetsMixin, BinaryDecisionMixin, ClassifierMixin, BaseEstimator):
    """Support Vector Machine under rate constraints: the paper's CSVM, without selection.

    Minimises ||f||^2 + C sum xi, as every SVM does, among the classifiers that count at least a
    fraction `min_tpr` of the positives and `min_tnr` of the negatives correct, with margin 1.
    `loss` makes it a logistic regression or a distance-weighted discrimination.

    Parameters
    ----------
    min_tpr, min_tnr : float, default=0.9
        Required sensitivity and specificity on the training data, in [0, 1].
    correction : {"hoeffding"} or None, default=None
        "hoeffding" raises the rates by sqrt(-ln(alpha) / (2 n_class)), capped at 1.
    alpha : float, default=0.05
        Significance level of the correction.
    pos_label : label or None, default=None
        The class whose recall is the TPR; None: ``classes_[1]``, the greater label.
    kernel : str or callable, default="linear"
        Any kernel name of scikit-learn, "precomputed", or a callable as `SVC` takes it. It has to
        be positive semi-definite on the training data.
    gamma : {"scale", "auto"} or float, default="scale"
        Kernel coefficient, as in `SVC`.
    degree : int, default=3
        Degree of the polynomial kernel.
    coef0 : float, default=0.0
        Independent term of the polynomial and sigmoid kernels.
    C : float, default=1.0
        The paper's C. Its objective has no factor 1/2: libsvm's C is half of it, as is that of
        `LogisticRegression`.
    loss : {"hinge", "logistic", "dwd"}, default="hinge"
        What a margin u = y f(x) costs. "hinge": max(0, 1 - u), the Support Vector Machine.
        "logistic": ln(1 + e^-u), logistic regression. "dwd": 1 - u up to u = 1/2, then 1 / (4u),
        distance-weighted discrimination. With all of them a sample is counted correct if its
        margin is at least 1.
    standardize : bool, default=True
        Train on standardised features (``coef_`` is in the user's units all the same). False:
        on the data as they are, like `SVC`. Of no effect with a precomputed kernel.
    constraints : iterable of RateConstraint, default=()
        Further performance measures, made by :func:`frugalsvm.accuracy` and
        :func:`frugalsvm.recall`.
    max_slack : float or None, default=None
        The paper's M1, an upper bound on every slack, kept to one part in a million as all margins
        are; None: none. The paper's models, as written, use 100 where this is None.
    solver : {"auto", "scip", "gurobi"}, default="auto"
        "auto": this library's own branch and bound. The others solve the paper's mixed-integer
        quadratic program as written (HiGHS cannot).
    time_limit : float or None, default=60.0
        Seconds. At the limit the best classifier so far comes back with its bound, and sooner
        where a proof is out of reach. None: no limit, and no proof is given up.
    solver_options : dict or None, default=None
        For solvers other than "auto": ``m1`` (default 100), ``node_limit``.
    n_jobs : int or None, default=None
        Threads of solvers that use several (the library's own training uses one); None: 1, or what
        ``joblib.parallel_config`` says; -1: all processors.
    random_state : int, RandomState or None, default=None
        Seed; None is a fixed seed.
    callback : callable or None, default=None
        Called with a :class:`~frugalsvm.data.result.Progress` on every change of objective or
        bound.
    verbose : int, default=0
        1: lines on stdout tell how far the fit is, and when kernels are being compiled.

    Attributes
    ----------
    objective_, bound_ : float
        ||f||^2 + C sum xi of the classifier, and the proven lower bound on any other's. With
        another loss the sum is that of the losses.
    status_ : {"optimal", "feasible"}
        "optimal": they agree to a relative 1e-4.
    result_ : MarginResult
        Everything about the answer.
    train_tpr_, train_tnr_ : float
        Rates of the predictions on the training data.
    coef_ : ndarray of shape (1, n_features)
        Weights in the user's units; for the linear kernel only.
    intercept_ : ndarray of shape (1,)
        Intercept (for the linear kernel in the user's units).
    support_ : ndarray of shape (n_SV,)
        Indices of the support vectors.
    support_vectors_ : ndarray of shape (n_SV, n_features)
        The support vectors, in the user's units; empty for a precomputed kernel.
    dual_coef_ : ndarray of shape (1, n_SV)
        Their coefficients, signs included.
    classes_ : ndarray of shape (2,)
        The labels.
    n_features_in_ : int
        Number of features seen in ``fit``.
    feature_names_in_ : ndarray of str
        Their names, if X had any.

    Examples
    --------
    >>> from sklearn.datasets import load_breast_cancer
    >>> from frugalsvm import RateSVC
    >>> X, y = load_breast_cancer(return_X_y=True)
    >>> clf = RateSVC(min_tpr=0.97, min_tnr=0.97).fit(X, y)
    >>> clf.train_tpr_ >= 0.97 and clf.train_tnr_ >= 0.97
    True
    """

    _known: Hyperplane | None = None

    def __init__(
        self,
        min_tpr: float = 0.9,
        min_tnr: float = 0.9,
        *,
        correction: str | None = None,
        alpha: float = 0.05,
        pos_label: Any = None,
        kernel: Any = "linear",
        gamma: Any = "scale",
        degree: int = 3,
        coef0: float = 0.0,
        C: float = 1.0,
        loss: str = HINGE,
        standardize: bool = True,
        constraints: Any = (),
        max_slack: float | None = None,
        solver: str = "auto",
        time_limit: float | None = 60.0,
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
        self.pos_label = pos_label
        self.kernel = kernel
        self.gamma = gamma
        self.degree = degree
        self.coef0 = coef0
        self.C = C
        self.loss = loss
        self.standardize = standardize
        self.constraints = constraints
        self.max_slack = max_slack
        self.solver = solver
        self.time_limit = time_limit
        self.solver_options = solver_options
        self.n_jobs = n_jobs
        self.random_state = random_state
        self.callback = callback
        self.verbose = verbose

    def fit(self, X: Any, y: Any, sample_weight: Any = None) -> Self:
        """Train the classifier.

        Ctrl-C during the search keeps the best classifier so far, if there is one.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features) or, precomputed, (n_samples, n_samples)
            Training data; numbers only, no missing values.
        y : array-like of shape (n_samples,)
            Labels, of two kinds.
        sample_weight : array-like of shape (n_samples,), default=None
            How many samples each row stands for; rates are shares of weight. Whole numbers are the
            same as repeated rows. None: 1.

        Returns
        -------
        self : RateSVC
            The fitted classifier.

        Raises
        ------
        InfeasibleRatesError
            If no classifier of this kernel meets the rates.
        NoSolutionError
            If nothing was found within the time limit.
        OutOfMemoryError
            If the kernel's matrix does not fit into memory.
        """
        check_parameters(self, TRAINER_RULES)
        if sample_weight is not None and list(self.constraints):
            raise ValueError(
                f"The 'sample_weight' of {self._owner}.fit cannot be combined with 'constraints', "
                "whose members are rows: repeat the rows instead."
            )
        rows = repeated_rows(X, y, sample_weight, self._owner)
        X, y = rows.X, rows.y
        if self.correction is not None:
            refuse_shares(
                rows, self._owner, "a correction needs to know how many samples there are"
            )
        stop = Stopper(self.time_limit)
        engine = self._engine()
        engine.require_loss(self.loss, self._owner)
        engine.require("P2" if self.kernel == "linear" else "P3")
        given = X
        X, y = training_data(self, X, y)
        labels = read_labels(y, self.pos_label, self._owner)
        Z = self._settle(X)
        limits = count_limits(self._targets(), labels, self.constraints, given, self._owner)
        with interruptible(stop):
            problem = self._problem(Z, labels, limits, rows.unit, stop)
            result = self._train(problem, Z, engine, stop)
            if not result.has_answer and self._known is not None:
                result = fall_back(problem, result, self._known.on_scale(self._scaler))
            if not result.has_answer:
                raise self._unmet(problem, result, stop, engine.seed)
        self._keep(problem, result, labels, X)
        if self._called_by is None:  # otherwise the caller tells, of the classifier that it keeps
            warn_unfinished(self._owner, result)
        return self

    def _train(
        self, problem: MarginProblem, Z: NDArray[np.float64], engine: Engine, stop: Stopper
    ) -> MarginResult:
        if problem.features is not None or problem.gram is not None:
            return engine.train(problem, stop)
        result = None
        if self._by_landmarks(Z):
            result = train_by_landmarks(problem, self._kernel, Z, stop, engine.seed)
        if result is None:
            result = train_on_sample(problem, self._kernel, Z, stop, engine.seed)
        if result is None:
            raise matrix_unfinished(self._owner, len(Z), stop)
        return result

    def _problem(
        self,
        Z: NDArray[np.float64],
        labels: Labels,
        limits: tuple[CountLimit, ...],
        unit: int,
        stop: Stopper,
    ) -> MarginProblem:
        return MarginProblem(
            features=Z if self._kernel.linear else None,
            gram=None if self._kernel.linear or self._by_landmarks(Z) else self._gram(Z, stop),
            positive=labels.positive,
            limits=limits,
            C=float(self.C) / unit,
            max_slack=None if self.max_slack is None else float(self.max_slack),
            semidefinite=self._kernel.semidefinite,
            loss=self.loss,
        )

    def decision_function(self, X: Any) -> NDArray[np.float64]:
        """Return f(x) for each row of `X`, positive on the side of ``classes_[1]``.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features) or, precomputed, (n_samples, n_train)
            New samples, with the columns seen in ``fit``.

        Returns
        -------
        ndarray of shape (n_samples,)
            Decision values.
        """
        check_is_fitted(self, "result_")
        X = new_data(self, X)
        return self._sign * self._scores(X)

    def _settle(self, X: NDArray[np.float64]) -> NDArray[np.float64]:
        """Fix scale and kernel on the training data; return the data on that scale."""
        plain = self.kernel == "precomputed" or not self.standardize
        self._scaler = Standardizer.identity(X.shape[1]) if plain else Standardizer.fit(X)
        Z = self._scaler.transform(X)
        self._kernel = Kernel(
            self.kernel, settle_gamma(self.gamma, Z), float(self.degree), float(self.coef0)
        )
        return Z

    def _by_landmarks(self, Z: NDArray[np.float64]) -> bool:
        """Return True if there are too many samples for a matrix of all pairs."""
        own = self.solver == "auto" and self.loss == HINGE
        return own and len(Z) > MANY and self._kernel.semidefinite and not self._kernel.linear

    def _gram(self, Z: NDArray[np.float64], stop: Stopper) -> NDArray[np.float64] | None:
        """Return the kernel's matrix of the training data, None if there is no time for it."""
        given = self._kernel.precomputed
        if given and Z.shape[0] != Z.shape[1]:
            raise ValueError(
                f"Precomputed matrix must be a square matrix of shape (n_samples, n_samples) in "
                f"{self._owner}.fit. Got shape {Z.shape}."
            )
        # Checking a matrix takes another one, a bound on the slacks one of twice the rows, a
        # smooth loss one for explicit features.
        copies = (not given) + (not self._kernel.semidefinite) + 4 * (self.max_slack is not None)
        copies += self.loss != HINGE
        require_kernel_matrix(len(Z), copies, self._owner)
        gram = symmetric(Z, stop) if given else self._kernel.gram(Z, stop)
        if gram is None and (given or callable(self.kernel)):
            raise matrix_unfinished(self._owner, len(Z), stop)
        if gram is not None and not all(np.isfinite(row).all() for row in gram):
            raise ValueError(
                f"The kernel of {self._owner} must be finite on the training data. It is not: "
                "lower 'gamma', 'degree' or the scale of the features."
            )
        return gram

    def _scores(self, X: NDArray[np.float64]) -> NDArray[np.float64]:
        """Return f(x), positive on the side of the positive class."""
        result = self.result_
        if self._kernel.precomputed:
            return np.asarray(X[:, self.support_] @ self._dual + result.intercept)
        Z = self._scaler.transform(X)
        if self._kernel.linear:
            return np.asarray(Z @ _weights(result) + result.intercept)
        return np.asarray(self._kernel.scores(Z, self._support_rows, self._dual) + result.intercept)

    def _unmet(
        self, problem: MarginProblem, result: MarginResult, stop: Stopper, seed: int
    ) -> Exception:
        if ran_out(result):
            return no_solution(self._owner, result)
        more = stop.extended(0.5)
        with interruptible(more):
            best = attainable_margin(problem, more, seed)
        kind = "SVM" if self.loss == HINGE else "classifier"
        return infeasible_rates(
            self._targets(),
            int(problem.positive.sum()),
            int((~problem.positive).sum()),
            best,
            proven=proven_infeasible(result),
            of_what=f"{kind} with kernel {self.kernel!r} on these features",
        )

    def _keep(
        self,
        problem: MarginProblem,
        result: MarginResult,
        labels: Labels,
        X: NDArray[np.float64],
    ) -> None:
        self.result_ = result
        self.support_ = np.flatnonzero(result.dual_coef)
        self._dual = result.dual_coef[self.support_]
        self._sign = labels.sign
        self._class_sizes = (labels.n_positive, labels.n_negative)
        self.support_vectors_ = X[[] if self._kernel.precomputed else self.support_]
        self._support_rows = self._scaler.transform(self.support_vectors_)
        scores = self._scores(X)
        norm = None
        if problem.features is None and problem.gram is None:
            rows = self._support_rows
            norm = float(self._dual @ self._kernel.scores(rows, rows, self._dual))
        verify_margin(problem, result, scores, norm)
        intercept = result.intercept
        if self._kernel.linear:
            coef, intercept = self._scaler.to_user_units(_weights(result), intercept)
            self.coef_ = labels.sign * coef[np.newaxis]
        self.classes_ = labels.classes
        self.dual_coef_ = labels.sign * self._dual[np.newaxis]
        self.intercept_ = np.array([labels.sign * intercept])
        self.objective_ = result.objective
        self.bound_ = result.bound
        self.status_ = str(result.status)
        self.train_tpr_, self.train_tnr_ = training_rates(scores, labels)

    def _cut_at(self, threshold: float) -> None:
        """Fold a threshold on f into the intercept: what was at the threshold is then at 0."""
        self.result_ = dataclasses.replace(
            self.result_, intercept=self.result_.intercept - threshold
        )
        self.intercept_ = self.intercept_ - self._sign * threshold

    def __sklearn_tags__(self) -> Tags:
        tags = super().__sklearn_tags__()
        tags.classifier_tags.multi_class = False
        tags.input_tags.sparse = self.kernel != "precomputed"
        tags.input_tags.pairwise = self.kernel == "precomputed"
        return tags


def _weights(result: MarginResult) -> NDArray[np.float64]:
    if result.weights is None:
        raise TypeError("a linear problem's result must hold weights")
    return result.weights
