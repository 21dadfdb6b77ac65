"""Labels of more than two kinds, or several columns of them: the positives of each target."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import issparse
from sklearn.utils.multiclass import type_of_target

Block = tuple[int, ...]

SEVERAL_KINDS = (
    "multiclass",
    "multilabel-indicator",
    "multiclass-multioutput",
    "continuous-multioutput",
)
"""What scikit-learn calls labels that are not two classes; the last two are refused."""


@dataclass(frozen=True)
class SeveralLabels:
    """The targets of a training set.

    Attributes
    ----------
    classes : ndarray of shape (n_targets,)
        The classes in ascending order, or the outputs' numbers.
    members : ndarray of bool of shape (n_targets, n_samples)
        The positives of each target.
    exclusive : bool
        True for the classes of one target, of which each sample has one; False for outputs.
    fused : dict
        For classes that stand for several: all the labels that they stand for.
    """

    classes: NDArray[Any]
    members: NDArray[np.bool_]
    exclusive: bool
    fused: dict[Any, tuple[Any, ...]]

    @property
    def names(self) -> list[Any]:
        """The classes or the outputs' numbers, as Python objects."""
        return list(self.classes.tolist())

    @property
    def sizes(self) -> list[int]:
        """How many samples each target has as positives."""
        return [int(count) for count in self.members.sum(axis=1)]

    @property
    def n_samples(self) -> int:
        """Number of samples."""
        return int(self.members.shape[1])

    def fuse(self, blocks: Iterable[Block]) -> SeveralLabels:
        """Return the labels with the classes of each block as one, called by its largest class."""
        called = []
        for block in blocks:
            largest = max(block, key=lambda c: (self.sizes[c], -c))
            called.append((largest, tuple(sorted(block))))
        called.sort()
        kept = [largest for largest, _ in called]
        members = np.array([self.members[list(block)].any(axis=0) for _, block in called])
        names = self.names
        fused = {
            names[largest]: tuple(names[c] for c in block)
            for largest, block in called
            if len(block) > 1
        }
        return SeveralLabels(self.classes[kept], members, self.exclusive, fused)


def holds_several(y: Any) -> bool:
    """Return True for labels of more than two classes, and for several columns of labels.

    Examples
    --------
    >>> holds_several([0, 1, 1]), holds_several(["a", "b", "c"]), holds_several([[0, 1], [1, 1]])
    (False, True, True)
    """
    try:
        if not issparse(y):
            values = np.asarray(y)
            if values.dtype.kind == "c" or (
                values.dtype.kind == "f" and not np.isfinite(values).all()
            ):
                return False
        return type_of_target(y) in SEVERAL_KINDS
    except (ValueError, TypeError):
        return False  # whoever reads the labels says what is wrong with them


def has_columns(y: Any) -> bool:
    """Return True for more than one column of labels."""
    shape = np.shape(y)
    return len(shape) == 2 and shape[1] > 1


def read_several(y: Any, owner: str) -> SeveralLabels:
    """Return the targets in `y`, or raise a ValueError that says what is off.

    Examples
    --------
    >>> labels = read_several(np.array(["b", "a", "c", "a"]), "FrugalSVC")
    >>> labels.names, labels.sizes
    (['a', 'b', 'c'], [2, 1, 1])
    """
    kind = type_of_target(y)
    if kind == "multiclass":
        classes, code = np.unique(np.asarray(y), return_inverse=True)
        members = code.reshape(-1)[np.newaxis] == np.arange(len(classes))[:, np.newaxis]
        return SeveralLabels(classes, members, True, {})
    if kind != "multilabel-indicator":
        raise ValueError(
            f"Unknown label type: {kind}. {owner} takes labels of one target, or a matrix of "
            "zeros and ones with a column for each of several targets."
        )
    table = np.asarray(y.toarray() if issparse(y) else y) != 0
    constant = np.flatnonzero(table.all(axis=0) | ~table.any(axis=0))
    if len(constant):
        raise ValueError(
            f"{owner} needs samples of 2 classes in every column of y. Column {constant[0]} has "
            "one class only: leave it out."
        )
    return SeveralLabels(np.arange(table.shape[1]), np.ascontiguousarray(table.T), False, {})
