"""HoldOutSVC: backward elimination by the errors on samples held out (HOSVM)."""

from __future__ import annotations

from typing import Any, Self

import numpy as np
from numpy.typing import NDArray
from sklearn.utils.validation import check_is_fitted

from frugalsvm.estimators.base import new_data, seed_of
from frugalsvm.inputs.parameters import (
    DEGREE,
    NUMBER,
    OPEN_UNIT,
    Rule,
    check_parameters,
    gamma_rule,
)
from frugalsvm.inputs.svm_kernels import Kernel, kernel_rule, settle_gamma
from frugalsvm.peers.base import AT_MOST, SVM_RULES, Peer, TrainingSet
from frugalsvm.peers.elimination import Rules, eliminate
from frugalsvm.peers.training import ended, last_training, svm, trained
from frugalsvm.runtime.stopping import Stopper, interruptible

_KERNEL, _IS_KERNEL = kernel_rule()

RULES: dict[str, Rule] = SVM_RULES | {
    "max_features": AT_MOST,
    "kernel": (
        _KERNEL.replace(", 'precomputed'", ""),
        lambda v: _IS_KERNEL(v) and not (isinstance(v, str) and v == "precomputed"),
    ),
    "gamma": gamma_rule(),
    "degree": DEGREE,
    "coef0": NUMBER,
    "holdout": OPEN_UNIT,
    "step": (
        "an int in the range [1, inf), or a float in the range (0.0, 1.0)",
        lambda v: OPEN_UNIT[1](v) or (v is not None and AT_MOST[1](v)),
    ),
}


