"""Which features tell the classes apart, and which samples are hard by them."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from frugalsvm.search.problem.fit import Recipe, trimmed_fit
from frugalsvm.search.problem.reduction import CoreProblem, Ints
from frugalsvm.search.tuning import (
    MOST_TELLING,
    TELLING_WORK,
)


def telling_features(core: CoreProblem) -> NDArray[np.intp]:
    """Return the features with the largest difference of the classes' means, all if few."""
    most = min(MOST_TELLING, max(3, int((TELLING_WORK / core.n_samples) ** 0.5)))
    if core.n_features <= most:
        return np.arange(core.n_features)
    n = core.n_pos
    pos = core.columns[:, :n] @ core.weight[:n] / core.weight[:n].sum()
    neg = core.columns[:, n:] @ core.weight[n:] / core.weight[n:].sum()
    return np.sort(np.argsort(-np.abs(pos - neg), kind="stable")[:most])


def hardest_first(core: CoreProblem) -> Ints:
    """Order the samples by their margin under one fit on the most telling features."""
    chosen = telling_features(core)
    points = np.ascontiguousarray(core.columns[chosen].T)
    w, found = np.zeros(len(chosen) + 1), np.zeros(len(chosen))
    trimmed_fit(points, core.n_pos, core.weight, core.needs, np.inf, Recipe(10, 1e-2), w, found)
    margin = points @ w[:-1] + w[-1]
    margin[core.n_pos :] *= -1.0
    return np.argsort(margin, kind="stable").astype(np.int64)
