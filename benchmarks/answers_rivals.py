"""What a user would try instead: rankings of scikit-learn, each with its best threshold.

Every rival makes a chain of supports; on each it fits logistic regression and moves the threshold.
Its answer is the cheapest support of its chain on which both rates are reached.
"""

from __future__ import annotations

import time
import warnings
from collections.abc import Callable, Iterable
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from sklearn.feature_selection import RFE
from sklearn.linear_model import LogisticRegression
from sklearn.svm import LinearSVC, l1_min_c

from frugalsvm.data.problem import SelectionProblem

Support = NDArray[np.intp]
L1_STEPS = 60
TRIED = 12  # features that forward selection fits for a place, by their gradients
MOST_FORWARD = 120  # features that it takes
WIDE = 300  # features above which RFE takes out a twentieth at a time


@dataclass(frozen=True)
class Rival:
    """What a rival found, and when it was done."""

    cost: float
    size: int
    seconds: float


def meets(problem: SelectionProblem, scores: NDArray[np.float64], largest: float) -> bool:
    """Return True if some threshold keeps both budgets, with the margin that P1 asks for.

    `largest` is the largest absolute weight behind the scores: it bounds the margin from below.
    """
    pos = np.sort(scores[problem.positive])
    neg = np.sort(scores[~problem.positive])[::-1]
    if problem.budget.pos >= len(pos) or problem.budget.neg >= len(neg):
        return True
    gap = pos[problem.budget.pos] - neg[problem.budget.neg]
    return bool(gap >= 2.0 / problem.max_weight * largest)


def fitted(problem: SelectionProblem, support: Support) -> LogisticRegression:
    """Fit on a support."""
    model = LogisticRegression(max_iter=200)
    return model.fit(problem.X[:, support], problem.positive)


def cheapest(problem: SelectionProblem, chain: Iterable[Support]) -> tuple[float, int]:
    """Return the cost and the size of the cheapest support of a chain that meets the rates."""
    best = (np.inf, 0)
    for support in chain:
        cost = problem.costs.cost(support)
        if len(support) and cost < best[0]:
            model = fitted(problem, support)
            scores = model.decision_function(problem.X[:, support])
            if meets(problem, scores, np.max(np.abs(model.coef_))):
                best = (cost, len(support))
    return best


def nested(order: NDArray[np.intp]) -> list[Support]:
    """Return the first features of an order, ever more of them."""
    sizes = range(1, len(order) + 1)
    if len(order) > WIDE:
        sizes = sorted({*range(1, 150), *np.geomspace(150, len(order), 40).astype(int).tolist()})
    return [order[:size] for size in sizes]


def by_rfe(problem: SelectionProblem) -> Iterable[Support]:
    """Recursive feature elimination by a linear SVM."""
    d = problem.n_features
    step = 1 if d <= WIDE else 0.05
    ranking = RFE(
        LinearSVC(C=0.1 if d <= WIDE else 0.01, dual="auto", random_state=0),
        n_features_to_select=1,
        step=step,
    )
    ranking.fit(problem.X, problem.positive)
    yield from nested(np.argsort(ranking.ranking_, kind="stable"))


def by_l1(problem: SelectionProblem) -> Iterable[Support]:
    """L1-penalised logistic regression for many strengths of the penalty."""
    low = l1_min_c(problem.X, problem.positive, loss="log")
    model = LogisticRegression(
        l1_ratio=1.0, solver="liblinear", warm_start=True, max_iter=100, random_state=0
    )
    for C in low * np.geomspace(1.02, 1e3, L1_STEPS):
        weights = model.set_params(C=C).fit(problem.X, problem.positive).coef_[0]
        support = np.flatnonzero(weights)
        yield support
        if len(support) > 150 and problem.n_features > WIDE:
            return


def forward(problem: SelectionProblem, power: float) -> Iterable[Support]:
    """Add the feature that lowers the loss most, for its price to some power."""
    X, y = problem.X, problem.positive
    chosen: list[int] = []
    scores = np.zeros(len(y))
    while len(chosen) < min(problem.n_features, MOST_FORWARD):
        pull = y - 1.0 / (1.0 + np.exp(-scores))
        price = np.ones(X.shape[1])
        if power:
            paid = problem.costs.cost(chosen)
            added = [problem.costs.cost([*chosen, k]) - paid for k in range(X.shape[1])]
            price = np.maximum(added, 1e-9)
        worth = np.abs(X.T @ pull) / price**power
        worth[chosen] = -1.0
        before = np.mean(np.logaddexp(0.0, np.where(y, -scores, scores)))
        trials = []
        for k in np.argsort(-worth)[:TRIED]:
            if worth[k] < 0.0:
                continue
            support = np.array([*chosen, k])
            model = fitted(problem, support)
            found = model.decision_function(X[:, support])
            loss = np.mean(np.logaddexp(0.0, np.where(y, -found, found)))
            gain = (before - loss) / price[k] ** power
            trials.append((gain, -int(k), found, np.max(np.abs(model.coef_))))
        _, k, scores, largest = max(trials, key=lambda trial: trial[:2])
        chosen.append(-k)
        yield np.array(chosen)
        if meets(problem, scores, largest):
            return


RIVALS: dict[str, Callable[[SelectionProblem], Iterable[Support]]] = {
    "RFE": by_rfe,
    "L1 path": by_l1,
    "forward": lambda problem: forward(problem, 0.0),
    "cost-aware greedy": lambda problem: forward(problem, 1.0),
}


def run(name: str, problem: SelectionProblem) -> Rival:
    """Run a rival to its end."""
    started = time.perf_counter()
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        cost, size = cheapest(problem, RIVALS[name](problem))
    return Rival(cost, size, time.perf_counter() - started)
