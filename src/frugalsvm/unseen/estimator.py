"""FrugalSVCCV: the cheapest panel whose rates can be expected to hold on new data."""

from __future__ import annotations

import math
import warnings
from dataclasses import replace
from typing import Any, Self

import numpy as np
from numpy.typing import NDArray
from sklearn.base import BaseEstimator, ClassifierMixin
from sklearn.feature_selection import SelectorMixin
from sklearn.utils import Tags
from sklearn.utils.validation import _num_samples, check_consistent_length, check_is_fitted

from frugalsvm.data.exceptions import DataError, NoSolutionError
from frugalsvm.data.problem import MAX_WEIGHT
from frugalsvm.data.rates import RateTargets
from frugalsvm.data.result import Progress
from frugalsvm.engine.dispatch import OnProgress, thread_count
from frugalsvm.engine.no_answer import warn_unfinished
from frugalsvm.estimators.base import (
    BinaryDecisionMixin,
    RateTargetsMixin,
    new_data,
    seed_of,
    training_data,
    training_rates,
)
from frugalsvm.estimators.panel import PanelMixin
from frugalsvm.inputs.fingerprint import data_hash
from frugalsvm.inputs.formulate import FeatureTerms, feature_table, selection_problem
from frugalsvm.inputs.labels import Labels, read_labels
from frugalsvm.inputs.parameters import check_parameters
from frugalsvm.inputs.prices import PriceInputs
from frugalsvm.inputs.sample_weights import WeightedRows, refuse_shares, repeated_rows
from frugalsvm.inputs.standardize import Standardizer
from frugalsvm.inputs.svm_kernels import AUTO
from frugalsvm.inputs.tables import column_ranges
from frugalsvm.runtime.compilation import compilation_off_the_clock
from frugalsvm.runtime.progress import COMPILING
from frugalsvm.runtime.stopping import Stopper, interruptible
from frugalsvm.unseen.fitting import Fit, Fitter
from frugalsvm.unseen.folds import GivenSplits
from frugalsvm.unseen.holdout import Calibration, set_aside
from frugalsvm.unseen.linear_or_radial import machine_for
from frugalsvm.unseen.outcome import caveats, cv_results, selection_result
from frugalsvm.unseen.panel_classifier import PanelClassifier
from frugalsvm.unseen.procedure import Procedure, Samples
from frugalsvm.unseen.rules import RULES
from frugalsvm.unseen.scoring import AnyClassifier, Floats, Machine, Machines
from frugalsvm.unseen.sequence import check_size
from frugalsvm.unseen.threshold import Reserve

UNFINISHED = "its rates may differ from those of a finished one"


