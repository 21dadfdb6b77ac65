"""A small problem like a large one: a sample of it."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from frugalsvm.data.problem import CountLimit, MarginProblem
from frugalsvm.margin.arrays import Ints


def sampled(problem: MarginProblem, size: int, seed: int) -> tuple[MarginProblem, Ints]:
    """Return the problem of a random sample, with limits as strict as its own, and its rows."""
    rng = np.random.default_rng(seed)
    n = len(problem.positive)
    classes = [np.flatnonzero(problem.positive), np.flatnonzero(~problem.positive)]
    parts = [rng.permutation(c)[: max(1, round(size * len(c) / n))] for c in classes if len(c)]
    rows = np.sort(np.concatenate(parts)).astype(np.int64)
    limits = tuple(
        CountLimit(
            limit.name,
            limit.members[rows],
            int(limit.max_errors * limit.members[rows].sum() // max(1, limit.members.sum())),
        )
        for limit in problem.limits
    )
    features = None if problem.features is None else problem.features[rows]
    gram = None if problem.gram is None else problem.gram[np.ix_(rows, rows)]
    C = problem.C * n / len(rows)
    part = replace(
        problem, features=features, gram=gram, positive=problem.positive[rows], limits=limits, C=C
    )
    return part, rows