class HoldOutSVC(Peer):
    """SVM whose features are eliminated by the errors on held-out training samples (HOSVM).

    In every round the training set is split anew into a part to train on and a part held out. An
    SVM is trained on the first; then, for each feature, the errors on the second are counted with
    the feature taken out of the kernel, multipliers and intercept as they are. The feature without
    which there are fewest errors is dropped, until every one would add errors. The last SVM is
    trained on all samples. Nothing is promised about rates or costs.

    Parameters
    ----------
    max_features : int or None, default=None
        The greatest number of features: as long as there are more, features are dropped whatever
        the errors. None: the errors alone decide.
    C : float, default=1.0
        Weight of the errors, as in scikit-learn's SVC: the objective is ||f||^2 / 2 + C sum xi.
    kernel : str or callable, default="linear"
        As in scikit-learn's SVC, or any of its pairwise kernels; not "precomputed".
    gamma : {"scale", "auto"} or float, default="scale"
        Settled on all features, once.
    degree : int, default=3
        Of the kernel "poly".
    coef0 : float, default=0.0
        Of the kernels "poly" and "sigmoid".
    holdout : float, default=0.3
        Share of each class that is held out.
    step : int or float, default=1
        The most features to drop in a round; below 1, a share of those in use.
    standardize : bool, default=True
        Work on standardised features.
    feature_costs, feature_groups, group_costs : default=None
        Prices as in :class:`~frugalsvm.FrugalSVC`. The method does not use them: they only decide
        what ``cost_`` says.
    pos_label : label or None, default=None
        The class whose recall is the TPR; None: ``classes_[1]``.
    time_limit : float or None, default=60.0
        Seconds. At the limit the SVM is trained on the features that are left, or on the
        `max_features` best of them by the last round.
    random_state : int, RandomState or None, default=None
        Seed of the splits; None is a fixed seed.

    Attributes
    ----------
    cost_ : float
        Cost of the kept features.
    rounds_ : tuple of Round
        Features in use, errors with all of them, and fewest errors without one, by round.
    stop_reason_ : str
        "completed", "time limit" or "interrupted".
    train_tpr_, train_tnr_ : float
        Rates on the training data.
    classes_ : ndarray of shape (2,)
        The labels.
    n_features_in_ : int
        Number of features seen in ``fit``.
    feature_names_in_ : ndarray of str
        Their names, if X had any.

    Notes
    -----
    Completed here: how many samples are held out, and that classes are split alike; ties between
    features with equally many errors go to the lower hinge loss on the held-out samples, then to
    the first; `step` and `max_features`.

    References
    ----------
    Maldonado, Weber (2009), A wrapper method for feature selection using Support Vector Machines,
    Information Sciences 179, 2208-2217.

    Examples
    --------
    >>> from sklearn.datasets import load_breast_cancer
    >>> from frugalsvm.peers import HoldOutSVC
    >>> X, y = load_breast_cancer(return_X_y=True)
    >>> clf = HoldOutSVC(max_features=5).fit(X, y)
    >>> int(clf.get_support().sum()) <= 5, clf.score(X, y) > 0.9, clf.stop_reason_
    (True, True, 'completed')
    """

    def __init__(
        self,
        max_features: int | None = None,
        *,
        C: float = 1.0,
        kernel: Any = "linear",
        gamma: Any = "scale",
        degree: int = 3,
        coef0: float = 0.0,
        holdout: float = 0.3,
        step: float = 1,
        standardize: bool = True,
        feature_costs: Any = None,
        feature_groups: Any = None,
        group_costs: Any = None,
        pos_label: Any = None,
        time_limit: float | None = 60.0,
        random_state: Any = None,
    ) -> None:
        self.max_features = max_features
        self.C = C
        self.kernel = kernel
        self.gamma = gamma
        self.degree = degree
        self.coef0 = coef0
        self.holdout = holdout
        self.step = step
        self.standardize = standardize
        self.feature_costs = feature_costs
        self.feature_groups = feature_groups
        self.group_costs = group_costs
        self.pos_label = pos_label
        self.time_limit = time_limit
        self.random_state = random_state

    def fit(self, X: Any, y: Any, sample_weight: Any = None) -> Self:
        """Eliminate features and train on those that are left.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features)
            Training data; numbers only, no missing values.
        y : array-like of shape (n_samples,)
            Labels, of two kinds.
        sample_weight : array-like of shape (n_samples,), default=None
            Whole numbers: how many samples each row stands for, held out together. None: 1.

        Returns
        -------
        self : HoldOutSVC
            The fitted classifier.

        Raises
        ------
        NoSolutionError
            If not even one SVM was trained within the time limit.
        """
        check_parameters(self, RULES)
        stop = Stopper(self.time_limit)
        data = self._training_set(X, y, sample_weight, standardize=self.standardize)
        kernel = Kernel(
            self.kernel,
            settle_gamma(self.gamma, data.Z),
            degree=float(self.degree),
            coef0=float(self.coef0),
        )
        rules = Rules(kernel, float(self.C), self.holdout, float(self.step), self.max_features)
        with interruptible(stop):
            rng = np.random.default_rng(seed_of(self.random_state))
            found = eliminate(data.Z, data.signs, data.row, data.varying, rules, rng, stop)
            self._train(data, rules, found.columns, stop)
        self.rounds_ = found.rounds
        scores = self._svm.decision_function(data.Z[:, found.columns])
        reason = ended(stop, completed=found.completed)
        self._keep(data, found.columns, scores, reason)
        return self

    def _train(
        self, data: TrainingSet, rules: Rules, columns: NDArray[np.intp], stop: Stopper
    ) -> None:
        part = np.ascontiguousarray(data.Z[:, columns])
        fitted = trained(svm(rules.kernel, rules.C), part, data.signs, last_training(stop))
        if fitted is None:
            raise self._nothing_found(stop, "trained an SVM on the features that were left")
        self._svm = fitted

    def decision_function(self, X: Any) -> NDArray[np.float64]:
        """Return the signed score of each row of `X`: positive for ``classes_[1]``.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features)
            New samples.

        Returns
        -------
        ndarray of shape (n_samples,)
            Scores.
        """
        check_is_fitted(self)
        Z = self._scaler.transform(new_data(self, X))[:, self._support]
        scores: NDArray[np.float64] = self._sign * self._svm.decision_function(Z)
        return scores
