"""What a fit for new data says: columns of figures, the selection as plain data, caveats."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
from numpy.typing import NDArray

from frugalsvm.data.result import SelectionResult, Status, StopReason
from frugalsvm.unseen.choice import Choice
from frugalsvm.unseen.fitting import Fit
from frugalsvm.unseen.threshold import Reserve
from frugalsvm.version import VERSION

FEW = 50
"""Samples of a class below which cross-validation says little: with fewer it was seen to overstate
a rate by up to 0.19."""


def cv_results(choice: Choice) -> dict[str, NDArray[np.generic]]:
    """Return the candidates as columns, in the manner of scikit-learn's searches."""
    candidates = choice.candidates
    supports = np.empty(len(candidates), dtype=object)
    supports[:] = [c.support for c in candidates]
    return {
        "cost": np.array([c.cost for c in candidates]),
        "n_features": np.array([len(c.support) for c in candidates]),
        "support": supports,
        "param_C": np.array([np.nan if c.C is None else c.C for c in candidates]),
        "param_loss": np.array([c.loss or "" for c in candidates]),
        "param_kernel": np.array([str(c.kernel or "") for c in candidates]),
        "threshold": np.array([c.threshold for c in candidates]),
        "mean_test_tpr": np.array([c.tpr for c in candidates]),
        "mean_test_tnr": np.array([c.tnr for c in candidates]),
        "margin": np.array([c.margin for c in candidates]),
        "chosen": np.array([c is choice.best for c in candidates]),
    }


def selection_result(found: Fit, n_features: int) -> SelectionResult:
    """Return the selection as plain data; nothing is proven about new data, so the bound is 0."""
    chosen = found.classifier.candidate
    weights = np.zeros(n_features)
    coef = getattr(found.classifier.model, "result_", None)
    if chosen.support and coef is not None and coef.weights is not None:
        weights[list(chosen.support)] = coef.weights
    return SelectionResult(
        status=Status.FEASIBLE,
        support=chosen.support,
        weights=weights,
        intercept=0.0 if coef is None else coef.intercept,
        cost=chosen.cost,
        bound=0.0,
        seconds=found.seconds,
        solver="frugalsvm",
        solver_version=VERSION,
        stop_reason=found.stop_reason,
    )


def _falls_short(tpr: float, tnr: float, reserve: Reserve) -> bool:
    """Return True if a rate is below its target by more than a standard error."""
    return bool(reserve.margin(np.array(tpr), np.array(tnr)) < -1.0)


def caveats(
    found: Fit, training: tuple[float, float], reserve: Reserve, margin: float, owner: str
) -> Iterator[str]:
    """Yield what a user has to be warned of; `training` are the classifier's rates there."""
    smaller = min(reserve.n_positive, reserve.n_negative)
    if smaller < FEW:
        yield (
            f"{owner} has only {smaller} samples of a class to learn from. With fewer than {FEW} "
            "cross-validation says little about new data: it can overstate a rate by 0.1 and more."
        )
    chosen, targets = found.classifier.candidate, reserve.targets
    expected, estimated = found.expected, bool(found.expected.supports)
    asked = f"TPR {targets.min_tpr:g} and TNR {targets.min_tnr:g}"
    if found.certificate is None and chosen.margin < margin:
        hope = "do not expect both rates" if estimated else "a rate may be missed"
        yield (
            f"No panel that {owner} tried reaches {asked} with {margin:g} standard "
            f"error{'' if margin == 1 else 's'} to spare "
            f"in cross-validation. The returned one has {chosen.margin:.2f} (TPR {chosen.tpr:.3f}, "
            f"TNR {chosen.tnr:.3f}): {hope} on new data. Lower the targets, add samples or "
            "features, or try another kernel."
        )
    elif found.certificate is None and _falls_short(expected.tpr, expected.tnr, reserve):
        yield (
            f"The rates that {owner} expects on new data, TPR {expected.tpr:.3f} and TNR "
            f"{expected.tnr:.3f}, fall short of {asked}, although those of the panel in "
            "cross-validation do not: it was chosen for them. Raise 'margin', lower the targets, "
            "or add samples."
        )
    elif found.certificate is None and _falls_short(*training, reserve):
        yield (
            f"The classifier of {owner} has TPR {training[0]:.3f} and TNR {training[1]:.3f} on the "
            f"very data that it is trained on, short of {asked}, although cross-validation saw "
            "better: do not rely on it. Give it more time (time_limit), or try another C."
        )
    if found.certificate is not None and not found.certificate.certified:
        yield str(found.certificate)
    if found.stop_reason is not StopReason.COMPLETED:
        rates = (
            "the rates to expect on new data rest on the splits finished by then"
            if estimated
            else "the rates to expect on new data are not known"
        )
        late = found.stop_reason is StopReason.TIME_LIMIT
        remedy = " Give it more time (time_limit)." if late else ""
        yield (
            f"{owner} was stopped ({found.stop_reason.value}) before it was done: a cheaper panel "
            f"may have been missed, and {rates}.{remedy}"
        )
