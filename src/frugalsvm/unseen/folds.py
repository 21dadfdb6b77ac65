"""Which samples are learned from and which are asked about, in cross-validation."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.model_selection import StratifiedGroupKFold, StratifiedKFold, check_cv

Index = NDArray[np.intp]
Mask = NDArray[np.bool_]
Split = tuple[Index, Index]


@dataclass(frozen=True)
class Folds:
    """Splits of a training set, and the samples they ask about, one split after the other.

    Attributes
    ----------
    splits : tuple of (learn, ask) index arrays
        The splits.
    n_first : int
        How many of them the first repetition has.
    """

    splits: tuple[Split, ...]
    n_first: int

    @property
    def asked(self) -> Index:
        """The samples asked about, in the order in which scores are kept."""
        return np.concatenate([ask for _, ask in self.splits])

    @property
    def first(self) -> Folds:
        """The first repetition alone."""
        return Folds(self.splits[: self.n_first], self.n_first)


def make_folds(
    cv: Any, n_repeats: int, positive: Mask, groups: NDArray[Any] | None, seed: int, owner: str
) -> Folds:
    """Return the splits that `cv` means: a number, stratified and shuffled, or a splitter.

    A class (or its groups) may be smaller than the number of folds asked for: there are then as
    many folds as it can fill, two at the least. Samples of one group are never on both sides.
    """
    if isinstance(cv, int) and not isinstance(cv, bool):
        return _numbered(cv, n_repeats, positive, groups, seed, owner)
    splitter = check_cv(cv, positive, classifier=True)
    splits = tuple(splitter.split(np.zeros(len(positive)), positive, groups))
    for learn, _ in splits:
        if positive[learn].all() or not positive[learn].any():
            raise ValueError(
                f"The 'cv' parameter of {owner} must leave samples of both classes to learn from "
                "in every split. A split of the given splitter does not."
            )
    return Folds(splits, len(splits))


def smallest_class(positive: Mask, groups: NDArray[Any] | None) -> int:
    """Return the size of the smaller class; in groups, if there are any.

    Examples
    --------
    >>> smallest_class(np.array([True, False, False]), None)
    1
    >>> smallest_class(np.array([True, True, False, False]), np.array([1, 1, 2, 3]))
    1
    """
    if groups is None:
        return int(min(positive.sum(), (~positive).sum()))
    return int(min(len(np.unique(groups[positive])), len(np.unique(groups[~positive]))))


def _numbered(
    cv: int, n_repeats: int, positive: Mask, groups: NDArray[Any] | None, seed: int, owner: str
) -> Folds:
    most = smallest_class(positive, groups)
    if most < 2:
        what = "samples" if groups is None else "groups"
        raise ValueError(
            f"{owner} needs 2 {what} of each class at the least, to learn from one and to ask "
            f"about the other. Got a class of {most}."
        )
    n_folds = min(cv, most)
    kind = StratifiedKFold if groups is None else StratifiedGroupKFold
    splits: list[Split] = []
    for repeat in range(n_repeats):
        splitter = kind(n_folds, shuffle=True, random_state=seed + repeat)
        splits += _usable(splitter.split(np.zeros(len(positive)), positive, groups), positive)
        if repeat == 0:
            n_first = len(splits)
    return Folds(tuple(splits), n_first)


def _usable(splits: Any, positive: Mask) -> Sequence[Split]:
    """Return the splits that leave both classes to learn from; groups may make others."""
    return [
        (learn, ask)
        for learn, ask in splits
        if len(ask) and positive[learn].any() and not positive[learn].all()
    ]
