"""KernelPenalizedSVC: widths of a Gaussian kernel that are penalised towards zero (KP-SVM)."""

from __future__ import annotations

from dataclasses import replace
from typing import Any, Self

import numpy as np
from numpy.typing import NDArray
from scipy.spatial.distance import cdist
from sklearn.utils.validation import check_is_fitted

from frugalsvm.estimators.base import new_data
from frugalsvm.inputs.parameters import (
    OPEN_UNIT,
    POSITIVE,
    Rule,
    check_parameters,
    gamma_rule,
    is_number,
)
from frugalsvm.inputs.svm_kernels import settle_gamma
from frugalsvm.peers.base import AT_MOST, SVM_RULES, Peer, TrainingSet
from frugalsvm.peers.training import ended, last_training
from frugalsvm.peers.widths import DOUBLINGS, Descent, Penalized, descend, evaluate, repriced
from frugalsvm.runtime.memory import require_kernel_matrix
from frugalsvm.runtime.stopping import Stopper, interruptible

COPIES = 4  # kernel matrices that a step holds
DESCENT_SHARE = 0.9  # of the time; the rest is for a last training with the features allowed

RULES: dict[str, Rule] = SVM_RULES | {
    "penalty": ("a float in the range [0.0, inf)", lambda v: is_number(v) and v >= 0),
    "max_features": AT_MOST,
    "gamma": gamma_rule(),
    "sharpness": POSITIVE,
    "smallest_width": OPEN_UNIT,
    "max_iter": (
        "an int in the range [1, inf)",
        lambda v: v is not None and AT_MOST[1](v),
    ),
}


