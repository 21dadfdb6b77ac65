"""From published columns to numbers: dummies, medians, the positive class."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from frugalsvm.study.datasets.table import MISSING, RawTable


@dataclass(frozen=True)
class Dataset:
    """A two-class data set, ready for a classifier.

    Attributes
    ----------
    name : str
        The paper's name for it.
    X : ndarray of float64 of shape (n_samples, n_features)
        Features as published, dummies for categorical variables, not standardised.
    y : ndarray of bool of shape (n_samples,)
        True for the positive class: the largest one.
    feature_names : tuple of str
        One name per column; a dummy is called ``variable=level``.
    groups : tuple of str
        The variable each column comes from: the dummies of one variable share it.
    reference_levels : mapping of str to str
        The level of each categorical variable that has no dummy.
    positive_label, negative_label : str
        What the two classes are.
    """

    name: str
    X: NDArray[np.float64]
    y: NDArray[np.bool_]
    feature_names: tuple[str, ...]
    groups: tuple[str, ...]
    reference_levels: Mapping[str, str]
    positive_label: str
    negative_label: str

    @property
    def n_samples(self) -> int:
        """Number of samples."""
        return int(self.X.shape[0])

    @property
    def n_features(self) -> int:
        """Number of columns."""
        return int(self.X.shape[1])

    @property
    def n_positive(self) -> int:
        """Number of positives."""
        return int(self.y.sum())


def encode(
    name: str,
    table: RawTable,
    *,
    categorical: Collection[str],
    positive: Collection[str],
    references: Mapping[str, str] | None = None,
) -> Dataset:
    """Code a table as the paper does.

    A categorical variable of nu levels becomes nu - 1 dummies, in alphabetical order of the
    levels; its reference is the alphabetically first level unless `references` names another.
    Missing numbers become the median of their column.
    """
    columns: list[NDArray[np.float64]] = []
    names: list[str] = []
    groups: list[str] = []
    used: dict[str, str] = {}
    for variable in table.columns:
        cells = table.column(variable)
        if variable in categorical:
            levels = sorted(set(cells))
            used[variable] = (references or {}).get(variable, levels[0])
            coded = {
                f"{variable}={level}": np.array([cell == level for cell in cells], dtype=np.float64)
                for level in levels
                if level != used[variable]
            }
        else:
            coded = {variable: numbers(cells)}
        names += coded
        columns += coded.values()
        groups += [variable] * len(coded)
    labels = sorted(set(table.classes))
    return Dataset(
        name=name,
        X=np.ascontiguousarray(np.column_stack(columns)),
        y=np.array([label in positive for label in table.classes]),
        feature_names=tuple(names),
        groups=tuple(groups),
        reference_levels=used,
        positive_label=" or ".join(label for label in labels if label in positive),
        negative_label=" or ".join(label for label in labels if label not in positive),
    )


def numbers(cells: Collection[str]) -> NDArray[np.float64]:
    """Return a numeric column, its missing cells replaced by the median of the others.

    Examples
    --------
    >>> numbers(["1", "?", "5", "2"])
    array([1., 2., 5., 2.])
    """
    values = np.array([np.nan if cell in MISSING else float(cell) for cell in cells])
    missing = np.isnan(values)
    if missing.any():
        values[missing] = np.median(values[~missing])
    return values
