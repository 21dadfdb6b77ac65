"""A trained panel as plain data: what to measure, what it costs, how to decide, what is proven."""

from __future__ import annotations

import math
import warnings
from dataclasses import dataclass
from enum import StrEnum
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from frugalsvm.data.exceptions import DataError, OutOfRangeWarning
from frugalsvm.data.losses import HINGE
from frugalsvm.data.rates import RateCounts, RateTargets
from frugalsvm.data.result import relative_gap
from frugalsvm.saved.decision import Decision
from frugalsvm.tabular.preparation import Preparation
from frugalsvm.tabular.ranges import OutOfRange, out_of_range
from frugalsvm.tabular.table import Table, column_of

if TYPE_CHECKING:
    from frugalsvm.export import Rule, ScoreCard

Label = str | int | float | bool


@dataclass(frozen=True)
class PanelFeature:
    """A selected column: a variable, or one level of it.

    Attributes
    ----------
    name, variable, level : str, str, str or None
        "colour=red", "colour", "red"; or "age", "age", None.
    cost : float
        Its own cost.
    groups : tuple of str
        The groups it makes one pay for.
    """

    name: str
    variable: str
    level: str | None
    cost: float
    groups: tuple[str, ...]


@dataclass(frozen=True)
class PanelGroup:
    """Something that is paid once.

    Attributes
    ----------
    name : str
        The group.
    cost : float
        What it costs.
    variable : str or None
        The variable whose price this is, if the group only holds the levels of one.
    """

    name: str
    cost: float
    variable: str | None = None


@dataclass(frozen=True)
class Panel:
    """The selected features and what they cost.

    Attributes
    ----------
    features : tuple of PanelFeature
        The selected columns.
    groups : tuple of PanelGroup
        The groups they touch.
    n_candidates : int
        How many columns there were to choose from.
    cost_of_all : float
        What all of them would cost.
    """

    features: tuple[PanelFeature, ...]
    groups: tuple[PanelGroup, ...]
    n_candidates: int
    cost_of_all: float

    @property
    def cost(self) -> float:
        """Costs of the features and, once each, of the groups."""
        return math.fsum([f.cost for f in self.features] + [g.cost for g in self.groups])


@dataclass(frozen=True)
class StepOutcome:
    """How one of the two steps, selection or training, ended.

    Attributes
    ----------
    status : {"optimal", "feasible"}
        Whether the value is proven best.
    value, bound : float
        Cost or objective, and the proven lower bound on it.
    stop_reason, solver, solver_version : str
        Why it ended, and who did it.
    seconds : float
        Wall time.
    """

    status: str
    value: float
    bound: float
    stop_reason: str
    solver: str
    solver_version: str
    seconds: float

    @property
    def gap(self) -> float:
        """(value - bound) / value."""
        return relative_gap(self.value, self.bound)


@dataclass(frozen=True)
class HeldOutRates:
    """What samples that had no part in anything say about a classifier.

    Attributes
    ----------
    certified : bool
        True if they confirm both targets.
    confidence : float
        1 minus the greatest probability of certifying a classifier that does not reach both.
    counts : RateCounts
        What it gets right of them.
    rows : tuple of int
        Which rows of the data they were, from 0; empty if they came from elsewhere.
    """

    certified: bool
    confidence: float
    counts: RateCounts
    rows: tuple[int, ...]


class Outlook(StrEnum):
    """What is known of both targets on new data."""

    CERTIFIED = "certified"
    NOT_CERTIFIED = "not certified"
    EXPECTED = "expected"
    NOT_EXPECTED = "not expected"
    UNKNOWN = "unknown"


