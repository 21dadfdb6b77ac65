"""Two labels of any kind, and which of them is the positive one."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.utils.multiclass import check_classification_targets, type_of_target


@dataclass(frozen=True)
class Labels:
    """The two classes of a training set.

    Attributes
    ----------
    classes : ndarray of shape (2,)
        The labels in ascending order, as scikit-learn keeps them.
    positive : ndarray of bool of shape (n_samples,)
        Which samples are of the positive class.
    positive_is_second : bool
        True if the positive class is ``classes[1]``. A decision function is positive on the side
        of ``classes[1]``, so that it must be turned round if this is False.
    """

    classes: NDArray[Any]
    positive: NDArray[np.bool_]
    positive_is_second: bool

    @property
    def sign(self) -> float:
        """Factor from "positive on the side of the positive class" to scikit-learn's convention."""
        return 1.0 if self.positive_is_second else -1.0

    @property
    def positive_label(self) -> Any:
        """The positive class."""
        return self.classes[int(self.positive_is_second)]

    @property
    def n_positive(self) -> int:
        """Number of positives."""
        return int(self.positive.sum())

    @property
    def n_negative(self) -> int:
        """Number of negatives."""
        return len(self.positive) - self.n_positive


def read_labels(y: NDArray[Any], pos_label: Any, owner: str) -> Labels:
    """Check that `y` has two classes, and find the positive one.

    Parameters
    ----------
    y : ndarray of shape (n_samples,)
        Labels.
    pos_label : label or None
        The positive class; None: the greater label.
    owner : str
        Name of the estimator, for messages.

    Examples
    --------
    >>> import numpy as np
    >>> labels = read_labels(np.array(["ill", "well", "ill"]), "ill", "FrugalSVC")
    >>> labels.positive.tolist(), labels.sign
    ([True, False, True], -1.0)
    """
    check_classification_targets(y)
    classes = np.unique(y)
    if len(classes) > 2:
        raise ValueError(
            "Only binary classification is supported. The type of the target is "
            f"{type_of_target(y, input_name='y')}: y has {len(classes)} classes, {_some(classes)}. "
            f"Set one against the rest (y == {_some(classes[:1])}); FrugalSVC and FrugalSelector "
            "take several classes as they are."
        )
    if len(classes) < 2:
        raise ValueError(
            f"{owner} needs samples of 2 classes. Got y with one class only, {_some(classes)}."
        )
    if pos_label is None:
        second = True
    else:
        matches = np.flatnonzero(classes == pos_label)
        if len(matches) != 1:
            raise ValueError(
                f"The 'pos_label' parameter of {owner} must be one of the labels in y, "
                f"{_some(classes)}. Got {pos_label!r} instead."
            )
        second = bool(matches[0] == 1)
    return Labels(classes, y == classes[int(second)], second)


def _some(classes: NDArray[Any]) -> str:
    shown = ", ".join(repr(c) for c in classes[:5].tolist())
    return shown + (", ..." if len(classes) > 5 else "")
