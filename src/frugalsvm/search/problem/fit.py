"""The trimmed logistic fit: a direction for a given support that tends to meet the budgets.

The worst samples of each class, as many as its budget allows, are left out; the others are
fitted by a few Newton steps of ridge-penalised logistic regression; and again, until the set
left out and the fit settle. Every direction on the way is measured by its gap.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from frugalsvm.runtime.compiled import helper, kernel
from frugalsvm.search.problem.copying import copy_into
from frugalsvm.search.problem.order_statistics import kth_smallest
from frugalsvm.search.problem.reduction import Floats, Ints

SETTLED = 1e-8  # relative change of the weights below which further steps change nothing


class Recipe(NamedTuple):
    """How a fit is made.

    Attributes
    ----------
    rounds : int
        Newton steps, at most.
    ridge : float
        Penalty on the squared weights, for a mean loss of the samples kept.
    emphasis : float
        Weight of a positive relative to a negative.
    """

    rounds: int
    ridge: float
    emphasis: float = 1.0


@helper
def solve_spd(matrix: Floats, rhs: Floats) -> bool:
    """Solve a positive definite system in place (Cholesky); False if it is not definite."""
    n = len(rhs)
    for j in range(n):
        for k in range(j):
            matrix[j, j] -= matrix[j, k] * matrix[j, k]
        if matrix[j, j] <= 1e-14:
            return False
        matrix[j, j] = np.sqrt(matrix[j, j])
        for i in range(j + 1, n):
            for k in range(j):
                matrix[i, j] -= matrix[i, k] * matrix[j, k]
            matrix[i, j] /= matrix[j, j]
    for i in range(n):
        for k in range(i):
            rhs[i] -= matrix[i, k] * rhs[k]
        rhs[i] /= matrix[i, i]
    for i in range(n - 1, -1, -1):
        for k in range(i + 1, n):
            rhs[i] -= matrix[k, i] * rhs[k]
        rhs[i] /= matrix[i, i]
    return True


@helper
def _newton_step(
    points: Floats, n_pos: int, mass: Floats, scores: Floats, ridge: float, w: Floats
) -> tuple[float, bool]:
    """Improve w (intercept last) by one step.

    Return the loss per unit of mass before it, and whether there was next to nothing to improve.
    """
    n, d = points.shape
    hessian = np.zeros((d + 1, d + 1))
    gradient = np.zeros(d + 1)
    loss, total = 0.0, 0.0
    for i in range(n):
        if mass[i] == 0.0:
            continue
        y = 1.0 if i < n_pos else -1.0
        m = y * scores[i]
        if m > 0:
            e = np.exp(-m)
            wrong = e / (1.0 + e)
            loss += mass[i] * np.log1p(e)
        else:
            e = np.exp(m)
            wrong = 1.0 / (1.0 + e)
            loss += mass[i] * (np.log1p(e) - m)
        total += mass[i]
        pull = mass[i] * y * wrong
        curve = mass[i] * wrong * (1.0 - wrong)
        for k in range(d):
            gradient[k] += pull * points[i, k]
            row = curve * points[i, k]
            for j in range(k + 1):
                hessian[k, j] += row * points[i, j]
            hessian[d, k] += row
        gradient[d] += pull
        hessian[d, d] += curve
    for k in range(d + 1):
        penalty = ridge * total if k < d else 1e-9 * total
        hessian[k, k] += penalty
        gradient[k] -= penalty * w[k]
    settled = True
    if solve_spd(hessian, gradient):
        longest, largest = 0.0, 0.0
        for k in range(d + 1):
            longest = max(longest, abs(gradient[k]))
        scale = min(1.0, 20.0 / longest) if longest > 0 else 0.0
        for k in range(d + 1):
            w[k] += scale * gradient[k]
            largest = max(largest, abs(w[k]))
        settled = longest <= SETTLED * largest
    return (loss / total if total > 0 else 0.0), settled


@kernel
def trimmed_fit(
    points: Floats,
    n_pos: int,
    weight: Ints,
    needs: tuple[int, int],
    floor: float,
    recipe: Recipe,
    w: Floats,
    found: Floats,
) -> tuple[float, float, int]:
    """Fit the samples that the budgets require to be right, starting from w (intercept last).

    Parameters
    ----------
    needs : tuple of two ints
        How many positives and how many negatives have to be right.
    found : ndarray of shape (d,)
        Receives the direction with the largest gap.

    Returns
    -------
    gap, loss : float
        The largest gap (for max |w_k| = 1), and the smallest mean loss of the samples kept.
    steps : int
        Newton steps made; the fit ends as soon as the gap reaches the floor or it has settled.
    """
    n, d = points.shape
    scores, values, mass = np.empty(n), np.empty(n), np.empty(n)
    order = np.empty(n, np.int64)
    best_gap, best_loss = -np.inf, np.inf
    for step in range(recipe.rounds):
        top = 0.0
        for k in range(d):
            top = max(top, abs(w[k]))
        for i in range(n):
            total = w[d]
            for k in range(d):
                total += w[k] * points[i, k]
            scores[i] = total
            values[i] = -total if i < n_pos else total
            order[i] = weight[i]
        p = -kth_smallest(values[:n_pos], order[:n_pos], n_pos, needs[0])
        q = kth_smallest(values[n_pos:], order[n_pos:], n - n_pos, needs[1])
        if top > 0.0:
            if (p - q) / top > best_gap:
                best_gap = (p - q) / top
                copy_into(w[:d], found)
            if best_gap >= floor:
                return best_gap, 0.0, step
        for i in range(n):
            if step == 0 and top == 0.0:
                kept = True
            else:
                kept = scores[i] >= p if i < n_pos else scores[i] <= q
            mass[i] = 0.0
            if kept:
                mass[i] = recipe.emphasis * weight[i] if i < n_pos else float(weight[i])
        loss, settled = _newton_step(points, n_pos, mass, scores, recipe.ridge, w)
        if step > 0:
            best_loss = min(best_loss, loss)
            if settled:
                return best_gap, best_loss, step + 1
    return best_gap, best_loss, recipe.rounds


@kernel
def pull_of(scores: Floats, n_pos: int, weight: Ints, need_pos: int, need_neg: int) -> Floats:
    """Return how strongly each kept sample pulls the scores: minus the loss's derivative."""
    n = len(scores)
    values, mass, pull = np.empty(n), weight.copy(), np.zeros(n)
    for i in range(n):
        values[i] = -scores[i] if i < n_pos else scores[i]
    p = -kth_smallest(values[:n_pos], mass[:n_pos], n_pos, need_pos)
    q = kth_smallest(values[n_pos:], mass[n_pos:], n - n_pos, need_neg)
    for i in range(n):
        if i < n_pos and scores[i] >= p:
            pull[i] = weight[i] / (1.0 + np.exp(min(scores[i], 500.0)))
        elif i >= n_pos and scores[i] <= q:
            pull[i] = -weight[i] / (1.0 + np.exp(min(-scores[i], 500.0)))
    return pull
