"""The selection problem by brute force: every support in order of cost, a tiny MILP for each.

Slow, simple and independent of the library's search: only the plain data are shared.
"""

from __future__ import annotations

import math
from itertools import combinations

import numpy as np
from scipy.optimize import Bounds, LinearConstraint, milp

from frugalsvm.data.costs import CostModel
from frugalsvm.data.problem import SelectionProblem
from frugalsvm.data.rates import ErrorBudget

Support = tuple[int, ...]


def brute_force(problem: SelectionProblem) -> tuple[float, set[Support]]:
    """Return the least cost and all supports of that cost; (inf, empty) if there is none."""
    included = {int(k) for k in np.flatnonzero(problem.include)}
    choices = [int(k) for k in np.flatnonzero(~problem.include & ~problem.exclude)]
    everything = tuple(sorted(included | set(choices)))
    if not is_feasible(problem, everything):
        return math.inf, set()
    supports = [
        tuple(sorted(included | set(extra)))
        for size in range(len(choices) + 1)
        for extra in combinations(choices, size)
    ]
    supports.sort(key=lambda s: (problem.costs.cost(s), len(s), s))
    best, optimal = math.inf, set()
    for support in supports:
        cost = problem.costs.cost(support)
        if cost > best:
            break
        inherited = any(set(known) <= set(support) for known in optimal)
        if inherited or is_feasible(problem, support):
            best = min(best, cost)
            optimal.add(support)
    return best, optimal


def is_feasible(problem: SelectionProblem, support: Support) -> bool:
    """Return True if some hyperplane on the support meets both budgets."""
    if problem.budget.pos >= problem.n_positive or problem.budget.neg >= problem.n_negative:
        return True
    return bool(support) and largest_gap(problem, support) >= 2 / problem.max_weight * (1 - 1e-6)


def largest_gap(problem: SelectionProblem, support: Support) -> float:
    """Maximise p - q: counted positives score at least p, counted negatives at most q.

    Variables: w in [-1, 1] on the support, p, q, and one binary a sample that says it is wrong.
    """
    X, y = problem.X[:, support], np.where(problem.positive, 1.0, -1.0)
    n, d = X.shape
    reach = 2 * np.abs(X).sum(axis=1).max() + 1
    is_p, is_q = problem.positive.astype(float), (~problem.positive).astype(float)
    score_of = np.column_stack((X, -is_p, -is_q)) * y[:, None]
    rows = np.hstack((score_of, reach * np.eye(n)))
    budgets = np.zeros((2, d + 2 + n))
    budgets[0, d + 2 :] = problem.positive
    budgets[1, d + 2 :] = ~problem.positive
    objective = np.zeros(d + 2 + n)
    objective[d], objective[d + 1] = -1.0, 1.0
    lower = np.concatenate((-np.ones(d), [-reach, -reach], np.zeros(n)))
    upper = np.concatenate((np.ones(d), [reach, reach], np.ones(n)))
    answer = milp(
        objective,
        constraints=[
            LinearConstraint(rows, lb=0.0),
            LinearConstraint(budgets, ub=[problem.budget.pos, problem.budget.neg]),
        ],
        integrality=np.concatenate((np.zeros(d + 2), np.ones(n))),
        bounds=Bounds(lower, upper),
        options={"mip_rel_gap": 0.0},
    )
    if answer.status != 0:
        raise RuntimeError(f"The reference MILP ended with {answer.message}")
    return float(-answer.fun)


def random_problem(seed: int) -> SelectionProblem:
    """Return a small instance: continuous, binary or mixed, prices, groups, ties, duplicates."""
    rng = np.random.default_rng(seed)
    n, n_features = int(rng.integers(6, 19)), int(rng.integers(1, 6))
    X = rng.standard_normal((n, n_features))
    kind = rng.integers(4)
    if kind == 1:
        X = (X > 0).astype(float)
    elif kind == 2:
        discrete = rng.random(n_features) < 0.5
        X[:, discrete] = np.round(X[:, discrete])
    elif kind == 3:
        X = np.round(X * 2)
    if n_features > 2 and rng.random() < 0.3:
        X[:, 1] = rng.choice([1.0, -2.0]) * X[:, 0]
    signal = X @ rng.standard_normal(n_features) + rng.uniform(0, 2) * rng.standard_normal(n)
    positive = signal > np.median(signal)
    if positive.all() or not positive.any():
        positive = np.arange(n) < n // 2
    if rng.random() < 0.3:
        X[n // 2 :] = X[: n - n // 2]
    constant = np.ptp(X, axis=0) == 0
    X = (X - X.mean(axis=0)) / np.where(constant, 1.0, X.std(axis=0))
    X[:, constant] = 0.0
    include = rng.random(n_features) < 0.1
    exclude = ~include & (constant | (rng.random(n_features) < 0.1))
    budget = ErrorBudget(int(rng.integers(0, 4)), int(rng.integers(0, 4)))
    max_weight = float(rng.choice([100.0, 100.0, 10.0, 2.0]))
    costs = random_costs(rng, n_features)
    return SelectionProblem(X, positive, budget, costs, include & ~constant, exclude, max_weight)


def random_costs(rng: np.random.Generator, n_features: int) -> CostModel:
    """Return unit costs, prices over two orders of magnitude (some zero), or groups."""
    kind = rng.integers(4)
    if kind == 0:
        return CostModel.per_feature(np.ones(n_features))
    if kind == 1:
        return CostModel.per_feature(rng.integers(0, 21, n_features).astype(float))
    if kind == 2:
        return CostModel.per_feature(np.round(10 ** rng.uniform(-1, 1, n_features), 2))
    n_groups = int(rng.integers(1, 4))
    touched = tuple(
        tuple(int(g) for g in np.flatnonzero(rng.random(n_groups) < 0.5)) for _ in range(n_features)
    )
    prices = rng.integers(0, 4, n_features).astype(float)
    return CostModel(prices, touched, rng.integers(0, 6, n_groups).astype(float))


def large_budgets(seed: int) -> SelectionProblem:
    """Return a problem with budgets too large for conflicts, mixed features and prices."""
    rng = np.random.default_rng(seed)
    n = 300
    X = np.column_stack((rng.standard_normal((n, 3)), rng.random((n, 5)) < 0.3)).astype(float)
    signal = X @ rng.uniform(0.5, 1.5, 8) + 0.7 * rng.standard_normal(n)
    nothing = np.zeros(8, dtype=bool)
    costs = CostModel.per_feature(rng.integers(1, 21, 8).astype(float))
    positive = signal > np.median(signal)
    return SelectionProblem(X, positive, ErrorBudget(28, 24), costs, nothing, nothing)
