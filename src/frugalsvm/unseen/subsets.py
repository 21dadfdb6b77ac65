"""Panels that a smooth loss speaks for: cheap subsets that least squares separates well.

Counting errors, as the selection problem does, tells little about the samples that are not wrong,
and its answers lean on the few that are nearly so. The squared loss of a linear discriminant uses
every sample. For each price lambda of a unit of cost,

    n log(loss(S)) + 2 |S| + lambda cost(S)

(Akaike's criterion with a price) is brought to a local minimum by adding, dropping and exchanging
features; from large lambda to small, and back. A second path adds, from no feature on, the one that
lowers the loss most for its price: it is searched less hard, and keeps more of what it promises.
The panels met, from cheap to dear, are only candidates: what they are worth is measured in
cross-validation.
"""

from __future__ import annotations

from collections.abc import Iterator, Set
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from frugalsvm.data.costs import CostModel
from frugalsvm.data.problem import SelectionProblem
from frugalsvm.runtime.stopping import Stopper

Floats = NDArray[np.float64]
Support = tuple[int, ...]

SHORTLIST = (
    100  # features: those with the least loss alone, and with the least loss for their price
)
RIDGE = 1e-2  # on standardised features
PER_FEATURE = 2.0  # Akaike
N_PRICES = 28
SPAN = 4e3  # between the greatest and the least lambda
MOST_MOVES = 300
LEAST_LOSS = 1e-9
KEPT_SIZES = (*range(1, 9), 10, 12, 15, 18, 22, 27, 33, 40)
"""Sizes at which the path of additions is kept as a panel; with the last it ends."""
ALMOST = 1e-9


@dataclass(frozen=True)
class LeastSquares:
    """The squared loss of a linear discriminant, classes weighed alike, as a quadratic form.

    Attributes
    ----------
    gram : ndarray of shape (n_features, n_features)
        Second moments of the features, ridge included.
    pull : ndarray of shape (n_features,)
        Moments with the label.
    n : int
        Number of samples.
    """

    gram: Floats
    pull: Floats
    n: int

    @classmethod
    def of(cls, Z: Floats, positive: NDArray[np.bool_]) -> LeastSquares:
        """Return the loss on standardised features; labels are +1 and -1."""
        share = np.where(positive, 0.5 / positive.sum(), 0.5 / (~positive).sum())
        centered = Z - share @ Z
        weighted = centered * share[:, np.newaxis]
        gram = weighted.T @ centered + RIDGE * np.eye(Z.shape[1])
        return cls(gram, weighted.T @ np.where(positive, 1.0, -1.0), len(Z))

    def loss(self, support: list[int]) -> float:
        """Return the least loss on a set of features; 1 for none."""
        if not support:
            return 1.0
        solved = np.linalg.solve(self.gram[np.ix_(support, support)], self.pull[support])
        return float(1.0 - self.pull[support] @ solved)

    def after_adding(self, support: list[int], others: NDArray[np.intp]) -> Floats:
        """Return the loss with each of the others added."""
        diagonal = np.diag(self.gram)[others]
        if not support:
            return np.asarray(1.0 - self.pull[others] ** 2 / diagonal)
        inverse = np.linalg.inv(self.gram[np.ix_(support, support)])
        weights = inverse @ self.pull[support]
        across = self.gram[support][:, others]
        left = self.pull[others] - across.T @ weights
        own = np.maximum(diagonal - np.einsum("ij,ij->j", across, inverse @ across), RIDGE / 2)
        return np.asarray(1.0 - self.pull[support] @ weights - left**2 / own)

    def after_dropping(self, support: list[int]) -> Floats:
        """Return the loss without each of the features."""
        inverse = np.linalg.inv(self.gram[np.ix_(support, support)])
        weights = inverse @ self.pull[support]
        return np.asarray(1.0 - self.pull[support] @ weights + weights**2 / np.diag(inverse))


@dataclass(frozen=True)
class PricedLoss:
    """The criterion for one lambda.

    Attributes
    ----------
    squares : LeastSquares
        The loss.
    costs : CostModel
        Prices of the same features.
    price : float
        Lambda.
    fixed : frozenset of int
        Features that every panel holds.
    """

    squares: LeastSquares
    costs: CostModel
    price: float
    fixed: frozenset[int]

    def value(self, support: set[int]) -> float:
        """Return the criterion of a panel."""
        loss = self.squares.loss(sorted(support))
        return float(self._worth(np.array([loss]))[0] + self._dues(support))

    def improved(self, support: set[int]) -> set[int]:
        """Return the local minimum that single moves, the best one each time, lead to."""
        value = self.value(support)
        for _ in range(MOST_MOVES):
            found = min(self._moves(support), key=lambda move: move[0], default=None)
            if found is None or found[0] >= value - ALMOST:
                exchanges = self._exchanges(support)
                found = min(exchanges, key=lambda move: move[0], default=None)
            if found is None or found[0] >= value - ALMOST:
                break
            value, support = found
        return support

    def _worth(self, losses: Floats) -> Floats:
        return self.squares.n * np.log(np.maximum(losses, LEAST_LOSS))

    def _dues(self, support: set[int]) -> float:
        return PER_FEATURE * len(support) + self.price * self.costs.cost(support)

    def _moves(self, support: set[int]) -> Iterator[tuple[float, set[int]]]:
        """Yield the best feature to add, and the best to drop."""
        yield from self._additions(support)
        chosen = sorted(support)
        if not chosen:
            return
        losses = self._worth(self.squares.after_dropping(chosen))
        for k, worth in sorted(zip(chosen, losses, strict=True), key=lambda pair: pair[1]):
            if k not in self.fixed:
                rest = support - {k}
                yield float(worth) + self._dues(rest), rest

    def _additions(self, support: set[int]) -> Iterator[tuple[float, set[int]]]:
        others = np.array([k for k in range(self.costs.n_features) if k not in support], np.intp)
        if not len(others):
            return
        worth = self._worth(self.squares.after_adding(sorted(support), others))
        worth += self._dues(support) + PER_FEATURE + self.price * self._added(support, others)
        best = int(np.argmin(worth))
        yield float(worth[best]), support | {int(others[best])}

    def _added(self, support: set[int], others: NDArray[np.intp]) -> Floats:
        return _prices_of(self.costs, others, self.costs.groups_touched(support))

    def _exchanges(self, support: set[int]) -> Iterator[tuple[float, set[int]]]:
        for k in sorted(support - self.fixed):
            for value, panel in self._additions(support - {k}):
                if k not in panel:
                    yield value, panel


