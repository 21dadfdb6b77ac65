"""What a frontier is asked for: parameters checked, data read, the grid of targets made."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from types import SimpleNamespace
from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.model_selection import StratifiedKFold, check_cv
from sklearn.utils.validation import validate_data

from frugalsvm.data.problem import SelectionProblem
from frugalsvm.data.rates import ErrorBudget, RateTargets
from frugalsvm.engine.dispatch import Engine
from frugalsvm.estimators.base import seed_of
from frugalsvm.estimators.rate_svc import TRAINER_RULES
from frugalsvm.estimators.selector import SELECTOR_RULES, FrugalSelector
from frugalsvm.inputs.formulate import FeatureTerms, feature_table, selection_problem
from frugalsvm.inputs.labels import Labels, read_labels
from frugalsvm.inputs.parameters import NUMBER, RATE, TIME_LIMIT, check_parameters, one_of
from frugalsvm.inputs.standardize import Standardizer
from frugalsvm.inputs.svm_kernels import AUTO, kernel_rule
from frugalsvm.tradeoff.training import Fold

OWNER = "frontier"
DEFAULT_RATES = (0.80, 0.85, 0.875, 0.90, 0.925, 0.95, 0.975, 0.99)

# Named after the function, which is what the messages about its parameters call their owner.
Parameters = type(OWNER, (SimpleNamespace,), {})

_NOT_OURS = {"min_tpr", "min_tnr", "n_alternatives", "max_slack", "verbose", "loss"}
RULES = {
    name: rule for name, rule in (SELECTOR_RULES | TRAINER_RULES).items() if name not in _NOT_OURS
} | {
    "total_time_limit": TIME_LIMIT,
    "rates": one_of("training", "cv"),
    "margin": NUMBER,
    "kernel": kernel_rule(AUTO),
}


@dataclass(frozen=True)
class Grid:
    """The target pairs.

    Attributes
    ----------
    min_tprs, min_tnrs : tuple of float
        Ascending, each once.
    correction, alpha
        As in :class:`~frugalsvm.data.rates.RateTargets`.
    """

    min_tprs: tuple[float, ...]
    min_tnrs: tuple[float, ...]
    correction: Any
    alpha: float

    def targets(self, row: int, column: int) -> RateTargets:
        """Return the targets of a pair."""
        return RateTargets(
            self.min_tprs[row], self.min_tnrs[column], self.correction, float(self.alpha)
        )

    def budgets(self, n_positive: int, n_negative: int) -> tuple[list[int], list[int]]:
        """Return the allowed errors of the rows and of the columns."""
        pos = [
            self.targets(i, 0).budget(n_positive, n_negative).pos for i in range(len(self.min_tprs))
        ]
        neg = [
            self.targets(0, j).budget(n_positive, n_negative).neg for j in range(len(self.min_tnrs))
        ]
        return pos, neg


@dataclass(frozen=True)
class Setting:
    """The data and the grid, ready for work.

    Attributes
    ----------
    X : ndarray of shape (n_samples, n_features)
        Raw data.
    labels : Labels
        The classes.
    names : tuple of str
        The features.
    scaler : Standardizer
        From raw data to the problem's.
    problem : SelectionProblem
        For the loosest targets.
    grid : Grid
        The target pairs.
    folds : tuple of (train, test) index arrays
        The cross-validation.
    """

    X: NDArray[np.float64]
    labels: Labels
    names: tuple[str, ...]
    scaler: Standardizer
    problem: SelectionProblem
    grid: Grid
    folds: tuple[Fold, ...]


def check_settings(asked: Any) -> Engine:
    """Check the parameters and return the engine that they describe."""
    check_parameters(asked, RULES)
    if asked.kernel == "precomputed":
        raise ValueError(
            "The 'kernel' parameter of frontier must be computable from the selected features. "
            "Got 'precomputed' instead."
        )
    engine = Engine(
        solver=asked.solver,
        threads=1,
        seed=seed_of(asked.random_state),
        options=dict(asked.solver_options or {}),
        on_progress=None,
    )
    engine.check_options(OWNER)
    engine.require("P1")
    return engine


def read_grid(min_tprs: Any, min_tnrs: Any, correction: Any, alpha: float) -> Grid:
    """Return the grid of these targets, or raise a ValueError that says what is off."""
    return Grid(_rates(min_tprs, "min_tprs"), _rates(min_tnrs, "min_tnrs"), correction, alpha)


def prepare(
    X: Any, y: Any, pos_label: Any, terms: FeatureTerms, grid: Grid, cv: Any, seed: int
) -> Setting:
    """Read the data and make the problem, as :class:`~frugalsvm.FrugalSelector` does."""
    reader = FrugalSelector()
    X, y = validate_data(reader, X, y, dtype=np.float64)
    labels = read_labels(y, pos_label, OWNER)
    scaler = Standardizer.fit(X)
    table = feature_table(getattr(reader, "feature_names_in_", None), X.shape[1], OWNER)
    pos, neg = grid.budgets(labels.n_positive, labels.n_negative)
    problem = selection_problem(
        X, labels.positive, ErrorBudget(pos[0], neg[0]), scaler=scaler, table=table, terms=terms
    )
    return Setting(X, labels, table.names, scaler, problem, grid, _folds(cv, X, labels, seed))


def _rates(given: Any, name: str) -> tuple[float, ...]:
    if given is None:
        return DEFAULT_RATES
    rule, holds = RATE
    listed: Sequence[Any] = [given] if np.isscalar(given) else list(given)
    for value in listed:
        if not holds(value):
            raise ValueError(
                f"The '{name}' parameter of frontier must hold rates, each {rule}. "
                f"Got {value!r} instead."
            )
    if not listed:
        raise ValueError(f"The '{name}' parameter of frontier must hold a rate at the least.")
    return tuple(sorted({float(value) for value in listed}))


def _folds(cv: Any, X: NDArray[np.float64], labels: Labels, seed: int) -> tuple[Fold, ...]:
    if cv is None:
        return ()
    if isinstance(cv, int) and not isinstance(cv, bool):
        smaller = min(labels.n_positive, labels.n_negative)
        if not 2 <= cv <= smaller:
            raise ValueError(
                "The 'cv' parameter of frontier must be None, a splitter, or a number of folds "
                f"from 2 to the size of the smaller class, {smaller}. Got {cv!r} instead."
            )
        cv = StratifiedKFold(cv, shuffle=True, random_state=seed)
    splitter = check_cv(cv, labels.positive, classifier=True)
    return tuple((learn, test) for learn, test in splitter.split(X, labels.positive))
