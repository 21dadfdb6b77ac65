"""A chosen panel trained on all the samples that may be learned from, its threshold folded in."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from frugalsvm.data.result import Progress
from frugalsvm.estimators.rate_svc import RateSVC
from frugalsvm.inputs.labels import Labels
from frugalsvm.unseen.choice import Candidate
from frugalsvm.unseen.scoring import (
    AnyClassifier,
    Floats,
    Machine,
    Machines,
    panel_columns,
    positive_scores,
)


@dataclass(frozen=True)
class PanelClassifier:
    """A classifier on a panel.

    Attributes
    ----------
    candidate : Candidate
        The panel, with C and threshold.
    model : RateSVC or classifier
        An SVM or a logistic regression without rate constraints, the threshold folded into its
        intercept; or a classifier of scikit-learn, trained on truth values.
    """

    candidate: Candidate
    model: Any

    def scores(self, X: Floats) -> Floats:
        """Return decision values, above 0 for the positive class."""
        panel = panel_columns(X, self.candidate.support)
        if isinstance(self.model, RateSVC):
            return np.asarray(self.model._sign * self.model.decision_function(panel))
        return positive_scores(self.model, panel) - self.candidate.threshold


def train_panel(
    machine: Machine,
    candidate: Candidate,
    X: Floats,
    labels: Labels,
    *,
    time_limit: float | None,
    seed: int,
    owner: str,
    callback: Callable[[Progress], None] | None = None,
) -> PanelClassifier:
    """Train the machine on the candidate's panel, with its C and threshold."""
    panel = panel_columns(X, candidate.support)
    if isinstance(machine, AnyClassifier):
        return PanelClassifier(candidate, machine.fitted(panel, labels.positive))
    machine = machine.only(candidate.setting)
    if not isinstance(machine, Machines) or candidate.C is None or candidate.loss is None:
        raise TypeError("a candidate for a Support Vector Machine must have a C and a loss")
    svc = RateSVC(
        0.0,  # no rate constraints: the threshold sees to the rates
        0.0,
        pos_label=labels.positive_label,
        C=candidate.C,
        loss=candidate.loss,
        kernel=machine.kernel,
        gamma=machine.gamma,
        degree=machine.degree,
        coef0=machine.coef0,
        standardize=machine.standardize,
        time_limit=time_limit,
        random_state=seed,
        callback=callback,
    )
    svc._called_by = owner
    svc.fit(panel, _as_given(labels))
    svc._cut_at(candidate.threshold)
    return PanelClassifier(candidate, svc)


def _as_given(labels: Labels) -> NDArray[Any]:
    second = labels.positive if labels.positive_is_second else ~labels.positive
    return np.asarray(labels.classes[second.astype(np.intp)])
