"""A kernel trained on a sample, where there is no time for the matrix of all pairs.

The sample's classifier is one of all the data: its intercept and a factor are set so that the
limits hold for every sample. It is an answer, of which no bound is known.
"""

from __future__ import annotations

from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

from frugalsvm.data.problem import MarginProblem
from frugalsvm.data.result import MarginResult
from frugalsvm.engine.landmarks import placed
from frugalsvm.inputs.svm_kernels import Kernel
from frugalsvm.runtime.stopping import Stopper

FIRST_SIZE, LAST_SIZE = 1000, 8000
"""Samples that are trained on: twice as many as long as there is time."""

NEXT = 6.0
"""How much longer twice as many are expected to take."""

Vector = NDArray[np.float64]


def train_on_sample(
    problem: MarginProblem, kernel: Kernel, Z: Vector, stop: Stopper, seed: int
) -> MarginResult | None:
    """Return the best classifier of a sample that keeps the limits on all data, None if none does.

    Parameters
    ----------
    problem : MarginProblem
        What is asked, without features or a matrix.
    kernel : Kernel
        The kernel.
    Z : ndarray of shape (n_samples, n_features)
        The data on their scale.
    stop : Stopper
        Time limit and interrupt; a second is taken even if none is left.
    seed : int
        Of the sample.
    """
    best: MarginResult | None = None
    size, took = FIRST_SIZE, 0.0
    while size <= min(LAST_SIZE, len(Z)) and (size == FIRST_SIZE or took * NEXT < stop.remaining):
        if size > FIRST_SIZE and stop():
            break
        begun = stop.elapsed
        found = _of_size(problem, kernel, Z, stop, seed, size)
        if found is not None and (best is None or found.objective < best.objective):
            best = found
        size, took = 2 * size, stop.elapsed - begun
    return best


def _of_size(
    problem: MarginProblem, kernel: Kernel, Z: Vector, stop: Stopper, seed: int, size: int
) -> MarginResult | None:
    from frugalsvm.engine.dispatch import own_trainer
    from frugalsvm.margin import Effort
    from frugalsvm.margin.rows.sample import sampled
    from frugalsvm.runtime.compilation import compilation_off_the_clock

    part, rows = sampled(problem, size, seed)
    part = replace(part, gram=kernel.gram(Z[rows], Stopper()))
    soon, train = stop.extended(1.0), own_trainer(problem.loss)
    with compilation_off_the_clock(soon):
        trained = train(part, stop=soon.within(0.5 * soon.remaining), effort=Effort.QUICK)
    return None if not trained.has_answer else _on_all(problem, kernel, Z, rows, trained, stop)


def _on_all(
    problem: MarginProblem,
    kernel: Kernel,
    Z: Vector,
    rows: NDArray[np.int64],
    trained: MarginResult,
    stop: Stopper,
) -> MarginResult | None:
    """Return the sample's classifier, placed so that the limits hold on all data."""
    used = np.flatnonzero(trained.dual_coef)
    dual = np.zeros(len(Z))
    dual[rows[used]] = trained.dual_coef[used]
    scores = kernel.scores(Z, Z[rows[used]], trained.dual_coef[used])
    found = placed(problem, dual, scores, stop)
    return None if found is None else replace(found, details={"rows": len(rows)})
