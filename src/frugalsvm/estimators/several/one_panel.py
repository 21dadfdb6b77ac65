"""Classifiers of several targets on the same few columns, as one classifier."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.base import BaseEstimator, ClassifierMixin

from frugalsvm.estimators.base import new_data
from frugalsvm.estimators.rate_svc import RateSVC
from frugalsvm.several.decision import decide_by_scores
from frugalsvm.several.labels import SeveralLabels


class OnePanelSVC(ClassifierMixin, BaseEstimator):
    """The fitted second step of `FrugalSVC` with several targets; it is not fitted by itself.

    Attributes
    ----------
    estimators_ : list of RateSVC
        One a target: a class against the rest, or an output.
    classes_ : ndarray of shape (n_targets,)
        The classes, or the outputs' numbers.
    exclusive : bool
        True if a sample has one of the classes, False if every output has its own answer.
    scales_ : ndarray of shape (n_targets,)
        Positive factors of their decision values; see :mod:`frugalsvm.several.scales`.
    n_features_in_ : int
        Number of the panel's columns.
    """

    _owner = "OnePanelSVC"  # in messages

    def __init__(self, estimators: list[RateSVC], labels: SeveralLabels, n_features: int) -> None:
        self.estimators_ = estimators
        self.scales_ = np.ones(len(estimators))
        self.classes_ = labels.classes
        self.exclusive = labels.exclusive
        self.n_features_in_ = n_features

    def decision_function(self, X: Any) -> NDArray[np.float64]:
        """Return the score of every row of the panel's columns for every target."""
        X = new_data(self, X)
        scores = np.column_stack([one.decision_function(X) for one in self.estimators_])
        return np.asarray(scores * self.scales_)

    def predict(self, X: Any) -> NDArray[Any]:
        """Return the class with the largest score, or the outputs with a positive one."""
        return self.decide(self.decision_function(X))

    def decide(self, scores: NDArray[np.float64]) -> NDArray[Any]:
        """Return what is predicted at these scores."""
        return decide_by_scores(scores, self.classes_, self.exclusive)