class FrugalSVCCV(
    PanelMixin,
    RateTargetsMixin,
    BinaryDecisionMixin,
    ClassifierMixin,
    SelectorMixin,
    BaseEstimator,
):
    """The cheapest features with which both rates can be expected to hold on new data.

    Candidates are cheap subsets of small squared loss, and all features. For each an ordinary
    linear SVM and a logistic regression are cross-validated and, if these fall short, a radial SVM;
    C, loss and threshold are chosen that leave the most of both rates to spare. The cheapest panel
    that has `margin` standard errors to spare is taken; where none has, the one that has the most,
    with a warning. The rates to expect on new data are estimated by repeating all of this without
    the samples that are then asked about.

    Parameters
    ----------
    min_tpr, min_tnr : float, default=0.9
        The sensitivity and specificity wanted on new data, in [0, 1].
    margin : float, default=1.0
        By how many standard errors, sqrt(rate (1 - rate) / n_class), the cross-validated rates of
        the panel have to exceed the targets. More is safer and dearer.
    max_cost : float or None, default=None
        The most that the panel may cost. If given, the question is turned round: of the panels
        that cost no more, the one whose rates exceed the targets most (or miss them least).
    pos_label : label or None, default=None
        The class whose recall is the TPR; None: ``classes_[1]``, the greater label.
    feature_costs, feature_groups, group_costs, include, exclude
        What features cost and which may be used; see :class:`FrugalSelector`.
    estimator : classifier or None, default=None
        What to train on the panel: any classifier of scikit-learn with a decision function or
        probabilities. None: a linear SVM, a logistic regression or a radial SVM.
    kernel : str or callable, default="auto"
        Of the SVM, as in :class:`RateSVC`; or "auto": a linear one where it will do, and a radial
        one on panels on which only that has the margin. Up to 2,000 samples; with more, "auto" is
        linear. ``kernel="linear"`` always gives a rule that can be printed.
    gamma, degree, coef0, standardize
        The SVM; see :class:`RateSVC`. Of no effect with an `estimator`.
    Cs : iterable of float, default=(0.1, 1.0, 10.0)
        The SVM's values of C to choose from; the paper's C, twice that of libsvm. The logistic
        regression has the middle one.
    cv : int, splitter or iterable, default=5
        Cross-validation, stratified and shuffled for a number. An iterable holds pairs of row
        numbers, to learn from and to ask about; what is chosen within one of them, for
        ``cv_tpr_``, has five folds of its own.
    n_repeats : int, default=3
        How often it is repeated for the choice of panel, C and threshold. Of no effect with a
        splitter.
    test_size : float or None, default=None
        Share of the samples to set aside, before anything is learned, for a certificate.
    confidence : float, default=0.95
        Of the certificate, and of the intervals.
    time_limit : float or None, default=60.0
        Seconds for everything. What is chosen by then is returned.
    n_jobs : int or None, default=None
        Threads; None: 1, or what ``joblib.parallel_config`` says; -1: all processors.
    random_state : int, RandomState or None, default=None
        Seed; None is a fixed seed.
    callback : callable or None, default=None
        Called with a :class:`~frugalsvm.data.result.Progress` as panels are found.
    verbose : int, default=0
        1: write lines to stdout that tell how far the work is.

    Attributes
    ----------
    cost_ : float
        Cost of the selected features.
    cv_tpr_, cv_tnr_ : float
        Rates to expect on new data: of classifiers whose panel, C and threshold were chosen
        without the samples they were asked about. NaN if there was not the time.
    cv_tpr_interval_, cv_tnr_interval_ : tuple of float
        Exact binomial intervals of these.
    targets_met_ : bool
        True if both are at least what was asked for.
    certificate_ : UnseenCertificate or None
        What the samples set aside say; ``print`` it. None without such samples.
    held_out_ : ndarray of int
        Which rows of X were set aside; empty if none.
    train_tpr_, train_tnr_ : float
        Rates on the samples learned from.
    training_targets_ : tuple of float
        The cross-validated rates that a panel had to reach: the targets and the margin.
    threshold_ : float
        The threshold on the classifier's decision values. It is folded into ``intercept_``
        and ``decision_function``, which are to be compared with 0.
    C_ : float or None
        The chosen C; None with an `estimator`.
    loss_ : {"hinge", "logistic"} or None
        The chosen loss: an SVM or a logistic regression; None with an `estimator`.
    kernel_ : str, callable or None
        The chosen kernel; None with an `estimator`.
    candidates_ : tuple of Candidate
        The panels that were looked at closely, by cost.
    cv_results_ : dict of ndarray
        The same as columns. These rates are optimistic: panels were chosen by them.
    selection_frequency_ : ndarray of shape (n_features,)
        In which share of the splits each feature was chosen when all was repeated in them.
    svc_ : RateSVC
        The SVM or logistic regression on the selected columns; not with an `estimator`.
    panel_ : RateSVC
        The same for use: it predicts from the panel's columns alone, by name if X had names.
    model_ : FrugalModel
        The same as plain data, with the formula and exports.
    estimator_ : classifier
        The classifier on the selected columns, trained on truth values (True: positive); only
        with an `estimator`.
    coef_ : ndarray of shape (1, n_features)
        Weights in the user's units, zero for features not selected; linear classifiers only.
    intercept_ : ndarray of shape (1,)
        Intercept, threshold included; SVM only.
    result_ : SelectionResult
        The selection as plain data.
    bound_, status_, alternatives_
        As in :class:`FrugalSVC`: 0, "feasible" and empty, because nothing is proven about new
        data.
    classes_ : ndarray of shape (2,)
        The labels.
    n_features_in_ : int
        Number of features seen in ``fit``.
    feature_names_in_ : ndarray of str
        Their names, if X had any.

    See Also
    --------
    FrugalSVC : The cheapest features for rates on the training data, with a proof.
    certify : What held-out samples say about a classifier that was trained before.
    required_samples : How many held-out samples a certificate needs.

    Notes
    -----
    Fewer than some 50 samples of a class say little about new data, and a warning says so.
    Of more than 20,000 samples a part chooses panel, C and threshold of a linear classifier; it is
    trained on all. Ctrl-C keeps the best answer so far, if there is one.

    Examples
    --------
    >>> from sklearn.datasets import load_breast_cancer
    >>> from frugalsvm import FrugalSVCCV
    >>> X, y = load_breast_cancer(return_X_y=True, as_frame=True)
    >>> clf = FrugalSVCCV(min_tpr=0.92, min_tnr=0.88).fit(X, y)
    >>> clf.targets_met_, clf.cost_ < 5
    (True, True)
    """

    def __init__(
        self,
        min_tpr: float = 0.9,
        min_tnr: float = 0.9,
        *,
        margin: float = 1.0,
        max_cost: float | None = None,
        pos_label: Any = None,
        feature_costs: Any = None,
        feature_groups: Any = None,
        group_costs: Any = None,
        include: Any = None,
        exclude: Any = None,
        estimator: Any = None,
        kernel: Any = AUTO,
        gamma: Any = "scale",
        degree: int = 3,
        coef0: float = 0.0,
        Cs: Any = (0.1, 1.0, 10.0),
        standardize: bool = True,
        cv: Any = 5,
        n_repeats: int = 3,
        test_size: float | None = None,
        confidence: float = 0.95,
        time_limit: float | None = 60.0,
        n_jobs: int | None = None,
        random_state: Any = None,
        callback: Any = None,
        verbose: int = 0,
    ) -> None:
        self.min_tpr = min_tpr
        self.min_tnr = min_tnr
        self.margin = margin
        self.max_cost = max_cost
        self.pos_label = pos_label
        self.feature_costs = feature_costs
        self.feature_groups = feature_groups
        self.group_costs = group_costs
        self.include = include
        self.exclude = exclude
        self.estimator = estimator
        self.kernel = kernel
        self.gamma = gamma
        self.degree = degree
        self.coef0 = coef0
        self.Cs = Cs
        self.standardize = standardize
        self.cv = cv
        self.n_repeats = n_repeats
        self.test_size = test_size
        self.confidence = confidence
        self.time_limit = time_limit
        self.n_jobs = n_jobs
        self.random_state = random_state
        self.callback = callback
        self.verbose = verbose

    def fit(
        self,
        X: Any,
        y: Any,
        sample_weight: Any = None,
        *,
        groups: Any = None,
        calibration: Any = None,
    ) -> Self:
        """Choose the panel, train on it, and estimate its rates on new data.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features)
            Training data; numbers only, no missing values.
        y : array-like of shape (n_samples,)
            Labels, of two kinds.
        sample_weight : array-like of shape (n_samples,), default=None
            Whole numbers: how many samples each row stands for; they are kept together like
            those of a group. Not together with a certificate. None: 1.
        groups : array-like of shape (n_samples,) or None, default=None
            Rows of one group (of one patient, say) are never learned from and asked about at
            the same time. Not together with a certificate, whose test needs independent rows.
        calibration : tuple (X, y) or None, default=None
            Samples for a certificate that have no part in anything else, instead of `test_size`.

        Returns
        -------
        self : FrugalSVCCV
            The fitted classifier.

        Raises
        ------
        DataError
            If the samples set aside are too few to certify even a perfect classifier.
        NoSolutionError
            If the time was over before any panel was cross-validated.
        """
        check_parameters(self, RULES)
        stop = Stopper(self.time_limit)
        seed = seed_of(self.random_state)
        weighted = self._weighted(X, y, sample_weight, calibration)
        if sample_weight is not None:
            groups = weighted.row if groups is None else np.asarray(groups)[weighted.row]
        checked, given = training_data(self, weighted.X, weighted.y)
        cv = self._splits(weighted.row, _num_samples(X))
        labels = read_labels(given, self.pos_label, self._owner)
        self._data_hash = data_hash(checked, given)
        self._ranges = column_ranges(checked)
        rows, held_out = self._set_aside(checked, labels, groups, calibration, seed)
        samples, labels = self._samples(checked, labels, groups, rows)
        on_progress = self._on_progress()
        told = None if on_progress is None else _Told(on_progress)
        procedure = Procedure(
            targets=self._targets(),
            margin=float(self.margin),
            max_cost=None if self.max_cost is None else float(self.max_cost),
            machine=self._machine(len(samples.X)),
            cv=cv,
            n_repeats=int(self.n_repeats),
            seed=seed,
            owner=self._owner,
        )
        fitter = Fitter(
            procedure=procedure,
            samples=samples,
            labels=labels,
            calibration=held_out,
            confidence=float(self.confidence),
            n_jobs=thread_count(self.n_jobs),
            on_progress=told,
        )
        compiling = compilation_off_the_clock(stop, None if told is None else told.compiling)
        with interruptible(stop), compiling:
            # Looking at all samples once more takes about as long as reading them did.
            found = fitter.run(stop.within(stop.remaining - stop.elapsed))
        if found is None:
            raise self._no_solution(stop)
        found = replace(found, seconds=stop.elapsed)
        learned = np.zeros(len(checked), dtype=bool)
        learned[rows] = True
        self._adopt(found, samples, labels, np.flatnonzero(~learned))
        if self.estimator is None:
            warn_unfinished(self._owner, self.svc_.result_, UNFINISHED)
        return self

    def decision_function(self, X: Any) -> NDArray[np.float64]:
        """Return the decision value of each row of `X`, positive on the side of ``classes_[1]``.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features)
            New samples, with the columns seen in ``fit``.

        Returns
        -------
        ndarray of shape (n_samples,)
            Decision values, the threshold subtracted.
        """
        check_is_fitted(self, "_classifier")
        return self._sign * self._classifier.scores(self._checked(X))

    def _targets(self) -> RateTargets:
        return RateTargets(float(self.min_tpr), float(self.min_tnr))

    def _machine(self, n_samples: int) -> Machine:
        if self.estimator is not None:
            return AnyClassifier(self.estimator)
        if self.kernel == "precomputed":
            raise ValueError(
                f"The 'kernel' parameter of {self._owner} must be computable from the selected "
                "features. Got 'precomputed' instead; use RateSVC, which selects no features."
            )
        machines = Machines(
            tuple(sorted({float(C) for C in self.Cs})),
            self.kernel,
            self.gamma,
            self.degree,
            self.coef0,
            self.standardize,
        )
        return machine_for(machines, n_samples)

    def _weighted(self, X: Any, y: Any, sample_weight: Any, calibration: Any) -> WeightedRows:
        """Return the rows that weights stand for."""
        certified = calibration is not None or self.test_size is not None
        if sample_weight is not None and certified:
            raise ValueError(
                f"The 'sample_weight' of {self._owner}.fit cannot be combined with a certificate "
                "('test_size', 'calibration'): its test needs independent rows. Repeat the rows "
                "if they are."
            )
        rows = repeated_rows(X, y, sample_weight, self._owner)
        refuse_shares(rows, self._owner, "rates on new data are counted")
        return rows

    def _splits(self, row: NDArray[np.intp], n_given: int) -> Any:
        """Return `cv`; what it says about rows given, if it holds splits, said of rows used."""
        if isinstance(self.cv, int) or hasattr(self.cv, "split"):
            return self.cv
        if self.test_size is not None:
            raise ValueError(
                f"The 'cv' parameter of {self._owner} must be a number or a splitter if "
                "'test_size' sets rows aside: splits of all rows do not know them. Pass "
                "calibration=(X, y) to fit instead."
            )
        return GivenSplits.read(self.cv, row, n_given, self._owner)

    def _set_aside(
        self, X: Floats, labels: Labels, groups: Any, calibration: Any, seed: int
    ) -> tuple[NDArray[np.intp], Calibration | None]:
        """Return the rows to learn from, and the samples for the certificate."""
        everything = np.arange(len(X))
        if calibration is not None:
            if self.test_size is not None:
                raise ValueError(
                    f"{self._owner} needs either 'test_size' or calibration samples for its "
                    "certificate. Got both."
                )
            X_new, y_new = calibration
            held_out = self._given(X_new, y_new, labels)
        elif self.test_size is not None:
            groups = None if groups is None else np.asarray(groups)
            everything, aside = set_aside(
                self.test_size, labels.positive, groups, seed, self._owner
            )
            held_out = Calibration(X[aside], labels.positive[aside])
        else:
            return everything, None
        n_positive = int(held_out.positive.sum())
        n_negative = len(held_out.positive) - n_positive
        check_size(n_positive, n_negative, self._targets(), self.confidence)
        return everything, held_out

    def _given(self, X: Any, y: Any, labels: Labels) -> Calibration:
        checked = new_data(self, X)
        truth = np.asarray(y)
        check_consistent_length(checked, truth)
        strange = ~np.isin(truth, labels.classes)
        if strange.any():
            raise DataError(
                f"The calibration labels must be {labels.classes[0]!r} or {labels.classes[1]!r}. "
                f"Got {truth[strange][0]!r}."
            )
        return Calibration(checked, truth == labels.positive_label)

    def _samples(
        self, X: Floats, labels: Labels, groups: Any, rows: NDArray[np.intp]
    ) -> tuple[Samples, Labels]:
        if groups is not None:
            groups = np.asarray(groups)
            check_consistent_length(X, groups)
            groups = groups[rows]
        labels = replace(labels, positive=labels.positive[rows])
        X = X if len(rows) == len(X) else X[rows]
        scaler = Standardizer.fit(X)
        prices = PriceInputs(self.feature_costs, self.feature_groups, self.group_costs)
        problem = selection_problem(
            X,
            labels.positive,
            self._targets().budget(labels.n_positive, labels.n_negative),
            scaler=scaler,
            table=feature_table(getattr(self, "feature_names_in_", None), X.shape[1], self._owner),
            terms=FeatureTerms(prices, self.include, self.exclude, MAX_WEIGHT),
        )
        return Samples(X, problem, groups), labels

    def _no_solution(self, stop: Stopper) -> Exception:
        if self.max_cost is not None and not stop():
            return ValueError(
                f"The 'max_cost' parameter of {self._owner} must pay for the included features "
                f"at the least. Got {self.max_cost!r} instead."
            )
        return NoSolutionError(
            f"{self._owner} was stopped ({stop.reason.value} after {stop.elapsed:.1f} s) before a "
            "panel was cross-validated. Give it more time (time_limit).",
            bound=0.0,
            interrupted=stop.interrupted,
        )

    def _adopt(
        self, found: Fit, samples: Samples, labels: Labels, held_out: NDArray[np.intp]
    ) -> None:
        """Show what was found as attributes."""
        chosen, expected = found.classifier.candidate, found.expected
        reserve = Reserve.of(self._targets(), labels.positive)
        asked = reserve.tightened(self.margin)
        self._classifier: PanelClassifier = found.classifier
        self._sign = labels.sign
        self._expected = expected
        self._class_sizes = (labels.n_positive, labels.n_negative)
        self.classes_ = labels.classes
        self.cost_ = chosen.cost
        self.threshold_ = chosen.threshold
        self.C_ = chosen.C
        self.loss_ = chosen.loss
        self.kernel_ = chosen.kernel
        self.training_targets_ = (asked.min_tpr, asked.min_tnr)
        self.cv_tpr_, self.cv_tnr_ = expected.tpr, expected.tnr
        self.cv_tpr_interval_, self.cv_tnr_interval_ = expected.intervals(self.confidence)
        self.targets_met_ = bool(expected.tpr >= self.min_tpr and expected.tnr >= self.min_tnr)
        self.candidates_ = found.choice.candidates
        self.cv_results_ = cv_results(found.choice)
        self.selection_frequency_ = expected.frequency(self.n_features_in_)
        self.certificate_ = found.certificate
        self.held_out_ = held_out
        self.result_ = selection_result(found, self.n_features_in_)
        self.bound_, self.status_ = self.result_.bound, str(self.result_.status)
        self.alternatives_: list[NDArray[np.intp]] = []
        scores = found.classifier.scores(samples.X)
        self.train_tpr_, self.train_tnr_ = training_rates(scores, labels)
        self._adopt_model(found.classifier)
        for message in caveats(
            found, (self.train_tpr_, self.train_tnr_), reserve, self.margin, self._owner
        ):
            warnings.warn(message, stacklevel=3)

    def _adopt_model(self, classifier: PanelClassifier) -> None:
        model, support = classifier.model, list(classifier.candidate.support)
        if self.estimator is not None:
            self.estimator_ = model
            return
        self.svc_ = model
        self.intercept_ = model.intercept_
        if self.kernel_ == "linear":
            self.coef_ = np.zeros((1, self.n_features_in_))
            if support:
                self.coef_[:, support] = model.coef_

    def _get_support_mask(self) -> NDArray[np.bool_]:
        check_is_fitted(self, "result_")
        mask = np.zeros(self.n_features_in_, dtype=np.bool_)
        mask[list(self.result_.support)] = True
        return mask

    def __sklearn_tags__(self) -> Tags:
        tags = super().__sklearn_tags__()
        tags.classifier_tags.multi_class = False
        tags.input_tags.sparse = True
        # It pays for the rates asked for and no more; scikit-learn's checks expect 0.83.
        tags.classifier_tags.poor_score = min(self.min_tpr, self.min_tnr) <= 0.83
        return tags


class _Told:
    """Passes on how far a fit is, and in between that kernels are compiled.

    Objectives and bounds of the training are not costs.
    """

    def __init__(self, told: OnProgress) -> None:
        self._told = told
        self._last = Progress(0.0, math.inf, 0.0)

    def __call__(self, progress: Progress) -> None:
        self._last = progress
        self._told(progress)

    def compiling(self, begins: bool) -> None:
        """Tell that compiling begins, and when it ends what was known before."""
        self._told(replace(self._last, phase=COMPILING) if begins else self._last)
