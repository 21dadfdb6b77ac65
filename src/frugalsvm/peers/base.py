"""What the peers share: data in, prices, labels, and what is told about the kept features."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.base import BaseEstimator, ClassifierMixin
from sklearn.feature_selection import SelectorMixin
from sklearn.utils import Tags
from sklearn.utils.validation import check_is_fitted

from frugalsvm.data.costs import CostModel
from frugalsvm.data.exceptions import NoSolutionError
from frugalsvm.estimators.base import BinaryDecisionMixin, training_data, training_rates
from frugalsvm.inputs.formulate import feature_table
from frugalsvm.inputs.labels import Labels, read_labels
from frugalsvm.inputs.parameters import BOOL, POSITIVE, TIME_LIMIT, Rule
from frugalsvm.inputs.prices import PriceInputs
from frugalsvm.inputs.sample_weights import refuse_shares, repeated_rows
from frugalsvm.inputs.standardize import Standardizer
from frugalsvm.runtime.stopping import Stopper

PEER_RULES: dict[str, Rule] = {"time_limit": TIME_LIMIT}
SVM_RULES: dict[str, Rule] = PEER_RULES | {"C": POSITIVE, "standardize": BOOL}

AT_MOST: Rule = (
    "None or an int in the range [1, inf)",
    lambda v: v is None or (isinstance(v, (int, np.integer)) and v is not True and int(v) >= 1),
)


@dataclass(frozen=True)
class TrainingSet:
    """A training set, checked and scaled.

    Attributes
    ----------
    X : ndarray of shape (n_samples, n_features)
        The data as given.
    Z : ndarray of shape (n_samples, n_features)
        Standardised features, or the data as given.
    signs : ndarray of shape (n_samples,)
        +1 for the positive class, -1 for the other.
    labels : Labels
        The two classes.
    scaler : Standardizer
        From the user's units to `Z`.
    costs : CostModel
        The prices.
    row : ndarray of shape (n_samples,)
        Which row given each sample comes from.
    """

    X: NDArray[np.float64]
    Z: NDArray[np.float64]
    signs: NDArray[np.float64]
    labels: Labels
    scaler: Standardizer
    costs: CostModel
    row: NDArray[np.intp]

    @property
    def varying(self) -> NDArray[np.intp]:
        """The columns that are not constant; the first one if all are."""
        columns = np.flatnonzero(np.ptp(self.Z, axis=0) > 0)
        return columns if len(columns) else np.zeros(1, dtype=np.intp)


class Peer(BinaryDecisionMixin, SelectorMixin, ClassifierMixin, BaseEstimator):
    """A classifier that chooses its features; fitted ones have ``_support``, ascending."""

    _support: NDArray[np.intp]

    @property
    def _owner(self) -> str:
        return type(self).__name__

    def _training_set(
        self: Any, X: Any, y: Any, sample_weight: Any, *, standardize: bool
    ) -> TrainingSet:
        rows = repeated_rows(X, y, sample_weight, self._owner)
        refuse_shares(rows, self._owner, "this method counts samples")
        X, y = training_data(self, rows.X, rows.y)
        labels = read_labels(y, self.pos_label, self._owner)
        scaler = Standardizer.fit(X) if standardize else Standardizer.identity(X.shape[1])
        names = getattr(self, "feature_names_in_", None)
        prices = PriceInputs(self.feature_costs, self.feature_groups, self.group_costs)
        costs = prices.resolve(feature_table(names, X.shape[1], self._owner))
        signs = np.where(labels.positive, 1.0, -1.0)
        return TrainingSet(X, scaler.transform(X), signs, labels, scaler, costs, rows.row)

    def _keep(
        self: Any,
        data: TrainingSet,
        support: NDArray[np.intp],
        scores: NDArray[np.float64],
        stop_reason: str,
    ) -> None:
        """Remember the kept features; `scores` are positive on the positive class's side."""
        self._support = np.sort(support)
        self._scaler, self._sign = data.scaler, data.labels.sign
        self.classes_ = data.labels.classes
        self.cost_ = data.costs.cost(support.tolist())
        self.train_tpr_, self.train_tnr_ = training_rates(scores, data.labels)
        self.stop_reason_ = stop_reason

    def _nothing_found(self, stop: Stopper, what: str) -> NoSolutionError:
        why = "Ctrl-C came" if stop.interrupted else "The time limit was over"
        return NoSolutionError(
            f"{why} before {self._owner} had {what}. Raise 'time_limit', or use fewer samples.",
            bound=0.0,
            interrupted=stop.interrupted,
        )

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
