"""Performance measures beyond TPR and TNR: the paper's general mu(zeta) >= lambda."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from frugalsvm.data.problem import CountLimit
from frugalsvm.data.rates import RateTargets, corrected_rate, required_count
from frugalsvm.inputs.labels import Labels
from frugalsvm.inputs.parameters import is_number

Where = NDArray[np.bool_] | Callable[[Any], Any] | None


@dataclass(frozen=True)
class RateConstraint:
    """Among certain samples, at least this fraction must be counted correct.

    Parameters
    ----------
    min_rate : float
        The fraction, in [0, 1].
    label : label or None
        Only samples of this class; None: of both.
    where : callable, boolean array or None
        Only samples of a subgroup. A callable gets the X passed to ``fit`` (a DataFrame if one was
        passed) and returns a boolean mask; it also works in cross-validation, which a mask does
        not, since its length is fixed. None: all samples.
    name : str or None
        How messages call it.

    Examples
    --------
    >>> accuracy(0.9)
    RateConstraint(min_rate=0.9, label=None, where=None, name='accuracy')
    >>> recall(0.8, label="ill", where=lambda X: X["sex"] == "f").name
    "recall of 'ill' in a subgroup"
    """

    min_rate: float
    label: Any = None
    where: Where = None
    name: str | None = None


def accuracy(min_rate: float) -> RateConstraint:
    """Return the constraint "at least this fraction of all samples is counted correct"."""
    return RateConstraint(min_rate, name="accuracy")


def recall(min_rate: float, label: Any, where: Where = None) -> RateConstraint:
    """Return the constraint "of this class (in this subgroup), at least this fraction"."""
    place = "" if where is None else " in a subgroup"
    return RateConstraint(min_rate, label, where, f"recall of {label!r}{place}")


def count_limits(
    targets: RateTargets,
    labels: Labels,
    constraints: Iterable[RateConstraint],
    X: Any,
    owner: str,
) -> tuple[CountLimit, ...]:
    """Return all constraints of a fit as integer limits, sensitivity and specificity first."""
    budget = targets.budget(labels.n_positive, labels.n_negative)
    limits = [
        CountLimit("sensitivity", labels.positive, budget.pos),
        CountLimit("specificity", ~labels.positive, budget.neg),
    ]
    for number, constraint in enumerate(constraints):
        if not isinstance(constraint, RateConstraint):
            raise TypeError(
                f"The 'constraints' parameter of {owner} must hold RateConstraint objects, as "
                f"frugalsvm.accuracy and frugalsvm.recall make them. Got {constraint!r}."
            )
        limits.append(_limit(constraint, number, targets, labels, X, owner))
    return tuple(limits)


def _limit(
    constraint: RateConstraint,
    number: int,
    targets: RateTargets,
    labels: Labels,
    X: Any,
    owner: str,
) -> CountLimit:
    what = f"constraints[{number}] of {owner}"
    if not (is_number(constraint.min_rate) and 0 <= constraint.min_rate <= 1):
        raise ValueError(
            f"The min_rate of {what} must be a float in the range [0.0, 1.0]. "
            f"Got {constraint.min_rate!r} instead."
        )
    members = _subgroup(constraint.where, X, len(labels.positive), what)
    if constraint.label is not None:
        if constraint.label not in labels.classes.tolist():
            raise ValueError(
                f"The label of {what} must be one of the labels in y, {labels.classes.tolist()}. "
                f"Got {constraint.label!r} instead."
            )
        is_positive = constraint.label == labels.positive_label
        members = members & (labels.positive if is_positive else ~labels.positive)
    n = int(members.sum())
    if n == 0:
        raise ValueError(f"The samples that {what} speaks of must not be none. Got an empty set.")
    rate = corrected_rate(constraint.min_rate, n, targets.correction, targets.alpha)
    return CountLimit(
        constraint.name or f"constraint {number}", members, n - required_count(rate, n)
    )


def _subgroup(where: Where, X: Any, n_samples: int, what: str) -> NDArray[np.bool_]:
    if where is None:
        return np.ones(n_samples, dtype=np.bool_)
    mask = np.asarray(where(X) if callable(where) else where)
    if mask.shape != (n_samples,) or mask.dtype != np.bool_:
        raise ValueError(
            f"The subgroup of {what} must be a boolean mask with one entry per sample, "
            f"{n_samples}. Got shape {mask.shape} and dtype {mask.dtype}."
        )
    return mask
