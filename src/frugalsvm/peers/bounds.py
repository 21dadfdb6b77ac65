"""A lower bound on the hinge loss that a budget can buy, recomputed from the data.

For multipliers 0 <= alpha_i <= 1 that balance the classes, no hyperplane on features S with weights
up to M has a loss below sum_i alpha_i - M sum_{k in S} |sum_i alpha_i y_i x_ik|. So none within the
budget has a loss below the same with the most that any affordable S can take. Whatever solver the
multipliers come from, the bound holds: it needs no more than this sum.
"""

from __future__ import annotations

from functools import partial

import numpy as np
import scipy.sparse as sp
from numpy.typing import NDArray
from scipy.optimize import linprog

from frugalsvm.peers.program import BudgetProblem
from frugalsvm.stopping import Stopper
from frugalsvm.watch import watched

Array = NDArray[np.float64]

ROUNDING = 1e-10  # what sums of floats may have added, relative


def recomputed_bound(problem: BudgetProblem, stop: Stopper) -> float:
    """Return the bound at the multipliers of the linear relaxation; 0 if there was no time."""
    return bound_at(problem, _multipliers(problem, stop))


def bound_at(problem: BudgetProblem, alpha: Array) -> float:
    """Return the bound that multipliers prove; they are balanced first."""
    alpha = np.clip(alpha, 0.0, 1.0)
    positive = problem.signs > 0
    sums = alpha[positive].sum(), alpha[~positive].sum()
    if min(sums) <= 0.0:
        return 0.0
    alpha = np.where(positive, alpha * min(1.0, sums[1] / sums[0]), alpha)
    alpha = np.where(positive, alpha, alpha * min(1.0, sums[0] / sums[1]))
    pull = np.abs((alpha * problem.signs) @ problem.Z[:, problem.allowed])
    total = float(alpha.sum())
    taken = problem.max_weight * most_within(problem, pull)
    return max(0.0, total - taken - ROUNDING * (total + taken))


def most_within(problem: BudgetProblem, worth: Array) -> float:
    """Return at least the greatest worth of features that the budget pays for.

    Groups are left out, and the last feature may be bought in part: that can only be more.
    """
    prices = np.array([float(problem.costs.exact.feature[k]) for k in problem.allowed])
    free = prices == 0
    total = float(worth[free].sum())
    rest, worth, prices = float(problem.units), worth[~free], prices[~free]
    order = np.argsort(-worth / prices, kind="stable")
    shares = np.clip((rest - np.cumsum(prices[order]) + prices[order]) / prices[order], 0.0, 1.0)
    return total + float(shares @ worth[order])


def _multipliers(problem: BudgetProblem, stop: Stopper) -> Array:
    """Solve the relaxation without binaries and groups: the budget bounds a weighted l1 norm."""
    n, allowed = len(problem.signs), problem.allowed
    X = problem.signs[:, np.newaxis] * problem.Z[:, allowed]
    prices = np.array([float(problem.costs.exact.feature[k]) for k in allowed])
    peak = max(1.0, float(prices.max()))
    margins = sp.hstack(
        [sp.csr_array(np.hstack([-X, X, -problem.signs[:, np.newaxis]])), -sp.eye_array(n)]
    )
    spent = np.concatenate([prices, prices, np.zeros(n + 1)]) / (peak * problem.max_weight)
    limits = [(0.0, problem.max_weight)] * (2 * len(allowed)) + [(None, None)] + [(0.0, None)] * n
    options = {} if np.isinf(stop.remaining) else {"time_limit": max(0.01, stop.remaining)}
    relaxation = partial(
        linprog,
        np.concatenate([np.zeros(2 * len(allowed) + 1), np.ones(n)]),
        A_ub=sp.vstack([margins, spent[np.newaxis]], format="csr"),
        b_ub=np.concatenate([-np.ones(n), [float(problem.units) / peak]]),
        bounds=limits,
        method="highs",
        options=options,
    )
    found = watched(relaxation, stop, look=lambda: None)
    if found is None or found.status != 0:
        return np.zeros(n)
    return np.asarray(-found.ineqlin.marginals[:n])