class KernelPenalizedSVC(Peer):
    """SVM with a Gaussian kernel of one width per feature, penalised towards zero (KP-SVM).

    The kernel is exp(-sum_k v_k^2 (x_k - x'_k)^2 / 2); a feature whose v_k is zero is out of use.
    SVM trainings alternate with gradient steps on v, which minimise the SVM's optimal value plus
    `penalty` times sum_k (1 - exp(-sharpness v_k)), an approximation of the number of features.
    The answer is a local optimum. Nothing is promised about rates or costs.

    Parameters
    ----------
    penalty : float, default=1.0
        Weight of the penalty, the paper's C2.
    max_features : int or None, default=None
        The greatest number of features: the penalty is doubled, from the widths that there are,
        until no more remain. None: whatever `penalty` leaves.
    C : float, default=1.0
        Weight of the errors, as in scikit-learn's SVC: the objective is ||f||^2 / 2 + C sum xi.
    gamma : {"scale", "auto"} or float, default="scale"
        Of the first kernel, which has equal widths: v_k = sqrt(2 gamma).
    sharpness : float, default=5.0
        How fast the penalty of a feature rises to 1, the paper's beta.
    smallest_width : float, default=0.01
        Widths below this share of the greatest are set to zero.
    max_iter : int, default=200
        The most steps at one penalty.
    standardize : bool, default=True
        Work on standardised features.
    feature_costs, feature_groups, group_costs : default=None
        Prices as in :class:`~frugalsvm.FrugalSVC`. The method does not use them: they only decide
        what ``cost_`` says.
    pos_label : label or None, default=None
        The class whose recall is the TPR; None: ``classes_[1]``.
    time_limit : float or None, default=60.0
        Seconds. At the limit the SVM at the best widths so far comes back.

    Attributes
    ----------
    widths_ : ndarray of shape (n_features,)
        The v of the kernel, for standardised features if `standardize`; zero for features that
        are out of use.
    objective_ : float
        SVM's optimal value plus penalty, at these widths.
    objectives_ : tuple of float
        The same at the first widths and after every step of the last penalty; it never rises.
    n_iter_ : int
        Their number.
    penalty_ : float
        The last penalty; more than `penalty` if `max_features` asked for it.
    cost_ : float
        Cost of the features in use.
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
    Completed here, without the paper's full text at hand:

    - What the step on the widths minimises. With the multipliers fixed, descending on the norm
      ||f||^2 = a'K_v a plus the penalty draws the classes together: repeated, it ends without any
      feature. The derivative of the SVM's optimal value has the opposite sign, and is used.
    - The length of a step: halved until the objective falls, so that it never rises. A step that
      would leave no feature is not taken. This is also the rule at which it ends.
    - `max_features`; where widths vanish together, the greatest are kept.

    References
    ----------
    Maldonado, Weber, Basak (2011), Simultaneous feature selection and classification using
    kernel-penalized support vector machines, Information Sciences 181, 115-128.

    Examples
    --------
    >>> from sklearn.datasets import load_breast_cancer
    >>> from frugalsvm.peers import KernelPenalizedSVC
    >>> X, y = load_breast_cancer(return_X_y=True)
    >>> clf = KernelPenalizedSVC(max_features=5).fit(X, y)
    >>> int(clf.get_support().sum()) <= 5, clf.score(X, y) > 0.9, clf.stop_reason_
    (True, True, 'completed')
    """

    def __init__(
        self,
        penalty: float = 1.0,
        *,
        max_features: int | None = None,
        C: float = 1.0,
        gamma: Any = "scale",
        sharpness: float = 5.0,
        smallest_width: float = 0.01,
        max_iter: int = 200,
        standardize: bool = True,
        feature_costs: Any = None,
        feature_groups: Any = None,
        group_costs: Any = None,
        pos_label: Any = None,
        time_limit: float | None = 60.0,
    ) -> None:
        self.penalty = penalty
        self.max_features = max_features
        self.C = C
        self.gamma = gamma
        self.sharpness = sharpness
        self.smallest_width = smallest_width
        self.max_iter = max_iter
        self.standardize = standardize
        self.feature_costs = feature_costs
        self.feature_groups = feature_groups
        self.group_costs = group_costs
        self.pos_label = pos_label
        self.time_limit = time_limit

    def fit(self, X: Any, y: Any, sample_weight: Any = None) -> Self:
        """Alternate between SVMs and steps on the widths.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features)
            Training data; numbers only, no missing values.
        y : array-like of shape (n_samples,)
            Labels, of two kinds.
        sample_weight : array-like of shape (n_samples,), default=None
            Whole numbers: how many samples each row stands for. None: 1.

        Returns
        -------
        self : KernelPenalizedSVC
            The fitted classifier.

        Raises
        ------
        NoSolutionError
            If not even one SVM was trained within the time limit.
        """
        check_parameters(self, RULES)
        stop = Stopper(self.time_limit)
        data = self._training_set(X, y, sample_weight, standardize=self.standardize)
        require_kernel_matrix(len(data.Z), COPIES, self._owner)
        with interruptible(stop):
            problem, found = self._descended(data, stop)
        point = found.point
        support = np.flatnonzero(point.widths)
        self.widths_ = point.widths
        self.penalty_ = problem.penalty
        self.objective_ = point.objective
        self.objectives_ = found.objectives
        self.n_iter_ = len(found.objectives)
        self._dual = point.svm.dual_coef_[0]
        self._intercept = float(point.svm.intercept_[0])
        self._rows = data.Z[point.svm.support_][:, support] * point.widths[support]
        reason = ended(stop, completed=found.completed)
        self._keep(data, support, point.svm.decision_function(point.gram), reason)
        return self

    def _descended(self, data: TrainingSet, stop: Stopper) -> tuple[Penalized, Descent]:
        """Descend at the penalty, then at greater ones until few enough features are left."""
        problem = Penalized(
            data.Z,
            data.signs,
            float(self.C),
            float(self.penalty),
            float(self.sharpness),
            float(self.smallest_width),
            int(self.max_iter),
        )
        widths = np.zeros(data.Z.shape[1])
        gamma = settle_gamma(self.gamma, data.Z)
        widths[data.varying] = np.sqrt(2.0 * gamma) if gamma > 0 else 1.0
        start = evaluate(problem, widths, stop)
        if start is None:
            raise self._nothing_found(stop, "trained the first SVM")
        most = data.Z.shape[1] if self.max_features is None else int(self.max_features)
        early = stop.within(DESCENT_SHARE * stop.remaining)
        found = descend(problem, start, early)
        for _ in range(DOUBLINGS):
            if found.point.n_features <= most or not found.completed:
                break
            problem = replace(problem, penalty=2.0 * problem.penalty or 1.0)
            found = descend(problem, repriced(problem, found.point), early)
        if found.point.n_features > most:
            found = self._widest(problem, found, most, stop)
        return problem, found

    def _widest(self, problem: Penalized, found: Descent, most: int, stop: Stopper) -> Descent:
        """Keep the greatest widths: time was short, or features are equal and vanish together."""
        widths = np.zeros_like(found.point.widths)
        kept = np.argsort(-found.point.widths, kind="stable")[:most]
        widths[kept] = found.point.widths[kept]
        point = evaluate(problem, widths, last_training(stop))
        if point is None:
            raise self._nothing_found(stop, f"an SVM with at most {most} features")
        return Descent(point, (point.objective,), found.completed)

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
        distance = cdist(Z * self.widths_[self._support], self._rows, "sqeuclidean")
        scores = np.exp(-0.5 * distance) @ self._dual + self._intercept
        return np.asarray(self._sign * scores)
