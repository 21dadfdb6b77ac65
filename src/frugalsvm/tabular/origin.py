"""Where the columns of an estimator come from, as a model file says it."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

from frugalsvm.tabular.preparation import Preparation


@dataclass(frozen=True)
class Training:
    """What a model file says beyond the estimator: where its columns come from.

    Attributes
    ----------
    preparation : Preparation
        How the raw table became the estimator's columns.
    own_groups : mapping from str to str
        Group to variable, for the groups that only hold the levels of one variable.
    target, file, sha256 : str or None
        The target column, and name and hash of the data file.
    missing_markers : tuple of str
        Cells of a CSV file that mean "no value".
    positive_levels : tuple of str
        The classes that were taken as the positive one, if there were several.
    """

    preparation: Preparation
    own_groups: Mapping[str, str] = field(default_factory=dict)
    target: str | None = None
    file: str | None = None
    sha256: str | None = None
    missing_markers: tuple[str, ...] = ()
    positive_levels: tuple[str, ...] = ()
