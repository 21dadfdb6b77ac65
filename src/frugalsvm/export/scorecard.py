"""The decision of a linear panel in whole points, and what the rounding costs."""

from __future__ import annotations

import math
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from frugalsvm.data.rates import ErrorBudget, RateCounts
from frugalsvm.export.rule import Rule, rule_of
from frugalsvm.tabular.table import number_text

if TYPE_CHECKING:
    from frugalsvm.saved.model import FrugalModel

MOST_POINTS = 100
"""The greatest number of points a line may give: more is no easier than the formula."""
NICE = (1.0, 2.0, 5.0, 10.0)
"""Steps in which people count, times a power of ten."""
DECIMALS = 6
"""Of a sum of points: what is finer is rounding."""
MOST_CUTOFFS = 2000
"""Cut-offs that are tried for one choice of points."""

Floats = NDArray[np.float64]


@dataclass(frozen=True)
class CardLine:
    """Points for one measurement, or for one level of it.

    Attributes
    ----------
    variable : str
        What is measured.
    level : str or None
        The level that gives the points; None: the points are per `step` of the variable.
    points : int
        How many, positive towards the positive class.
    step : float
        Units of the variable that give them; 1 for a level.
    """

    variable: str
    level: str | None
    points: int
    step: float = 1.0

    @property
    def feature(self) -> str:
        """What gives the points, without saying how many."""
        return self.variable if self.level is None else f"{self.variable} {self.level}"

    def __str__(self) -> str:
        what = f"{self.points:+d} {_point_or_points(self.points)}"
        if self.level is not None:
            return f"{what} if {self.variable} is {self.level}"
        return f"{what} for every {number_text(self.step)} of {self.variable}"


@dataclass(frozen=True)
class ScoreCard:
    """Whole points for every measurement; from the cut-off on, the positive class.

    Attributes
    ----------
    lines : tuple of CardLine
        One for each feature of the panel, in its order; some may give no points.
    cutoff : int
        The least sum of points that means the positive class.
    positive, negative : str
        The two classes.
    counts, exact : RateCounts
        Right and wrong in training: of the card, and of the formula that it rounds.
    meets_targets : bool
        True if the card, too, meets both targets in training.
    """

    lines: tuple[CardLine, ...]
    cutoff: int
    positive: str
    negative: str
    counts: RateCounts
    exact: RateCounts
    meets_targets: bool

    @property
    def decision(self) -> str:
        """What follows from the points."""
        least = f"{self.cutoff} {_point_or_points(self.cutoff)}"
        return f"{self.positive} from {least} on, {self.negative} below"

    @property
    def counted(self) -> tuple[CardLine, ...]:
        """The lines that give points: those to be printed."""
        return tuple(line for line in self.lines if line.points)

    @property
    def reading(self) -> str:
        """How the card is to be read, in sentences; empty if there is nothing to say."""
        words = []
        if any(line.level is None for line in self.counted):
            words.append("Parts of a step count in proportion.")
        spared = [line.feature for line in self.lines if not line.points]
        if spared:
            words.append(
                f"No points for {len(spared)} of {len(self.lines)} features, too small to count "
                f"in whole points: {', '.join(spared)}."
            )
        return " ".join(words)

    @property
    def price(self) -> str:
        """What the rounding costs, in words."""
        words = (
            f"In training the card recognises {self.counts.tpr:.4f} of {self.positive} (the "
            f"formula {self.exact.tpr:.4f}) and {self.counts.tnr:.4f} of {self.negative} (the "
            f"formula {self.exact.tnr:.4f})"
        )
        return f"{words}{'' if self.meets_targets else ': it misses a target'}."

    def points(self, X: Floats) -> Floats:
        """Return the sum of points of each row of the panel's coded columns."""
        points = np.array([line.points for line in self.lines], dtype=np.float64)
        steps = np.array([line.step for line in self.lines], dtype=np.float64)
        return _sums(X[:, : len(points)], points, steps)

    def __str__(self) -> str:
        words = [f"{self.decision}.", self.reading, self.price]
        return "\n".join([*map(str, self.counted), *filter(None, words)])


def _point_or_points(number: int) -> str:
    return "point" if abs(number) == 1 else "points"


def score_card(model: FrugalModel, X: Any, y: Any) -> ScoreCard:
    """Round a linear panel to whole points on its training data.

    The points are as small as the targets allow; the cut-off is then the one that leaves the
    most to spare. Where no card of at most 100 points a line meets both targets, the one that
    comes nearest is returned, and says so.

    Parameters
    ----------
    model : FrugalModel
        A linear panel, from :func:`frugalsvm.load_model` or ``clf.model_``.
    X : DataFrame or array-like
        Rows with the panel's raw columns, as ``model.predict`` takes them: the training data.
    y : array-like
        Their labels.

    Returns
    -------
    ScoreCard
        Points, cut-off, and the rates with and without rounding.

    Raises
    ------
    UnsupportedModelError
        If the kernel is not linear.
    """
    coded = model.coded(X)
    positive = np.asarray([str(label) for label in np.asarray(y)]) == rule_of(model).positive
    return card_for(model, coded, positive)


