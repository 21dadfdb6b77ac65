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
"""Significant digits of a printed weight, where no more are needed."""
MOST_DIGITS = 17
"""Significant digits that tell every two numbers apart."""
FINE = 1e-5
"""Share of the scores' range within which a score computed from printed numbers has to be right."""


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
        return self.words(DIGITS)

    def words(self, digits: int) -> str:
        """Return the term with so many significant digits."""
        sign = "-" if self.weight < 0 else "+"
        size = f"{abs(self.weight):.{digits}g}"
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
    digits : int
        Significant digits to print, so that the printed formula decides as the classifier does.
    """

    terms: tuple[Term, ...]
    intercept: float
    positive: str
    negative: str
    digits: int = DIGITS

    @property
    def weights(self) -> NDArray[np.float64]:
        """The weights of the panel's coded columns."""
        return np.array([term.weight for term in self.terms], dtype=np.float64)

    @property
    def decision(self) -> str:
        """What follows from the score."""
        return f"{self.positive} if the score is above 0, {self.negative} otherwise"

    def __str__(self) -> str:
        terms = (f"        {term.words(self.digits)}" for term in self.terms)
        lines = [f"score = {self.intercept:.{self.digits}g}", *terms]
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
    terms = tuple(Term(f.variable, f.level, float(weight)) for f, weight in pairs)
    return Rule(
        terms,
        turned * intercept,
        str(model.positive_label),
        str(model.negative_label),
        digits_needed(terms, turned * intercept, _ranges(model)),
    )


def digits_needed(
    terms: tuple[Term, ...], intercept: float, ranges: dict[str, tuple[float, float]]
) -> int:
    """Return the significant digits with which a formula decides as it does with all of them.

    Where a variable varies little beside its size, weight times value and intercept nearly cancel,
    and six digits leave an error of the size of what decides.

    Parameters
    ----------
    terms : tuple of Term
        What adds to the score.
    intercept : float
        The score before any term.
    ranges : dict from str to (float, float)
        Least and greatest value of variables that are numbers, as far as they are known.

    Examples
    --------
    >>> tenths = (Term("age", None, 0.1),)
    >>> digits_needed(tenths, -5.0, {"age": (20.0, 80.0)})
    6
    >>> digits_needed((Term("volts", None, -108.52936),), 2168.7684, {"volts": (19.9, 20.1)})
    8
    """
    spread, at_most = 0.0, []
    for term in terms:
        low, high = ranges.get(term.variable, (0.0, 1.0)) if term.level is None else (0.0, 1.0)
        spread += abs(term.weight) * (high - low)
        at_most.append((term.weight, max(abs(low), abs(high))))
    at_most.append((intercept, 1.0))
    for digits in range(DIGITS, MOST_DIGITS):
        error = sum(abs(value - float(f"{value:.{digits}g}")) * size for value, size in at_most)
        if error <= FINE * spread:
            return digits
    return MOST_DIGITS if spread > 0 else DIGITS


def _ranges(model: FrugalModel) -> dict[str, tuple[float, float]]:
    """Return the range of every number seen in training that is known."""
    return {
        v.name: (v.low, v.high)
        for v in model.preparation.variables
        if v.low is not None and v.high is not None
    }


def require_linear(model: FrugalModel, what: str) -> None:
    """Raise unless the model's decision is a weighted sum."""
    if not model.decision.kernel.linear:
        raise UnsupportedModelError(
            f"{what} needs a panel trained with the linear kernel. This one has "
            f"{model.decision.kernel.kind!r}: use its model file, or train with kernel='linear'."
        )
