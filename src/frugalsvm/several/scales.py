"""Scales for the scores of several classes, so that the largest one misses no class.

A classifier of a rare class is content with small scores, and the largest score then never is its
own. A positive factor does not change what one class against the rest decides, and so none of the
rates that were asked for; but it changes which score is the largest. The factors are chosen on the
training data such that the recalls of the predictions fall short of those asked for by as little
as can be found, and then such that most samples are right.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from frugalsvm.data.rates import RateTargets, required_count
from frugalsvm.several.labels import SeveralLabels

GRID = tuple(float(2.0 ** (step / 2)) for step in range(-24, 25))
SWEEPS = 10

Floats = NDArray[np.float64]


def balancing_scales(scores: Floats, labels: SeveralLabels, asked: Sequence[RateTargets]) -> Floats:
    """Return a positive factor for every target's scores; ones for outputs, which do not compete.

    One factor at a time is moved over a grid, as long as that helps.

    Examples
    --------
    >>> from frugalsvm.several.labels import read_several
    >>> labels = read_several(np.array(["a", "b", "c"]), "FrugalSVC")
    >>> scores = np.array([[8.0, -1.0, -1.0], [6.0, 1.0, -1.0], [-1.0, -1.0, 1.0]])
    >>> scales = balancing_scales(scores, labels, [RateTargets(1.0, 0.5)] * 3)
    >>> np.argmax(scores * scales, axis=1).tolist()
    [0, 1, 2]
    """
    scales = np.ones(len(labels.names))
    if not labels.exclusive:
        return scales
    rank = _Ranking(scores, labels, asked)
    best = rank(scales)
    for _ in range(SWEEPS):
        before = best
        for t in range(len(scales)):
            for factor in GRID:
                tried = scales.copy()
                tried[t] = factor
                found = rank(tried)
                if found < best:
                    best, scales = found, tried
        if best == before:
            break
    return scales


class _Ranking:
    """Tells how good scales are: shortfall of the recalls, then wrong samples; less is better."""

    def __init__(self, scores: Floats, labels: SeveralLabels, asked: Sequence[RateTargets]) -> None:
        self.scores = scores
        self.truth = np.argmax(labels.members, axis=0)
        self.sizes = np.array(labels.sizes)
        self.needed = np.array(
            [
                required_count(target.training_rates(size, labels.n_samples - size)[0], size)
                for target, size in zip(asked, labels.sizes, strict=True)
            ]
        )

    def __call__(self, scales: Floats) -> tuple[float, int]:
        said = np.argmax(self.scores * scales, axis=1)
        right = np.bincount(self.truth[said == self.truth], minlength=len(scales))
        short = np.maximum(0, self.needed - right) / self.sizes
        return round(float(short.sum()), 12), int(len(said) - right.sum())
