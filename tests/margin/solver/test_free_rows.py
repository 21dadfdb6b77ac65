"""The free rows and the inverse of their bordered kernel matrix."""

from __future__ import annotations

import numpy as np

from frugalsvm.margin.arrays import Ints
from frugalsvm.margin.slots import N_FREE
from frugalsvm.margin.solver.dual import Work, make_work
from frugalsvm.margin.solver.free_rows import add_free, column, drop_free, start_free
from frugalsvm.runtime.compiled import kernel


@kernel
def freed(work: Work, rows: Ints, gone: int) -> None:
    """Make rows free, one after the other, then drop one of them."""
    start_free(work, rows[0])
    for i in rows[1:]:
        add_free(work, i, column(work, i))
    if gone >= 0:
        drop_free(work, gone)


def test_the_inverse_is_kept_up_to_date() -> None:
    rng = np.random.default_rng(1)
    X = rng.normal(size=(9, 4))
    work = make_work(X, np.empty((0, 0)), np.where(np.arange(9) % 2 == 0, 1.0, -1.0), np.ones(9))
    for gone in (-1, 0, 1, 3):
        freed(work, np.array([2, 5, 7, 0]), gone)
        k = int(work.counts[N_FREE])
        used = work.free[:k]
        assert k == (4 if gone < 0 else 3)
        bordered = np.zeros((k + 1, k + 1))
        bordered[0, 1:] = bordered[1:, 0] = 1.0
        bordered[1:, 1:] = 0.5 * X[used] @ X[used].T
        np.testing.assert_allclose(work.R[: k + 1, : k + 1], np.linalg.inv(bordered), atol=1e-9)
