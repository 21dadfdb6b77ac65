"""The decision function of a trained SVM as plain data."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from frugalsvm.inputs.standardize import Standardizer
from frugalsvm.inputs.svm_kernels import Kernel


@dataclass(frozen=True)
class Decision:
    """f(x) = w'z + b or sum a_j K(z_j, z) + b, with z the standardised x.

    It repeats the estimators' arithmetic operation by operation, so that its values are theirs to
    the last bit.

    Attributes
    ----------
    scaler : Standardizer
        From x to z.
    kernel : Kernel
        K.
    weights : ndarray of shape (n_features,)
        w, for the linear kernel; empty otherwise.
    vectors : ndarray of shape (n_vectors, n_features)
        The z_j; empty for the linear kernel.
    dual : ndarray of shape (n_vectors,)
        The a_j.
    intercept : float
        b.
    sign : float
        1 if positive values speak for ``classes[1]``, as they must for scikit-learn; -1 if w, a
        and b are to be turned round for that.
    """

    scaler: Standardizer
    kernel: Kernel
    weights: NDArray[np.float64]
    vectors: NDArray[np.float64]
    dual: NDArray[np.float64]
    intercept: float
    sign: float

    @classmethod
    def of(cls, svc: Any) -> Decision:
        """Return the decision function of a fitted :class:`~frugalsvm.RateSVC`."""
        result = svc.result_
        linear = svc._kernel.linear
        n_features = svc.n_features_in_
        return cls(
            scaler=svc._scaler,
            kernel=svc._kernel,
            weights=result.weights if linear else np.zeros(0),
            vectors=np.zeros((0, n_features)) if linear else svc._support_rows,
            dual=np.zeros(0) if linear else svc._dual,
            intercept=float(result.intercept),
            sign=float(svc._sign),
        )

    @property
    def n_features(self) -> int:
        """Number of columns of x."""
        return len(self.scaler.center)

    def scores(self, X: NDArray[np.float64]) -> NDArray[np.float64]:
        """Return the decision value of each row of `X`, positive for ``classes[1]``."""
        Z = self.scaler.transform(X)
        if self.kernel.linear:
            raw = Z @ self.weights + self.intercept
        else:
            raw = self.kernel.scores(Z, self.vectors, self.dual) + self.intercept
        return np.asarray(self.sign * raw, dtype=np.float64)

    def weights_in_user_units(self) -> tuple[NDArray[np.float64], float]:
        """Return weights and intercept for x itself, speaking for ``classes[1]``; linear only."""
        weights, intercept = self.scaler.to_user_units(self.weights, self.intercept)
        return self.sign * weights, self.sign * intercept
