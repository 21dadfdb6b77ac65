"""The rates of several targets: one number for all of them, or one for each by name."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from frugalsvm.data.rates import Correction, RateTargets
from frugalsvm.inputs.parameters import RATE, Rule, is_number
from frugalsvm.several.labels import SeveralLabels

RATES: Rule = (RATE[0], lambda v: isinstance(v, Mapping) or RATE[1](v))
"""A rate, or rates by target, which are looked at when the targets are known."""
RATES_OR_NONE: Rule = (
    "None, a float in the range [0.0, 1.0], or a dict of such by class",
    lambda v: v is None or RATES[1](v),
)


@dataclass(frozen=True)
class SeveralRates:
    """The rates asked for, as the user gave them.

    Attributes
    ----------
    recall : float or mapping
        Recall of each target's positives: the TPR of this target against the rest.
    specificity : float or mapping
        Share of the rest of the samples that each target leaves alone: its TNR.
    correction, alpha
        As in :class:`~frugalsvm.data.rates.RateTargets`.
    owner : str
        Name of the estimator, for messages.
    """

    recall: Any
    specificity: Any
    correction: Correction | None
    alpha: float
    owner: str

    def of(self, labels: SeveralLabels) -> tuple[RateTargets, ...]:
        """Return the rates of every target; a fused class takes the strictest of its members'."""
        named = [labels.fused.get(name, (name,)) for name in labels.names]
        everyone = [name for names in named for name in names]
        recall = _by_name(self.recall, everyone, "min_recall", self.owner)
        specificity = _by_name(self.specificity, everyone, "min_tnr", self.owner)
        return tuple(
            RateTargets(
                max(recall[name] for name in names),
                max(specificity[name] for name in names),
                self.correction,
                self.alpha,
            )
            for names in named
        )


def _by_name(given: Any, names: list[Any], parameter: str, owner: str) -> dict[Any, float]:
    """Return the rate of every name."""
    if not isinstance(given, Mapping):
        return dict.fromkeys(names, float(given))
    missing = [name for name in names if name not in given]
    unknown = [name for name in given if name not in names]
    if missing or unknown:
        raise ValueError(
            f"The '{parameter}' parameter of {owner}, as a dict, must have one rate for each of "
            f"{names}. "
            + (f"Got none for {missing}. " if missing else "")
            + (f"Got one for {unknown}, which y does not hold." if unknown else "")
        )
    for name in names:
        rate = given[name]
        if not is_number(rate) or not 0.0 <= rate <= 1.0:
            raise ValueError(
                f"The '{parameter}' parameter of {owner} must hold floats in the range "
                f"[0.0, 1.0]. Got {rate!r} for {name!r}."
            )
    return {name: float(given[name]) for name in names}


def lowest(given: Any) -> float:
    """Return the lowest of the rates given."""
    return float(min(given.values()) if isinstance(given, Mapping) else given)


def refuse_for_two_classes(estimator: Any) -> None:
    """Raise a ValueError for rates by class where y has two of them."""
    owner = estimator._owner
    if estimator.min_recall is not None:
        raise ValueError(
            f"The 'min_recall' parameter of {owner} is for labels of more than two classes, or "
            f"several columns of them. Got {estimator.min_recall!r} with two classes: use "
            "'min_tpr' and 'min_tnr', the recalls of the two."
        )
    rule, holds = RATE
    if not holds(estimator.min_tnr):
        raise ValueError(
            f"The 'min_tnr' parameter of {owner} must be {rule} where y has two classes. "
            f"Got {estimator.min_tnr!r} instead."
        )
