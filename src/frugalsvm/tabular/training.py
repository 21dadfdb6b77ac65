"""A training table, ready to fit: matrix, labels, prices, and what was done to get there."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from frugalsvm.data.exceptions import DataError
from frugalsvm.tabular.dialect import MAX_LEVELS, Dialect
from frugalsvm.tabular.origin import Training
from frugalsvm.tabular.preparation import Preparation
from frugalsvm.tabular.price_file import read_price_list
from frugalsvm.tabular.price_list import CodedPrices, PriceList, price_columns
from frugalsvm.tabular.reading import file_sha256, read_header, read_table
from frugalsvm.tabular.table import Column, Table, did_you_mean, listed, require
from frugalsvm.tabular.variables import quoted


@dataclass(frozen=True)
class TableRequest:
    """What a user says about a table.

    Attributes
    ----------
    path : Path
        The data.
    target : str
        The column with the class.
    positive : tuple of str
        The class whose recall is the TPR; several are taken as one.
    rest : bool
        True: all other classes together are the negative one.
    costs : Path or None
        The price list; None: every variable costs 1.
    default_cost : float or None
        Price of variables that the list does not name.
    include, exclude : sequence of str
        Variables (or coded columns) that must be used; variables that must not.
    categorical : sequence of str
        Columns whose numbers are levels.
    max_levels : int
        Most levels of a categorical variable.
    dialect : Dialect
        How to read CSV.
    """

    path: Path
    target: str
    positive: tuple[str, ...] = ()
    rest: bool = False
    costs: Path | None = None
    default_cost: float | None = None
    include: Sequence[str] = ()
    exclude: Sequence[str] = ()
    categorical: Sequence[str] = ()
    max_levels: int = MAX_LEVELS
    dialect: Dialect = field(default_factory=Dialect)


@dataclass(frozen=True)
class TrainingTable:
    """A table ready to fit.

    Attributes
    ----------
    table : Table
        The raw columns that may be used.
    X : ndarray of shape (n_samples, n_columns)
        Coded, gaps filled.
    y : ndarray of str of shape (n_samples,)
        The class of each row.
    positive : str
        The positive class.
    preparation : Preparation
        How X came about.
    price_list : PriceList
        Prices of the raw variables.
    prices : CodedPrices
        Prices of the columns of X.
    include : tuple of str
        Columns of X that must be used.
    training : Training
        What the model file is to say about all this.
    """

    table: Table
    X: NDArray[np.float64]
    y: NDArray[Any]
    positive: str
    preparation: Preparation
    price_list: PriceList
    prices: CodedPrices
    include: tuple[str, ...]
    training: Training

    @property
    def n_positive(self) -> int:
        """Number of rows of the positive class."""
        return int((self.y == self.positive).sum())

    def cost_parameters(self) -> dict[str, Any]:
        """Return the cost and inclusion parameters of the estimators."""
        grouped = bool(self.prices.group_costs)
        return {
            "feature_costs": np.array(self.prices.feature_costs),
            "feature_groups": list(self.prices.feature_groups) if grouped else None,
            "group_costs": self.prices.group_costs if grouped else None,
            "include": list(self.include) or None,
        }


def load_training_table(request: TableRequest) -> TrainingTable:
    """Read and prepare what a fit needs; fail before reading the rows where that is possible."""
    names = candidate_names(request)
    price_list = _price_list(request, names)
    table = read_table(
        request.path,
        [*names, request.target],
        as_text=[*request.categorical, request.target],
        dialect=request.dialect,
    )
    y, positive = read_classes(table[request.target], request.positive, rest=request.rest)
    preparation = Preparation.learn(table, names, request.categorical, request.max_levels)
    X = preparation.transform(table, impute=True)
    prices = price_columns(price_list, preparation)
    return TrainingTable(
        table=table,
        X=X,
        y=y,
        positive=positive,
        preparation=preparation,
        price_list=price_list,
        prices=prices,
        include=_included(request.include, request.exclude, preparation),
        training=Training(
            preparation=preparation,
            own_groups=prices.own_groups,
            target=request.target,
            file=request.path.name,
            sha256=file_sha256(request.path),
            missing_markers=request.dialect.missing,
            positive_levels=request.positive if len(request.positive) > 1 else (),
        ),
    )


def candidate_names(request: TableRequest) -> list[str]:
    """Return the columns that may be used, from the header alone."""
    header = read_header(request.path, request.dialect)
    require([request.target], header)
    require([*request.exclude, *request.categorical], header)
    if request.target in request.exclude:
        raise DataError(f"The target {request.target!r} cannot be excluded: nothing would be left.")
    left_out = {request.target, *request.exclude}
    names = [name for name in header if name not in left_out]
    if not names:
        raise DataError(f"{request.path} has no column besides the target to decide from.")
    return names


def read_classes(
    column: Column, positive: Sequence[str], *, rest: bool
) -> tuple[NDArray[Any], str]:
    """Return the class of each row and the positive class, or say why there are not two."""
    if column.n_missing:
        row = int(np.flatnonzero(column.missing)[0]) + 1
        raise DataError(
            f"Column '{column.name}', row {row}: the class is missing "
            f"({column.n_missing} rows in all). Remove rows without a class."
        )
    texts = column.as_text().tolist()
    counts = Counter(texts)
    shown = ", ".join(f"{label!r} ({count} rows)" for label, count in counts.most_common(6))
    if len(counts) < 2:
        raise DataError(f"The target '{column.name}' has one class only, {shown}; two are needed.")
    if not positive:
        raise DataError(
            f"Which class of '{column.name}' is the positive one, whose recall is the TPR? "
            f"Say --positive with one of {shown}; repeat it to take several as one."
        )
    for label in positive:
        if label not in counts:
            raise DataError(
                f"--positive {quoted(label)}: the target '{column.name}' has no class {label!r}. "
                f"It has {shown}.{did_you_mean([label], map(str, counts))}"
            )
    others = [label for label in counts if label not in positive]
    if not others:
        raise DataError(
            f"--positive names every class of '{column.name}', {shown}: none is left to be the "
            "negative one."
        )
    if len(others) > 1 and not rest:
        raise DataError(
            f"The target '{column.name}' has {len(counts)} classes, {shown}; two are needed. "
            f"To set {joined(positive)!r} against all the others together, say --rest; to take "
            "several as the positive class, repeat --positive."
        )
    name = joined(positive)
    other = f"not {name}" if rest else str(others[0])
    return np.array([name if text in positive else other for text in texts]), name


def joined(positive: Sequence[str]) -> str:
    """Return the name of a class made of several.

    Examples
    --------
    >>> joined(["2"]), joined(["1", "2", "3"])
    ('2', '1 or 2 or 3')
    """
    return " or ".join(positive)


def _price_list(request: TableRequest, names: list[str]) -> PriceList:
    if request.costs is None:
        return PriceList.uniform(
            names, 1.0 if request.default_cost is None else request.default_cost
        )
    prices = read_price_list(request.costs, request.dialect)
    return prices.complete(names, {*names, *request.exclude}, request.default_cost)


def _included(
    asked: Sequence[str], excluded: Sequence[str], preparation: Preparation
) -> tuple[str, ...]:
    """Return the coded columns meant: a variable stands for all of its columns."""
    columns: list[str] = []
    for name in asked:
        found = [c.name for c in preparation.columns if name in (c.name, c.variable)]
        if not found and name in excluded:
            raise DataError(
                f"--include {quoted(name)} and --exclude {quoted(name)} contradict each other: "
                "leave one of them out."
            )
        if not found:
            raise DataError(
                f"--include {quoted(name)}: the table has no such column to use. It has "
                f"{listed(preparation.raw_names)}.{did_you_mean([name], preparation.raw_names)}"
            )
        columns.extend(found)
    return tuple(dict.fromkeys(columns))
