"""What a margin costs: the losses of the classifiers that can be trained under rate constraints.

A loss is a function of the margin u = y f(x). All three fall by at most 1 for each unit of margin,
so that C weighs them alike.
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
from numpy.typing import NDArray

HINGE, LOGISTIC = "hinge", "logistic"

Vector = NDArray[np.float64]


def hinge(margins: Vector) -> Vector:
    """Return max(0, 1 - u), the Support Vector Machine's loss."""
    return np.maximum(0.0, 1.0 - margins)


def logistic(margins: Vector) -> Vector:
    """Return ln(1 + e^-u), the loss of logistic regression."""
    return np.logaddexp(0.0, -margins)


def dwd(margins: Vector) -> Vector:
    """Return the loss of distance-weighted discrimination: 1 - u up to u = 1/2, then 1 / (4u).

    Marron, Todd and Ahn (2007) minimise the sum of 1/r + C xi with r = u + xi; with xi eliminated,
    and in the unit in which it falls by 1 at most, this is Wang and Zou's (2018) form of it.
    """
    return np.where(margins <= 0.5, 1.0 - margins, 0.25 / np.maximum(margins, 0.5))


_LOSSES: dict[str, Callable[[Vector], Vector]] = {
    HINGE: hinge,
    "logistic": logistic,
    "dwd": dwd,
}
LOSSES = tuple(_LOSSES)
"""The names of the losses."""

METHODS = {
    HINGE: "Support Vector Machine",
    "logistic": "Logistic regression",
    "dwd": "Distance-weighted discrimination",
}
"""What classifiers with these losses are called."""


def total_loss(loss: str, margins: Vector) -> float:
    """Return the sum of the losses of these margins.

    Examples
    --------
    >>> total_loss("hinge", np.array([-1.0, 0.5, 3.0])), total_loss("dwd", np.array([0.0, 0.5]))
    (2.5, 1.5)
    """
    return float(_LOSSES[loss](margins).sum())