def priced_subsets(problem: SelectionProblem, stop: Stopper) -> list[Support]:
    """Return panels from cheap to dear, as far as there is time; the cheapest first.

    Parameters
    ----------
    problem : SelectionProblem
        Data, prices, and which features may be used; the budgets are of no account.
    stop : Stopper
        Ends the work.

    Returns
    -------
    list of tuples of int
        Distinct panels by cost.
    """
    columns = _shortlist(problem)
    squares = LeastSquares.of(problem.X[:, columns], problem.positive)
    costs = CostModel(
        problem.costs.feature[columns],
        tuple(problem.costs.groups_of[int(k)] for k in columns),
        problem.costs.group,
    )
    fixed = frozenset(np.flatnonzero(problem.include[columns]).tolist())
    met = [*_minima(squares, costs, fixed, stop), *_additions(squares, costs, fixed, stop)]
    supports = {tuple(sorted(int(columns[k]) for k in panel)) for panel in met}
    return sorted(supports, key=lambda s: (problem.costs.cost(s), s))


def _minima(
    squares: LeastSquares, costs: CostModel, fixed: frozenset[int], stop: Stopper
) -> list[set[int]]:
    """Return the panels met at the minima of the priced criterion, as far as there is time."""
    prices = _prices(squares, costs)
    met: list[set[int]] = []
    for start, order in ((set(fixed), prices), (set(range(costs.n_features)), prices[::-1])):
        panel = start
        for price in order:
            if stop():
                break
            panel = PricedLoss(squares, costs, float(price), fixed).improved(panel)
            met.append(panel)
    return met


def _additions(
    squares: LeastSquares, costs: CostModel, fixed: frozenset[int], stop: Stopper
) -> list[set[int]]:
    """Return the panels met by adding what lowers the loss most for its price."""
    panel = set(fixed)
    met = [set(panel)]
    while len(panel) < min(KEPT_SIZES[-1], costs.n_features) and not stop():
        others = np.array([k for k in range(costs.n_features) if k not in panel], np.intp)
        chosen = sorted(panel)
        gain = squares.loss(chosen) - squares.after_adding(chosen, others)
        price = _prices_of(costs, others, costs.groups_touched(panel))
        panel.add(int(others[np.argmax(gain / np.maximum(price, LEAST_LOSS))]))
        if len(panel) in KEPT_SIZES:
            met.append(set(panel))
    return met


def _shortlist(problem: SelectionProblem) -> NDArray[np.intp]:
    """Return the allowed features, of many only the most promising and those that must be used."""
    allowed = np.flatnonzero(~problem.exclude)
    if len(allowed) <= SHORTLIST:
        return allowed
    Z, positive = problem.X[:, allowed], problem.positive
    gap = Z[positive].mean(axis=0) - Z[~positive].mean(axis=0)
    within = 0.5 * (Z[positive].var(axis=0) + Z[~positive].var(axis=0)) + RIDGE
    worth = gap**2 / within
    alone = _prices_of(problem.costs, allowed)
    per_price = worth / np.maximum(alone, 1e-3 * max(float(alone.mean()), LEAST_LOSS))
    half = SHORTLIST // 2
    picked = set(np.argsort(-worth, kind="stable")[:half].tolist())
    picked |= set(np.argsort(-per_price, kind="stable")[:half].tolist())
    picked |= set(np.flatnonzero(problem.include[allowed]).tolist())
    return allowed[sorted(picked)]


def _prices_of(
    costs: CostModel, features: NDArray[np.intp], paid: Set[int] = frozenset()
) -> Floats:
    """Return what each feature costs by itself where some groups are paid already."""
    own = costs.feature[features]
    if not costs.has_groups:
        return own
    shared = [
        sum(costs.group[g] for g in costs.groups_of[int(k)] if g not in paid) for k in features
    ]
    return np.asarray(own + np.array(shared, dtype=np.float64))


def _prices(squares: LeastSquares, costs: CostModel) -> Floats:
    """Return the lambdas, from the one at which the first feature pays to next to nothing."""
    everything = np.arange(costs.n_features, dtype=np.intp)
    alone = _prices_of(costs, everything)
    gain = -squares.n * np.log(np.maximum(squares.after_adding([], everything), LEAST_LOSS))
    priced = alone > 0
    if not priced.any():
        return np.zeros(1)
    top = max(float((gain[priced] / alone[priced]).max()), 1.0 / float(alone[priced].mean()))
    return np.geomspace(top, top / SPAN, N_PRICES)
