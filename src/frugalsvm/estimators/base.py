"""What the three estimators share: targets, the engine, labels in and out."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import issparse
from sklearn.utils import check_random_state
from sklearn.utils.validation import validate_data

from frugalsvm.data.rates import RateTargets
from frugalsvm.data.result import Progress
from frugalsvm.engine.dispatch import SOLVERS, Engine, thread_count
from frugalsvm.engine.many_columns import too_large
from frugalsvm.inputs.labels import Labels
from frugalsvm.inputs.parameters import (
    CALLBACK,
    N_JOBS,
    OPEN_UNIT,
    OPTIONS,
    RATE,
    TIME_LIMIT,
    VERBOSE,
    Rule,
    one_of,
)
from frugalsvm.runtime.elsewhere import Workers
from frugalsvm.runtime.memory import require_table
from frugalsvm.runtime.progress import VerboseLines

TEXT_TYPES = ("str", "string", "category", "categorical", "utf8")
"""Types of columns in pandas and polars that hold text."""

TARGET_RULES: dict[str, Rule] = {
    "min_tpr": RATE,
    "min_tnr": RATE,
    "correction": one_of(None, "hoeffding"),
    "alpha": OPEN_UNIT,
}

RUN_RULES: dict[str, Rule] = {
    "time_limit": TIME_LIMIT,
    "n_jobs": N_JOBS,
    "callback": CALLBACK,
    "verbose": VERBOSE,
}
ENGINE_RULES: dict[str, Rule] = RUN_RULES | {"solver": one_of(*SOLVERS), "solver_options": OPTIONS}


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
            on_progress=self._on_progress(),
            workers=Workers.asked_for(self.n_jobs) if self.solver == "auto" else None,
        )
        engine.check_options(self._owner)
        return engine

    def _on_progress(self: Any) -> Callable[[Progress], None] | None:
        """Return what tells of progress: the user's callback, lines on stdout, or both."""
        if not self.verbose:
            callback: Callable[[Progress], None] | None = self.callback
            return callback
        lines = VerboseLines(self._owner)
        if self.callback is None:
            return lines

        def both(progress: Progress) -> None:
            lines(progress)
            self.callback(progress)

        return both


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


def training_data(
    estimator: Any, X: Any, y: Any, *, multi_output: bool = False, filled_in: bool = True
) -> tuple[Any, NDArray[Any]]:
    """Return `X` and `y` as arrays checked by scikit-learn; the columns are remembered.

    With `multi_output`, `y` may have several columns. Unless it has to be filled in, a sparse table
    that is too large for that stays as it is, in compressed rows.
    """
    shape = getattr(X, "shape", None)
    if shape is not None and len(shape) == 2 and shape[1] == 0:
        # scikit-learn's own check fails on a DataFrame without columns, with another message.
        raise ValueError(
            f"Found array with 0 feature(s) (shape={tuple(shape)}) while a minimum of 1 is "
            f"required by {estimator._owner}."
        )
    refuse_text(X, estimator._owner)
    checked, labels = validate_data(
        estimator, X, y, dtype=np.float64, accept_sparse="csr", multi_output=multi_output
    )
    if not filled_in and too_large(checked):
        return one_entry_each(checked), labels
    return dense(checked, estimator._owner), labels


def one_entry_each(X: Any) -> Any:
    """Return a sparse table in which no number is stored in several parts that add up to it."""
    if X.has_canonical_format:
        return X
    summed = X.copy()
    summed.sum_duplicates()
    return summed


def new_data(estimator: Any, X: Any, *, filled_in: bool = True) -> Any:
    """Return new samples as an array, with the columns seen in ``fit``, checked by scikit-learn.

    Sparse ones stay as they are unless they have to be filled in.
    """
    checked = validate_data(estimator, X, dtype=np.float64, accept_sparse="csr", reset=False)
    return dense(checked, estimator._owner) if filled_in else checked


def dense(X: Any, owner: str) -> NDArray[np.float64]:
    """Return sparse data as an ordinary array: standardising fills the gaps anyway."""
    if issparse(X):
        require_table(X.shape[0], X.shape[1], owner)
    filled: NDArray[np.float64] = X.toarray() if issparse(X) else X
    return filled


def refuse_text(X: Any, owner: str) -> None:
    """Raise a ValueError that says what to do about columns of a data frame that hold text."""
    if not hasattr(X, "columns") or not hasattr(X, "dtypes"):
        return
    kinds = zip(X.columns, list(X.dtypes), strict=True)
    texts = [str(name) for name, kind in kinds if _is_text(X, name, str(kind).lower())]
    if texts:
        shown = ", ".join(map(repr, texts[:6])) + (", ..." if len(texts) > 6 else "")
        count = "1 column holds" if len(texts) == 1 else f"{len(texts)} columns hold"
        raise ValueError(
            f"{owner}.fit needs numbers. {count} text or levels: {shown}. Code "
            "them first, for instance with OneHotEncoder in a ColumnTransformer, and let all "
            "columns of a variable share its price by 'feature_groups' and 'group_costs'; or leave "
            "it to the command line, frugalsvm fit, which codes them and pays for each once."
        )


def _is_text(X: Any, name: Any, kind: str) -> bool:
    """Return True for a column of text; of objects, if one of them is a text that is no number."""
    if kind != "object":
        return kind.startswith(TEXT_TYPES)
    return any(isinstance(value, str) and not _reads_as_number(value) for value in X[name])


def _reads_as_number(text: str) -> bool:
    try:
        float(text)
    except ValueError:
        return False
    return True


def seed_of(random_state: Any) -> int:
    """Return a seed; None means 0, so that equal calls give equal answers."""
    if random_state is None:
        return 0
    if isinstance(random_state, (int, np.integer)):
        return int(random_state)
    return int(check_random_state(random_state).randint(2**31 - 1))


def training_rates(scores: NDArray[np.float64], labels: Labels) -> tuple[float, float]:
    """Return TPR and TNR of what ``predict`` says at these scores (positive: positive class).

    A score of 0 is predicted as ``classes_[0]``, which may be the positive class.
    """
    said = scores > 0 if labels.sign > 0 else scores >= 0
    positive = labels.positive
    return float(said[positive].mean()), float((~said)[~positive].mean())
