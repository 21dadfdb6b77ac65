"""What oracles say, by trying everything: slow, simple, and independent of the kernels."""

from __future__ import annotations

from collections.abc import Iterable
from itertools import combinations, count

import numpy as np
from scipy.optimize import linprog

from frugalsvm.search.problem.reduction import CoreProblem, reduce_problem
from reference_selection import random_problem


def core_of(seed: int) -> CoreProblem:
    """Return a reduced random problem in which there is something to judge."""
    tried = (reduce_problem(random_problem(number)) for number in count(seed, 10_000))
    return next(core for core in tried if core.n_features and core.need_pos and core.need_neg)


def all_supports(features: Iterable[int]) -> list[tuple[int, ...]]:
    """Return all sets of some features, the empty one first."""
    known = sorted(features)
    return [chosen for size in range(len(known) + 1) for chosen in combinations(known, size)]


def fits_by_cells(core: CoreProblem, support: Iterable[int]) -> bool:
    """Return whether some choice of a class for each cell meets both budgets, by trying all."""
    cells: dict[bytes, list[int]] = {}
    for i in range(core.n_samples):
        counts = cells.setdefault(core.columns[list(support), i].tobytes(), [0, 0])
        counts[int(i >= core.n_pos)] += int(core.weight[i])
    reachable = {(0, 0)}
    for pos, neg in cells.values():
        if pos and neg:
            lost = {(p + pos, n) for p, n in reachable} | {(p, n + neg) for p, n in reachable}
            reachable = {(p, n) for p, n in lost if p <= core.budget_pos and n <= core.budget_neg}
    return bool(reachable)


def widest_gap(points: np.ndarray, positive: np.ndarray) -> float:
    """Return the widest gap between all positives and all negatives, by a linear program.

    `points` has a row per sample. Maximise p - q such that positives score at least p, negatives
    at most q, and the weights are at most 1.
    """
    d = points.shape[1]
    y = np.where(positive, 1.0, -1.0)
    rows = np.column_stack((-y[:, None] * points, positive, -(~positive).astype(float)))
    solved = linprog(
        np.concatenate((np.zeros(d), [-1.0, 1.0])),
        A_ub=rows,
        b_ub=np.zeros(len(points)),
        bounds=[(-1.0, 1.0)] * d + [(None, None)] * 2,
    )
    return float(-solved.fun)


def gap_by_counting(core: CoreProblem, direction: np.ndarray) -> float:
    """Return the gap of a direction, every sample written down as often as it weighs."""
    scores = np.repeat(direction @ core.columns, core.weight)
    positive = np.repeat(np.arange(core.n_samples) < core.n_pos, core.weight)
    p = np.sort(scores[positive])[-core.need_pos]
    q = np.sort(scores[~positive])[core.need_neg - 1]
    return float(p - q) / float(np.abs(direction).max())
