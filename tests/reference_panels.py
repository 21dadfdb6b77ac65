"""The panel for several targets by brute force: every support, a small program for each target.

It shares only the plain data with the library; the programs are those of `reference_selection`.
"""

from __future__ import annotations

import math
from itertools import combinations

import numpy as np

from frugalsvm.data.rates import ErrorBudget
from frugalsvm.several import SeveralProblem, Target
from reference_selection import is_feasible, random_costs

Support = tuple[int, ...]


def cheapest_panels(problem: SeveralProblem) -> tuple[float, set[Support]]:
    """Return the least cost and all supports of that cost; (inf, empty) if there is none."""
    included = {int(k) for k in np.flatnonzero(problem.include)}
    choices = [int(k) for k in np.flatnonzero(~problem.include & ~problem.exclude)]
    targets = [_Asked(problem, number) for number in range(len(problem.targets))]
    everything = tuple(sorted(included | set(choices)))
    best, optimal = math.inf, set()
    if not all(target.meets(everything) for target in targets):
        return best, optimal
    supports = [
        tuple(sorted(included | set(extra)))
        for size in range(len(choices) + 1)
        for extra in combinations(choices, size)
    ]
    for support in sorted(supports, key=lambda s: (problem.costs.cost(s), len(s), s)):
        cost = problem.costs.cost(support)
        if cost > best:
            break
        if all(target.meets(support) for target in targets):
            best = cost
            optimal.add(support)
    return best, optimal


class _Asked:
    """One target's judgements, remembered: what holds a feasible support is feasible."""

    def __init__(self, problem: SeveralProblem, number: int) -> None:
        self.problem = problem.single(number)
        self.feasible: list[set[int]] = []

    def meets(self, support: Support) -> bool:
        known = any(other <= set(support) for other in self.feasible)
        if not known and is_feasible(self.problem, support):
            self.feasible.append(set(support))
            return True
        return known


def random_panel_problem(seed: int) -> SeveralProblem:
    """Return a small problem: two to four targets, classes or labels; prices, groups, ties."""
    rng = np.random.default_rng([22, seed])
    n, n_features = int(rng.integers(8, 15)), int(rng.integers(2, 6))
    X = rng.standard_normal((n, n_features))
    kind = rng.integers(3)
    if kind == 1:
        X = (X > 0).astype(float)
    elif kind == 2:
        discrete = rng.random(n_features) < 0.5
        X[:, discrete] = np.round(2 * X[:, discrete])
    if n_features > 2 and rng.random() < 0.2:
        X[:, 1] = rng.choice([1.0, -2.0]) * X[:, 0]
    constant = np.ptp(X, axis=0) == 0
    X = (X - X.mean(axis=0)) / np.where(constant, 1.0, X.std(axis=0))
    X[:, constant] = 0.0
    include = ~constant & (rng.random(n_features) < 0.1)
    exclude = ~include & (constant | (rng.random(n_features) < 0.1))
    members = _labels(rng, X) if rng.random() < 0.5 else _classes(rng, X)
    targets = tuple(
        Target(number, positive, ErrorBudget(int(rng.integers(0, 4)), int(rng.integers(0, 4))))
        for number, positive in enumerate(members)
    )
    max_weight = float(rng.choice([100.0, 100.0, 10.0, 2.0]))
    return SeveralProblem(X, targets, random_costs(rng, n_features), include, exclude, max_weight)


def _labels(rng: np.random.Generator, X: np.ndarray) -> list[np.ndarray]:
    """Return questions that may all be true of a sample: noisy hyperplanes of their own."""
    n, n_features = X.shape
    members = []
    for _ in range(int(rng.integers(2, 5))):
        weights = rng.standard_normal(n_features) * (rng.random(n_features) < 0.6)
        score = X @ weights + rng.uniform(0, 0.4) * rng.standard_normal(n)
        positive = score > np.quantile(score, rng.uniform(0.3, 0.7))
        members.append(positive if 0 < positive.sum() < n else np.arange(n) < n // 2)
    return members


def _classes(rng: np.random.Generator, X: np.ndarray) -> list[np.ndarray]:
    """Return the classes of one target, each against the rest: the nearest of some corners."""
    n, n_features = X.shape
    many = int(rng.integers(2, 4)) + 1
    corners = 2 * rng.standard_normal((many, n_features))
    score = X @ corners.T + rng.uniform(0, 0.4) * rng.standard_normal((n, many))
    label = np.argmax(score, axis=1)
    label[:many] = np.arange(many)  # every class occurs
    return [label == c for c in range(many)]
