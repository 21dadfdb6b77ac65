"""Which samples are learned from and which are asked about, in cross-validation."""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
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
    def n_repeats(self) -> int:
        """How many repetitions there are."""
        return max(1, len(self.splits) // self.n_first)

    @property
    def first(self) -> Folds:
        """The first repetition alone."""
        return Folds(self.splits[: self.n_first], self.n_first)


@dataclass(frozen=True)
class GivenSplits:
    """Splits that the user made, of the rows given to ``fit``.

    They mean nothing to a part of these rows: what is chosen within one of them has folds of its
    own.

    Attributes
    ----------
    splits : tuple of (learn, ask) index arrays
        The splits.
    """

    splits: tuple[Split, ...]

    @classmethod
    def read(cls, cv: Iterable[Any], row: Index, n_given: int, owner: str) -> GivenSplits:
        """Read splits of `n_given` rows; `row` says which of them each row of the data is.

        Examples
        --------
        >>> read = GivenSplits.read([([0, 1], [2])], np.array([0, 0, 1, 2]), 3, "FrugalSVCCV")
        >>> [part.tolist() for part in read.splits[0]]
        [[0, 1, 2], [3]]
        """
        splits = []
        for number, (learn, ask) in enumerate(cv):
            parts = []
            for part in (np.asarray(learn), np.asarray(ask)):
                index = np.flatnonzero(part) if part.dtype == bool else part.astype(np.intp)
                if len(index) == 0 or index.min() < 0 or index.max() >= n_given:
                    got = "no row" if len(index) == 0 else f"row {index.min()} to {index.max()}"
                    raise ValueError(
                        f"The 'cv' parameter of {owner} must split the {n_given} rows given to "
                        f"fit, which are counted from 0. Got {got} in split {number}."
                    )
                parts.append(np.flatnonzero(np.isin(row, index)))
            splits.append((parts[0], parts[1]))
        if not splits:
            raise ValueError(
                f"The 'cv' parameter of {owner} must hold one split at the least. Got none; a "
                "generator can be used once only: give a list."
            )
        return cls(tuple(splits))


FOLDS_WITHIN = 5
"""Folds of a choice within a split that the user made."""


LEAST_OF_CLASS = 1_000
"""Samples of the smaller class that are drawn where there are as many."""


def stratified_part(positive: Mask, size: int, seed: int) -> Index:
    """Return some of the samples, drawn at random with the shares of the classes.

    There are `size` of them, or more if one class would else be left with hardly any.

    Examples
    --------
    >>> positive = np.arange(8_000) < 2_000
    >>> part = stratified_part(positive, 2_000, seed=0)
    >>> len(part), int(positive[part].sum())
    (4000, 1000)
    """
    smaller = min(int(positive.sum()), int((~positive).sum()))
    share = min(1.0, max(size / len(positive), LEAST_OF_CLASS / smaller))
    rng = np.random.default_rng(seed)
    rows = [np.flatnonzero(positive), np.flatnonzero(~positive)]
    drawn = [rng.choice(some, math.ceil(share * len(some)), replace=False) for some in rows]
    return np.sort(np.concatenate(drawn))


def within_a_split(cv: Any) -> Any:
    """Return the cross-validation of a choice that is made within one of the splits of `cv`."""
    return FOLDS_WITHIN if isinstance(cv, GivenSplits) else cv


def make_folds(
    cv: Any, n_repeats: int, positive: Mask, groups: NDArray[Any] | None, seed: int, owner: str
) -> Folds:
    """Return the splits that `cv` means: a number, stratified and shuffled, a splitter, or splits.

    A class (or its groups) may be smaller than the number of folds asked for: there are then as
    many folds as it can fill, two at the least. Samples of one group are never on both sides.
    """
    if isinstance(cv, int) and not isinstance(cv, bool):
        return _numbered(cv, n_repeats, positive, groups, seed, owner)
    if isinstance(cv, GivenSplits):
        splits = cv.splits
    else:
        splitter = check_cv(cv, positive, classifier=True)
        splits = tuple(splitter.split(np.zeros(len(positive)), positive, groups))
    for learn, _ in splits:
        if positive[learn].all() or not positive[learn].any():
            raise ValueError(
                f"The 'cv' parameter of {owner} must leave samples of both classes to learn from "
                "in every split. One of the given splits does not."
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
