"""A lower bound on the hinge loss that a budget can buy, recomputed from the data.

For multipliers 0 <= alpha_i <= 1 that balance the classes, no hyperplane on features S with weights
up to M has a loss below sum_i alpha_i - M sum_{k in S} |sum_i alpha_i y_i x_ik|. So none within the
budget has a loss below the same with the most that any affordable S can take. Whatever solver the
multipliers come from, the bound holds: it needs no more than this sum.
"""

from __future__ import annotations

import numpy as np
import scipy.sparse as sp
from numpy.typing import NDArray

from frugalsvm.models.program import ProgramBuilder
from frugalsvm.peers.program import BudgetProblem, solved
from frugalsvm.runtime.stopping import Stopper

Array = NDArray[np.float64]

ROUNDING = 1e-10  # what sums of floats may have added, relative


def recomputed_bound(problem: BudgetProblem, stop: Stopper) -> float:
    """Return the bound at the multipliers of the linear relaxation; 0 if there was no time."""
    return bound_at(problem, relaxed_multipliers(problem, stop))


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


def relaxed_multipliers(problem: BudgetProblem, stop: Stopper) -> Array:
    """Return the multipliers of the relaxation without binaries and groups.

    There the budget bounds a weighted sum of the |w_k|, and the dual is a linear program: maximise
    sum alpha_i - B t - M sum s_k with |sum_i alpha_i y_i x_ik| <= p_k t / M + s_k.
    """
    n, allowed = len(problem.signs), problem.allowed
    prices = np.array([float(problem.costs.exact.feature[k]) for k in allowed])
    peak = max(1.0, float(prices.max()))
    builder = ProgramBuilder("the multipliers of the budget's relaxation")
    alpha = builder.columns(n, cost=-1.0, upper=1.0)
    price = builder.columns(1, cost=float(problem.units) / peak)
    excess = builder.columns(len(allowed), cost=problem.max_weight)
    pull = (problem.signs[:, np.newaxis] * problem.Z[:, allowed]).T
    share = prices[:, np.newaxis] / (peak * problem.max_weight)
    one = sp.eye_array(len(allowed), format="csr")
    for sign in (1.0, -1.0):
        builder.rows([(alpha, sign * pull), (price, -share), (excess, -one)], upper=0.0)
    builder.rows([(alpha, problem.signs[np.newaxis])], lower=0.0, upper=0.0)
    x = solved(builder.build(), stop, seed=0).x
    return np.zeros(n) if x is None else x[alpha]
