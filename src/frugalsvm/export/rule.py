"""The decision of a linear panel as a formula that can be computed by hand."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from frugalsvm.data.exceptions import UnsupportedModelError

if TYPE_CHECKING:
    from frugalsvm.saved.model import FrugalModel

DIGITS = 6
"""Significant digits of a printed weight: far more than margins of 1 need."""


@dataclass(frozen=True)
class Term:
    """What one measurement, or one level of it, adds to the score.

    Attributes
    ----------
    variable : str
        What is measured.
    level : str or None
        The level for which the weight is added; None: the weight is per unit of the variable.
    weight : float
        Positive towards the positive class.
    """

    variable: str
    level: str | None
    weight: float

    def __str__(self) -> str:
        sign = "-" if self.weight < 0 else "+"
        size = f"{abs(self.weight):.{DIGITS}g}"
        if self.level is None:
            return f"{sign} {size} x {self.variable}"
        return f"{sign} {size} if {self.variable} is {self.level}"


@dataclass(frozen=True)
class Rule:
    """score = intercept + the terms; a score above 0 means the positive class.

    Attributes
    ----------
    terms : tuple of Term
        In the order of the panel.
    intercept : float
        The score before any term.
    positive, negative : str
        The two classes.
    """

    terms: tuple[Term, ...]
    intercept: float
    positive: str
    negative: str

    @property
    def weights(self) -> NDArray[np.float64]:
        """The weights of the panel's coded columns."""
        return np.array([term.weight for term in self.terms], dtype=np.float64)

    @property
    def decision(self) -> str:
        """What follows from the score."""
        return f"{self.positive} if the score is above 0, {self.negative} otherwise"

    def __str__(self) -> str:
        lines = [f"score = {self.intercept:.{DIGITS}g}", *(f"        {t}" for t in self.terms)]
        return "\n".join([*lines, f"{self.decision}."])


def rule_of(model: FrugalModel) -> Rule:
    """Return the formula of a linear panel, in the units that its variables are measured in.

    Raises
    ------
    UnsupportedModelError
        If the kernel is not linear: such a decision is no weighted sum.
    """
    require_linear(model, "A formula")
    weights, intercept = model.decision.weights_in_user_units()
    turned = 1.0 if model.positive == 1 else -1.0
    pairs = zip(model.panel.features, turned * weights, strict=False)  # the empty panel has one
    return Rule(
        tuple(Term(f.variable, f.level, float(weight)) for f, weight in pairs),
        turned * intercept,
        str(model.positive_label),
        str(model.negative_label),
    )


def require_linear(model: FrugalModel, what: str) -> None:
    """Raise unless the model's decision is a weighted sum."""
    if not model.decision.kernel.linear:
        raise UnsupportedModelError(
            f"{what} needs a panel trained with the linear kernel. This one has "
            f"{model.decision.kernel.kind!r}: use its model file, or train with kernel='linear'."
        )
