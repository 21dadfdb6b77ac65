"""What classifiers on a panel of features share: the panel alone, plain data, new samples."""

from __future__ import annotations

from copy import copy
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
from sklearn.utils.validation import check_is_fitted

from frugalsvm.estimators.base import new_data

if TYPE_CHECKING:
    from frugalsvm.estimators.rate_svc import RateSVC
    from frugalsvm.saved.model import FrugalModel


class PanelMixin:
    """Estimators that select features and hold a classifier on them."""

    @property
    def panel_(self: Any) -> RateSVC:
        """The trained classifier for the panel's columns alone, in their order.

        New cases need not have the columns that were left out, nor values in them:
        ``clf.panel_.predict(X_new[clf.get_feature_names_out()])`` decides as ``clf.predict``
        does. (The empty panel decides without looking; it takes one column of any numbers.)
        """
        check_is_fitted(self, "result_")
        if not hasattr(self, "svc_"):
            raise AttributeError(
                "panel_ is the Support Vector Machine on the panel. This estimator has another "
                "classifier there: use estimator_."
            )
        panel: RateSVC = copy(self.svc_)
        if hasattr(self, "feature_names_in_") and self.get_support().any():
            panel.feature_names_in_ = self.feature_names_in_[self.get_support()]
        return panel

    @property
    def model_(self: Any) -> FrugalModel:
        """The classifier as plain data, as :func:`frugalsvm.load_model` returns it.

        It has the formula (``model_.rule``) and exports (``to_sql``, ``to_sklearn``, ``to_onnx``).
        """
        from frugalsvm.saved.modelfile import model_of

        check_is_fitted(self, "result_")
        return model_of(self)

    def _checked(self: Any, X: Any, *, filled_in: bool = True) -> Any:
        """Return new samples as scikit-learn checks them; point out `panel_` where it would do."""
        try:
            checked = new_data(self, X, filled_in=filled_in)
        except ValueError as error:
            if not self._panel_would_do(X):
                raise
            raise ValueError(
                f"{error} To predict from the panel's columns alone, use panel_: "
                "clf.panel_.predict(X[clf.get_feature_names_out()])."
            ) from error
        return checked

    def _panel_would_do(self: Any, X: Any) -> bool:
        """Return True if `X` lacks only what the panel does not use."""
        support = self.get_support()
        if hasattr(X, "columns") and hasattr(self, "feature_names_in_"):
            return set(self.feature_names_in_[support]) <= set(X.columns)
        shape = np.shape(X)
        return len(shape) == 2 and shape[1] in (len(support), int(support.sum())) and support.any()

    def save(self: Any, path: str | Path) -> None:
        """Write the fitted classifier to a JSON file that :func:`frugalsvm.load_model` reads.

        Parameters
        ----------
        path : str or Path
            Where to; written whole or not at all.
        """
        from frugalsvm.saved.modelfile import save

        save(self, path)
