"""SparseSVC: an SVM with at most so many features, the paper's comparison method."""

from __future__ import annotations

from typing import Any, Self

import numpy as np
from numpy.typing import NDArray
from sklearn.base import BaseEstimator, ClassifierMixin
from sklearn.feature_selection import SelectorMixin
from sklearn.utils import Tags
from sklearn.utils.validation import check_is_fitted

from frugalsvm.estimators.base import BinaryDecisionMixin, new_data, training_data
from frugalsvm.inputs.labels import read_labels
from frugalsvm.inputs.parameters import BOOL, POSITIVE, Rule, check_parameters, one_of
from frugalsvm.inputs.sample_weights import repeated_rows
from frugalsvm.inputs.standardize import Standardizer
from frugalsvm.sparse.program import PenalizedSVM, solve
from frugalsvm.sparse.relaxations import chan, ghaddar

RELAXATIONS = {"chan": chan, "ghaddar": ghaddar}

_COUNT: Rule = (
    "an int in the range [1, inf)",
    lambda v: isinstance(v, (int, np.integer)) and not isinstance(v, bool) and int(v) >= 1,
)


class SparseSVC(BinaryDecisionMixin, SelectorMixin, ClassifierMixin, BaseEstimator):
    """Linear SVM with at most `max_features` features, found by a convex relaxation.

    The relaxation chooses features, then a standard linear SVM is trained on them. There is no
    control of the rates of the two classes and no proof that fewer or other features would not
    do: that is what :class:`FrugalSVC` is for. This is the method that the paper compares with.

    Parameters
    ----------
    max_features : int, default=1
        The greatest number of features, the r of Chan et al.
    C : float, default=1.0
        Weight of the errors, as in scikit-learn's SVC: the objective is ||w||^2 / 2 + C sum xi.
    method : {"chan", "ghaddar"}, default="chan"
        "chan": minimise t / 2 + C sum xi with ||w||_2^2 <= t and ||w||_1^2 <= r t, keep the r
        greatest weights. "ghaddar": tighten a bound on ||w||_1 until at most r weights remain.
    standardize : bool, default=True
        Work on standardised features; `coef_` is in the user's units all the same.

    Attributes
    ----------
    coef_ : ndarray of shape (1, n_features)
        Weights of the trained SVM, zero for features that were not kept.
    intercept_ : ndarray of shape (1,)
        Its intercept.
    relaxed_coef_ : ndarray of shape (n_features,)
        Weights of the relaxation, for standardised features if `standardize`.
    relaxed_objective_ : float
        Objective of the relaxation.
    classes_ : ndarray of shape (2,)
        The labels.
    n_features_in_ : int
        Number of features seen in ``fit``.
    feature_names_in_ : ndarray of str
        Their names, if X had any.

    References
    ----------
    Chan, Vasconcelos, Lanckriet (2007), Direct convex relaxations of sparse SVM, ICML.
    Ghaddar, Naoum-Sawaya (2018), High dimensional data classification and feature selection
    using support vector machines, European Journal of Operational Research 265.

    Examples
    --------
    >>> from sklearn.datasets import load_breast_cancer
    >>> from frugalsvm import SparseSVC
    >>> X, y = load_breast_cancer(return_X_y=True)
    >>> clf = SparseSVC(max_features=3).fit(X, y)
    >>> int(clf.get_support().sum()), clf.score(X, y) > 0.93
    (3, True)
    """

    def __init__(
        self,
        max_features: int = 1,
        *,
        C: float = 1.0,
        method: str = "chan",
        standardize: bool = True,
    ) -> None:
        self.max_features = max_features
        self.C = C
        self.method = method
        self.standardize = standardize

    def fit(self, X: Any, y: Any, sample_weight: Any = None) -> Self:
        """Choose features and train on them.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features)
            Training data; numbers only, no missing values.
        y : array-like of shape (n_samples,)
            Labels, of two kinds.
        sample_weight : array-like of shape (n_samples,), default=None
            How many samples each row stands for: its slack costs so many times C. None: 1.

        Returns
        -------
        self : SparseSVC
            The fitted classifier.
        """
        check_parameters(
            self,
            {
                "max_features": _COUNT,
                "C": POSITIVE,
                "method": one_of(*RELAXATIONS),
                "standardize": BOOL,
            },
        )
        rows = repeated_rows(X, y, sample_weight, self._owner)
        X, y = training_data(self, rows.X, rows.y)
        labels = read_labels(y, None, self._owner)
        C = float(self.C) / rows.unit
        scaler = Standardizer.fit(X) if self.standardize else Standardizer.identity(X.shape[1])
        Z = scaler.transform(X)
        signs = np.where(labels.positive, 1.0, -1.0)
        relaxed = RELAXATIONS[self.method](Z, signs, C, int(self.max_features))
        final = solve(
            PenalizedSVM(
                np.ascontiguousarray(Z[:, relaxed.support]),
                signs,
                np.full(len(signs), C),
            )
        )
        weights = np.zeros(X.shape[1])
        weights[relaxed.support] = final.weights
        coef, intercept = scaler.to_user_units(weights, final.intercept)
        self.classes_ = labels.classes
        self.coef_ = coef[np.newaxis]
        self.intercept_ = np.array([intercept])
        self.relaxed_coef_ = relaxed.weights
        self.relaxed_objective_ = relaxed.objective
        self._support = relaxed.support
        return self

    @property
    def _owner(self) -> str:
        return type(self).__name__

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
        scores: NDArray[np.float64] = new_data(self, X) @ self.coef_[0] + self.intercept_[0]
        return scores

    def _get_support_mask(self) -> NDArray[np.bool_]:
        check_is_fitted(self)
        mask = np.zeros(self.n_features_in_, dtype=np.bool_)
        mask[self._support] = True
        return mask

    def __sklearn_tags__(self) -> Tags:
        tags = super().__sklearn_tags__()
        tags.classifier_tags.multi_class = False
        tags.input_tags.sparse = True
        return tags