@dataclass(frozen=True)
class UnseenRates:
    """What can be expected of a classifier on new data.

    Attributes
    ----------
    threshold : float
        Threshold on its decision values before it was folded into the intercept.
    margin : float
        Standard errors that cross-validated rates had to exceed the targets by.
    expected : RateCounts
        What classifiers chosen and trained in the same way get right of samples that they were
        chosen and trained without.
    held_out : HeldOutRates or None
        What samples set aside say; None if there were none.
    """

    threshold: float
    margin: float
    expected: RateCounts
    held_out: HeldOutRates | None = None

    def outlook(self, min_tpr: float, min_tnr: float) -> Outlook:
        """Return what is known of these targets: by samples set aside, or by cross-validation."""
        if self.held_out is not None:
            return Outlook.CERTIFIED if self.held_out.certified else Outlook.NOT_CERTIFIED
        return self.expectation(min_tpr, min_tnr)

    def expectation(self, min_tpr: float, min_tnr: float) -> Outlook:
        """Return what cross-validation lets one expect of these targets."""
        expected = self.expected
        if not expected.n_positive or not expected.n_negative:
            return Outlook.UNKNOWN
        met = expected.tpr >= min_tpr and expected.tnr >= min_tnr
        return Outlook.EXPECTED if met else Outlook.NOT_EXPECTED


@dataclass(frozen=True)
class Origin:
    """Where a model comes from.

    Attributes
    ----------
    created : str
        Time, UTC.
    versions : dict from str to str
        frugalsvm and the libraries below it.
    n_positive, n_negative : int
        Sizes of the two classes in training.
    sha256 : str
        Hash of the file with the training data; without a file, of the matrix and its labels.
    target, file : str or None
        Names of the target column and of the file, if there were any.
    """

    created: str
    versions: dict[str, str]
    n_positive: int
    n_negative: int
    sha256: str
    target: str | None = None
    file: str | None = None


