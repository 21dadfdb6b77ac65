"""What the three estimators share: targets, the engine, labels in and out."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.utils import check_random_state
from sklearn.utils.validation import validate_data

from frugalsvm.dispatch import SOLVERS, Engine, thread_count
from frugalsvm.parameters import (
    CALLBACK,
    N_JOBS,
    OPEN_UNIT,
    OPTIONS,
    RATE,
    TIME_LIMIT,
    Rule,
    one_of,
)
from frugalsvm.rates import RateTargets

TARGET_RULES: dict[str, Rule] = {
    "min_tpr": RATE,
    "min_tnr": RATE,
    "correction": one_of(None, "hoeffding"),
    "alpha": OPEN_UNIT,
}

ENGINE_RULES: dict[str, Rule] = {
    "solver": one_of(*SOLVERS),
    "time_limit": TIME_LIMIT,
    "solver_options": OPTIONS,
    "n_jobs": N_JOBS,
    "callback": CALLBACK,
}


class RateTargetsMixin:
    """Estimators with two rates to meet and a solver to meet them with."""

    _called_by: str | None = None

    @property
    def _owner(self) -> str:
        """The name to use in messages: of the estimator that the user called."""
        return self._called_by or type(self).__name__

    def _targets(self: Any) -> RateTargets:
        return RateTargets(
            float(self.min_tpr), float(self.min_tnr), self.correction, float(self.alpha)
        )

    def _engine(self: Any) -> Engine:
        engine = Engine(
            solver=self.solver,
            threads=thread_count(self.n_jobs),
            seed=seed_of(self.random_state),
            options=dict(self.solver_options or {}),
            on_progress=self.callback,
        )
        engine.check_options(self._owner)
        return engine


class BinaryDecisionMixin:
    """Predictions from a decision function that is positive on the side of ``classes_[1]``."""

    def predict(self: Any, X: Any) -> NDArray[Any]:
        """Return the predicted label of each row of `X`.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features)
            New samples, with the columns seen in ``fit``.

        Returns
        -------
        ndarray of shape (n_samples,)
            Labels.
        """
        scores = self.decision_function(X)
        labels: NDArray[Any] = self.classes_[(scores > 0).astype(np.intp)]
        return labels


def training_data(estimator: Any, X: Any, y: Any) -> tuple[NDArray[np.float64], NDArray[Any]]:
    """Return `X` and `y` as arrays checked by scikit-learn; the columns are remembered."""
    shape = getattr(X, "shape", None)
    if shape is not None and len(shape) == 2 and shape[1] == 0:
        # scikit-learn's own check fails on a DataFrame without columns, with another message.
        raise ValueError(
            f"Found array with 0 feature(s) (shape={tuple(shape)}) while a minimum of 1 is "
            f"required by {estimator._owner}."
        )
    checked: tuple[NDArray[np.float64], NDArray[Any]] = validate_data(
        estimator, X, y, dtype=np.float64
    )
    return checked


def seed_of(random_state: Any) -> int:
    """Return a seed; None means 0, so that equal calls give equal answers."""
    if random_state is None:
        return 0
    if isinstance(random_state, (int, np.integer)):
        return int(random_state)
    return int(check_random_state(random_state).randint(2**31 - 1))


def training_rates(scores: NDArray[np.float64], positive: NDArray[np.bool_]) -> tuple[float, float]:
    """Return TPR and TNR of the predictions that these scores (positive: positive) make."""
    said = scores > 0
    return float(said[positive].mean()), float((~said)[~positive].mean())
