"""A hyperplane known to meet the limits: the answer where training finds none in time.

`FrugalSVC` has one from the selection: the features were chosen because it exists.
"""

from __future__ import annotations

import dataclasses

import numpy as np
from numpy.typing import NDArray

from frugalsvm.data.losses import total_loss
from frugalsvm.data.problem import MarginProblem
from frugalsvm.data.result import MarginResult, Status
from frugalsvm.data.verify import counted_correct
from frugalsvm.inputs.standardize import Standardizer


@dataclasses.dataclass(frozen=True)
class Hyperplane:
    """w'x + b in the user's units, positive on the side of the positive class."""

    weights: NDArray[np.float64]
    intercept: float

    def on_scale(self, scaler: Standardizer) -> Hyperplane:
        """Return the same hyperplane for features standardised by `scaler`."""
        return Hyperplane(
            self.weights * scaler.scale,
            float(self.intercept + self.weights @ scaler.center),
        )


def fall_back(problem: MarginProblem, result: MarginResult, known: Hyperplane) -> MarginResult:
    """Return `result` with `known` as its answer, if that meets every limit of `problem`."""
    if problem.features is None:
        return result
    scores = problem.features @ known.weights + known.intercept
    counted = counted_correct(scores, problem.positive)
    margins = problem.y * scores
    slack = np.maximum(0.0, 1.0 - margins)
    too_far = problem.max_slack is not None and slack.max() > problem.max_slack
    if too_far or any(
        (limit.members & ~counted).sum() > limit.max_errors for limit in problem.limits
    ):
        return result
    return dataclasses.replace(
        result,
        status=Status.FEASIBLE,
        dual_coef=np.zeros(len(scores)),
        weights=known.weights,
        intercept=known.intercept,
        counted=counted,
        objective=float(known.weights @ known.weights)
        + problem.C * total_loss(problem.loss, margins),
    )