@dataclass(frozen=True, repr=False)
class FrugalModel:
    """A trained classifier that needs only the columns of its panel.

    :func:`frugalsvm.load_model` returns one.

    Attributes
    ----------
    preparation : Preparation
        How the panel's raw columns become numbers; `preparation.raw_names` are the columns that
        new data must have.
    panel : Panel
        The selected features and their prices.
    decision : Decision
        The classifier.
    classes : tuple of two labels
        In ascending order; decision values above 0 mean the second.
    positive : {0, 1}
        Which of them is the positive class.
    targets : RateTargets
        The rates that were asked for.
    parameters : dict from str to float
        C and max_weight.
    selection, training : StepOutcome
        What is proven about the panel, and about the classifier on it.
    train_tpr, train_tnr : float
        Rates on the training data.
    origin : Origin
        Data and versions.
    missing_markers : tuple of str
        Cells of a CSV file that mean "no value".
    score_card : ScoreCard or None
        The decision in whole points, if it was made.
    positive_levels : tuple of str
        The classes of the data that together are the positive one; empty if it is one of them.
    unseen : UnseenRates or None
        What can be expected on new data; None for a model chosen by its training rates.
    loss : {"hinge", "logistic", "dwd"}
        What the classifier was trained with.
    """

    preparation: Preparation
    panel: Panel
    decision: Decision
    classes: tuple[Label, Label]
    positive: int
    targets: RateTargets
    parameters: dict[str, float]
    selection: StepOutcome
    training: StepOutcome
    train_tpr: float
    train_tnr: float
    origin: Origin
    missing_markers: tuple[str, ...] = ()
    score_card: ScoreCard | None = None
    positive_levels: tuple[str, ...] = ()
    unseen: UnseenRates | None = None
    loss: str = HINGE

    def __repr__(self) -> str:
        return (
            f"FrugalModel(measure={list(self.preparation.raw_names)}, cost={self.cost:g}, "
            f"bound={self.bound:g}, status={self.status!r}, min_tpr={self.targets.min_tpr:g}, "
            f"min_tnr={self.targets.min_tnr:g}, kernel={self.decision.kernel.kind!r})"
        )

    @property
    def cost(self) -> float:
        """Cost of the panel."""
        return self.selection.value

    @property
    def bound(self) -> float:
        """Proven lower bound on the cost of any panel that meets the targets in training."""
        return self.selection.bound

    @property
    def status(self) -> str:
        """Whether it is proven ("optimal") or not ("feasible") that no cheaper panel would do."""
        return self.selection.status

    @property
    def positive_label(self) -> Label:
        """The class whose recall is the TPR."""
        return self.classes[self.positive]

    @property
    def negative_label(self) -> Label:
        """The other class."""
        return self.classes[1 - self.positive]

    def decision_function(self, X: Any, *, impute: bool = False) -> NDArray[np.float64]:
        """Return the decision value of each row, above 0 for ``classes[1]``.

        Parameters
        ----------
        X : DataFrame, Table or array-like of shape (n_samples, n_raw_columns)
            A data frame (pandas or polars) with the panel's raw columns, by name, and perhaps
            others; or an array of exactly these columns, in the order of
            ``preparation.raw_names``.
        impute : bool, default=False
            Use the value learned in training where one is missing, instead of raising.

        Returns
        -------
        ndarray of shape (n_samples,)
            Decision values.
        """
        table = self._table(X)
        coded = self.coded(table, impute=impute)
        for finding in self.out_of_range(table):
            warnings.warn(str(finding), OutOfRangeWarning, stacklevel=2)
        with np.errstate(over="ignore", invalid="ignore"):
            scores = self.decision.scores(coded)
        bad = np.flatnonzero(~np.isfinite(scores))
        if len(bad):
            raise DataError(f"Row {bad[0] + 1}: its numbers are too large to decide on.")
        return scores

    def coded(self, X: Any, *, impute: bool = False) -> NDArray[np.float64]:
        """Return the panel's columns as the classifier sees them: levels as 0 and 1."""
        table = self._table(X)
        if not self.panel.features:
            return np.zeros((table.n_rows, 1))  # the empty panel decides without looking
        return self.preparation.transform(table, impute=impute)

    def out_of_range(self, X: Any) -> tuple[OutOfRange, ...]:
        """Return the panel's columns whose numbers leave the range seen in training.

        ``decision_function`` and ``predict`` warn of them (:class:`OutOfRangeWarning`).
        """
        return out_of_range(self.preparation.variables, self._table(X))

    @property
    def rule(self) -> Rule:
        """The formula, in units of measurement; linear kernel only."""
        from frugalsvm.export import rule_of

        return rule_of(self)

    def to_sql(self, table: str = "data") -> str:
        """Return a query that scores a table; see :func:`frugalsvm.export.to_sql`."""
        from frugalsvm.export import to_sql

        return to_sql(self, table)

    def to_sklearn(self) -> Any:
        """Return a scikit-learn pipeline; see :func:`frugalsvm.export.to_sklearn`."""
        from frugalsvm.export import to_sklearn

        return to_sklearn(self)

    def to_onnx(self) -> bytes:
        """Return an ONNX file's bytes; see :func:`frugalsvm.export.to_onnx`."""
        from frugalsvm.export import to_onnx

        return to_onnx(self)

    def predict(self, X: Any, *, impute: bool = False) -> NDArray[Any]:
        """Return the predicted label of each row; `X` and `impute` as above."""
        scores = self.decision_function(X, impute=impute)
        labels: NDArray[Any] = np.array(self.classes)[(scores > 0).astype(np.intp)]
        return labels

    def _table(self, X: Any) -> Table:
        names = self.preparation.raw_names
        if isinstance(X, Table):
            return X
        if hasattr(X, "columns"):
            table = Table.from_frame(X, names)
            return Table(table.columns, len(X))
        array = np.asarray(X)
        if array.ndim != 2 or array.shape[1] != len(names):
            raise DataError(
                f"The array must have the panel's {len(names)} columns {list(names)}, in this "
                f"order. Got shape {array.shape}; or give a data frame with these columns."
            )
        columns = {name: column_of(name, array[:, k]) for k, name in enumerate(names)}
        return Table(columns, len(array))