def card_for(model: FrugalModel, X: Floats, positive: NDArray[np.bool_]) -> ScoreCard:
    """Return the card of a model; `X` holds the panel's coded columns of its training data.

    A model for new data has something to spare in training, which the card must not give away:
    its card is to get as much right there as the formula does.
    """
    rule = rule_of(model)
    budget = model.targets.budget(int(positive.sum()), int((~positive).sum()))
    if model.unseen is None:
        return card_of(rule, X, positive, budget)
    exact = _counts(X[:, : len(rule.terms)] @ rule.weights + rule.intercept > 0, positive)
    own = ErrorBudget(
        exact.n_positive - exact.true_positives, exact.n_negative - exact.true_negatives
    )
    card = card_of(rule, X, positive, own)
    return replace(card, meets_targets=_shortfall(card.counts, budget) == 0)


def card_of(rule: Rule, X: Floats, positive: NDArray[np.bool_], budget: ErrorBudget) -> ScoreCard:
    """Return the card of a rule; `X` holds the panel's coded columns."""
    n = len(rule.terms)
    X = X[:, :n]
    said = X @ rule.weights + rule.intercept > 0
    exact = _counts(said, positive)
    steps = np.array([nice_step(X[:, k]) for k in range(n)], dtype=np.float64)
    sizes = rule.weights * steps
    largest = float(np.max(np.abs(sizes), initial=0.0))
    best: tuple[int, Floats, int, RateCounts] | None = None
    for most in range(1, MOST_POINTS + 1):
        points = np.round(sizes * (most / largest)) if largest else np.zeros(n)
        cutoff, counts = _best_cutoff(_sums(X, points, steps), positive, budget)
        short = _shortfall(counts, budget)
        if best is None or short < best[0]:
            best = (short, points, cutoff, counts)
        if short == 0:
            break
    short, points, cutoff, counts = best if best is not None else (0, np.zeros(n), 0, exact)
    return ScoreCard(
        tuple(
            CardLine(term.variable, term.level, int(p), float(step))
            for term, p, step in zip(rule.terms, points, steps, strict=True)
        ),
        cutoff,
        rule.positive,
        rule.negative,
        counts,
        exact,
        short == 0,
    )


def _sums(X: Floats, points: Floats, steps: Floats) -> Floats:
    """Return the sum of points of each row, as a hand would get it.

    Binary fractions would put 0.1 + 0.2 beside 0.3, and a row that reaches the cut-off below it.
    """
    return np.asarray(np.round(X @ (points / steps), DECIMALS), dtype=np.float64)


def nice_step(values: Floats) -> float:
    """Return a round number near the spread of a column; 1 for levels and truth values.

    Examples
    --------
    >>> nice_step(np.array([0.0, 1.0, 1.0])), nice_step(np.array([100.0, 140.0, 180.0]))
    (1.0, 50.0)
    """
    if not len(values) or np.isin(values, (0.0, 1.0)).all():
        return 1.0
    spread = float(np.std(values))
    if not spread > 0:
        return 1.0
    power = 10.0 ** math.floor(math.log10(spread))
    return min((power * nice for nice in NICE), key=lambda step: abs(math.log(step / spread)))


def _best_cutoff(
    points: Floats, positive: NDArray[np.bool_], budget: ErrorBudget
) -> tuple[int, RateCounts]:
    """Return the whole cut-off that misses the budgets least, and then leaves the most of them."""
    low, high = math.floor(float(points.min())), math.ceil(float(points.max())) + 1
    step = max(1, -(-(high - low + 1) // MOST_CUTOFFS))
    tried = np.arange(low, high + 1, step)
    ill, well = np.sort(points[positive]), np.sort(points[~positive])
    missed = np.searchsorted(ill, tried, side="left")  # below the cut-off, positive
    alarms = len(well) - np.searchsorted(well, tried, side="left")
    short = np.maximum(0, missed - budget.pos) + np.maximum(0, alarms - budget.neg)
    spare = np.minimum(budget.pos - missed, budget.neg - alarms)
    k = int(np.lexsort((-spare, short))[0])
    counts = RateCounts(len(ill) - int(missed[k]), len(ill), len(well) - int(alarms[k]), len(well))
    return int(tried[k]), counts


def _shortfall(counts: RateCounts, budget: ErrorBudget) -> int:
    """Return how many errors too many there are."""
    missed = counts.n_positive - counts.true_positives
    alarms = counts.n_negative - counts.true_negatives
    return max(0, missed - budget.pos) + max(0, alarms - budget.neg)


def _counts(said: NDArray[np.bool_], positive: NDArray[np.bool_]) -> RateCounts:
    return RateCounts(
        int((said & positive).sum()),
        int(positive.sum()),
        int((~said & ~positive).sum()),
        int((~positive).sum()),
    )
